import { addSeconds } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** A mail server that refuses is asked again after this long, doubled each time. */
const firstPauseSeconds = 60;
const mostTries = 8;

/**
 * Sends the mails that are due, one after the other; several workers share them. A mail is sent once. When a worker dies
 * between sending and noting it, the mail goes out a second time, and no more than that (decision 15).
 *
 * @param signal ends it between two mails.
 * @returns how many were sent.
 */
export async function sendMails(app: App, signal?: AbortSignal): Promise<number> {
  const { store, mailer, clock, logger } = app;
  let sent = 0;
  for (;;) {
    if (signal?.aborted === true) return sent;
    const mail = await store.takeMail(clock.now());
    if (mail === null) return sent;
    const { tenantId, id, tries, to, subject, text, html } = mail;
    try {
      await mailer.send({ to, subject, text, html });
      sent += 1;
    } catch (error) {
      logger.warn({ tenantId, mailId: id, tries, err: error }, 'a mail could not be sent');
      if (tries < mostTries) {
        await store.retryMail(mail, addSeconds(clock.now(), firstPauseSeconds * 2 ** (tries - 1)));
        continue;
      }
    }
    await store.endMail(mail, clock.now());
  }
}
