import type { Preview } from '../planning/preview.ts';
import type { Attempt, Posted } from '../attempt.ts';
import type { PaymentChange } from '../documents/payment.ts';
import type { Kind, Mode, Trigger } from '../kinds.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { DriftKind } from '../reconciliation/drift.ts';
import type { Fingerprint } from '../reconciliation/fingerprint.ts';
import type { LogLevel } from '../transcript.ts';
import type { Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { NewDraft } from './drafts.ts';
import type { JobResult } from './jobs.ts';
import type { Lease } from './leases.ts';
import type { LedgerMark } from './postings.ts';

/** Passages of documents through jobs. */
export interface AttemptStore {
  /**
   * Opens an attempt for a document, or takes up the unfinished live one that a dead worker left: at most one
   * unfinished live attempt exists per kind and PSA id.
   *
   * @throws LeaseLost when another worker holds the tenant.
   */
  openAttempt(lease: Lease, attempt: NewAttempt): Promise<{ readonly attempt: Attempt; readonly isResumed: boolean }>;
  /** {@link openAttempt} for several documents, in one transaction and in this order. */
  openAttempts(
    lease: Lease,
    attempts: readonly NewAttempt[],
  ): Promise<readonly { readonly attempt: Attempt; readonly isResumed: boolean }[]>;
  /** Forgets attempts that have decided nothing and sent nothing: their documents were not begun after all. */
  withdrawAttempts(lease: Lease, ids: readonly string[]): Promise<void>;
  /**
   * Moves an attempt to its next state, only from the state given and only under a live lease. Ending states write the
   * log row and the job's result in the same transaction; posting states keep the ledger (`postings`) in step.
   *
   * @throws LeaseLost when the row has moved or the lease is gone.
   */
  advance(lease: Lease, from: Attempt, to: Attempt, effects?: AdvanceEffects): Promise<Attempt>;
  /** {@link advance} for several attempts in one transaction: all of them move, or none. */
  advanceAll(lease: Lease, moves: readonly Move[]): Promise<readonly Attempt[]>;
  /** PSA ids of the documents that a job has begun and not ended, whatever they wait for. */
  listBegun(jobId: string): Promise<readonly number[]>;
  /** Unfinished live attempts, oldest first; those whose `notBefore` is later than `now` are left out. */
  listUnfinished(now: Instant): Promise<readonly Attempt[]>;
  /** PSA ids of documents that are being synced now. */
  listBusy(kind: Kind): Promise<readonly number[]>;
  /**
   * Documents of {@link listBusy} whose attempt makes, or may have made, one of its own: it was planned, or another one was
   * asked for. The others have only been taken up.
   */
  listMaking(kind: Kind): Promise<readonly number[]>;
  /** Suppressions of documents that the PSA shows no mark of, e.g. zero balances and held ones: by PSA id. */
  listSuppressions(kind: Kind, psaIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** How many attempts in a row ended `postponed` for a document since its last other ending. */
  countPostponed(kind: Kind, psaId: number): Promise<number>;
}

export interface NewAttempt {
  readonly jobId: string | null;
  readonly kind: Kind;
  readonly psaId: number;
  readonly mode: Mode;
  readonly force: boolean;
  readonly revises?: boolean;
  readonly trigger: Trigger;
  readonly logLevel: LogLevel;
  readonly startedAt: Instant;
}

/** A step of one attempt. */
export interface Move {
  readonly from: Attempt;
  readonly to: Attempt;
  readonly effects?: AdvanceEffects | undefined;
}

/** Records that are saved together with a step of an attempt, or not at all. */
export interface AdvanceEffects {
  /** First step to `posting` of a generation: the ledger row, with the exact body, before anything is sent. */
  readonly opensPosting?: { readonly requestId: string; readonly body: JsonObject; readonly psaTotal: Decimal | null };
  /** The document exists in the books: the ledger row gets its id, number and totals (`unconfirmed`). */
  readonly recordsPosting?: Posted & {
    /** The document as it was answered, for later comparisons; null: none that can be compared. */
    readonly fingerprint?: Fingerprint | null;
  };
  /** The posting is `synced`, older ones of the document are `superseded`. */
  readonly confirmsPosting?: boolean;
  /** Differences between the two sides of the posting that is confirmed, from the first. */
  readonly notesDrift?: readonly DriftKind[];
  /** The books refused definitely: nothing was made. */
  readonly abandonsPosting?: boolean;
  /** Mark on the posting of a document that another kind has posted. */
  readonly marksPosting?: LedgerMark;
  /** Change in the known paid state of the invoice. */
  readonly payment?: PaymentChange;
  /** Mappings learned from automatically created records. */
  readonly mappings?: readonly Omit<Mapping, 'id'>[];
  /** Mappings of what was found by name; a mapping that exists for the same source stays as it is. */
  readonly matches?: readonly Omit<Mapping, 'id'>[];
  /** Last live success of the kind, for the Overview. */
  readonly synced?: { readonly at: Instant; readonly info: JsonObject };
  /** Suppression to save, so that the schedule says the same of this document only once. */
  readonly suppression?: string;
  /** The plan waits for approval: it replaces the draft of the document, unless that one posts the same. */
  readonly draft?: NewDraft;
  /** The document has ended without a word about its draft: that stays as it is. */
  readonly keepsDraft?: boolean;
  /** The log row of an ended attempt. */
  readonly log?: { readonly at: Instant; readonly transcript: string; readonly preview?: Preview };
  /** Replaces an earlier result of the same document in its job; the job's counters follow from its results. */
  readonly result?: JobResult;
}
