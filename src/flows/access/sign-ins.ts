import type { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import type { SignedIn } from './principal.ts';
import { isAdmitted } from './throttle.ts';

/** Refused logins to a locked account that the audit trail shows, in 15 minutes. */
const maxNotedLocks = 5;

/** Signing in, in the audit trail of the client; what concerns a system administrator stands with the deployment. */

/** Notes that somebody signed in. */
export const noteSignIn = (
  app: App,
  { username, client }: Pick<SignedIn, 'username' | 'client'>,
  address: string,
): Promise<void> => note(app, { username, tenantId: client?.id ?? null }, 'sign_in.succeeded', address);

/**
 * Notes that somebody tried to sign in as a user and failed, or was made to wait. A typed name that belongs to nobody
 * is kept nowhere: it may be a password. To be called after the answer.
 */
export async function noteFailedSignIn(
  app: App,
  { username, address }: { readonly username: string; readonly address: string },
  { code, kind }: Pick<Refusal, 'code' | 'kind'>,
): Promise<void> {
  // The first of the two steps went well; the second is noted by itself. A full queue has checked nothing.
  if (code === 'code_required' || kind === 'overloaded') return;
  const user = await app.store.findUser(username);
  if (user === null) return;
  if (kind !== 'throttled') return note(app, user, 'sign_in.failed', address);
  // Anyone can repeat a refused login without end, so the audit trail shows a few of each lock and not every try.
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
