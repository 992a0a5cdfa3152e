import { unmetPasswordRules } from '#core/passwords.ts';
import type { Mail } from '#core/ports/mailer.ts';
import type { User } from '#core/ports/users.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { App } from '../context.ts';
import { forcedResetMail, passwordChangedMail, resetMail } from '../mail/password-mails.ts';
import { sendMail } from '../mail/send.ts';
import { hashPassword } from './passwords.ts';
import { actorOf, type Principal } from './principal.ts';
import { mailEmailProof } from './prove-email.ts';
import { hashOf } from './secrets.ts';
import { throttle } from './throttle.ts';

/** How long a mailed link works (reliability reference 2.3, row 8). */
const linkMinutes = 30;
/** 192 bits; short enough that the link stays on one line of a mail. */
const tokenBytes = 24;

/** Wishes in 15 minutes: of one address on the network, and for one account. */
const limits = { address: 30, account: 3 } as const;

/**
 * Refuses an address that asks too often; the same for every account, known or not.
 *
 * @throws Refusal `too_many_tries` (429).
 */
export const admitResetWish = (app: App, address: string): Promise<void> =>
  throttle(app, [{ key: `reset at ${address}`, limit: limits.address }]);

/**
 * Mails a link to set a new password, if the address belongs to somebody who may sign in; asked for by “Forgot
 * password”. Runs after the wish was answered, so that neither answer nor time tells whether there is such a user.
 */
export async function mailResetLink(app: App, email: string): Promise<void> {
  const username = email.trim().toLowerCase();
  const key = `reset for ${username}`;
  try {
    // A mailbox must not be flooded, and the link of somebody else's third wish must not be ended for ever.
    await throttle(app, [{ key, limit: limits.account }]);
  } catch (error) {
    if (error instanceof Refusal) return;
    throw error;
  }
  const user = await app.store.findUser(username);
  if (user === null || !user.isActive) return;
  // The reader of an address that nobody has proved learns first which company registered with it.
  if (!user.emailIsProved) return mailEmailProof(app, user);
  await mailLink(app, user, (link) => resetMail(toRecipient(app, user), link, linkMinutes));
}

/** Answers that come back by the link of a mail. */
export interface NewPassword {
  readonly token: string;
  readonly password: string;
}

/**
 * Sets a new password with the token of a mailed link, once; every session of the user ends. Tell them afterwards with
 * {@link mailPasswordChanged}.
 *
 * @throws Refusal `link_expired` (400) when the token is unknown, used or over; `password_refused` (422) with the rules
 *   that are not met, after which the token still counts.
 */
export async function resetPassword(app: App, { token, password }: NewPassword): Promise<User> {
  const { store, clock } = app;
  const hash = hashOf(token);
  const found = await store.findOneTimeToken(hash, 'reset_password', clock.now());
  const owner = found?.userId === undefined || found.userId === null ? null : await store.findUserById(found.userId);
  if (owner === null || !owner.isActive) throw linkExpired();
  refuseWeak(password, { email: owner.username });
  const user = await store.setPasswordByToken(hash, await hashPassword(password), clock.now());
  if (user === null) throw linkExpired();
  await notePasswordChange(app, user);
  return user;
}

/** A user has set a password: the audit trail shows it. */
export const notePasswordChange = (app: App, user: User): Promise<void> =>
  note(app, user, { username: user.username }, 'password.changed');

/** Tells a user that their password was changed. */
export const mailPasswordChanged = (app: App, user: User): Promise<void> =>
  sendMail(app, passwordChangedMail(toRecipient(app, user)));

/**
 * Makes a user set a new password: their sessions end, the old password stops working, and a link is mailed. Asked for
 * by a system administrator. Mail it afterwards with the function that is answered.
 *
 * @throws Refusal `not_found`.
 */
export async function forcePasswordReset(
  app: App,
  principal: Principal,
  userId: string,
): Promise<{ readonly mail: () => Promise<void> }> {
  const { store, clock, logger } = app;
  const user = await store.findUserById(userId);
  if (user === null) throw new Refusal('not_found', 'not_found', 'There is no such user.');
  // A hash of something that nobody knows costs as much to check as any other, so it cannot be told from one.
  await store.setPassword(user.id, await hashPassword(app.randomToken(tokenBytes)), clock.now());
  const actor = actorOf(principal);
  await note(app, user, actor, 'password.reset_forced');
  logger.info({ userId: user.id, by: principal.userId }, 'a password reset was forced');
  return {
    mail: () =>
      user.isActive
        ? mailLink(app, user, (link) => forcedResetMail(toRecipient(app, user), link, linkMinutes))
        : Promise.resolve(),
  };
}

/**
 * Refuses a password that misses a rule.
 *
 * @param key the field that is told of.
 * @throws Refusal `password_refused` (422).
 */
export function refuseWeak(
  password: string,
  circumstances: Parameters<typeof unmetPasswordRules>[1],
  key = 'password',
): void {
  const unmet = unmetPasswordRules(password, circumstances);
  if (unmet.length === 0) return;
  const error = unmet.join(' ');
  throw new Refusal('unprocessable', 'password_refused', error, [{ key, error }]);
}

/** A fresh link ends the ones before it. */
async function mailLink(app: App, user: User, mailOf: (link: string) => Mail): Promise<void> {
  const { store, clock } = app;
  const now = clock.now();
  const token = app.randomToken(tokenBytes);
  await store.spendOneTimeTokensOf(user.id, 'reset_password', now);
  await store.addOneTimeToken({
    hash: hashOf(token),
    purpose: 'reset_password',
    userId: user.id,
    tenantId: user.tenantId,
    data: {},
    endsAt: addSeconds(now, linkMinutes * 60),
  });
  // The address is the configured one: what a request calls this host decides nothing.
  await sendMail(app, mailOf(`${app.config.appUrl}/password/${token}`));
}

const toRecipient = (app: App, user: User) => ({ username: user.username, appUrl: app.config.appUrl });

const linkExpired = () =>
  new Refusal('invalid', 'link_expired', 'This link has expired or was used already. Please ask for a new one.');

/** The client's audit trail shows it; a system administrator without a client has none. */
async function note(app: App, user: User, actor: ReturnType<typeof actorOf>, action: string): Promise<void> {
  if (user.tenantId === null) return;
  await app.store.forTenant(user.tenantId).addAudit({
    at: app.clock.now(),
    actor,
    action,
    subject: user.username,
    before: null,
    after: null,
  });
}
