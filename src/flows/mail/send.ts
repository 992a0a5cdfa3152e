import type { Mail } from '#core/ports/mailer.ts';
import type { TakenMail } from '#core/records/outbox.ts';
import type { App } from '../context.ts';
import { settle } from '../outbox/settle.ts';

/** Parts of the product that sending needs. */
export type MailSender = Pick<App, 'store' | 'mailer' | 'clock' | 'logger'>;

/**
 * Saves an email about a user's account, then tries to send it. If that fails, the workers retry it.
 *
 * @throws only when the email cannot be saved.
 */
export async function sendMail(app: MailSender, mail: Mail): Promise<void> {
  await deliver(app, await app.store.saveMail(mail, app.clock.now()));
}

/**
 * Sends an email that the caller has taken. Reports a failure to the operator at the first and the last try.
 *
 * @returns whether it was sent.
 */
export async function deliver(app: MailSender, mail: TakenMail): Promise<boolean> {
  const { store, mailer, clock, logger } = app;
  const { tenantId, id, tries, to, subject, text, html } = mail;
  try {
    await mailer.send({ to, subject, text, html });
  } catch (error) {
    const isLast = await settle(app, mail, { mayHaveArrived: false, isFinal: false, waitMs: 0 });
    logger.error({ tenantId, mailId: id, tries, err: error }, isLast ? 'an email was given up' : 'an email failed');
    if (tries === 1 || isLast)
      await store.addDeploymentEvent({
        at: clock.now(),
        actor: 'Tallybridge',
        action: isLast ? 'email.given_up' : 'email.failed',
        subject: to,
        detail: { email: subject, tries, reason: reasonOf(error) },
      });
    return false;
  }
  await settle(app, mail, null);
  return true;
}

/** Returns the error's code without its text: a mail server may repeat the email, with its link, in its response. */
const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
};
