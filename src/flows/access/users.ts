import type { NewAuditEvent } from '#core/ports/audit.ts';
import type { Person } from '#core/ports/people.ts';
import { Refusal } from '#core/refusal.ts';
import type { TenantContext } from '../context.ts';
import { actorOf, type Principal } from './principal.ts';

/**
 * Lets a user in no more: their sessions end, and codes they got are worth nothing. Asked for on the Users screen.
 *
 * @throws Refusal `not_found`; `own_account`, `last_administrator`, `not_active` (409).
 */
export async function deactivateUser(context: TenantContext, principal: Principal, id: string): Promise<Person> {
  refuseOneself(principal, id, 'You cannot deactivate yourself. Ask another administrator of your company.');
  const user = await getUser(context, id);
  if (!(await context.store.deactivateUser(id, eventOf(context, principal, 'user.deactivated', user))))
    throw new Refusal('conflict', 'not_active', 'This user is deactivated already.');
  return getUser(context, id);
}

/**
 * Lets a deactivated user in again, with the password of before.
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
 * Forgets a deactivated user; the audit trail keeps what they did, and their address is free for another account.
 *
 * @throws Refusal `not_found`; `not_deactivated` (409).
 */
export async function removeUser(context: TenantContext, principal: Principal, id: string): Promise<void> {
  const user = await getUser(context, id);
  if (!(await context.store.removeUser(id, eventOf(context, principal, 'user.removed', user))))
    throw new Refusal('conflict', 'not_deactivated', 'Deactivate this user first.');
}

/**
 * Signs another user out everywhere; they can sign in again.
 *
 * @throws Refusal `not_found`; `own_account` (409).
 */
export async function endUserSessions(context: TenantContext, principal: Principal, id: string): Promise<Person> {
  refuseOneself(principal, id, 'Your own sessions are under “Your sessions”.');
  const user = await getUser(context, id);
  await context.store.endSessionsOf(id, eventOf(context, principal, 'user.sessions_ended', user));
  return getUser(context, id);
}

/** The event of a change to one of the client's people. */
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
  if (person === null || person.state === 'invited')
    throw new Refusal('not_found', 'not_found', 'There is no such user.');
  return person;
}

function refuseOneself({ userId }: Principal, id: string, message: string): void {
  if (userId === id.toLowerCase()) throw new Refusal('conflict', 'own_account', message);
}
