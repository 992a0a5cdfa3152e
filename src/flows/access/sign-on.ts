import { inParallel } from '#core/in-parallel.ts';
import type { OneTimeToken } from '#core/records/one-time-tokens.ts';
import type { Session } from '#core/records/sessions.ts';
import type { SignInProof } from '#core/records/sign-in-providers.ts';
import type { PsaLink, User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds, instant, type Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';
import { login, type Credentials } from './login.ts';
import { signedInAs, type SignedIn } from './principal.ts';
import { hashOf, matches } from './secrets.ts';
import { countersAt, throttle } from './throttle.ts';
import { spendCodeOf } from './totp-setup.ts';

/**
 * Sign-on from the PSA (decision 7). A link from the PSA only claims who the person is. The proof is a session of that
 * person in the same browser, or their password.
 */

/** Seconds for which the one-time code in the URL works, and for which the question may stay unanswered. */
const codeSeconds = 60;
const questionSeconds = 300;
const secretBytes = 24;

/** Maximum links that one network address may check in 15 minutes. */
const asksPerAddress = 120;

/** A code for the URL, and the secret for the cookie of the browser that must return it. */
export interface BrowserCode {
  readonly code: string;
  readonly browserSecret: string;
}

/** Response to a proof: a code, or the question whether another user's session may end for it. */
export type Proof =
  | { readonly do: 'enter'; readonly code: BrowserCode }
  | { readonly do: 'ask'; readonly question: BrowserCode; readonly person: string; readonly signedIn: string };

/** What the session of a sign-on takes over from its proof. */
interface How {
  readonly endsAt: Instant | null;
  readonly proof: SignInProof;
}

/** Combines the two ids of a link; null when they have the wrong format. */
export function parseLink(tenantId: string, resourceId: string): PsaLink | null {
  return /^[\w.-]{1,50}$/.test(tenantId) && /^[1-9]\d{0,14}$/.test(resourceId)
    ? { databaseId: tenantId, resourceId: Number(resourceId) }
    : null;
}

/**
 * Returns whether a person of the PSA has an account here; the screens call it before they redirect a person.
 *
 * @throws Refusal `too_many_tries` (429), because ids are numbers that a caller could enumerate.
 */
export async function isKnownLink(app: App, link: PsaLink | null, address: string): Promise<boolean> {
  await throttle(
    app,
    countersAt(address, asksPerAddress, (at) => `link at ${at}`),
  );
  return (await findActive(app, link)) !== null;
}

/**
 * Begins a sign-on. A session of the named person in this browser is enough proof.
 *
 * @param sessionCookie the browser's, if it has one.
 * @returns null when the person must enter their password. Unknown people must, too.
 */
export async function beginSignOn(
  app: App,
  link: PsaLink | null,
  sessionCookie: string | null,
): Promise<BrowserCode | null> {
  const [user, session] = await inParallel([findActive(app, link), sessionOf(app, sessionCookie)]);
  const isOwn = user !== null && session !== null && session.masquerader === null && session.userId === user.id;
  return isOwn ? issue(app, user, 'code', codeSeconds, { endsAt: session.endsAt, proof: session.proof }) : null;
}

/**
 * Proves by password that the user is the person named in the link.
 *
 * @throws Refusal `credentials_wrong` (401), the same for a wrong password and for the right password of another user;
 *   `too_many_tries` (429).
 */
export async function proveSignOn(
  app: App,
  link: PsaLink | null,
  credentials: Credentials,
  sessionCookie: string | null,
): Promise<Proof> {
  const { userId } = await login(app, credentials);
  const [user, session] = await inParallel([findActive(app, link), sessionOf(app, sessionCookie)]);
  if (user === null || user.id !== userId)
    throw new Refusal('unauthorized', 'credentials_wrong', 'The user name or the password is not correct.');
  if (session === null || session.userId === user.id)
    return { do: 'enter', code: await issue(app, user, 'code', codeSeconds) };
  const other = await app.store.findUserById(session.userId);
  return {
    do: 'ask',
    question: await issue(app, user, 'question', questionSeconds),
    person: await nameOf(app, user.username, user.tenantId),
    signedIn: await nameOf(app, other?.username ?? 'another user', session.tenantId),
  };
}

/**
 * Confirms that the session of another user in this browser may end.
 *
 * @throws Refusal `code_refused` (401).
 */
export async function confirmSignOn(app: App, question: string, browserSecret: string | null): Promise<BrowserCode> {
  const { user } = await spend(app, question, browserSecret, 'question');
  return issue(app, user, 'code', codeSeconds);
}

/**
 * Continues a sign-in after a provider has confirmed the user: with a code for the application, or with a question for
 * the code of their authenticator app.
 */
export async function afterProvider(
  app: App,
  user: User,
  proof: Exclude<SignInProof, 'password'>,
): Promise<{ readonly isWhole: boolean; readonly code: BrowserCode }> {
  const factor = proof === 'provider' ? await app.store.readSecondFactor(user.id) : null;
  const isWhole = factor === null || factor.confirmedAt === null;
  const how = { endsAt: null, proof };
  return {
    isWhole,
    code: isWhole
      ? await issue(app, user, 'code', codeSeconds, how)
      : await issue(app, user, 'second_step', questionSeconds, how),
  };
}

/**
 * Accepts the code of the authenticator app, or a recovery code, after a provider has confirmed the user.
 *
 * @throws Refusal `code_refused` (401) when the question has expired; `code_wrong` (422), `too_many_tries` (429).
 */
export async function proveSecondStep(
  app: App,
  question: string,
  browserSecret: string | null,
  code: string,
): Promise<BrowserCode> {
  const ticket = await app.store.findOneTimeToken(hashOf(question), 'sign_on', app.clock.now());
  const { user } = await verified(app, ticket, browserSecret, 'second_step');
  await spendCodeOf(app, user, code);
  const { endsAt, proof } = await spend(app, question, browserSecret, 'second_step');
  return issue(app, user, 'code', codeSeconds, { endsAt, proof });
}

/**
 * Exchanges the one-time code for a sign-in, once, in the browser that proved it. Ends the session of a user who was
 * logged in there.
 *
 * @throws Refusal `code_refused` (401).
 */
export async function signOn(
  app: App,
  code: string,
  { browserSecret, sessionCookie }: { readonly browserSecret: string | null; readonly sessionCookie: string | null },
): Promise<SignedIn> {
  const { user, endsAt, proof } = await spend(app, code, browserSecret, 'code');
  const before = await sessionOf(app, sessionCookie);
  if (before !== null) await app.store.revokeSession(before.jti, app.clock.now());
  // If a session was the proof, the new session ends when that one would have ended.
  return { ...(await signedInAs(app, user, proof)), endsAt };
}

/**
 * Issues a code for one step of a sign-on.
 *
 * @param how `endsAt`: end of the session that was the proof; null without one.
 */
async function issue(
  app: App,
  user: User,
  step: 'code' | 'question' | 'second_step',
  seconds: number,
  { endsAt, proof }: How = { endsAt: null, proof: 'password' },
): Promise<BrowserCode> {
  const code = app.randomToken(secretBytes);
  const browserSecret = app.randomToken(secretBytes);
  await app.store.addOneTimeToken({
    hash: hashOf(code),
    purpose: 'sign_on',
    userId: user.id,
    tenantId: user.tenantId,
    data: { step, browserHash: hashOf(browserSecret), endsAt, proof },
    endsAt: addSeconds(app.clock.now(), seconds),
  });
  return { code, browserSecret };
}

async function spend(
  app: App,
  code: string,
  browserSecret: string | null,
  step: string,
): Promise<{ readonly user: User } & How> {
  const ticket = await app.store.spendOneTimeToken(hashOf(code), 'sign_on', app.clock.now());
  return verified(app, ticket, browserSecret, step);
}

async function verified(
  app: App,
  ticket: OneTimeToken | null,
  browserSecret: string | null,
  step: string,
): Promise<{ readonly user: User } & How> {
  const browserHash = ticket?.data['browserHash'];
  const isOurs =
    ticket?.data['step'] === step && typeof browserHash === 'string' && matches(browserSecret, browserHash);
  const user = isOurs && ticket.userId !== null ? await app.store.findUserById(ticket.userId) : null;
  if (user === null || !user.isActive)
    throw new Refusal('unauthorized', 'code_refused', 'The sign-on has expired. Please log in.');
  const endsAt = ticket?.data['endsAt'];
  const proof = proofs.find((one) => one === ticket?.data['proof']) ?? 'password';
  return { user, endsAt: typeof endsAt === 'string' ? instant(endsAt) : null, proof };
}

const proofs: readonly SignInProof[] = ['password', 'provider', 'provider_two_step'];

async function findActive(app: App, link: PsaLink | null): Promise<User | null> {
  const user = link === null ? null : await app.store.findUserByPsa(link);
  return user?.isActive === true ? user : null;
}

const sessionOf = async (app: App, cookie: string | null): Promise<Session | null> =>
  cookie === null ? null : app.store.readSessionByCookie(hashOf(cookie), app.clock.now());

async function nameOf(app: App, username: string, tenantId: string | null): Promise<string> {
  const tenant = tenantId === null ? null : await app.store.findTenant(tenantId);
  return tenant === null ? username : `${username} of ${tenant.name}`;
}
