import type { Posted } from '../attempt.ts';
import type { AccountingDocument, AccountingDocumentType } from '../documents/accounting-document.ts';
import type { AccountingChange, ListChanges, ListRecord, UnreadableRecord } from '../documents/accounting-change.ts';
import type {
  Account,
  AccountingClass,
  AccountingLocation,
  AccountingPreferences,
  AccountingLists,
} from '../documents/reference-data.ts';
import type { OpenMoney } from '../documents/open-money.ts';
import type { AppliedPayment, SalesReference, SalesState } from '../documents/sales-state.ts';
import type { Command, DocumentCommand } from '../planning/plan.ts';
import type { MergeBase, MergedUpdate, RecordList } from '../planning/update-merge.ts';
import type { ServiceError } from '../service-error.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { AccountingMonth } from './accounting-month.ts';

/**
 * Seconds after which a write that is not found was not carried out. QuickBooks may carry out a request up to 120 s
 * after the client gave up [Q9], so an earlier “not found” proves nothing. Includes a margin.
 */
export const lateApplySeconds = 130;

/** Names of an accounting service on screens and in routes. */
export interface AccountingDescriptor {
  /** Path segment and service key, e.g. `qbo`. */
  readonly key: string;
  readonly label: string;
  readonly shortLabel: string;
}

/**
 * Port to the accounting system, bound to one tenant's company. Every method may throw a `ServiceError`. The connector
 * retries reads; it sends a write once and never retries it blindly.
 */
export interface Accounting extends AccountingMonth {
  readonly describe: AccountingDescriptor;

  /** Verifies the connection and returns the name and id of the company. */
  identify(): Promise<{ readonly companyName: string; readonly companyId: string }>;

  /** @param onUnreadable receives records that the service cannot return as a whole */
  readReferenceData(onUnreadable?: (record: UnreadableRecord) => void): Promise<AccountingLists>;
  readPreferences(): Promise<AccountingPreferences>;
  /**
   * Returns the service's exchange rate of a day; read once a day.
   *
   * @returns home units per unit of the currency; null when the service has none.
   */
  readExchangeRate(currency: string, on: CalendarDate): Promise<Decimal | null>;
  readAccounts(): Promise<readonly Account[]>;
  readClasses(): Promise<readonly AccountingClass[]>;
  /** Includes inactive locations; called only while QuickBooks tracks them. */
  readLocations(): Promise<readonly AccountingLocation[]>;

  /**
   * Returns the request body that {@link post} would send. Pure: the same command gives the same bytes. References to
   * records of earlier commands without a response contain the text `(to be created)`.
   */
  preview(command: Command, answers: readonly Posted[]): JsonObject;

  /**
   * Sends one command once.
   *
   * @param requestId idempotency key, at most 36 characters, derived from the saved attempt alone.
   * @throws ServiceError with outcome `not_applied` when it was definitely refused, `unknown` when it may have arrived.
   */
  post(command: Command, answers: readonly Posted[], requestId: string): Promise<Posted>;

  /** Whether reads and batches were refused recently for the rest of the month; single writes work. */
  readonly areReadsBlocked: boolean;

  /** Maximum number of commands in one {@link postBatch} now; 1 while batches are blocked. */
  readonly maxPerBatch: number;

  /**
   * Sends several commands in one call, once. Each succeeds or fails separately; no command may refer to a record that
   * another one creates.
   *
   * @param requestId idempotency key of the call, at most 36 characters, derived from the saved attempts alone.
   * @returns the result of each command, in the order given.
   * @throws ServiceError when the whole call failed: with outcome `not_applied` no command was carried out, with
   *   `unknown` any of them may have been.
   */
  postBatch(items: readonly BatchItem[], requestId: string): Promise<readonly (Posted | ServiceError)[]>;

  /** Searches for the record that a command would have created: by its private note, number or name. */
  find(command: Command, answers: readonly Posted[], sentAt: Instant): Promise<Posted | null>;

  /**
   * Does {@link find} for several commands in as few queries as possible; results in the order given, with an error for
   * a command whose record may be one that the service cannot return.
   *
   * @param onUnreadable receives the records among those searched that the service cannot return
   */
  findAll(
    wanted: readonly Wanted[],
    onUnreadable?: (record: UnreadableRecord) => void,
  ): Promise<readonly (Posted | ServiceError | null)[]>;

  /**
   * Searches for documents that were created for the same source as a command, by the origin in their private note,
   * among those with the same number or in the same days. Uses as few queries as possible and ignores void documents.
   *
   * @returns results in the order given; null when none was found, and for a command that creates no document; an error
   *   when it may be a document that the service cannot return.
   * @param onUnreadable as for {@link findAll}
   */
  findByOrigin(
    wanted: readonly SameOrigin[],
    onUnreadable?: (record: UnreadableRecord) => void,
  ): Promise<readonly (Posted | ServiceError | null)[]>;

  /**
   * Reads a document that we created; null when it was deleted. Totals and note show whether it is void.
   *
   * @throws ServiceError `QBO_UNREADABLE` when the service has the document and cannot return it.
   */
  read(type: string, id: string): Promise<(Posted & { readonly isVoided: boolean }) | null>;

  /** Whether an invoice was emailed to its customer; null when it is deleted or void. */
  readMailed(id: string): Promise<boolean | null>;

  /**
   * Emails an invoice to its customer, once.
   *
   * @param requestId idempotency key, at most 36 characters, derived from the saved attempt alone.
   * @throws ServiceError with outcome `not_applied` when it was definitely rejected, `unknown` when it may have been
   *   sent.
   */
  mailInvoice(id: string, address: string, requestId: string): Promise<void>;

  /**
   * Reads the current version of sales documents with their open amounts; deleted ones are left out.
   *
   * @param onUnreadable receives documents that the service has but cannot return; without it such a document fails the
   *   call.
   */
  readSales(
    references: readonly SalesReference[],
    onUnreadable?: (record: SalesReference) => void,
  ): Promise<readonly SalesState[]>;

  /** Lists invoices and credit memos dated in these days, inclusive. */
  listSales(days: { readonly from: CalendarDate; readonly through: CalendarDate }): Promise<readonly SalesState[]>;

  /** Reads the current version of these list records, in as few calls as possible. */
  readListRecords(named: readonly AccountingChange[]): Promise<ListChanges>;

  /**
   * Reads list records that changed since this time, without deleted ones. The result is current, while the change feed
   * may be late.
   */
  readListsSince(since: Instant, lists: readonly ListRecord[]): Promise<ListChanges>;

  /**
   * Lists documents of these types that changed since this time, without deleted ones, in as few calls as possible.
   *
   * @param onUnreadable as for {@link readSales}, with the number if it is known
   */
  listChangedDocuments(
    since: Instant,
    types: readonly AccountingDocumentType[],
    onUnreadable?: (record: UnreadableRecord) => void,
  ): Promise<readonly AccountingDocument[]>;

  /** Reads the company itself, which the change feed does not cover. */
  readCompany(): Promise<AccountingLists['company']>;

  /** Reads the tax codes with their rates, which the change feed does not cover. */
  readTaxCodes(): Promise<AccountingLists['taxCodes']>;

  /** Reads the change feed from this instant, at most 29 days ago, in one call. */
  readCdc(since: Instant): Promise<CdcReading>;

  /** Lists the invoices that each of these payments is applied to; a deleted payment has no entry. */
  listPaidInvoices(paymentIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;

  /**
   * Reads the dates of payments, credits and journal entries, and the unapplied amounts of payments; deleted ones are
   * left out.
   *
   * @param onUnreadable as for {@link readSales}
   */
  readDates(
    references: readonly SalesReference[],
    onUnreadable?: (record: SalesReference) => void,
  ): Promise<readonly AppliedPayment[]>;

  /**
   * Reads the money of customers that is not applied to any invoice: unapplied payments, open credit memos, and deposits
   * and journal entries to receivables. Makes one call for all customers if there is none.
   *
   * @param customerIds customers including their parents and sub-customers
   * @param through last day of the documents
   */
  readOpenMoney(customerIds: readonly string[], through: CalendarDate): Promise<readonly OpenMoney[]>;

  /**
   * Searches for documents with one of these numbers, by default among sales documents, which share one number range.
   */
  findNumbered(numbers: readonly string[], among?: 'sales' | 'purchase_orders'): Promise<readonly NumberedDocument[]>;

  /**
   * Merges the planned state of a document into the document in QuickBooks, as sending the update would.
   *
   * @param nameOf returns the name of a record for the lists of changes; null if it is unknown
   */
  mergeUpdate(
    to: DocumentCommand,
    base: MergeBase,
    nameOf: (list: RecordList, id: string) => string | null,
  ): MergedUpdate;

  /** The service's unchanged JSON of the lists that screens read. */
  rawAccounts(): Promise<readonly JsonObject[]>;
  rawClasses(): Promise<readonly JsonObject[]>;
  rawPreferences(): Promise<JsonObject>;
  rawCompanyInfo(): Promise<JsonObject>;
}

/** One command of a batch. */
export interface BatchItem {
  /** Name of the command within the batch, at most 10 characters. */
  readonly id: string;
  readonly command: Command;
  readonly answers: readonly Posted[];
}

/** A command whose record is searched, and when it was sent. */
export interface Wanted {
  readonly command: Command;
  readonly answers: readonly Posted[];
  readonly sentAt: Instant;
}

/** A command, and the date of its source; its document may have been moved to a later date. */
export interface SameOrigin {
  readonly command: Command;
  readonly sourceDatedOn: CalendarDate | null;
  /**
   * Null: any document of the source; otherwise only a document created since `from`, on the service's clock, without
   * these ids.
   */
  readonly madeSince: { readonly from: Instant; readonly except: readonly string[] } | null;
}

export interface NumberedDocument {
  readonly type: string;
  readonly id: string;
  readonly number: string;
  /** The customer, or the vendor of a purchase order; empty when the document has none. */
  readonly customerName: string;
  readonly privateNote: string | null;
}

/** One response of the change feed. */
export interface CdcReading {
  /** The service's time of the response: the next read starts here. */
  readonly cursor: Instant;
  /**
   * Ids of changed invoices, credit memos and payments, including deleted ones, and of invoices that changed payments are
   * applied to. May contain others, but is never incomplete.
   */
  readonly touchedInvoices: readonly string[];
  /** Changed bills and purchase orders, including deleted ones. */
  readonly touchedPurchases: readonly AccountingChange[];
  /** Changes of list records; null: more than one response holds, so the lists must be read completely. */
  readonly lists: ListChanges | null;
  /** Time of the newest change; null without changes. */
  readonly newestAt: Instant | null;
  /** Changed records that the service cannot return; everything else was read. */
  readonly unreadable: readonly UnreadableRecord[];
  /** Changed documents with a private note, except deleted ones; more than one response holds may be missing. */
  readonly noted: readonly NotedDocument[];
}

/** A document with its private note, which may name the source. */
export interface NotedDocument {
  readonly type: string;
  readonly id: string;
  readonly privateNote: string;
  readonly createdAt: Instant;
}
