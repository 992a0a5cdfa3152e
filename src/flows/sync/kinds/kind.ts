import type { AttemptBase, In, Posted, RunningMark } from '#core/attempt.ts';
import type { BooksDocument } from '#core/documents/books-document.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { PaymentChange } from '#core/documents/payment.ts';
import type { Kind } from '#core/kinds.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Verified } from '#core/planning/verify.ts';
import type { InvoiceSearch, Psa } from '#core/ports/psa.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import type { LedgerMark, Posting } from '#core/ports/postings.ts';
import type { Problem, ProblemDocument } from '#core/problems.ts';
import type { ServiceFailure } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { Note } from '#core/transcript.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import type { Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { BooksReferenceData, PsaReferenceData } from '#core/documents/reference-data.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { TenantSession } from '#core/ports/tenant-sessions.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import type { Tenant } from '#core/tenant.ts';
import type { TenantContext } from '../../context.ts';

/** Context of a search for documents: without a lease, since it changes nothing of them. */
export interface Searcher {
  readonly context: TenantContext;
  readonly tenant: Tenant;
  readonly psa: Psa;
  readonly accounting: Accounting;
  /** Null for a person's search outside a session. */
  readonly session: TenantSession | null;
}

/** Context in which documents are read to be decided on: a session of the tenant. */
export interface Gatherer extends Searcher {
  /** Awaited before anything that is only right when the ledger knows every document that was posted. */
  readonly afterForgotten: () => Promise<void>;
}

/** The facts that all documents of a job share, read once. */
export interface Shared {
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  /** Replaced when a document of this job has chosen or created a customer or vendor, so that no other takes it by name. */
  mappings: readonly Mapping[];
  readonly psa: PsaReferenceData;
  /** Replaced when a command of this job has created a record, so that the next document finds it. */
  books: BooksReferenceData;
}

/** Decision on one document. */
export type Decision =
  | { readonly outcome: 'plan'; readonly plan: Plan; readonly mark: string | null; readonly running?: RunningMark }
  | {
      readonly outcome: 'skip';
      /** Code without blanks, e.g. `zero_balance`. */
      readonly reason: string;
      readonly message: string;
      /** The PSA shows no mark of it, so that the schedule says it once only. */
      readonly isLoggedOnce: boolean;
      readonly notes: readonly Note[];
      readonly warnings?: readonly Problem[];
      /** Mark on the posting of a document that another kind has posted. */
      readonly marks?: LedgerMark | null;
      readonly payment?: PaymentChange;
      /** The document of the books that this is about. */
      readonly document?: JsonObject | null;
    }
  /** Only the PSA is changed, to what the books say. */
  | {
      readonly outcome: 'update_psa';
      readonly change: PaidDate;
      readonly message: string;
      readonly notes: readonly Note[];
      readonly document: JsonObject | null;
      /** Saved before the PSA is changed, and with the success. */
      readonly intent: PaymentChange;
      readonly payment: PaymentChange;
    }
  /** The books have it, the PSA does not say so: only the reference is written (domain reference 5.4 point 3). */
  | {
      readonly outcome: 'relink';
      readonly posting: Posting;
      /** Text for the PSA's status field when it turns out to be another document. */
      readonly mark: string | null;
      readonly notes: readonly Note[];
    }
  | {
      readonly outcome: 'refuse';
      readonly problems: readonly Problem[];
      readonly notes: readonly Note[];
      /** Text for the PSA's status field; null when nothing is written there. */
      readonly mark: string | null;
      readonly payment?: PaymentChange;
      /** The document of the books that this is about. */
      readonly document?: JsonObject | null;
    };

/** Day on which an invoice was paid; null: it is not. */
export interface PaidDate {
  readonly paidOn: CalendarDate | null;
}

/** Criteria of a run that searches by itself. */
export interface Search {
  /** Documents that have a reference are taken too. */
  readonly force: boolean;
  /** Nothing dated earlier is found; the schedule's own limit, null for a person's search. */
  readonly startOn: CalendarDate | null;
  /** Gap in our records after which this search is the first look at everything; null: none, or a person's search. */
  readonly gap: number | null;
}

/** Result of a search. */
export interface Candidates {
  /** PSA ids, ascending. */
  readonly ids: readonly number[];
  /** False while something waits for a moment, so that the same invoices must be looked at again. */
  readonly isSettled: boolean;
  /** Fingerprint of what was seen, when the kind looks elsewhere than among invoices. */
  readonly fingerprint?: string;
}

/**
 * Manner in which a document is to be dealt with; `generation` counts the documents that were asked for of its source.
 */
export type Wish = Pick<AttemptBase, 'force' | 'revises' | 'mode' | 'trigger' | 'generation'>;

/** Earlier postings of a document, as the ledger has them and the books were found just now. */
export interface KnownDocument {
  /** The one that stands; of a kind that changes documents of another, the newest of its own. */
  readonly posting: Posting | null;
  /** The newest one, when it is gone from the books or void there: the next one takes its place. */
  readonly gone: Posting | null;
  /** Only where the one that stands is to be changed: as it was found just now. */
  readonly standing?: Standing;
}

/** A document of ours as the books have it. */
export interface Standing {
  /** Read before the rest, so that it is stale rather than the rest. */
  readonly syncToken: string;
  readonly emailStatus: string | null;
  readonly document: BooksDocument;
}

/**
 * Finding of a freshness check on one document: the sentence for which it is not to be sent any more, null where nothing
 * speaks against it, undefined of one that is gone.
 */
export type FreshnessCheck = (
  document: Pick<AttemptBase, 'psaId' | 'force' | 'generation'>,
) => string | null | undefined;

/** The part of the path that one kind of document has for itself; the rest all kinds share. */
export interface KindFlow<Facts> {
  readonly kind: Kind;
  /** True when documents of another kind are changed, so that there is none of its own to look at in the books. */
  readonly changesOnly?: boolean;
  /**
   * True when what is decided on may change at any moment: each document is read right before its turn, and once more
   * before a plan is sent that was made earlier.
   */
  readonly needsFresh?: boolean;
  /** True when the books give its documents their numbers: these then follow the order of the PSA ids. */
  isNumberedByBooks?(settings: Settings): boolean;
  /** Name of a document in a sentence, e.g. `Invoice 48213`. */
  name(psaId: number): string;
  /** Among which invoices of the PSA it looks; one call serves all kinds that look there. Null: among none. */
  invoicesSought?(run: Searcher, settings: Settings, search: Search): InvoiceSearch | null;
  /**
   * Finds the eligible documents by the fewest calls, since most of the time there are none.
   *
   * @param heads what {@link invoicesSought} has found; null, when it is the same as the last time that nothing was to do
   */
  findCandidates(
    run: Searcher,
    settings: Settings,
    search: Search,
    heads: readonly InvoiceHead[] | null,
  ): Promise<Candidates>;
  /**
   * Reads everything to decide on these documents, in the fewest calls. Documents that do not exist have no entry.
   *
   * @param onRead told when the documents themselves were read, and what they refer to is asked for
   */
  gather(
    run: Gatherer,
    settings: Settings,
    psaIds: readonly number[],
    onRead?: () => void,
  ): Promise<ReadonlyMap<number, Facts>>;
  decide(run: Searcher, shared: Shared, facts: Facts, wish: Wish, known: KnownDocument): Decision;
  /**
   * Compares a document that is to be linked again with what it was posted for (domain reference 5.4): what stands against
   * it being the same. Absent for a kind that makes no document.
   */
  findDifferences?(
    run: Searcher,
    shared: Shared,
    facts: Facts,
    posting: Pick<Posting, 'targetType' | 'targetId' | 'psaTotal'>,
  ): Promise<readonly Problem[]>;
  /**
   * Whether the books may have a document of the same source that the ledger does not know; false when what was read tells
   * that they have none. Absent: they may.
   */
  mayBeInBooks?(shared: Shared, facts: Facts): boolean;
  /**
   * Head of a document for logs and lists: number, party, date, and its amount, signed.
   *
   * @param plan what is to be sent; null when nothing is
   */
  describe(shared: Shared, facts: Facts, plan: Plan | null): ProblemDocument;
  /**
   * Asked in one call right before documents are sent that were read a while ago. Absent for a kind that
   * {@link needsFresh}.
   */
  checkFreshness?(run: Searcher, settings: Settings, psaIds: readonly number[]): Promise<FreshnessCheck>;
  /** Total of the document according to the PSA; the sum of its lines where it says nothing. */
  psaTotal(facts: Facts, plan: Plan): Decimal | null;
  /** Decision on a document without facts: the PSA has no such document, or the books not any more. */
  whenMissing(run: Searcher, psaId: number): Decision;
  /**
   * Decides on a document that was posted before when nothing more may be posted or changed for it; null: it may.
   */
  findObstacle?(run: Gatherer, psaId: number, wish: Pick<Wish, 'revises'>): Promise<Decision | null>;
  /** Sentence of ours for a refusal of which more is known than its service says; null: its own words are the best. */
  problemOfRefusal?(
    run: Pick<Searcher, 'psa'>,
    attempt: Pick<In<'posting'>, 'plan' | 'about'>,
    refusal: Pick<ServiceFailure, 'cause'>,
  ): Problem | null;
  /** Compares the answer with what was expected; warnings only. */
  verify(run: Searcher, plan: Plan, posted: Posted): Verified;
  /** Reference of a document of the books for the PSA: its number, or its id. */
  referenceOf(made: { readonly number: string | null; readonly id: string }): string;
  /**
   * References in the books that the PSA shows of these documents; null for one that it does not show as synced.
   * Absent for a kind whose reference the PSA does not show.
   */
  readReferences?(
    run: Searcher,
    settings: Settings,
    psaIds: readonly number[],
  ): Promise<ReadonlyMap<number, string | null>>;
  /** Tells the PSA where the document went: the same value however often. */
  writeBack?(run: Searcher, psaId: number, reference: WrittenReference): Promise<void>;
  /** Puts a word of ours into the PSA's status field: of a failure, of a run, or `''` for none. */
  writeMark?(run: Searcher, psaId: number, mark: string): Promise<void>;
  /** Records that are saved with a success besides. */
  effects?(psaId: number, answer: Posted, plan: Plan): Pick<AdvanceEffects, 'marksPosting' | 'payment'>;
  /** Writes what the books say into the PSA: the same value however often. */
  updatePsa?(run: Searcher, psaId: number, change: PaidDate): Promise<void>;
  /** The document that the log shows of a success, where it is not the answer itself. */
  shown?(run: Searcher, plan: Plan): Promise<JsonObject | null>;
  successMessage(psaId: number, plan: Plan, reference: WrittenReference): string;
  testMessage(psaId: number, plan: Plan): string;
  /** Named fields of `last_*_info`. */
  info(psaId: number, posted: Pick<Posted, 'id' | 'number'>): JsonObject;
}

/** The reference that the PSA is told, and when. */
export interface WrittenReference {
  /** Reference from {@link KindFlow.referenceOf}. */
  readonly number: string;
  readonly at: Instant;
}
