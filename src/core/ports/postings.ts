import type { Kind } from '../kinds.ts';
import type { DriftKind } from '../reconciliation/drift.ts';
import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Problem, ProblemDocument } from '../problems.ts';
import type { Lease } from './leases.ts';

/** The ledger: what stands in the books because of us. */
export interface PostingStore {
  /** Postings of a kind by their records in the books. */
  findPostings(kind: Kind, targetIds: readonly string[]): Promise<readonly Posting[]>;
  /** The newest posting of a document, whatever its status. */
  readPosting(kind: Kind, psaId: number): Promise<Posting | null>;
  listPostings(kind: Kind, psaIds: readonly number[]): Promise<readonly Posting[]>;
  markPosting(id: string, status: PostingStatus): Promise<void>;
  /** Notes how the two sides of postings have come apart since; an empty list once they agree again. */
  saveDrift(found: readonly { readonly id: string; readonly drift: readonly DriftKind[] }[]): Promise<void>;
  /**
   * Adds documents that stand in the books because of us, and that the ledger does not know, as the newest of their sources,
   * each with an entry of the log; says of documents that neither side knows that they are gone; and notes that this was
   * settled for a gap in our records.
   *
   * @throws LeaseLost when another worker holds the tenant.
   */
  adoptPostings(
    lease: Lease,
    adopted: readonly AdoptedPosting[],
    gone: readonly GoneDocument[],
    gap: number,
  ): Promise<void>;
  /**
   * Marks the postings that were made as gone, because one of the services is another than before: whatever was posted
   * is not in these books, or not of this PSA, and what is known of paid states and remembered of documents is about
   * others. Of another PSA nothing is left to look for; in other books a send that was cut short keeps its request id,
   * which means nothing there and the same here again.
   */
  markPostingsGone(service: Service): Promise<void>;
}

/** A document of the books that the ledger takes in afterwards, and what the log says of it. */
export interface AdoptedPosting {
  readonly kind: Kind;
  readonly psaId: number;
  /** Type of its record in the books, and its id there. */
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

/** A document that the PSA shows as posted, and that neither the ledger nor the books have. */
export interface GoneDocument {
  readonly kind: Kind;
  readonly psaId: number;
  /** Reference that the PSA shows. */
  readonly number: string;
  readonly at: Instant;
  readonly about: ProblemDocument;
  readonly problem: Problem;
}

/** Names a document of the ledger by its source and its record in the books. */
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
  | 'deleted_in_books'
  | 'superseded';

/** A row of the ledger: a document that exists in the books because of us, or may exist. Never deleted. */
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
  /** The ledger has taken it from the books after a gap in our records: what it was made for is not known. */
  readonly wasAdopted: boolean;
  /** Drift of the two sides since, as far as it was noticed. */
  readonly drift: readonly DriftKind[];
}
