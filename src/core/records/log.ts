import type { Kind, Mode } from '../kinds.ts';
import type { Preview } from '../planning/preview.ts';
import type { Problem } from '../problems.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { Page } from './page.ts';

/** A posted document, as QuickBooks returned it. */
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
  /** Number of entries that match the filters, up to the counting limit. */
  readonly total: number;
  /** Whether there are more than `total`. */
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
  /** Name of the document's type, e.g. `Credit memo`; this and the following fields are null where unknown. */
  readonly what: string | null;
  /** Number in QuickBooks; the PSA's number before the document has one there. */
  readonly number: string | null;
  /** The customer, the vendor or the employee. */
  readonly party: string | null;
  readonly on: CalendarDate | null;
  /** Signed: a credit memo is negative. */
  readonly amount: Decimal | null;
  readonly currency: string | null;
  /** Result of the attempt, as text for people. */
  readonly message: string;
  /** The document waited for approval: nothing was posted, and nothing failed. */
  readonly awaitsApproval: boolean;
  /** The document waits for a date or a limit: nothing was posted, and nothing failed. */
  readonly isOnHold: boolean;
}

export interface LogEntry extends LogHead {
  readonly transcript: string;
  /** Problems as they were logged; entries of earlier versions have fewer fields. */
  readonly problems: readonly Partial<Problem>[];
  readonly document: JsonObject | null;
  /** The plan as it was shown; null without a plan, and in entries of earlier versions. */
  readonly preview: Preview | null;
}

/** A document whose newest live attempt did not succeed, or that a posted review left out. */
export interface Unresolved extends LogHead {
  readonly problems: readonly Problem[];
  /** Whether a later test of the document succeeded; null without a later test. */
  readonly testedSince: boolean | null;
}
