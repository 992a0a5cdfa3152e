import type { Unresolved } from '../attention.ts';
import type { Kind, Mode } from '../kinds.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { Problem } from '../problems.ts';
import type { Page } from './page.ts';

/** What became of documents. */
export interface LogStore {
  listLogs(filter: LogFilter): Promise<{ readonly logs: readonly LogHead[]; readonly total: number }>;
  readLog(key: string): Promise<LogEntry | null>;
  /**
   * Documents whose newest live attempt did not succeed, newest first; those that were last tried before `since`, and
   * more than the newest so many, are left out.
   */
  listUnresolved(since: Instant, most: number): Promise<readonly Unresolved[]>;
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

export interface LogHead {
  /** `{type}/{entityid}/{ISO time}`. */
  readonly key: string;
  readonly at: Instant;
  readonly type: Kind;
  readonly psaId: number;
  readonly isTest: boolean;
  readonly isManual: boolean;
  readonly success: boolean;
  /** What the document is called, e.g. `Credit memo`; this and the rest are null where they were not known. */
  readonly what: string | null;
  /** In the books, or while it has none there, in the PSA. */
  readonly number: string | null;
  /** The customer, the vendor or the employee. */
  readonly party: string | null;
  readonly on: CalendarDate | null;
  /** Signed: a credit memo is negative. */
  readonly amount: Decimal | null;
  readonly currency: string | null;
}

export interface LogEntry extends LogHead {
  readonly message: string;
  readonly transcript: string;
  /** As they were said; entries of earlier versions hold less. */
  readonly problems: readonly Partial<Problem>[];
  readonly document: JsonObject | null;
}
