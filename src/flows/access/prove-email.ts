import type { User } from '#core/ports/users.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds } from '#core/values/dates.ts';
import { reconsider } from '../connections/adopt-company.ts';
import type { App } from '../context.ts';
import { emailProofMail } from '../mail/email-proof-mails.ts';
import { sendMail } from '../mail/send.ts';
import type { Principal } from './principal.ts';
import { hashOf } from './secrets.ts';
import { throttle } from './throttle.ts';

/** How long the link works; afterwards the address is free for whoever proves it. */
export const proofHours = 24;
/** 192 bits; short enough that the link stays on one line of a mail. */
const tokenBytes = 24;
/** Mails in 15 minutes for one account. */
const mostMails = 3;

/**
 * Mails the link by which whoever registered proves that they read the mails of the address; a fresh one ends the ones
 * before it.
 */
export async function mailEmailProof(app: App, user: User): Promise<void> {
  const { store, clock } = app;
  const now = clock.now();
  const token = app.randomToken(tokenBytes);
  await store.spendOneTimeTokensOf(user.id, 'prove_email', now);
  await store.addOneTimeToken({
    hash: hashOf(token),
    purpose: 'prove_email',
    userId: user.id,
    tenantId: user.tenantId,
    data: {},
    endsAt: addSeconds(now, proofHours * 3_600),
  });
  const client = user.tenantId === null ? null : await store.findTenant(user.tenantId);
  const about = { to: user.username, client: client?.name ?? '', appUrl: app.config.appUrl };
  const link = `${app.config.appUrl}/auth/confirm-email?token=${token}`;
  await sendMail(app, emailProofMail(about, link, proofHours));
}

/**
 * Mails the link once more; asked for under Security.
 *
 * @throws Refusal `too_many_tries` (429); `email_proved` (409) when there is nothing left to prove.
 */
export async function mailEmailProofAgain(app: App, principal: Principal): Promise<void> {
  const user = await app.store.findUserById(principal.userId);
  if (user === null || user.emailIsProved)
    throw new Refusal('conflict', 'email_proved', 'Your email address is confirmed already.');
  await throttle(app, [{ key: `proof for ${user.id}`, limit: mostMails }]);
  await mailEmailProof(app, user);
}

/**
 * Takes the token of the mailed link, once; what waited for the proof begins.
 *
 * @throws Refusal `link_expired` (400) when it is unknown, used or over.
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
 * Refuses what reaches others (documents in the books, mails, the whole of the data) while nobody has proved the address
 * of whoever asks.
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
