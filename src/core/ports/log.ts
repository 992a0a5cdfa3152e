import type { Kind, Mode } from '../kinds.ts';
import type { Preview } from '../planning/preview.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { Problem } from '../problems.ts';
import type { Page } from './page.ts';

/** The log: one entry for the end of each attempt. */
export interface LogStore {
  /** @throws Refusal `page_too_far` or `search_too_wide` (422) beyond what is counted, or can be searched in time. */
  listLogs(filter: LogFilter): Promise<LogPage>;
  readLog(key: string): Promise<LogEntry | null>;
  /** Previews of a job's plans for these documents, or for all of its own, by PSA id. */
  listPreviews(jobId: string, psaIds?: readonly number[]): Promise<ReadonlyMap<number, Preview>>;
  /** Problems that the newest entry of a document said, tests apart; none when it went well, or nothing was said yet. */
  readNewestProblems(kind: Kind, psaId: number): Promise<readonly Problem[]>;
  /**
   * The newest documents that were posted with this customer, vendor or item, as QuickBooks answered them. Only the
   * newest thousand entries of each kind are looked at.
   *
   * @param most number of documents
   */
  listPostedWith(record: 'customer' | 'vendor' | 'item', id: string, most: number): Promise<readonly PostedWith[]>;
  /**
   * Returns the documents whose newest live attempt did not succeed, and those that failed or were held in a review that
   * was posted without them. Newest first.
   *
   * @param since documents last tried before are left out
   * @param most number of documents
   */
  listUnresolved(since: Instant, most: number): Promise<readonly Unresolved[]>;
}

/** A document that was posted, as QuickBooks answered it. */
export interface PostedWith {
  readonly kind: Kind;
  readonly psaId: number;
  readonly document: JsonObject;
}

export interface LogFilter extends Page {
  readonly type?: Kind;
  readonly mode?: Mode;
  readonly manual?: boolean;
  readonly success?: boolean;
  readonly after?: Instant;
  readonly before?: Instant;
  /** Matches the PSA id, the document number and the message. */
  readonly text?: string;
  readonly sort: 'LastModified' | 'type' | 'entityid' | 'test' | 'manual' | 'success';
  readonly descending: boolean;
}

export interface LogPage {
  readonly logs: readonly LogHead[];
  /** Entries that pass the filters, as far as they are counted. */
  readonly total: number;
  /** There are more than `total`. */
  readonly more: boolean;
}

export interface LogHead {
  /** `{type}/{entityid}/{ISO time}`. */
  readonly key: string;
  readonly at: Instant;
  readonly type: Kind;
  readonly psaId: number;
  readonly isTest: boolean;
  readonly isManual: boolean;
  readonly success: boolean;
  /** Name of the document's type, e.g. `Credit memo`; this and the rest are null where they were not known. */
  readonly what: string | null;
  /** Number in the books, or while it has none there, in the PSA. */
  readonly number: string | null;
  /** The customer, the vendor or the employee. */
  readonly party: string | null;
  readonly on: CalendarDate | null;
  /** Signed: a credit memo is negative. */
  readonly amount: Decimal | null;
  readonly currency: string | null;
  /** What happened, for a person. */
  readonly message: string;
  /** The document waited for approval: nothing was posted, and nothing failed. */
  readonly awaitsApproval: boolean;
}

export interface LogEntry extends LogHead {
  readonly transcript: string;
  /** Problems as they were said; entries of earlier versions hold less. */
  readonly problems: readonly Partial<Problem>[];
  readonly document: JsonObject | null;
  /** The plan as it was shown; null where nothing was planned, and in entries of earlier versions. */
  readonly preview: Preview | null;
}

/** A document whose newest live attempt did not succeed, or that a posted review left out. */
export interface Unresolved extends LogHead {
  readonly problems: readonly Problem[];
  /** Whether it passed a test that was made since; null when none was made. */
  readonly testedSince: boolean | null;
}
