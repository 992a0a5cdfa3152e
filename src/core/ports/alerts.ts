import type { Kind } from '../kinds.ts';
import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Mail } from './mailer.ts';
import type { NewNotice } from './notices.ts';
import type { ServicePause } from './service-pauses.ts';

/** A log event that a client's administrators were not notified of yet. */
export interface AlertItem {
  readonly type: Kind;
  readonly psaId: number;
  /** The document's number in QuickBooks or in the PSA; null without one. */
  readonly number: string | null;
  readonly message: string;
  /** Codes of the catalogue; empty for a success that is worth reporting. */
  readonly codes: readonly string[];
  /** Remedy of the first problem; null when nothing has to be done. */
  readonly remedy: string | null;
  readonly amount: Decimal | null;
  /** Null if unknown. */
  readonly currency: string | null;
}

/** Alerts of a client that were not sent yet. */
export interface PendingAlerts {
  /** Newest log row that earlier digests covered; detects a digest that another process saved meanwhile. */
  readonly seenSeq: number;
  /** The newest row that this digest covers. */
  readonly newestSeq: number;
  readonly items: readonly AlertItem[];
  /** Lost connections that were not reported yet. */
  readonly lostServices: readonly Service[];
  readonly lossMailedAt: Instant | null;
  /** Start of a stall that was not reported yet. */
  readonly stalledSince: Instant | null;
  /** Services that have limited calls or not responded for long, and that no email has reported yet. */
  readonly pauses: readonly Pick<ServicePause, 'service' | 'since' | 'nextTryAt'>[];
}

/** A digest, saved together with its emails and notices. */
export interface SentDigest {
  readonly seenSeq: number;
  readonly newestSeq: number;
  /** Emails to the addresses in the client's settings. */
  readonly mails: readonly Mail[];
  readonly notices: readonly NewNotice[];
  /** No email about the log before this time. */
  readonly notBefore: Instant | null;
  /** One of the emails reports a lost connection. */
  readonly mailsLoss: boolean;
  /** Services whose pause one of the emails reports. */
  readonly mailsPauses: readonly Service[];
  /** One of the emails reports a stall. */
  readonly mailsStall: boolean;
  readonly now: Instant;
}

/** An email that a worker has taken to send. */
export interface TakenMail extends Mail {
  /** The client of the alert; null for an email about a user's account. */
  readonly tenantId: string | null;
  readonly id: string;
  readonly tries: number;
}

/** Alerts to a tenant's administrators. */
export interface AlertStore {
  /** Returns the alerts that no email has reported yet; null without any. */
  readPendingAlerts(): Promise<PendingAlerts | null>;
  /** Records a digest as sent and saves its emails in one transaction; false when another process did so meanwhile. */
  saveDigest(digest: SentDigest): Promise<boolean>;
}

/** Emails in the outbox, and who receives alerts. */
export interface MailStore {
  /** Returns clients that may need an alert email now. */
  tenantsWithAlerts(now: Instant, limit: number): Promise<readonly string[]>;
  /**
   * Saves an email about a user's account, encrypted, as already taken by the caller. The caller sends it, then calls
   * `endMail` or `retryMail`.
   */
  saveMail(mail: Mail, now: Instant): Promise<TakenMail>;
  /**
   * Takes the email that has waited longest, for this caller alone; null when none is due. An email whose sender
   * crashed is tried again once and then dropped.
   */
  takeMail(now: Instant): Promise<TakenMail | null>;
  /** Records that the email was sent or will not be retried, and deletes its text. */
  endMail(mail: Pick<TakenMail, 'tenantId' | 'id'>, now: Instant): Promise<void>;
  /** Schedules another try, after the mail server did not accept the email. */
  retryMail(mail: Pick<TakenMail, 'tenantId' | 'id'>, at: Instant): Promise<void>;
}
