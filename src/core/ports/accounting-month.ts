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

/** The reads that prove a month: whole documents, and the books' own reports. */
export interface AccountingMonth {
  /**
   * Documents of these types that are dated in these days, both included; fewest calls for many types.
   *
   * @param customerId of this customer alone; absent: of all
   */
  listDocuments(
    days: ReportPeriod,
    types: readonly BooksDocumentType[],
    customerId?: string,
  ): Promise<readonly BooksDocument[]>;

  /** Documents as they are now; those that are gone are left out. */
  readDocuments(references: readonly SalesReference[]): Promise<readonly BooksDocument[]>;

  /**
   * Fingerprint of a document when it was sent, from the body that is kept of it; null where the body is none of a
   * document. Pure. Fields that the books fill in by themselves, such as a due day, are null there.
   */
  fingerprintOfBody(type: string, body: JsonObject): Fingerprint | null;

  /** The general ledger of one account from its first entry to this day, included; accrual basis, home currency. */
  readAccountLedger(
    accountId: string,
    through: CalendarDate,
  ): Promise<BooksReport<Pick<LedgerAccount, 'opening' | 'entries'>>>;

  /**
   * Rates and agencies of sales tax with the books' own summary of the month, for the agencies of these rates; asks
   * nothing when there are none.
   */
  readTaxes(period: ReportPeriod, rateIds: readonly string[]): Promise<BooksTaxes>;

  /** A report, accrual basis, as it was understood and as it was answered. */
  readReport<Name extends ReportName>(name: Name, period: ReportPeriod): Promise<BooksReport<ReportContents[Name]>>;
}
