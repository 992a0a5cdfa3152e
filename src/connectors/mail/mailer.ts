import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '#core/ports/clock.ts';
import type { Mail, Mailer } from '#core/ports/mailer.ts';

/** An SMTP server, or a folder that collects emails. */
export type MailTarget =
  | {
      /** E.g. `smtps://user:password@mail.example:465`. */
      readonly smtpUrl: string;
    }
  | {
      /** Each email becomes one `.eml` file in this folder, which is created if missing. */
      readonly folder: string;
    };

export interface MailerOptions {
  readonly target: MailTarget;
  /** The sender, e.g. `Tallybridge <no-reply@msp.example>`. */
  readonly from: string;
  readonly clock: Clock;
}

/** Maximum time for sending one email. */
const timeoutMs = 20_000;

const smtpTransport = (url: string) =>
  createTransport({ url, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs });

/** Connects and logs in to the mail server, without sending. @throws the mail server's error. */
export async function verifyMailServer(smtpUrl: string): Promise<void> {
  await smtpTransport(smtpUrl).verify();
}

/** Sends emails by SMTP, or writes them to a folder. Errors of the server are thrown unchanged. */
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
    const transport = smtpTransport(target.smtpUrl);
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
      // A program that watches the folder never sees a partial email.
      const unfinished = join(target.folder, `.${name}.tmp`);
      await writeFile(unfinished, message as Buffer, { mode: 0o600 });
      await rename(unfinished, join(target.folder, `${name}.eml`));
    },
  };
}
