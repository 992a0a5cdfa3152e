import { Refusal } from '#core/refusal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { App } from '../context.ts';
import { refuseMoved, signedInAs, type Principal, type SignedIn } from './principal.ts';

const uuidShape = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Lets a system administrator act as a client, or change to another client, under their own name; called from the
 * Overview. The current session ends. The new session ends when the current one would have ended.
 *
 * @throws Refusal `not_found` for an unknown client, `client_moved`.
 */
export async function masquerade(app: App, principal: Principal, clientId: string): Promise<SignedIn> {
  const tenant = uuidShape.test(clientId) ? await app.store.findTenant(clientId) : null;
  if (tenant === null) throw new Refusal('not_found', 'not_found', 'Client not found.');
  await refuseMoved(app, tenant.id);
  if (principal.masquerader !== null && principal.client !== null)
    await note(app, principal, principal.client.id, 'masquerade.ended');
  await note(app, principal, tenant.id, 'masquerade.begun');
  await app.store.revokeSession(principal.jti, app.clock.now());
  return {
    userId: principal.userId,
    username: principal.username,
    roles: [...new Set([...principal.roles, 'clientadmin' as const])],
    client: { id: tenant.id, name: tenant.name },
    masquerader: principal.username,
    psaLink: null,
    accessVersion: principal.accessVersion,
    endsAt: principal.endsAt,
    proof: principal.proof,
    mustSetUp: false,
  };
}

/**
 * Ends a masquerade and returns to the system administrator's own session.
 *
 * @throws Refusal `not_masquerading`.
 */
export async function endMasquerade(app: App, principal: Principal): Promise<SignedIn> {
  if (principal.masquerader === null || principal.client === null)
    throw new Refusal('conflict', 'not_masquerading', 'You are in your own session already.');
  const user = await app.store.findUser(principal.username);
  if (user === null || !user.isActive) throw new Refusal('unauthorized', 'unauthorized', 'Please log in again.');
  await note(app, principal, principal.client.id, 'masquerade.ended');
  await app.store.revokeSession(principal.jti, app.clock.now());
  const signedIn = await signedInAs(app, user, principal.proof);
  return { ...signedIn, accessVersion: principal.accessVersion, endsAt: principal.endsAt };
}

/** Sessions with the calls already logged for them, so that a screen that polls is logged once. */
const noted = new Set<string>();
/** When full, the set is cleared. A call may then be logged twice. */
const maxNoted = 10_000;

/** Logs in the client's audit trail what a masquerading system administrator reads, each call once per session. */
export async function noteMasqueradeRead(
  app: App,
  principal: Principal,
  call: string,
  what: JsonObject = {},
): Promise<void> {
  if (principal.masquerader === null || principal.client === null) return;
  const key = `${principal.jti} ${call} ${JSON.stringify(what)}`;
  if (noted.has(key)) return;
  if (noted.size >= maxNoted) noted.clear();
  noted.add(key);
  await note(app, principal, principal.client.id, 'masquerade.read', { subject: call, after: what });
}

/** Adds an event to the client's audit trail, with the system administrator as the actor. */
const note = (
  app: App,
  principal: Principal,
  tenantId: string,
  action: string,
  { subject = null, after = {} }: { readonly subject?: string | null; readonly after?: JsonObject } = {},
) =>
  app.store.forTenant(tenantId).addAudit({
    at: app.clock.now(),
    actor: { username: principal.username, masquerader: principal.username },
    action,
    subject,
    before: null,
    after: Object.keys(after).length === 0 ? null : after,
  });
