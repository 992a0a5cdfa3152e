import type { Posted } from '../attempt.ts';
import type { BooksDocument, BooksDocumentType } from '../documents/books-document.ts';
import type { BooksChange, ListRecord, UnreadableRecord } from '../documents/books-change.ts';
import type { ListChanges } from '../documents/list-changes.ts';
import type {
  Account,
  BooksClass,
  BooksLocation,
  BooksPreferences,
  BooksReferenceData,
} from '../documents/reference-data.ts';
import type { AppliedPayment, SalesReference, SalesState } from '../documents/sales-state.ts';
import type { Command } from '../planning/plan.ts';
import type { ServiceError } from '../service-error.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { AccountingMonth } from './accounting-month.ts';

/**
 * Seconds after which a write that is not found was not carried out. The books may carry out a request up to 120 s after
 * we gave up on it [Q9], so “not found” proves nothing before that, plus a margin.
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
 * Port to the books, bound to one tenant's company. Every method may throw a `ServiceError`; reads are repeated inside
 * the connector, a write is sent once and never repeated blindly.
 */
export interface Accounting extends AccountingMonth {
  readonly describe: AccountingDescriptor;

  /** Proves that the connection works and names the company. */
  identify(): Promise<{ readonly companyName: string; readonly companyId: string }>;

  readReferenceData(): Promise<BooksReferenceData>;
  readPreferences(): Promise<BooksPreferences>;
  /**
   * The service's own exchange rate of a day, read once a day.
   *
   * @returns home units per unit of the currency; null when the service has none.
   */
  readExchangeRate(currency: string, on: CalendarDate): Promise<Decimal | null>;
  readAccounts(): Promise<readonly Account[]>;
  readClasses(): Promise<readonly BooksClass[]>;
  /** Inactive ones included; asked only while the books track them. */
  readLocations(): Promise<readonly BooksLocation[]>;

  /**
   * The request body that {@link post} would send. Pure: the same command gives the same bytes. References to earlier
   * commands that have no answer yet stand as the text `(to be created)`.
   */
  preview(command: Command, answers: readonly Posted[]): JsonObject;

  /**
   * Sends one command once.
   *
   * @param requestId idempotency key, at most 36 characters, derived from the saved attempt alone.
   * @throws ServiceError with outcome `not_applied` when it was definitely refused, `unknown` when it may have arrived.
   */
  post(command: Command, answers: readonly Posted[], requestId: string): Promise<Posted>;

  /** How many commands {@link postBatch} takes at most. */
  readonly maxPerBatch: number;

  /**
   * Sends several commands in one call, once. Each has a fate of its own; none may refer to what another one makes.
   *
   * @param requestId idempotency key of the call, at most 36 characters, derived from the saved attempts alone.
   * @returns what became of each command, in the order given.
   * @throws ServiceError when the call failed as a whole: with outcome `not_applied` none of the commands was carried
   *   out, with `unknown` any of them may have been.
   */
  postBatch(items: readonly BatchItem[], requestId: string): Promise<readonly (Posted | ServiceError)[]>;

  /** Looks for the record that a command would have made: by its private note, its number or its name. */
  find(command: Command, answers: readonly Posted[], sentAt: Instant): Promise<Posted | null>;

  /** {@link find} for several commands, in the fewest queries; answers in the order given. */
  findAll(wanted: readonly Wanted[]): Promise<readonly (Posted | null)[]>;

  /**
   * Looks for documents that were made for the same source as a command would be, by the origin in their private note and
   * among those of the same number, or of the same days. Fewest queries; a document that is void is not told of.
   *
   * @returns in the order given; null where there is none, and for a command that makes no document.
   */
  findByOrigin(wanted: readonly SameOrigin[]): Promise<readonly (Posted | null)[]>;

  /** Reads a document that we made; null when it is gone. `voided` is told from its totals and note. */
  read(type: string, id: string): Promise<(Posted & { readonly isVoided: boolean }) | null>;

  /** Whether an invoice was mailed to its customer already; null when it is gone or void. */
  readMailed(id: string): Promise<boolean | null>;

  /**
   * Mails an invoice to its customer, once.
   *
   * @param requestId idempotency key, at most 36 characters, derived from the saved attempt alone.
   * @throws ServiceError with outcome `not_applied` when it was definitely refused, `unknown` when it may have gone out.
   */
  mailInvoice(id: string, address: string, requestId: string): Promise<void>;

  /**
   * Sales documents as they are now, with what is open of them; those that are gone are left out.
   *
   * @param onUnreadable receives those that the service has and cannot answer; without it one of them fails the call.
   */
  readSales(
    references: readonly SalesReference[],
    onUnreadable?: (record: SalesReference) => void,
  ): Promise<readonly SalesState[]>;

  /** Invoices and credit memos that are dated in these days, both included. */
  listSales(days: { readonly from: CalendarDate; readonly through: CalendarDate }): Promise<readonly SalesState[]>;

  /** The records of lists that are named, as they are now; fewest calls. */
  readListRecords(named: readonly BooksChange[]): Promise<ListChanges>;

  /** Records of these lists that were changed since; those that are gone are not told of. Right at once, unlike the feed. */
  readListsSince(since: Instant, lists: readonly ListRecord[]): Promise<ListChanges>;

  /** Documents of these types that were changed since, those that are gone left out; fewest calls for many types. */
  listChangedDocuments(since: Instant, types: readonly BooksDocumentType[]): Promise<readonly BooksDocument[]>;

  /** Reads the company itself, which the feed of changes does not cover. */
  readCompany(): Promise<BooksReferenceData['company']>;

  /** Reads the tax codes with their rates, which the feed of changes does not cover. */
  readTaxCodes(): Promise<BooksReferenceData['taxCodes']>;

  /** Reads the feed of changes from this instant on, at most 29 days ago, in one call. */
  readCdc(since: Instant): Promise<CdcReading>;

  /** The invoices that each of these payments is applied to; a payment that is gone has no entry. */
  listPaidInvoices(paymentIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;

  /** The days of payments, credits and journal entries, and what is left of payments; those that are gone are left out. */
  readDates(references: readonly SalesReference[]): Promise<readonly AppliedPayment[]>;

  /** Documents that carry one of these numbers: sales documents unless said otherwise, which share their numbers. */
  findNumbered(numbers: readonly string[], among?: 'sales' | 'purchase_orders'): Promise<readonly NumberedDocument[]>;

  /** The service's own JSON of the lists that screens read. */
  rawAccounts(): Promise<readonly JsonObject[]>;
  rawClasses(): Promise<readonly JsonObject[]>;
  rawPreferences(): Promise<JsonObject>;
  rawCompanyInfo(): Promise<JsonObject>;
  /** Active records whose display name contains the text, at most 100. */
  searchCustomers(displayNameContains: string): Promise<readonly JsonObject[]>;
  searchVendors(displayNameContains: string): Promise<readonly JsonObject[]>;
  searchItems(nameContains: string, attributes: readonly string[]): Promise<readonly JsonObject[]>;
}

/** One command of a batch. */
export interface BatchItem {
  /** Name of the command within the batch, at most 10 characters. */
  readonly id: string;
  readonly command: Command;
  readonly answers: readonly Posted[];
}

/** A command whose record is looked for, and when it was sent. */
export interface Wanted {
  readonly command: Command;
  readonly answers: readonly Posted[];
  readonly sentAt: Instant;
}

/** A command, and the day of its source, from which its document may have been moved. */
export interface SameOrigin {
  readonly command: Command;
  readonly sourceDatedOn: CalendarDate | null;
  /** Null: any document of the source; otherwise one that was made since, by the service's clock, and is none of these ids. */
  readonly madeSince: { readonly from: Instant; readonly except: readonly string[] } | null;
}

export interface NumberedDocument {
  readonly type: string;
  readonly id: string;
  readonly number: string;
  /** The customer, or the vendor of a purchase order; empty when it names none. */
  readonly customerName: string;
  readonly privateNote: string | null;
}

/** One answer of the feed of changes. */
export interface CdcReading {
  /** The service's own time of its answer: a later reading begins here. */
  readonly cursor: Instant;
  /**
   * Ids of invoices that changed, removed ones among them, and of those that changed payments are applied to. May name
   * more than that, never fewer.
   */
  readonly touchedInvoices: readonly string[];
  /** Changes of listed records; null: more than an answer holds, so that the lists have to be read whole. */
  readonly lists: ListChanges | null;
  /** Moment of the newest change; null: there was none. */
  readonly newestAt: Instant | null;
  /** Changed records that the service cannot answer; everything else was read. */
  readonly unreadable: readonly UnreadableRecord[];
}
