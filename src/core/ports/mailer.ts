import type { Instant } from '../values/dates.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface SentMail extends Mail {
  readonly sentAt: Instant;
}

export interface Mailer {
  /** Sends the email, or throws the mail server's error unchanged. */
  send(mail: Mail): Promise<void>;
  /** The newest emails, newest first. Only the demo stores them: its emails are never delivered. */
  readonly sent?: () => readonly SentMail[];
}
