import { inParallel } from '#core/in-parallel.ts';
import type { SecondFactor } from '#core/records/second-factors.ts';
import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import type { Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';
import {
  recoveryCodesReplacedMail,
  secondFactorOffMail,
  secondFactorOnMail,
  secondFactorResetMail,
} from '../mail/second-factor-mails.ts';
import { sendMail, type MailSender } from '../mail/send.ts';
import { verifyPassword } from './passwords.ts';
import { actorOf, requirerOf, signedInAs, type Principal, type SignedIn } from './principal.ts';
import { admitGuess, count, throttle, uncountedWhenBusy } from './throttle.ts';
import { admitCode, findCode, keyUriOf, newRecoveryCodes, newSecret, spendCode } from './totp.ts';

/** Maximum wrong passwords or codes of a logged-in user in 15 minutes. */
const maxTries = 10;

/** State of a user's second factor, for the user's own page. */
export interface SecondFactorView {
  readonly isOn: boolean;
  readonly since: Instant | null;
  readonly recoveryCodesLeft: number;
  /** Who requires it; null if it is the user's own choice. */
  readonly requiredBy: 'deployment' | 'client' | null;
  /** Whether the client requires it of its users; null for a user without a client. */
  readonly clientRequires: boolean | null;
}

/** Returns the state of the logged-in user's second factor. */
export async function readSecondFactorView(app: App, principal: Principal): Promise<SecondFactorView> {
  const user = await userOf(app, principal);
  const [factor, requiredBy, clientRequires] = await inParallel([
    app.store.readSecondFactor(user.id),
    requirerOf(app, user),
    principal.client === null ? null : app.store.requiresSecondFactor(principal.client.id),
  ]);
  const isOn = factor !== null && factor.confirmedAt !== null;
  return {
    isOn,
    since: factor?.confirmedAt ?? null,
    recoveryCodesLeft: isOn ? factor.recoveryHashes.length : 0,
    requiredBy,
    clientRequires,
  };
}

/**
 * Begins to set up an authenticator app. Login does not change until {@link confirmSecondFactor}.
 *
 * @returns the secret, to type in or to show as a QR code. It cannot be read again later.
 * @throws Refusal `password_wrong` (422), `second_factor_on` (409), `masquerading` (409), `too_many_tries` (429).
 */
export async function beginSecondFactor(
  app: App,
  principal: Principal,
  password: string,
): Promise<{ readonly secret: string; readonly uri: string }> {
  const user = await verifiedUser(app, principal, password);
  const secret = newSecret();
  if (!(await app.store.beginSecondFactor(user.id, secret, app.clock.now()))) throw isOnAlready();
  return { secret, uri: keyUriOf(secret, user.username) };
}

/**
 * Turns on the second factor with the first code of the app. All sessions of the user end; returns a new one.
 *
 * @returns the recovery codes, which are shown only once.
 * @throws Refusal `code_wrong` (422), `second_factor_on`, `not_begun`, `masquerading` (409), `too_many_tries` (429).
 */
export async function confirmSecondFactor(
  app: App,
  principal: Principal,
  code: string,
): Promise<{
  readonly recoveryCodes: readonly string[];
  readonly signedIn: SignedIn;
  readonly mail: () => Promise<void>;
}> {
  const { store, clock } = app;
  const user = await ownUser(app, principal);
  const factor = await store.readSecondFactor(user.id);
  if (factor === null) throw new Refusal('conflict', 'not_begun', 'Start again: there is nothing to confirm.');
  if (factor.confirmedAt !== null) throw isOnAlready();
  const wasRight = await admitGuess(app, triesOf(user));
  const now = clock.now();
  const found = await findCode(factor, code, now);
  if (found?.kind !== 'step') throw codeWrong();
  await wasRight();
  const { codes, hashes } = await newRecoveryCodes();
  const first = { step: found.step, recoveryHashes: hashes, now };
  if (!(await store.confirmSecondFactor(user.id, factor.version, first))) throw isOnAlready();
  await note(app, principal, user, 'second_factor.turned_on');
  return {
    recoveryCodes: codes,
    signedIn: { ...(await signedInAs(app, await ownUser(app, principal), principal.proof)), endsAt: principal.endsAt },
    mail: () => sendMail(app, secondFactorOnMail(recipient(app, user))),
  };
}

/**
 * Replaces all recovery codes with new ones.
 *
 * @throws Refusal `password_wrong`, `code_wrong` (422), `second_factor_off`, `masquerading` (409), `too_many_tries`
 *   (429).
 */
export async function replaceRecoveryCodes(
  app: App,
  principal: Principal,
  proof: { readonly password: string; readonly code: string },
): Promise<{ readonly recoveryCodes: readonly string[]; readonly mail: () => Promise<void> }> {
  const user = await provedTwice(app, principal, proof);
  const { codes, hashes } = await newRecoveryCodes();
  await app.store.replaceRecoveryCodes(user.id, hashes);
  await note(app, principal, user, 'second_factor.codes_replaced');
  return { recoveryCodes: codes, mail: () => sendMail(app, recoveryCodesReplacedMail(recipient(app, user))) };
}

/**
 * Turns off the second factor.
 *
 * @throws Refusal as {@link replaceRecoveryCodes}; `second_factor_required` (409) when the deployment or client
 *   requires it.
 */
export async function turnOffSecondFactor(
  app: App,
  principal: Principal,
  proof: { readonly password: string; readonly code: string },
): Promise<{ readonly mail: () => Promise<void> }> {
  const requiredBy = await requirerOf(app, await ownUser(app, principal));
  if (requiredBy !== null)
    throw new Refusal(
      'conflict',
      'second_factor_required',
      requiredBy === 'client'
        ? 'Your company requires two-step login for all users, so it cannot be turned off.'
        : 'System administrators cannot turn two-step login off.',
    );
  const user = await provedTwice(app, principal, proof);
  await app.store.removeSecondFactor(user.id);
  await note(app, principal, user, 'second_factor.turned_off');
  return { mail: () => sendMail(app, secondFactorOffMail(recipient(app, user))) };
}

/**
 * Sets whether all users of the client must have a second factor. Users without one lose their sessions, and must set
 * one up at their next login.
 *
 * @throws Refusal `second_factor_off` (409) when the administrator has none.
 */
export async function requireSecondFactor(app: App, principal: Principal, isRequired: boolean): Promise<void> {
  const { client } = principal;
  if (client === null) throw new Refusal('forbidden', 'forbidden', 'You are not allowed to do this.');
  if (isRequired && principal.masquerader === null) {
    const factor = await app.store.readSecondFactor(principal.userId);
    if (factor === null || factor.confirmedAt === null)
      throw new Refusal(
        'conflict',
        'second_factor_off',
        'Set up two-step login for yourself first. Otherwise you could not log in.',
      );
  }
  const now = app.clock.now();
  if (!(await app.store.requireSecondFactor(client.id, isRequired, now))) return;
  await app.store.forTenant(client.id).addAudit({
    at: now,
    actor: actorOf(principal),
    action: 'second_factor.requirement_saved',
    subject: null,
    before: !isRequired,
    after: isRequired,
  });
}

/**
 * Removes the second factor of a user who lost phone and recovery codes; called from the command line. Their sessions
 * end, and they are notified by mail.
 *
 * @returns null when the user does not exist.
 */
export async function resetSecondFactor(
  { appUrl, ...app }: MailSender & { readonly appUrl: string },
  username: string,
): Promise<{ readonly wasOn: boolean } | null> {
  const { store, clock } = app;
  const user = await store.findUser(username.trim());
  if (user === null) return null;
  const wasOn = await store.removeSecondFactor(user.id);
  if (!wasOn) return { wasOn };
  const now = clock.now();
  await store.revokeSessionsOf(user.id, now);
  const event = { at: now, action: 'second_factor.reset', subject: user.username };
  await store.addDeploymentEvent({ ...event, actor: 'command line', detail: {} });
  if (user.tenantId !== null)
    await store
      .forTenant(user.tenantId)
      .addAudit({ ...event, actor: { username: 'Tallybridge operator' }, before: null, after: null });
  await sendMail(app, secondFactorResetMail({ username: user.username, appUrl }));
  return { wasOn };
}

const triesOf = (user: User) => [{ key: `second factor of ${user.id}`, limit: maxTries }];

/**
 * Returns the user of a session who is not masquerading.
 *
 * @throws Refusal `masquerading` (409), `unauthorized` (401).
 */
export async function ownUser(app: App, principal: Principal): Promise<User> {
  if (principal.masquerader !== null)
    throw new Refusal('conflict', 'masquerading', 'Return to your own session before you change how you log in.');
  return userOf(app, principal);
}

async function userOf(app: App, principal: Principal): Promise<User> {
  const user = await app.store.findUserById(principal.userId);
  if (user === null || !user.isActive) throw new Refusal('unauthorized', 'unauthorized', 'Please log in.');
  return user;
}

export async function verifiedUser(app: App, principal: Principal, password: string): Promise<User> {
  const user = await ownUser(app, principal);
  const wasRight = await admitGuess(app, triesOf(user));
  if (await uncountedWhenBusy(wasRight, () => verifyPassword(password, user.passwordHash))) {
    await wasRight();
    return user;
  }
  const error = 'This is not your password.';
  throw new Refusal('unprocessable', 'password_wrong', error, [{ key: 'password', error }]);
}

async function provedTwice(
  app: App,
  principal: Principal,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<User> {
  const user = await verifiedUser(app, principal, password);
  const factor = await app.store.readSecondFactor(user.id);
  if (factor === null || factor.confirmedAt === null)
    throw new Refusal('conflict', 'second_factor_off', 'Two-step login is not on.');
  if (!(await useCode(app, user, factor, code))) throw codeWrong();
  return user;
}

/** Spends a code of a user who has proved their password; a wrong code counts as a try. */
async function useCode(app: App, user: User, factor: SecondFactor, code: string): Promise<boolean> {
  const found = (await admitCode(app, user.id, code)) ? await findCode(factor, code, app.clock.now()) : null;
  if (found !== null && (await spendCode(app, user, factor, found))) return true;
  await count(app, triesOf(user));
  return false;
}

/**
 * Spends a code of a user who has proved who they are otherwise.
 *
 * @throws Refusal `code_wrong` (422); `too_many_tries` (429).
 */
export async function spendCodeOf(app: App, user: User, code: string): Promise<void> {
  await throttle(app, [{ key: `second step of ${user.id}`, limit: maxTries }]);
  const factor = await app.store.readSecondFactor(user.id);
  if (factor === null || factor.confirmedAt === null || !(await useCode(app, user, factor, code))) throw codeWrong();
}

/**
 * Returns the user of a session after every proof that their login needs: the password, and a code if two-step login is
 * on.
 *
 * @throws Refusal `password_wrong`, `code_wrong`, `code_required` (422), `masquerading` (409), `too_many_tries` (429).
 */
export async function fullyProvedUser(
  app: App,
  principal: Principal,
  { password, code }: { readonly password: string; readonly code: string | undefined },
): Promise<User> {
  const factor = await app.store.readSecondFactor(principal.userId);
  if (factor === null || factor.confirmedAt === null) return verifiedUser(app, principal, password);
  if (code === undefined || code === '') {
    const error = 'Enter the code of your authenticator app.';
    throw new Refusal('unprocessable', 'code_required', error, [{ key: 'code', error }]);
  }
  return provedTwice(app, principal, { password, code });
}

const codeWrong = () => {
  const error = 'This code is wrong or already used. Wait for the next one and try again.';
  return new Refusal('unprocessable', 'code_wrong', error, [{ key: 'code', error }]);
};

const isOnAlready = () => new Refusal('conflict', 'second_factor_on', 'Two-step login is on already.');

const recipient = (app: App, user: User) => ({ username: user.username, appUrl: app.config.appUrl });

/** Adds an event to the client's audit trail, or to the deployment's for a system administrator. */
async function note(app: App, principal: Principal, user: User, action: string): Promise<void> {
  const event = { at: app.clock.now(), action, subject: user.username };
  if (user.tenantId === null) await app.store.addDeploymentEvent({ ...event, actor: user.username, detail: {} });
  else
    await app.store
      .forTenant(user.tenantId)
      .addAudit({ ...event, actor: actorOf(principal), before: null, after: null });
}
