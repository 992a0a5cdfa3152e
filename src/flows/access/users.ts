import type { NewAuditEvent } from '#core/records/audit.ts';
import { handedOverByDefault, type Owned, type OwnedKind, type Succession } from '#core/owned.ts';
import type { Person } from '#core/records/people.ts';
import { Refusal } from '#core/refusal.ts';
import type { App, TenantContext } from '../context.ts';
import { actorOf, type Principal } from './principal.ts';

/** What a caller chooses for the things that a leaving user owns. */
export interface SuccessionChoice {
  readonly handOver?: readonly OwnedKind[] | undefined;
  /** User name of an administrator. Undefined means the caller. */
  readonly to?: string | undefined;
}

/**
 * Lists the API keys, webhook endpoints, chats and invitations of a user.
 *
 * @throws Refusal `not_found`.
 */
export async function listOwned({ store }: TenantContext, id: string): Promise<readonly Owned[]> {
  return (await store.listOwned(id)) ?? refuseUnknown();
}

/**
 * Deactivates a user: their sessions end, their codes and links stop working, and what they own is handed over or
 * removed. Called from the Users screen.
 *
 * @throws Refusal `not_found`; `own_account`, `last_administrator`, `break_glass`, `not_active` (409);
 *   `validation_failed` (422) for the new owner.
 */
export async function deactivateUser(
  app: App,
  context: TenantContext,
  principal: Principal,
  id: string,
  choice: SuccessionChoice = {},
): Promise<Person> {
  refuseOneself(principal, id, 'You cannot deactivate yourself. Ask another administrator of your company.');
  const user = await getUser(context, id);
  const event = eventOf(context, principal, 'user.deactivated', user);
  if (!(await context.store.deactivateUser(id, successionOf(principal, choice), event)))
    throw new Refusal('conflict', 'not_active', 'This user is deactivated already.');
  // After a reactivation, the user's address finds their account at the provider again.
  await app.store.removeSignInLink(id);
  return getUser(context, id);
}

/**
 * Reactivates a user, with the same password as before.
 *
 * @throws Refusal `not_found`; `not_deactivated` (409).
 */
export async function reactivateUser(context: TenantContext, principal: Principal, id: string): Promise<Person> {
  const user = await getUser(context, id);
  if (!(await context.store.reactivateUser(id, eventOf(context, principal, 'user.reactivated', user))))
    throw new Refusal('conflict', 'not_deactivated', 'This user is active.');
  return getUser(context, id);
}

/**
 * Removes a deactivated user, and hands over or removes what they still own. The audit trail still shows what they did,
 * and another account can use their address.
 *
 * @throws Refusal `not_found`; `not_deactivated` (409); `validation_failed` (422) for the new owner.
 */
export async function removeUser(
  context: TenantContext,
  principal: Principal,
  id: string,
  choice: SuccessionChoice = {},
): Promise<void> {
  const user = await getUser(context, id);
  const event = eventOf(context, principal, 'user.removed', user);
  if (!(await context.store.removeUser(id, successionOf(principal, choice), event)))
    throw new Refusal('conflict', 'not_deactivated', 'Deactivate this user first.');
}

/**
 * Ends all sessions of another user; they can log in again.
 *
 * @throws Refusal `not_found`; `own_account` (409).
 */
export async function endUserSessions(context: TenantContext, principal: Principal, id: string): Promise<Person> {
  refuseOneself(principal, id, 'Your own sessions are under “Your sessions”.');
  const user = await getUser(context, id);
  await context.store.endSessionsOf(id, eventOf(context, principal, 'user.sessions_ended', user));
  return getUser(context, id);
}

/** Returns the audit event for a change to one of the client's people. */
export const eventOf = (
  { clock }: TenantContext,
  principal: Principal,
  action: string,
  { email, name }: Pick<Person, 'email' | 'name'>,
): NewAuditEvent => ({
  at: clock.now(),
  actor: actorOf(principal),
  action,
  subject: email,
  before: null,
  after: { name },
});

async function getUser({ store }: TenantContext, id: string): Promise<Person> {
  const person = await store.readPerson(id);
  return person === null || person.state === 'invited' ? refuseUnknown() : person;
}

const refuseUnknown = (): never => {
  throw new Refusal('not_found', 'not_found', 'User not found.');
};

const successionOf = ({ username, masquerader }: Principal, { handOver, to }: SuccessionChoice): Succession => ({
  handOver: handOver ?? handedOverByDefault,
  to: to ?? (masquerader === null ? username : null),
});

function refuseOneself({ userId }: Principal, id: string, message: string): void {
  if (userId === id.toLowerCase()) throw new Refusal('conflict', 'own_account', message);
}
