import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '#core/ports/clock.ts';
import type { Mail, Mailer } from '#core/ports/mailer.ts';

/** A server that takes mail, or a folder that collects it. */
export type MailTarget =
  | {
      /** E.g. `smtps://user:password@mail.example:465`. */
      readonly smtpUrl: string;
    }
  | {
      /** Each mail becomes one `.eml` file here; made when it is missing. */
      readonly folder: string;
    };

export interface MailerOptions {
  readonly target: MailTarget;
  /** The sender, e.g. `Tallybridge <no-reply@msp.example>`. */
  readonly from: string;
  readonly clock: Clock;
}

/** A mail is not worth waiting longer for. */
const timeoutMs = 20_000;

/** Sends mail by SMTP, or writes it to a folder when there is no server. Errors of the server are thrown as they are. */
export function createMailer({ target, from, clock }: MailerOptions): Mailer {
  const compose = ({ to, subject, text, html }: Mail) => ({
    from,
    to,
    subject,
    text,
    html,
    date: new Date(clock.now()),
  });
  if ('smtpUrl' in target) {
    const waits = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
    const transport = createTransport({ url: target.smtpUrl, ...waits });
    return {
      async send(mail) {
        await transport.sendMail(compose(mail));
      },
    };
  }
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(compose(mail));
      await mkdir(target.folder, { recursive: true });
      const name = `${clock.now().replaceAll(':', '-')}-${randomUUID()}`;
      // A program that watches the folder never sees half a mail.
      const unfinished = join(target.folder, `.${name}.tmp`);
      await writeFile(unfinished, message as Buffer, { mode: 0o600 });
      await rename(unfinished, join(target.folder, `${name}.eml`));
    },
  };
}
