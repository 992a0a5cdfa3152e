import type { Attempt, Posted } from '../attempt.ts';
import type { PaymentChange } from '../documents/payment.ts';
import type { Kind, Mode, Trigger } from '../kinds.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Preview } from '../planning/preview.ts';
import type { DriftKind } from '../reconciliation/drift.ts';
import type { Fingerprint } from '../reconciliation/fingerprint.ts';
import type { LogLevel } from '../transcript.ts';
import type { Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { NewDraft } from './drafts.ts';
import type { JobResult } from './jobs.ts';
import type { EarlierBill, LedgerMark } from './postings.ts';

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
    /** The other bills of an expense report. Undefined if there are none. */
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
