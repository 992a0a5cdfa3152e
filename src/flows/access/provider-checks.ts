import { inParallel } from '#core/in-parallel.ts';
import type { SignInLink } from '#core/records/sign-in-providers.ts';
import type { App } from '../context.ts';
import { readLoginProvider } from './provider-required.ts';

/** Accounts that one process checks at the same time. */
const batch = 10;

/**
 * Asks providers whether the accounts of open sessions still exist, each every 30 minutes. Ends the sessions of accounts
 * that were removed or disabled. Sessions of an account that no provider confirmed for an hour end by their age.
 */
export async function checkProviderAccounts(app: App, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) return;
    const links = await app.store.claimSignInLinks(app.clock.now(), batch);
    if (links.length === 0) return;
    await inParallel(links.map((link) => check(app, link)));
  }
}

async function check(app: App, link: SignInLink): Promise<void> {
  const { userId, issuer, subject, refreshToken } = link;
  const user = await app.store.findUserById(userId);
  const provider = user === null ? null : await readLoginProvider(app, user.tenantId);
  if (user === null || refreshToken === null) return;
  try {
    const isOurs = provider !== null && provider.access.issuer === issuer;
    const next = isOurs ? await app.signIn.refresh(provider.access, { refreshToken, subject }) : null;
    if (next !== null) {
      await app.store.saveSignInLink({ ...link, refreshToken: next.refreshToken }, app.clock.now());
      return;
    }
  } catch (error) {
    // The check is repeated in a few minutes, until the sessions end by their age.
    app.logger.warn({ userId, issuer, err: error }, 'an account could not be checked at its provider');
    return;
  }
  const now = app.clock.now();
  if ((await app.store.revokeProviderSessionsOf(userId, now)) === 0) return;
  const event = { at: now, action: 'sign_in.ended_by_provider', subject: user.username };
  if (user.tenantId === null) await app.store.addDeploymentEvent({ ...event, actor: issuer, detail: {} });
  else
    await app.store
      .forTenant(user.tenantId)
      .addAudit({ ...event, actor: { username: issuer }, before: null, after: null });
}
