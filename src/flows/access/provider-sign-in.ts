import { createHash } from 'node:crypto';
import type { OneTimeToken } from '#core/records/one-time-tokens.ts';
import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import { accountOf, domainOf, type Account } from '#core/sign-in-provider.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { App } from '../context.ts';
import { ownUser } from './totp-setup.ts';
import { actorOf, type Principal } from './principal.ts';
import { readLoginProvider, type LoginProvider } from './provider-required.ts';
import { hashOf, matches } from './secrets.ts';
import { afterProvider, type BrowserCode } from './sign-on.ts';
import { throttle } from './throttle.ts';

/**
 * Sign-in with Microsoft, Google or another OpenID Connect provider. The domain of the typed address decides which
 * provider; only an existing user of its client can log in there.
 */

/** Time for the user on the provider's pages. */
const loginSeconds = 900;
const secretBytes = 24;
/** Maximum logins that one network address may begin in 15 minutes, because domains could be enumerated. */
const beginsPerAddress = 60;

const redirectUriOf = (app: App): string => `${app.config.appUrl}/auth/provider/callback`;

/** Address that is registered at the provider. */
export const providerRedirectUri = redirectUriOf;

/** The provider's login page, and the secret for a cookie that the callback must return. */
export interface Begun {
  readonly url: string;
  readonly browserSecret: string;
}

/**
 * Begins a login. The response depends on the domain of the address only, never on whether a user has it.
 *
 * @throws Refusal `no_provider` (422); `provider_unavailable` (503), `provider_unusable` (409); `too_many_tries` (429).
 */
export async function beginProviderSignIn(app: App, email: string, address: string): Promise<Begun> {
  await throttle(app, [{ key: `provider at ${address}`, limit: beginsPerAddress }]);
  const provider = await findProvider(app, email);
  if (provider === null) {
    const error = 'Sign-in with Microsoft or Google is not set up for this address. Log in with your password.';
    throw new Refusal('unprocessable', 'no_provider', error, [{ key: 'username', error }]);
  }
  return begin(app, provider, { loginHint: email.trim(), userId: null, data: { step: 'login' } });
}

/**
 * Begins the test of a client's provider: the administrator logs in there as themselves.
 *
 * @throws Refusal `not_found` without a provider, `masquerading` (409), and as {@link beginProviderSignIn}.
 */
export async function beginProviderTest(app: App, principal: Principal, tenantId: string): Promise<Begun> {
  const user = await ownUser(app, principal);
  const provider = await readLoginProvider(app, tenantId);
  if (provider === null) throw new Refusal('not_found', 'not_found', 'Save the provider first.');
  return begin(app, provider, {
    loginHint: user.username,
    userId: user.id,
    data: { step: 'test', jti: principal.jti, username: actorOf(principal).username },
  });
}

/** How a login at a provider ended. */
export type Finished = { readonly do: 'enter' | 'ask_code'; readonly code: BrowserCode } | { readonly do: 'tested' };

/**
 * Finishes a login or a test after the provider has redirected the browser back. The state works once, and only in the
 * browser that began.
 *
 * @param parameters query of the callback.
 * @throws Refusal `link_expired` (400), `wrong_browser` (400), `provider_refused` (401), and as the port's `exchange`.
 */
export async function finishProviderSignIn(
  app: App,
  parameters: Readonly<Record<string, string>>,
  browserSecret: string | null,
): Promise<Finished> {
  const state = parameters['state'] ?? '';
  const token = await app.store.spendOneTimeToken(hashOf(state), 'provider_state', app.clock.now());
  if (token === null) throw new Refusal('invalid', 'link_expired', 'The sign-in has expired. Please try again.');
  const { browserHash, issuer, clientId } = token.data;
  if (typeof browserHash !== 'string' || browserSecret === null || !matches(browserSecret, browserHash))
    throw new Refusal(
      'invalid',
      'wrong_browser',
      'Finish the sign-in in the browser in which you started it. Please try again.',
    );
  const provider = await readLoginProvider(app, token.tenantId);
  if (provider === null || provider.access.issuer !== issuer || provider.access.clientId !== clientId)
    throw new Refusal('invalid', 'link_expired', 'The sign-in settings changed meanwhile. Please try again.');
  const { claims, refreshToken } = await app.signIn.exchange(provider.access, {
    parameters,
    state,
    nonce: derived('nonce', state, browserSecret),
    codeVerifier: derived('code verifier', state, browserSecret),
    redirectUri: redirectUriOf(app),
  });
  const account = accountOf({ ...provider.access, domains: provider.domains }, claims);
  if (!account.isAccepted)
    throw refused('This account belongs to another company. Sign in with your company’s account.');
  const login = { provider, account, refreshToken };
  if (token.data['step'] === 'test') {
    await finishTest(app, token, login);
    return { do: 'tested' };
  }
  const user = await userOf(app, login);
  await link(app, user, login);
  const covers = provider.coversSecondStep && account.mayHaveSecondStep;
  const { isWhole, code } = await afterProvider(app, user, covers ? 'provider_two_step' : 'provider');
  return { do: isWhole ? 'enter' : 'ask_code', code };
}

interface Login {
  readonly provider: LoginProvider;
  readonly account: Extract<Account, { readonly isAccepted: true }>;
  readonly refreshToken: string | null;
}

/**
 * Returns the provider for an address. Users of a client and system administrators may share a domain; only then the
 * address itself decides.
 */
async function findProvider(app: App, email: string): Promise<LoginProvider | null> {
  const domain = domainOf(email);
  if (domain === null) return null;
  const tenantId = await app.store.findTenantOfDomain(domain);
  const isOwn = app.config.signIn?.domains.includes(domain) === true;
  if (!isOwn) return tenantId === null ? null : readLoginProvider(app, tenantId);
  if (tenantId === null) return readLoginProvider(app, null);
  const user = await app.store.findUser(email.trim());
  return readLoginProvider(app, user?.tenantId === null ? null : tenantId);
}

async function begin(
  app: App,
  provider: LoginProvider,
  {
    loginHint,
    userId,
    data,
  }: { readonly loginHint: string; readonly userId: string | null; readonly data: OneTimeToken['data'] },
): Promise<Begun> {
  const state = app.randomToken(secretBytes);
  const browserSecret = app.randomToken(secretBytes);
  const codeVerifier = derived('code verifier', state, browserSecret);
  const url = await app.signIn.authorizeUrl(provider.access, {
    state,
    nonce: derived('nonce', state, browserSecret),
    codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    redirectUri: redirectUriOf(app),
    loginHint,
  });
  const { issuer, clientId } = provider.access;
  await app.store.addOneTimeToken({
    hash: hashOf(state),
    purpose: 'provider_state',
    userId,
    tenantId: provider.tenantId,
    data: { ...data, browserHash: hashOf(browserSecret), issuer, clientId },
    endsAt: addSeconds(app.clock.now(), loginSeconds),
  });
  return { url, browserSecret };
}

/**
 * Derives a secret of a login from both of its halves, of which the database has only hashes, so a leaked database
 * cannot redeem a code.
 */
const derived = (purpose: string, state: string, browserSecret: string): string =>
  createHash('sha256').update(`${purpose}\n${state}\n${browserSecret}`).digest('base64url');

/**
 * Returns the user of an account: the linked one, at the first login the one with the verified address. Never creates a
 * user.
 *
 * @throws Refusal `provider_refused` (401), the same for unknown, deactivated and other clients’ users.
 */
async function userOf(app: App, { provider, account }: Login): Promise<User> {
  const { subject, email } = account;
  const linked = await app.store.findUserOfAccount({ issuer: provider.access.issuer, subject });
  const user =
    linked !== null ? await app.store.findUserById(linked) : email === null ? null : await app.store.findUser(email);
  if (user === null || !user.isActive || user.tenantId !== provider.tenantId)
    throw refused(
      `No active user of Tallybridge belongs to ${email ?? 'this account'}. Ask your administrator to invite you with the address of your company account.`,
    );
  return user;
}

/** @throws Refusal `provider_refused` (401) when the user is linked with another account. */
async function link(app: App, user: User, { provider, account, refreshToken }: Login): Promise<void> {
  const { issuer } = provider.access;
  const now = app.clock.now();
  const saved = await app.store.saveSignInLink(
    { userId: user.id, issuer, subject: account.subject, refreshToken },
    now,
  );
  if (saved === null)
    throw refused(
      'This user logs in with another account of the provider. An administrator can deactivate and reactivate the user to link this account.',
    );
  if (!saved.isNew) return;
  const event = { at: now, action: 'sign_in.linked', subject: user.username };
  if (user.tenantId === null)
    await app.store.addDeploymentEvent({ ...event, actor: user.username, detail: { issuer } });
  else
    await app.store
      .forTenant(user.tenantId)
      .addAudit({ ...event, actor: { username: user.username }, before: null, after: { issuer } });
}

/** @throws Refusal `session_ended` (400), `provider_refused` (401) when it is the account of another user. */
async function finishTest(app: App, { tenantId, userId, data }: OneTimeToken, login: Login): Promise<void> {
  const { jti, username } = data;
  const session = typeof jti === 'string' ? await app.store.readSession(jti, app.clock.now()) : null;
  if (session === null || tenantId === null || typeof username !== 'string' || session.userId !== userId)
    throw new Refusal(
      'invalid',
      'session_ended',
      'Your session ended before the test was finished. Log in and test again.',
    );
  const user = await userOf(app, login);
  if (user.id !== userId) throw refused(`You signed in as ${user.username}. Test with your own account, ${username}.`);
  await link(app, user, login);
  const event = {
    at: app.clock.now(),
    actor: { username },
    action: 'sign_in_provider.tested',
    subject: login.provider.access.issuer,
    before: null,
    after: null,
  };
  const isSaved = await app.store.forTenant(tenantId).markProviderTested(login.provider.access, event.at, event);
  if (!isSaved)
    throw new Refusal('invalid', 'link_expired', 'The sign-in settings changed meanwhile. Please test again.');
}

const refused = (message: string): Refusal => new Refusal('unauthorized', 'provider_refused', message);
