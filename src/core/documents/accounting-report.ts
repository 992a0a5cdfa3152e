import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';

/** QuickBooks reports that month-end close compares, by our names; accrual basis, in the home currency. */
export const reportNames = [
  'trial_balance',
  'general_ledger',
  'aged_receivables',
  'aged_payables',
  'customer_sales',
] as const;
export type ReportName = (typeof reportNames)[number];

export interface ReportPeriod {
  readonly from: CalendarDate;
  readonly through: CalendarDate;
  /** QuickBooks tracks classes: the general ledger includes the class of each entry. */
  readonly hasClasses?: boolean;
}

/** A report as parsed and as received. */
export interface AccountingReport<Content> {
  readonly content: Content;
  readonly raw: JsonObject;
}

/** Rows of each report, by its name. Amounts of the general ledger have the natural sign of their account. */
export interface ReportContents {
  readonly trial_balance: readonly TrialBalanceRow[];
  readonly general_ledger: readonly LedgerAccount[];
  readonly aged_receivables: AgedDocuments;
  readonly aged_payables: AgedDocuments;
  readonly customer_sales: SalesTotals;
}

export interface TrialBalanceRow {
  /** Null for a row without an account. */
  readonly accountId: string | null;
  readonly name: string;
  readonly debit: Decimal;
  readonly credit: Decimal;
}

export interface LedgerAccount {
  readonly accountId: string | null;
  readonly name: string;
  readonly opening: Decimal;
  readonly entries: readonly LedgerEntry[];
}

export interface LedgerEntry {
  readonly datedOn: CalendarDate | null;
  /** Type as QuickBooks names it, e.g. `Invoice`, `Credit Memo`, `Journal Entry`. */
  readonly type: string;
  readonly id: string | null;
  readonly number: string | null;
  readonly partyName: string | null;
  readonly memo: string | null;
  /** Empty or null without a class; absent where the report has no classes. */
  readonly className?: string | null;
  readonly amount: Decimal;
}

export interface AgedDocuments {
  readonly documents: readonly {
    readonly type: string;
    readonly id: string | null;
    readonly number: string | null;
    readonly partyName: string;
    readonly datedOn: CalendarDate | null;
    readonly dueOn: CalendarDate | null;
    readonly open: Decimal;
  }[];
  readonly total: Decimal;
}

export interface SalesTotals {
  readonly customers: readonly { readonly name: string; readonly amount: Decimal }[];
  readonly total: Decimal;
}

/** Responses of a close besides the reports of {@link reportNames}, by the name of their file. */
export type ReportAnswers = Readonly<Record<string, JsonObject>>;

/** Sales tax by agency and rate. */
export interface AccountingTaxes {
  readonly rates: readonly {
    readonly id: string;
    readonly name: string;
    readonly agencyId: string | null;
    readonly agency: string | null;
  }[];
  /** QuickBooks' own tax summaries, for the requested agencies. */
  readonly summaries: readonly {
    readonly agencyId: string;
    readonly rates: readonly { readonly rateId: string; readonly tax: Decimal }[];
    readonly raw: JsonObject;
  }[];
}
