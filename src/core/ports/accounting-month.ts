import type { BooksDocument, BooksDocumentType } from '../documents/books-document.ts';
import type {
  BooksReport,
  BooksTaxes,
  LedgerAccount,
  ReportContents,
  ReportName,
  ReportPeriod,
} from '../documents/books-report.ts';
import type { SalesReference } from '../documents/sales-state.ts';
import type { Fingerprint } from '../reconciliation/fingerprint.ts';
import type { CalendarDate } from '../values/dates.ts';
import type { JsonObject } from '../values/json.ts';

/** Reads that a month-end close compares: whole documents and QuickBooks' reports. */
export interface AccountingMonth {
  /**
   * Lists documents of these types dated in these days, inclusive, in as few calls as possible.
   *
   * @param customerId only documents of this customer; absent: of all
   */
  listDocuments(
    days: ReportPeriod,
    types: readonly BooksDocumentType[],
    customerId?: string,
  ): Promise<readonly BooksDocument[]>;

  /** Reads the current version of documents; deleted ones are left out. */
  readDocuments(references: readonly SalesReference[]): Promise<readonly BooksDocument[]>;

  /**
   * Returns the fingerprint of a document as it was sent, from the stored request body; null when the body is not a
   * document. Pure. Fields that QuickBooks fills in automatically, such as the due date, are null.
   */
  fingerprintOfBody(type: string, body: JsonObject): Fingerprint | null;

  /** Reads the general ledger of one account from its first entry through this day; accrual basis, home currency. */
  readAccountLedger(
    accountId: string,
    through: CalendarDate,
  ): Promise<BooksReport<Pick<LedgerAccount, 'opening' | 'entries'>>>;

  /**
   * Reads rates and agencies of sales tax with QuickBooks' summary of the month for the agencies of these rates; makes
   * no call without rates.
   */
  readTaxes(period: ReportPeriod, rateIds: readonly string[]): Promise<BooksTaxes>;

  /** Reads a report on accrual basis, parsed and as received. */
  readReport<Name extends ReportName>(name: Name, period: ReportPeriod): Promise<BooksReport<ReportContents[Name]>>;
}
