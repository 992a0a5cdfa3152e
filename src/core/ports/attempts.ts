import type { Preview } from '../planning/preview.ts';
import type { Attempt, Posted } from '../attempt.ts';
import type { PaymentChange } from '../documents/payment.ts';
import type { Kind, Mode, Trigger } from '../kinds.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { EarlierBill } from './postings.ts';
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

/** Attempts: the syncs of single documents. */
export interface AttemptStore {
  /**
   * Opens an attempt for a document, or resumes the unfinished live one that a crashed worker left: at most one
   * unfinished live attempt exists per kind and PSA id.
   *
   * @throws LeaseLost when another worker holds the tenant.
   */
  openAttempt(lease: Lease, attempt: NewAttempt): Promise<{ readonly attempt: Attempt; readonly isResumed: boolean }>;
  /** Does {@link openAttempt} for several documents, in one transaction and in this order. */
  openAttempts(
    lease: Lease,
    attempts: readonly NewAttempt[],
  ): Promise<readonly { readonly attempt: Attempt; readonly isResumed: boolean }[]>;
  /** Deletes attempts that decided nothing and sent nothing, as if their documents had not been started. */
  withdrawAttempts(lease: Lease, ids: readonly string[]): Promise<void>;
  /**
   * Moves an attempt to its next state, only from the given state and only under a live lease. Final states write the
   * log row and the job's result in the same transaction; posting states update the ledger (`postings`).
   *
   * @throws LeaseLost when the row has changed or the lease is lost.
   */
  advance(lease: Lease, from: Attempt, to: Attempt, effects?: AdvanceEffects): Promise<Attempt>;
  /** Does {@link advance} for several attempts in one transaction: all of them move, or none. */
  advanceAll(lease: Lease, moves: readonly Move[]): Promise<readonly Attempt[]>;
  /** Lists PSA ids of the documents that a job has started and not finished. */
  listStarted(jobId: string): Promise<readonly number[]>;
  /** Lists unfinished live attempts, oldest first, without those whose `notBefore` is later than `now`. */
  listUnfinished(now: Instant): Promise<readonly Attempt[]>;
  /** Lists PSA ids of documents that are syncing now. */
  listBusy(kind: Kind): Promise<readonly number[]>;
  /**
   * Lists the documents of {@link listBusy} whose attempt creates, or may have created, a document: it has a plan, or a
   * user asked for another document. The other attempts have only started.
   */
  listMaking(kind: Kind): Promise<readonly number[]>;
  /** Lists suppressions by PSA id, for documents without a status in the PSA, e.g. zero balances and held ones. */
  listSuppressions(kind: Kind, psaIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Counts the attempts in a row that ended `postponed` for a document since its last other final state. */
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

/** A state change of one attempt. */
export interface Move {
  readonly from: Attempt;
  readonly to: Attempt;
  readonly effects?: AdvanceEffects | undefined;
}

/** Records that are saved in the same transaction as a state change. */
export interface AdvanceEffects {
  /**
   * First change to `posting` of a generation: adds the ledger row, with the exact request body, before anything is
   * sent.
   */
  readonly opensPosting?: { readonly requestId: string; readonly body: JsonObject; readonly psaTotal: Decimal | null };
  /** The document exists in QuickBooks: adds its id, number and totals to the ledger row (`unconfirmed`). */
  readonly recordsPosting?: Posted & {
    /** Fingerprint of the response, for later comparisons; null: it cannot be compared. */
    readonly fingerprint?: Fingerprint | null;
    /** The other bills of an expense report; absent: none. */
    readonly earlier?: readonly Omit<EarlierBill, 'psaId'>[];
  };
  /** The posting becomes `synced`, and older ones of the document `superseded`. */
  readonly confirmsPosting?: boolean;
  /** Initial differences between both sides of the confirmed posting. */
  readonly notesDrift?: readonly DriftKind[];
  /** QuickBooks definitely rejected the document: nothing was created. */
  readonly abandonsPosting?: boolean;
  /** Changes the status of a posting of another kind. */
  readonly marksPosting?: LedgerMark;
  /** Change in the known paid state of the invoice. */
  readonly payment?: PaymentChange;
  /** Mappings of automatically created records. */
  readonly mappings?: readonly Omit<Mapping, 'id'>[];
  /** Mappings of records that were found by name; an existing mapping of the same source remains unchanged. */
  readonly matches?: readonly Omit<Mapping, 'id'>[];
  /** Last live success of the kind, for the Overview. */
  readonly synced?: { readonly at: Instant; readonly info: JsonObject };
  /** Suppression to save, so that the schedule reports the same for this document only once. */
  readonly suppression?: string;
  /** The plan waits for approval: it replaces the draft of the document, unless both post the same. */
  readonly draft?: NewDraft;
  /** The document ended without a decision about its draft, which remains unchanged. */
  readonly keepsDraft?: boolean;
  /** The log row of a finished attempt. */
  readonly log?: { readonly at: Instant; readonly transcript: string; readonly preview?: Preview };
  /** Replaces an earlier result of the same document in its job. The job's counters are computed from its results. */
  readonly result?: JobResult;
}
