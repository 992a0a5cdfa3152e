import type { Kind } from '../kinds.ts';
import type { Mail } from '../ports/mailer.ts';
import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
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
