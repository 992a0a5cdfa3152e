import type { App } from '../context.ts';
import { deliver } from '../mail/send.ts';

/**
 * Sends the mails that are due, one after the other; several workers share them. A mail is sent once. If a worker dies
 * after sending a mail and before recording it, the mail is sent once again (decision 12).
 *
 * @param signal ends it between two mails.
 * @returns the number of sent mails.
 */
export async function sendMails(app: App, signal?: AbortSignal): Promise<number> {
  let sent = 0;
  for (;;) {
    if (signal?.aborted === true) return sent;
    const mail = await app.store.takeMail(app.clock.now());
    if (mail === null) return sent;
    if (await deliver(app, mail)) sent += 1;
  }
}
