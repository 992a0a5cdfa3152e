import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';

/** Reports of the books that a month is tied out with, by our names; accrual basis, in the home currency. */
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
  /** The books track classes: the general ledger names the class of each entry. */
  readonly hasClasses?: boolean;
}

/** A report as it was understood, and as it was answered. */
export interface BooksReport<Content> {
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
  /** Null of a row that names no account. */
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
  /** Type in the service's words, e.g. `Invoice`, `Credit Memo`, `Journal Entry`. */
  readonly type: string;
  readonly id: string | null;
  readonly number: string | null;
  readonly partyName: string | null;
  readonly memo: string | null;
  /** Empty or null without a class; absent where the report tells no classes. */
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

/** Answers that a month was proved with besides the reports of {@link reportNames}, by the name of their file. */
export type ReportAnswers = Readonly<Record<string, JsonObject>>;

/** Sales tax by agency and rate. */
export interface BooksTaxes {
  readonly rates: readonly {
    readonly id: string;
    readonly name: string;
    readonly agencyId: string | null;
    readonly agency: string | null;
  }[];
  /** The books' own tax summary, of the agencies that it is told of. */
  readonly summaries: readonly {
    readonly agencyId: string;
    readonly rates: readonly { readonly rateId: string; readonly tax: Decimal }[];
    readonly raw: JsonObject;
  }[];
}
