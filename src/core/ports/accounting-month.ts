import type { AccountingDocument, AccountingDocumentType } from '../documents/accounting-document.ts';
import type {
  AccountingReport,
  AccountingTaxes,
  LedgerAccount,
  ReportContents,
  ReportName,
  ReportPeriod,
} from '../documents/accounting-report.ts';
import type { SalesReference } from '../documents/sales-state.ts';
import type { Fingerprint } from '../reconciliation/fingerprint.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { JsonObject } from '../values/json.ts';

/** A document in the change feed. */
export interface TouchedDocument {
  readonly type: string;
  readonly id: string;
  /** Its present date; null if it was deleted. */
  readonly datedOn: CalendarDate | null;
  /** When it was created; null if unknown. */
  readonly createdAt: Instant | null;
}

/** Reads that a month-end close compares: whole documents and QuickBooks' reports. */
export interface AccountingMonth {
  /**
   * Lists documents of these types dated in these days, inclusive, in as few calls as possible.
   *
   * @param customerId only documents of this customer; undefined means all
   */
  listDocuments(
    days: ReportPeriod,
    types: readonly AccountingDocumentType[],
    customerId?: string,
  ): Promise<readonly AccountingDocument[]>;

  /**
   * Lists documents of any type that were created, changed or deleted since this time, at most 29 days ago, with one
   * call. Much cheaper than {@link listDocuments} if nothing happened.
   *
   * @returns null if there are too many, or if QuickBooks cannot return them.
   */
  listTouched(since: Instant): Promise<readonly TouchedDocument[] | null>;

  /**
   * Reads the current version of documents; deleted ones are left out.
   *
   * @param onUnreadable receives documents that the service has but cannot return; without it such a document fails the
   *   call.
   */
  readDocuments(
    references: readonly SalesReference[],
    onUnreadable?: (record: SalesReference) => void,
  ): Promise<readonly AccountingDocument[]>;

  /**
   * Returns the fingerprint of a document as it was sent, from the stored request body; null when the body is not a
   * document. Pure. Fields that QuickBooks fills in automatically, such as the due date, are null.
   */
  fingerprintOfBody(type: string, body: JsonObject): Fingerprint | null;

  /** Reads the general ledger of one account from its first entry through this day; accrual basis, home currency. */
  readAccountLedger(
    accountId: string,
    through: CalendarDate,
  ): Promise<AccountingReport<Pick<LedgerAccount, 'opening' | 'entries'>>>;

  /**
   * Reads rates and agencies of sales tax with QuickBooks' summary of the month for the agencies of these rates; makes
   * no call without rates.
   */
  readTaxes(period: ReportPeriod, rateIds: readonly string[]): Promise<AccountingTaxes>;

  /** Reads a report on accrual basis, parsed and as received. */
  readReport<Name extends ReportName>(
    name: Name,
    period: ReportPeriod,
  ): Promise<AccountingReport<ReportContents[Name]>>;
}
