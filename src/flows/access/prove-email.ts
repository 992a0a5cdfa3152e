import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import { reconsider } from '../connections/adopt-company.ts';
import type { App } from '../context.ts';
import { emailProofMail } from '../mail/email-proof-mails.ts';
import { sendMail } from '../mail/send.ts';
import type { Principal } from './principal.ts';
import { hashOf, newLinkToken } from './secrets.ts';
import { throttle } from './throttle.ts';

/** Hours for which the link works. Afterwards another person can prove the address. */
export const proofHours = 24;
/** Maximum mails in 15 minutes for one account. */
const maxMails = 3;

/**
 * Mails a new user the link that proves their address. A new link invalidates the earlier ones.
 *
 * @param forPassword the user asked for a new password, so the mail says how to get it
 */
export async function mailEmailProof(app: App, user: User, forPassword = false): Promise<void> {
  const token = await newLinkToken(app, user, 'prove_email', proofHours * 3_600);
  const client = user.tenantId === null ? null : await app.store.findTenant(user.tenantId);
  const about = { to: user.username, client: client?.name ?? '', appUrl: app.config.appUrl, forPassword };
  const link = `${app.config.appUrl}/auth/confirm-email?token=${token}`;
  await sendMail(app, emailProofMail(about, link, proofHours));
}

/**
 * Mails the link again; called from the Security screen.
 *
 * @throws Refusal `too_many_tries` (429); `email_proved` (409) when the address is already proved.
 */
export async function mailEmailProofAgain(app: App, principal: Principal): Promise<void> {
  const user = await app.store.findUserById(principal.userId);
  if (user === null || user.emailIsProved)
    throw new Refusal('conflict', 'email_proved', 'Your email address is confirmed already.');
  await throttle(app, [{ key: `proof for ${user.id}`, limit: maxMails }]);
  await mailEmailProof(app, user);
}

/**
 * Spends the token of a mailed link and starts what was waiting for the proof.
 *
 * @throws Refusal `link_expired` (400) when the token is unknown, used or expired.
 */
export async function proveEmail(app: App, token: string): Promise<void> {
  const now = app.clock.now();
  const spent = await app.store.spendOneTimeToken(hashOf(token), 'prove_email', now);
  const user = spent?.userId === undefined || spent.userId === null ? null : await app.store.findUserById(spent.userId);
  if (user === null)
    throw new Refusal(
      'invalid',
      'link_expired',
      'This link has expired or was used already. Log in and ask for a new one under Security.',
    );
  await app.store.markEmailProved(user.id, now);
  if (user.tenantId === null) return;
  const context = app.forTenant(user.tenantId);
  await context.store.addAudit({
    at: now,
    actor: { username: user.username },
    action: 'email.proved',
    subject: user.username,
    before: null,
    after: null,
  });
  await reconsider(app, context);
}

/**
 * Rejects actions that affect others (posting to QuickBooks, sending mail, exporting all data) until the user has
 * proved their address.
 *
 * @throws Refusal `email_unproved` (409).
 */
export function refuseUnproved({ emailIsProved, username }: Principal): void {
  if (emailIsProved) return;
  throw new Refusal(
    'conflict',
    'email_unproved',
    `Confirm your email address first: open the link in the mail to ${username}. Security sends a new one.`,
  );
}
