import type { App } from '../context.ts';
import { deliver } from '../mail/send.ts';

/**
 * Sends the mails that are due, one after the other; several workers share them. A mail is sent once. When a worker dies
 * between sending and noting it, the mail goes out a second time, and no more than that (decision 12).
 *
 * @param signal ends it between two mails.
 * @returns how many were sent.
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
