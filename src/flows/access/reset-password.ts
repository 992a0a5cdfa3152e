import { unmetPasswordRules } from '#core/passwords.ts';
import type { Mail } from '#core/ports/mailer.ts';
import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import { forcedResetMail, passwordChangedMail, resetMail } from '../mail/password-mails.ts';
import { sendMail } from '../mail/send.ts';
import { hashPassword } from './passwords.ts';
import { actorOf, type Principal } from './principal.ts';
import { mailEmailProof } from './prove-email.ts';
import { hashOf, newLinkToken } from './secrets.ts';
import { countersAt, throttle } from './throttle.ts';

/** Minutes for which a mailed link works (reliability reference 2.3, row 8). */
const linkMinutes = 30;
/** 192 bits; short enough to keep the link on one line of a mail. */
const tokenBytes = 24;

/** Maximum requests in 15 minutes: from one network address, and for one account. */
const limits = { address: 30, account: 3 } as const;

/**
 * Rejects a network address that requests too many links. Known and unknown accounts are treated the same.
 *
 * @throws Refusal `too_many_tries` (429).
 */
export const admitResetRequest = (app: App, address: string): Promise<void> =>
  throttle(
    app,
    countersAt(address, limits.address, (at) => `reset at ${at}`),
  );

/**
 * Mails a link to set a new password if the address belongs to an active user; called for “Forgot password”. Runs after
 * the response was sent, so that neither the response nor its time reveals whether the user exists.
 */
export async function mailResetLink(app: App, email: string): Promise<void> {
  const username = email.trim().toLowerCase();
  const key = `reset for ${username}`;
  try {
    // Limits the mails to one mailbox. A rejected request leaves the link of the last mail valid.
    await throttle(app, [{ key, limit: limits.account }]);
  } catch (error) {
    if (error instanceof Refusal) return;
    throw error;
  }
  const user = await app.store.findUser(username);
  if (user === null || !user.isActive) return;
  // The address is not proved. Its reader must first learn which company registered with it.
  if (!user.emailIsProved) return mailEmailProof(app, user, true);
  await mailLink(app, user, (link) => resetMail(toRecipient(app, user), link, linkMinutes));
}

/** Input of the form behind a mailed link. */
export interface NewPassword {
  readonly token: string;
  readonly password: string;
}

/**
 * Sets a new password with the token of a mailed link, once. All sessions of the user end. Call {@link
 * mailPasswordChanged} afterward.
 *
 * @throws Refusal `link_expired` (400) when the token is unknown, used or expired; `password_refused` (422) with the
 *   rules that are not met, after which the token still works.
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

/** Logs in the audit trail that a user set a password. */
export const notePasswordChange = (app: App, user: User): Promise<void> =>
  note(app, user, { username: user.username }, 'password.changed');

/** Mails a user that their password was changed. */
export const mailPasswordChanged = (app: App, user: User): Promise<void> =>
  sendMail(app, passwordChangedMail(toRecipient(app, user)));

/**
 * Forces a user to set a new password: their sessions end, the old password stops working, and a link is mailed. Called
 * by a system administrator. Call the returned function after the response to send the mail.
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
  if (user === null) throw new Refusal('not_found', 'not_found', 'User not found.');
  // The hash of a random secret takes as long to check as a real one, so response times reveal nothing.
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
 * Rejects a password that breaks a rule.
 *
 * @param key the field that the error names.
 * @throws Refusal `password_refused` (422).
 */
export function refuseWeak(
  password: string,
  context: Parameters<typeof unmetPasswordRules>[1],
  key = 'password',
): void {
  const unmet = unmetPasswordRules(password, context);
  if (unmet.length === 0) return;
  const error = unmet.join(' ');
  throw new Refusal('unprocessable', 'password_refused', error, [{ key, error }]);
}

/** A new link invalidates the earlier ones. */
async function mailLink(app: App, user: User, mailOf: (link: string) => Mail): Promise<void> {
  const token = await newLinkToken(app, user, 'reset_password', linkMinutes * 60);
  // Uses the configured address, because the Host header of a request cannot be trusted.
  await sendMail(app, mailOf(`${app.config.appUrl}/password/${token}`));
}

const toRecipient = (app: App, user: User) => ({ username: user.username, appUrl: app.config.appUrl });

const linkExpired = () =>
  new Refusal('invalid', 'link_expired', 'This link has expired or was used already. Please ask for a new one.');

/** Adds an event to the client's audit trail; a system administrator without a client has none. */
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
