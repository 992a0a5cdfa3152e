import type { Clock } from '#core/ports/clock.ts';
import type { Mailer, SentMail } from '#core/ports/mailer.ts';

/** Most mails that are kept, the newest: enough to follow what a demonstration does. */
const most = 50;

/** Remembers what was sent since the start, for a demonstration whose mails nobody receives. */
export function rememberingMailer(mailer: Mailer, clock: Clock): Mailer {
  const newest: SentMail[] = [];
  return {
    async send(mail) {
      await mailer.send(mail);
      newest.unshift({ ...mail, sentAt: clock.now() });
      newest.length = Math.min(newest.length, most);
    },
    sent: () => newest,
  };
}
