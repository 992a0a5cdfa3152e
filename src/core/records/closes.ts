import type { ReportAnswers } from '../documents/accounting-report.ts';
import type {
  ChangedSince,
  CloseHead,
  CurrencyTotals,
  LeftOut,
  Proof,
  SignatureKind,
} from '../reconciliation/close.ts';
import type { Fingerprint } from '../reconciliation/fingerprint.ts';
import type { Month } from '../reconciliation/month.ts';
import type { RecordNames } from '../reconciliation/record-names.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { Posting } from './postings.ts';

export type LastOutcome = 'failed' | 'held' | 'awaits_approval' | 'tested';

export interface NewClose {
  readonly month: Month;
  readonly preparedAt: Instant;
  readonly preparedBy: string;
  readonly sha256: string;
  /** Hash of all content of the month; a reading with the same hash is not stored again. */
  readonly readingSha256: string;
  readonly isProved: boolean;
  readonly totals: readonly CurrencyTotals[];
  readonly proof: Proof;
  readonly reports: ReportAnswers;
  readonly setup: CloseSetup;
  readonly changedSince: readonly ChangedSince[];
  readonly leftOut: readonly LeftOut[];
  readonly differences: readonly ChangedSince[];
}

/** Version, company, settings and mappings in effect at the time of the close. */
interface CloseSetup {
  readonly version: string;
  readonly company: string;
  readonly psaLabel: string;
  readonly closedThrough: CalendarDate | null;
  readonly settings: JsonObject;
  readonly mappings: readonly JsonObject[];
  /** Names of the records that its lines refer to; absent in readings of earlier versions. */
  readonly names?: RecordNames;
}

export interface StoredClose extends CloseHead {
  readonly month: Month;
  readonly preparedAt: Instant;
  readonly preparedBy: string;
  readonly totals: readonly CurrencyTotals[];
}

export interface CloseContent extends StoredClose {
  readonly proof: Proof;
  readonly reports: ReportAnswers;
  readonly setup: CloseSetup;
}

export interface NewSignature {
  readonly closeId: string;
  readonly as: SignatureKind;
  readonly by: string;
  readonly at: Instant;
  /** Checklist items that were checked. */
  readonly checked: readonly string[];
  readonly reason: string | null;
  /** The settings allow one person as preparer and reviewer. */
  readonly byOneAllowed: boolean;
}

/** Differences of a month that appeared after posting. */
export interface ChangedInMonth {
  readonly month: Month;
  readonly changes: readonly ChangedSince[];
}

export interface CloseDecision {
  readonly month: Month;
  readonly key: string;
  readonly amount: Decimal;
  readonly decision: 'accept' | 'carry';
  readonly reason: string;
  readonly by: string;
  readonly at: Instant;
}

export interface CloseRun {
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly problem: string | null;
  /** Up to this time, QuickBooks' changes are in the proof; null: unknown. */
  readonly checkedAt: Instant | null;
  /** Hash of everything else that the proof depends on; null: unknown. */
  readonly sourcesSha256: string | null;
}

export interface PostedBody extends Posting {
  readonly body: JsonObject;
  /** The document as QuickBooks returned it; null for postings of earlier versions. */
  readonly answered: Fingerprint | null;
}
