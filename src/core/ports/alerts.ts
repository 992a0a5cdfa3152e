import type { Kind } from '../kinds.ts';
import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { Mail } from './mailer.ts';
import type { ServicePause } from './service-pauses.ts';

/** An event of the log that a client's administrators have not been told of yet. */
export interface AlertItem {
  readonly type: Kind;
  readonly psaId: number;
  /** The document's number in the books or in the PSA; null when there is none. */
  readonly number: string | null;
  readonly message: string;
  /** Codes of the catalogue; empty for what went well and is worth telling all the same. */
  readonly codes: readonly string[];
  /** Remedy of the first problem; null when nothing has to be done. */
  readonly remedy: string | null;
}

/** Alerts that a client has to be told, and the people who are told. */
export interface PendingAlerts {
  /** Log rows up to here were looked at before; proves that nobody else has told of the same meanwhile. */
  readonly seenSeq: number;
  /** The newest row that was looked at now. */
  readonly newestSeq: number;
  readonly items: readonly AlertItem[];
  /** Connections that were lost and not told of. */
  readonly lostServices: readonly Service[];
  readonly lossMailedAt: Instant | null;
  /** Beginning of a standstill that was not told of. */
  readonly stalledSince: Instant | null;
  /** Services that have limited calls or not responded for long, without an email about it so far. */
  readonly pauses: readonly Pick<ServicePause, 'service' | 'since' | 'nextTryAt'>[];
  /** Addresses of active administrators who want such mails. */
  readonly recipients: readonly string[];
}

/** A digest as it was decided, saved together with its mails. */
export interface SentDigest {
  readonly seenSeq: number;
  readonly newestSeq: number;
  readonly mails: readonly Mail[];
  /** No mail about the log before this. */
  readonly notBefore: Instant | null;
  /** One of its mails is about a lost connection. */
  readonly mailsLoss: boolean;
  /** Services whose pause one of its mails reports. */
  readonly mailsPauses: readonly Service[];
  /** One of its mails is about a standstill. */
  readonly mailsStall: boolean;
  readonly now: Instant;
}

/** A mail that a worker has taken to send. */
export interface TakenMail extends Mail {
  /** The client whose alert it is; null for an email about a user's account. */
  readonly tenantId: string | null;
  readonly id: string;
  readonly tries: number;
}

/** Alerts to a tenant's administrators. */
export interface AlertStore {
  /** Alerts that no mail has told yet; null when there are none. */
  readPendingAlerts(): Promise<PendingAlerts | null>;
  /** Notes a digest as sent and saves its mails, both or neither; false when somebody else did so meanwhile. */
  saveDigest(digest: SentDigest): Promise<boolean>;
}

/** Mails on their way, and who wants them. */
export interface MailStore {
  /** Clients with something that may be worth a mail now. */
  tenantsWithAlerts(now: Instant, limit: number): Promise<readonly string[]>;
  /**
   * Saves an email about a user's account, encrypted. The caller holds the email as if it had taken it: it sends the
   * email, then calls `endMail` or `retryMail`.
   */
  saveMail(mail: Mail, now: Instant): Promise<TakenMail>;
  /**
   * Takes the mail that waits longest, for this caller alone; null when none is due. A mail whose sender died is taken
   * once more and then let go.
   */
  takeMail(now: Instant): Promise<TakenMail | null>;
  /** The mail was sent, or will not be tried again; its words are forgotten. */
  endMail(mail: Pick<TakenMail, 'tenantId' | 'id'>, now: Instant): Promise<void>;
  /** The mail server has not taken it: it is tried again then. */
  retryMail(mail: Pick<TakenMail, 'tenantId' | 'id'>, at: Instant): Promise<void>;
  /** Whether a user wants mails about what needs them. */
  receivesAlerts(userId: string): Promise<boolean>;
  setReceivesAlerts(userId: string, doesReceive: boolean): Promise<void>;
}
