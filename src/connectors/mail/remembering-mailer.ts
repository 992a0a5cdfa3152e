import type { Clock } from '#core/ports/clock.ts';
import type { Mailer, SentMail } from '#core/ports/mailer.ts';

/** Maximum number of recent emails to store: enough to follow a demo. */
const maxStored = 50;

/** Stores the emails sent since the start, for a demo whose emails reach no one. */
export function rememberingMailer(mailer: Mailer, clock: Clock): Mailer {
  const newest: SentMail[] = [];
  return {
    async send(mail) {
      await mailer.send(mail);
      newest.unshift({ ...mail, sentAt: clock.now() });
      newest.length = Math.min(newest.length, maxStored);
    },
    sent: () => newest,
  };
}
