import type { Kind } from '../kinds.ts';
import type { Problem, ProblemDocument } from '../problems.ts';
import type { DriftKind } from '../reconciliation/drift.ts';
import type { Fingerprint } from '../reconciliation/fingerprint.ts';
import type { Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/** A bill of an expense report that was created before its last one. */
export interface EarlierBill {
  readonly psaId: number;
  readonly id: string;
  readonly number: string | null;
  /** Total in QuickBooks when it was posted. */
  readonly total: Decimal | null;
  /** Its content as QuickBooks returned it; null: it cannot be compared. */
  readonly fingerprint: Fingerprint | null;
}

/** A QuickBooks document that is added to the ledger later, with its log entry. */
export interface AdoptedPosting {
  readonly kind: Kind;
  readonly psaId: number;
  /** Type and id of its QuickBooks record. */
  readonly type: string;
  readonly id: string;
  readonly number: string | null;
  /** In the document's currency, tax included, unsigned. */
  readonly total: Decimal;
  readonly tax: Decimal;
  readonly at: Instant;
  readonly about: ProblemDocument;
  readonly message: string;
}

/** A document that the PSA shows as posted, but neither the ledger nor QuickBooks has. */
export interface GoneDocument {
  readonly kind: Kind;
  readonly psaId: number;
  /** Reference in the PSA. */
  readonly number: string;
  readonly at: Instant;
  readonly about: ProblemDocument;
  readonly problem: Problem;
}

/** Identifies a ledger document by its source and its QuickBooks record. */
export interface LedgerMark {
  readonly kind: Kind;
  readonly psaId: number;
  readonly targetId: string;
  readonly status: PostingStatus;
}

export type PostingStatus =
  | 'sending'
  | 'unconfirmed'
  | 'synced'
  | 'refused'
  | 'voided'
  | 'deleted_in_accounting'
  | 'superseded';

/** A ledger row: a document that we created in QuickBooks, or may have created. Never deleted. */
export interface Posting {
  readonly id: string;
  readonly kind: Kind;
  readonly psaId: number;
  readonly generation: number;
  readonly revision: number;
  readonly status: PostingStatus;
  readonly requestId: string;
  readonly targetType: string | null;
  readonly targetId: string | null;
  readonly number: string | null;
  readonly total: Decimal | null;
  readonly tax: Decimal | null;
  /** Total of the document in the PSA when it was posted. */
  readonly psaTotal: Decimal | null;
  readonly createdAt: Instant;
  /**
   * The ledger added the document from QuickBooks after records were lost in a restore; its original source data is
   * unknown.
   */
  readonly wasAdopted: boolean;
  /** Known differences between the two sides since then. */
  readonly drift: readonly DriftKind[];
}
