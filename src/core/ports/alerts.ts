import type { Kind } from '../kinds.ts';
import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { Mail } from './mailer.ts';

/** Something of the log that a client's administrators have not been told of yet. */
export interface NewsItem {
  readonly type: Kind;
  readonly psaId: number;
  /** The document's number in the books or in the PSA; null when there is none. */
  readonly number: string | null;
  readonly message: string;
  /** Codes of the catalogue; empty for what went well and is worth telling all the same. */
  readonly codes: readonly string[];
  /** What to do about the first problem; null when nothing has to be done. */
  readonly remedy: string | null;
}

/** What there is to tell a client, and to whom. */
export interface News {
  /** Log rows up to here were looked at before; proves that nobody else told of the same meanwhile. */
  readonly seenSeq: number;
  /** The newest row that was looked at now. */
  readonly newestSeq: number;
  readonly items: readonly NewsItem[];
  /** Connections that were lost and not told of. */
  readonly lostServices: readonly Service[];
  readonly lossMailedAt: Instant | null;
  /** Addresses of active administrators who want such mails. */
  readonly recipients: readonly string[];
}

/** What was decided about news, saved together with the mails that tell it. */
export interface ToldNews {
  readonly seenSeq: number;
  readonly newestSeq: number;
  readonly mails: readonly Mail[];
  /** No mail about the log before this. */
  readonly notBefore: Instant | null;
  readonly toldOfLoss: boolean;
  readonly now: Instant;
}

/** A mail that a worker has taken to send. */
export interface TakenMail extends Mail {
  readonly tenantId: string;
  readonly id: string;
  readonly tries: number;
}
