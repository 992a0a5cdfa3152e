import type { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import type { SignedIn } from './principal.ts';
import { isAdmitted } from './throttle.ts';

/** Maximum rejected logins to a locked account that the audit trail shows in 15 minutes. */
const maxNotedLocks = 5;

/** Logins are logged in the client's audit trail, and those of system administrators in the deployment's. */

/** Logs a successful login. */
export const noteSignIn = (
  app: App,
  { username, client }: Pick<SignedIn, 'username' | 'client'>,
  address: string,
): Promise<void> => note(app, { username, tenantId: client?.id ?? null }, 'sign_in.succeeded', address);

/**
 * Logs a failed or throttled login of an existing user. An unknown name is not stored, because it may be a password
 * typed into the wrong field. Call it after the response.
 */
export async function noteFailedSignIn(
  app: App,
  { username, address }: { readonly username: string; readonly address: string },
  { code, kind }: Pick<Refusal, 'code' | 'kind'>,
): Promise<void> {
  // The first of two steps succeeded; the second is logged separately. A full queue has checked nothing.
  if (code === 'code_required' || kind === 'overloaded') return;
  const user = await app.store.findUser(username);
  if (user === null) return;
  if (kind !== 'throttled') return note(app, user, 'sign_in.failed', address);
  // A client can repeat a rejected login endlessly, so the audit trail shows only a few per lock.
  if (await isAdmitted(app, [{ key: `noted lock of ${user.id}`, limit: maxNotedLocks }]))
    await note(app, user, 'sign_in.locked_out', address);
}

async function note(
  app: App,
  { username, tenantId }: { readonly username: string; readonly tenantId: string | null },
  action: string,
  address: string,
): Promise<void> {
  const event = { at: app.clock.now(), action, subject: username };
  if (tenantId === null) await app.store.addDeploymentEvent({ ...event, actor: username, detail: { address } });
  else
    await app.store.forTenant(tenantId).addAudit({ ...event, actor: { username }, before: null, after: { address } });
}
