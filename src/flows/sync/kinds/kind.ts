import type { AttemptBase, Posted, RunningMark } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { LedgerEntry } from '#core/documents/accounting-report.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { PaymentChange } from '#core/documents/payment.ts';
import type { AccountingLists, PsaReferenceData } from '#core/documents/reference-data.ts';
import type { Kind } from '#core/kinds.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { MergeBase } from '#core/planning/update-merge.ts';
import type { Plan, PrepaidTaking } from '#core/planning/plan.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { InvoiceSearch, Psa } from '#core/ports/psa.ts';
import type { Problem, ProblemDocument } from '#core/problems.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import type { LedgerMark, Posting } from '#core/records/postings.ts';
import type { TenantSession } from '#core/records/tenant-sessions.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import { referenceOf } from '#core/sync-status.ts';
import type { Tenant } from '#core/tenant.ts';
import type { Note } from '#core/transcript.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import type { Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { TenantContext } from '../../context.ts';

/**
 * Returns the reference that the PSA has for a document; null if it refers to one of our documents that was deleted in
 * QuickBooks, so that it may be created again (domain reference 5.4).
 */
export const unlessGone = (kind: Kind, reference: string | null, gone: Posting | null): string | null =>
  gone !== null && reference === referenceOfPosting(kind, gone) ? null : reference;

/** Returns the reference that the PSA shows for a posting. */
export const referenceOfPosting = (kind: Kind, { number, targetId }: Pick<Posting, 'number' | 'targetId'>): string =>
  referenceOf(kind, { number, id: targetId ?? '' });

/**
 * Returns true if a document is created although the PSA shows it as synced: with `force`, or to replace a deleted one.
 */
export const isWantedAgain = ({ force, generation }: Pick<AttemptBase, 'force' | 'generation'>): boolean =>
  force || generation > 1;

/** Context of a search for documents. It has no lease, because a search changes no documents. */
export interface Searcher {
  readonly context: TenantContext;
  readonly tenant: Tenant;
  readonly psa: Psa;
  readonly accounting: Accounting;
  /** Null for a user's search outside a session. */
  readonly session: TenantSession | null;
}

/** Context in which documents are read and decided: a session of the tenant. */
export interface Gatherer extends Searcher {
  /** Awaited before anything that requires a complete ledger. */
  readonly afterAdoption: () => Promise<void>;
}

/** The facts that all documents of a job share, read once. */
export interface Shared {
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  /** Replaced when a document of this job chooses or creates a customer or vendor, so that no other gets it by name. */
  mappings: readonly Mapping[];
  readonly psa: PsaReferenceData;
  /** Replaced when a command of this job creates a record, so that later documents find it. */
  accounting: AccountingLists;
  readonly prepaid: PrepaidBalances;
}

/**
 * The prepaid balances of a job: entries of the general ledger, and what planned documents will take that the ledger may
 * not have yet. Two documents of one job must not use the same money.
 */
export interface PrepaidBalances {
  /** Prepaid money that planned documents take, by document. */
  readonly claims: Map<string, PrepaidTaking>;
  /** All entries of the account for prepaid money; null: to be read. */
  entries: Promise<readonly LedgerEntry[]> | null;
}

/** Decision about one document. */
export type Decision =
  | { readonly outcome: 'plan'; readonly plan: Plan; readonly mark: string | null; readonly running?: RunningMark }
  | {
      readonly outcome: 'skip';
      /** Code without spaces, for example `zero_balance`. */
      readonly reason: string;
      readonly message: string;
      /** The PSA does not show this skip, so the schedule logs it only once. */
      readonly isLoggedOnce: boolean;
      readonly notes: readonly Note[];
      readonly warnings?: readonly Problem[];
      /** Mark for a posting that another kind created. */
      readonly marks?: LedgerMark | null;
      readonly payment?: PaymentChange;
      /** The QuickBooks document concerned. */
      readonly document?: JsonObject | null;
    }
  /** Changes only the PSA, to match QuickBooks. */
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
  /**
   * QuickBooks has the document, but the PSA does not show it: only the reference is written (domain reference 5.4
   * point 3).
   */
  | {
      readonly outcome: 'relink';
      readonly posting: Posting;
      /** Status text for the PSA if it turns out to be a different document. */
      readonly mark: string | null;
      readonly notes: readonly Note[];
    }
  | {
      readonly outcome: 'refuse';
      readonly problems: readonly Problem[];
      readonly notes: readonly Note[];
      /** Status text for the PSA; null if none is written. */
      readonly mark: string | null;
      readonly payment?: PaymentChange;
      /** The QuickBooks document concerned. */
      readonly document?: JsonObject | null;
    };

/** Decision about a document that is not sent, because it changed since it was read. */
export type StaleDecision = Extract<Decision, { outcome: 'skip' | 'refuse' }>;

/** The day on which an invoice was paid; null if it is not paid. */
interface PaidDate {
  readonly paidOn: CalendarDate | null;
}

/** Criteria of an automatic search. */
export interface Search {
  /** Includes documents that have a reference. */
  readonly force: boolean;
  /** Earliest document date, for the schedule; null for a user's search. */
  readonly startOn: CalendarDate | null;
  /** The restore after which this is the first complete search; null if there was none, and for a user's search. */
  readonly gap: number | null;
}

/** Result of a search. */
export interface Candidates {
  /** PSA ids, ascending. */
  readonly ids: readonly number[];
  /** False while something waits for a certain time, so that the same invoices must be evaluated again. */
  readonly isSettled: boolean;
  /** Fingerprint of the search result, for kinds that do not search invoices. */
  readonly fingerprint?: string;
}

/** How a document is to be processed; `generation` counts the documents requested for its source. */
export type AttemptRequest = Pick<AttemptBase, 'force' | 'revises' | 'mode' | 'trigger' | 'generation'>;

/** Earlier postings of a document, from the ledger and just checked in QuickBooks. */
export interface KnownDocument {
  /** The present posting; for a kind that changes other documents, the newest posting of this kind. */
  readonly posting: Posting | null;
  /** The newest posting if it was deleted or voided in QuickBooks; the next one replaces it. */
  readonly gone: Posting | null;
  /** The present document as just read, only if it is to be changed. */
  readonly current?: CurrentDocument;
  /** Why the document that is to be changed cannot be read; only this document is affected. */
  readonly unreadable?: ServiceError;
}

/** One of our documents as it is in QuickBooks. */
interface CurrentDocument {
  /** Read before the other fields, so that a change in between makes the token stale. */
  readonly syncToken: string;
  readonly emailStatus: string | null;
  readonly document: AccountingDocument;
  /** The document in the connector's form, with its history. */
  readonly base: Omit<MergeBase, 'prefers'>;
}

/** The state of a document in the PSA, as read right before it is sent. */
export interface StateInPsa {
  /** The QuickBooks reference that the PSA shows; null if it does not show the document as synced. */
  readonly reference: string | null;
  /** Why the document is not sent anymore; null if it may be sent. */
  readonly stale: string | null;
  /** Message that the PSA shows the document as synced. Ignored for a document that is requested again. */
  readonly alreadySynced: string | null;
}

/** The field of the PSA that shows the reference of a document, or a status text. */
interface StatusField {
  /** Reads the state of documents in one call. Documents that do not exist have no entry. */
  read(run: Searcher, settings: Settings, psaIds: readonly number[]): Promise<ReadonlyMap<number, StateInPsa>>;
  /**
   * Writes a reference, a status text, or `''`. Idempotent.
   *
   * @param exportedAt invoices: the sync date, which null empties; it remains unchanged if absent
   */
  write(psa: Psa, psaId: number, text: string, exportedAt?: Instant | null): Promise<void>;
}

/** What a success saves and shows, in addition to the document. */
interface Aftermath {
  readonly effects: Pick<AdvanceEffects, 'marksPosting' | 'payment'>;
  /** The document that the log shows; the response if absent. */
  readonly document?: JsonObject | null;
}

/**
 * The steps that differ between kinds of documents, in the order in which a document needs them. All kinds share the
 * rest. What a kind or a plan already determines is a function in `core`: names, messages, references and the
 * comparison with QuickBooks' response.
 */
export interface KindFlow<Facts> {
  readonly kind: Kind;
  /**
   * True for a kind that changes documents of other kinds, and therefore has no documents to check in QuickBooks.
   */
  readonly changesOnly?: boolean;

  /** Returns which PSA invoices the kind searches; one call reads them for all such kinds. Null if it searches none. */
  invoiceSearch?(run: Searcher, settings: Settings, search: Search): InvoiceSearch | null;
  /**
   * Finds eligible documents in as few calls as possible, because usually there are none.
   *
   * @param heads result of {@link invoiceSearch}; null if it has not changed since there was nothing to do
   */
  findCandidates(
    run: Searcher,
    settings: Settings,
    search: Search,
    heads: readonly InvoiceHead[] | null,
  ): Promise<Candidates>;

  /**
   * Reads all facts for deciding about these documents, in as few calls as possible. Documents that do not exist have
   * no entry.
   */
  gather(run: Gatherer, settings: Settings, psaIds: readonly number[]): Promise<ReadonlyMap<number, Facts>>;
  decide(run: Searcher, shared: Shared, facts: Facts, request: AttemptRequest, known: KnownDocument): Decision;
  /** Decision about a document without facts. Undefined if the PSA does not have it. */
  readonly whenMissing?: Decision;
  /** Returns the decision about a posted document for which nothing more may be posted or changed; null if it may. */
  findObstacle?(
    run: Gatherer,
    psaId: number,
    request: Pick<AttemptRequest, 'force' | 'revises'>,
  ): Promise<Decision | null>;
  /** Returns the document that a user asked to link; null if there is none. Absent for a kind that links none. */
  findLinked?(run: Searcher, psaId: number): Promise<Posted | null>;
  /**
   * Returns the head of a document for logs and lists: number, party, date, and its signed amount.
   *
   * @param plan what is to be sent; null if nothing is
   */
  describe(shared: Shared, facts: Facts, plan: Plan | null): ProblemDocument;
  /** Returns the document's total in the PSA, or the sum of its lines if the PSA has none. */
  psaTotal(facts: Facts, plan: Plan): Decimal | null;

  /**
   * Returns whether QuickBooks may have a document of the same source that the ledger does not have; false if the facts
   * rule it out. Undefined if it may.
   */
  mayBeInAccounting?(shared: Shared, facts: Facts): boolean;
  /**
   * Returns the problems that show that a document to be linked again is not the posted one (domain reference 5.4).
   * Absent for a kind that creates no document.
   *
   * @param document as just read from QuickBooks
   * @param psaTotal total in the PSA when it was posted; null if it was not stored
   */
  findDifferences?(
    psaLabel: string,
    shared: Shared,
    facts: Facts,
    document: AccountingDocument,
    psaTotal: Posting['psaTotal'],
  ): readonly Problem[];

  /** Absent for a kind that the PSA shows no status of; see {@link needsFresh}. */
  readonly statusField?: StatusField;
  /** Returns what a success changes elsewhere. Undefined if it changes nothing. */
  afterPosting?(run: Searcher, psaId: number, plan: Plan, answer: Posted): Promise<Aftermath>;
}

/**
 * Returns true for a kind without a status field to check right before sending. Its facts, such as payments, may change
 * at any moment: each document is read right before its turn, and again before an earlier plan is sent.
 */
export const needsFresh = ({ statusField }: Pick<KindFlow<unknown>, 'statusField'>): boolean =>
  statusField === undefined;

/** The reference to write to the PSA, and its time. */
export interface WrittenReference {
  /** Reference from `referenceOf`. */
  readonly number: string;
  readonly at: Instant;
}

/** Returns the PSA ids of all eligible documents of a kind, ascending, for a user who selects all. */
export async function findAll(
  searcher: Searcher,
  flow: KindFlow<unknown>,
  settings: Settings,
  wanted: Omit<Search, 'gap'>,
): Promise<readonly number[]> {
  // Only the schedule's search handles what waits after a restore, because a user who selects all has not checked each
  // document.
  const search = { ...wanted, gap: null };
  const invoices = flow.invoiceSearch?.(searcher, settings, search) ?? null;
  const heads = invoices === null ? [] : await searcher.psa.findInvoices(invoices);
  return (await flow.findCandidates(searcher, settings, search, heads)).ids;
}
