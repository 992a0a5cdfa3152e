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
  /** Hands the mail over, or throws the mail server's error as it is. */
  send(mail: Mail): Promise<void>;
  /** The newest mails, newest first. Only a demonstration remembers them: its mails go nowhere. */
  readonly sent?: () => readonly SentMail[];
}
