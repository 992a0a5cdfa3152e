import type { RecordNames } from '../reconciliation/record-names.ts';
import type {
  ChangedSince,
  LeftOut,
  CloseHead,
  CurrencyTotals,
  Proof,
  Signature,
  SignatureKind,
} from '../reconciliation/close.ts';
import type { Fingerprint } from '../reconciliation/fingerprint.ts';
import type { Month } from '../reconciliation/month.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { ReportAnswers } from '../documents/accounting-report.ts';
import type { Kind } from '../kinds.ts';
import type { Posting } from './postings.ts';

/** Stored month-end closes. Rows are only added; only their left-out documents change. */
export interface CloseStore {
  /**
   * Stores a close. A reading equal to the newest of its month returns that one, with its left-out documents updated.
   */
  addClose(close: NewClose): Promise<StoredClose>;
  readClose(id: string): Promise<CloseContent | null>;
  /** Lists summaries of closes, oldest first: those of one month, or of the newest `months` months. */
  listCloses(of: { readonly month: Month } | { readonly months: number }): Promise<readonly StoredClose[]>;
  /** @returns false when it was already signed with this role, or by the same person. */
  addSignature(signature: NewSignature): Promise<boolean>;
  listSignatures(months: readonly Month[]): Promise<readonly (Signature & { readonly checked: readonly string[] })[]>;
  /** Lists changes after posting without a later decision, in the newest close of each of the newest months. */
  listChangedSince(months: number): Promise<readonly ChangedInMonth[]>;
  addDecision(decision: CloseDecision): Promise<void>;
  /** Lists documents left out of the newest closes of this many months, without those that a user has decided about. */
  listLeftOut(months: number): Promise<readonly LeftOut[]>;
  /** Lists the decisions of a month, the newest of each key. */
  listDecisions(month: Month): Promise<readonly CloseDecision[]>;
  /**
   * Records the start of a close preparation. Runs that began before `staleBefore` count as crashed.
   *
   * @param maxAtOnce maximum number of months in preparation at the same time.
   * @returns `busy` when the month is already in preparation, `full` when `maxAtOnce` other months are.
   */
  beginCloseRun(
    month: Month,
    now: Instant,
    staleBefore: Instant,
    maxAtOnce: number,
  ): Promise<'begun' | 'busy' | 'full'>;
  /** Date of the earliest document in the log; null without any. */
  readFirstDocumentDate(): Promise<CalendarDate | null>;
  endCloseRun(month: Month, now: Instant, problem: string | null): Promise<void>;
  readCloseRun(month: Month): Promise<CloseRun | null>;
  /** Lists postings with the request body, if a document exists or existed for them. */
  listPostedBodies(kind: Kind, psaIds: readonly number[]): Promise<readonly PostedBody[]>;
  /** Lists the last outcomes of documents without a posting, as an administrator sees them. */
  listLastOutcomes(kind: Kind, psaIds: readonly number[]): Promise<ReadonlyMap<number, LastOutcome>>;
}

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
export interface CloseSetup {
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
}

export interface PostedBody extends Posting {
  readonly body: JsonObject;
  /** The document as QuickBooks returned it; null for postings of earlier versions. */
  readonly answered: Fingerprint | null;
}
