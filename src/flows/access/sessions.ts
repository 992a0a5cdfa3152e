import { inParallel } from '#core/in-parallel.ts';
import type { Session } from '#core/records/sessions.ts';
import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import { actorOf, type Principal } from './principal.ts';

/** A session, and the client that its system administrator acts as. */
export interface OwnSession extends Session {
  readonly clientName: string | null;
  /** True for the session of this request. */
  readonly isThis: boolean;
}

/** Returns the open sessions of the logged-in user, newest first; called from the Sessions screen. */
export async function listOwnSessions(app: App, principal: Principal): Promise<readonly OwnSession[]> {
  const sessions = await app.store.listSessionsOf(principal.userId, app.clock.now());
  return inParallel(
    sessions.map(async (session) => ({
      ...session,
      clientName: session.masquerader === null ? null : await clientName(app, session),
      isThis: session.jti === principal.jti,
    })),
  );
}

/**
 * Ends one of the logged-in user's other sessions.
 *
 * @throws Refusal `not_found` for a session of another user and for one that has ended; `this_session` (409).
 */
export async function endOwnSession(app: App, principal: Principal, id: string): Promise<void> {
  const session = (await app.store.listSessionsOf(principal.userId, app.clock.now())).find((one) => one.id === id);
  if (session === undefined) throw new Refusal('not_found', 'not_found', 'Session not found.');
  if (session.jti === principal.jti)
    throw new Refusal('conflict', 'this_session', 'This is your current session. Log out to end it.');
  await app.store.revokeSession(session.jti, app.clock.now());
  await note(app, principal, 1);
}

/** Ends all other sessions of the logged-in user. Returns how many ended. */
export async function endOtherSessions(app: App, principal: Principal): Promise<number> {
  const ended = await app.store.revokeSessionsOf(principal.userId, app.clock.now(), { exceptJti: principal.jti });
  if (ended > 0) await note(app, principal, ended);
  return ended;
}

async function clientName(app: App, { tenantId }: Session): Promise<string | null> {
  return tenantId === null ? null : ((await app.store.findTenant(tenantId))?.name ?? null);
}

/** A client's audit trail shows what its users do, but not the sessions of a system administrator. */
async function note(app: App, principal: Principal, ended: number): Promise<void> {
  if (principal.client === null || principal.masquerader !== null) return;
  await app.store.forTenant(principal.client.id).addAudit({
    at: app.clock.now(),
    actor: actorOf(principal),
    action: 'sessions.ended',
    subject: principal.username,
    before: null,
    after: { sessions: ended },
  });
}
