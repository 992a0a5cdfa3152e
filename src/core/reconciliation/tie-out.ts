import type { BooksDocument } from '../documents/books-document.ts';
import type { BooksTaxes, LedgerAccount, LedgerEntry, ReportContents } from '../documents/books-report.ts';
import type { Account, BooksReferenceData } from '../documents/reference-data.ts';
import type { CalendarDate } from '../values/dates.ts';
import { isZero, minus, sum, type Decimal } from '../values/decimal.ts';
import { ofType } from './signed.ts';

/** Names of the comparisons with QuickBooks' own reports. */
export const tieOutNames = [
  'customer_sales',
  'receivables_ageing',
  'receivables_movement',
  'receivables_psa',
  'sales_lines_psa',
  'revenue_by_account',
  'revenue_by_class',
  'sales_tax',
  'sales_tax_by_agency',
  'sales_tax_by_region',
  'payables_ageing',
  'employee_payables',
  'employee_advances',
  'undeposited_funds',
  'prepayments',
  'open_orders',
  'received_not_billed',
  'unbilled',
  'foreign_currency',
] as const;
export type TieOutName = (typeof tieOutNames)[number];

/** One line of a tie-out; a side that does not apply is null. */
export interface TieOutRow {
  readonly label: string;
  readonly left: Decimal | null;
  readonly right: Decimal | null;
  readonly note?: string;
}

/** Two amounts that have to be the same, in the home currency, and what they are made of. */
export interface TieOut {
  readonly name: TieOutName;
  readonly label: string;
  readonly leftLabel: string;
  readonly rightLabel: string;
  readonly left: Decimal;
  readonly right: Decimal;
  /** Left minus right. */
  readonly difference: Decimal;
  /** False: a list for a person to read; its difference says nothing by itself. */
  readonly mustBeZero: boolean;
  readonly rows: readonly TieOutRow[];
}

export interface TieOutFacts {
  readonly through: CalendarDate;
  /** The last day of the month, or today while it lasts. */
  readonly asOf: CalendarDate;
  readonly homeCurrency: string;
  readonly psaLabel: string;
  readonly lists: Pick<BooksReferenceData, 'accounts' | 'classes' | 'customers' | 'items'>;
  /** Every document of the books that is dated in the month. */
  readonly documents: readonly BooksDocument[];
  /** Payments of the months before, which may not have been taken to the bank yet; none when nothing was left to take there. */
  readonly earlierPayments: readonly BooksDocument[];
  /** Ids of the bills that stand for expense reports, of those that are open at the end of the month. */
  readonly expenseBillIds: ReadonlySet<string>;
  readonly reports: { readonly [Name in keyof ReportContents]: ReportContents[Name] };
  /**
   * Invoices that the PSA shows as unpaid at the end of the month, in the home currency, by the customer who pays: a
   * sub-customer stands with the customer it belongs to.
   */
  readonly psaOpen: readonly {
    readonly customer: string;
    /** Null in a currency that no document of the month has a rate for. */
    readonly amount: Decimal | null;
    readonly currency: string;
    readonly amountInCurrency: Decimal;
  }[];
  readonly openOrders: readonly {
    readonly label: string;
    readonly psa: Decimal | null;
    readonly books: Decimal | null;
  }[];
  /**
   * Orders by what had arrived at the end of the month, and what bills of the books took over of it, in the home
   * currency.
   */
  readonly received: readonly { readonly label: string; readonly received: Decimal; readonly billed: Decimal }[];
  /** Approved in the PSA up to the end of the month and on no invoice; null when the PSA does not let us see it. */
  readonly unbilled: { readonly count: number; readonly amount: Decimal } | null;
  readonly taxes: BooksTaxes;
  /** Prepayments of clients, in the home currency; null while no account of blocks and retainers is chosen. */
  readonly prepaid: {
    readonly accountId: string;
    /** False when the PSA does not let us see what is left of blocks and retainers. */
    readonly isVisible: boolean;
    /** Balance of the account before the first entry that was read. */
    readonly opening: Decimal;
    readonly contracts: readonly {
      readonly label: string;
      /** Sold and not used; null when the PSA knows no block and no retainer of the contract. */
      readonly psa: Decimal | null;
      readonly books: Decimal | null;
    }[];
    /** Entries of the account that no contract is known of. */
    readonly others: readonly LedgerEntry[];
  } | null;
  /** Account of cash advances, when one is set. */
  readonly advanceAccountId: string | null;
  /** Account of work that is done and not invoiced, when one is set. */
  readonly unbilledAccountId: string | null;
}

export const salesTypes: ReadonlySet<string> = new Set(['Invoice', 'CreditMemo', 'SalesReceipt', 'RefundReceipt']);
/** Spelling in the general ledger of a type that the API calls by one word. */
const ledgerType = (type: string): string => type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
export const salesEntryTypes: ReadonlySet<string> = new Set([...salesTypes].map(ledgerType));
/** An amount of a document with the sign of what is owed: credits and refunds are negative. */
export const signed = ({ type }: BooksDocument, amount: Decimal): Decimal => ofType(type, amount);
export const ofTypes = (documents: readonly BooksDocument[], ...types: readonly string[]): BooksDocument[] =>
  documents.filter(({ type, isVoided }) => !isVoided && types.includes(type));

export const tieOut = (
  of: Pick<TieOut, 'name' | 'label' | 'leftLabel' | 'rightLabel' | 'mustBeZero' | 'rows'>,
  left: Decimal,
  right: Decimal,
): TieOut => ({ ...of, left, right, difference: minus(left, right) });

/** Whether both sides agree, in the sum and in each of its rows. */
export const holds = ({ mustBeZero, difference, rows }: TieOut): boolean =>
  !mustBeZero ||
  (isZero(difference) &&
    rows.every(({ left, right }) => left === null || right === null || isZero(minus(left, right))));

export const accountsOf = (facts: TieOutFacts, ...subTypes: readonly string[]): Account[] =>
  facts.lists.accounts.filter(({ subType }) => subTypes.includes(subType));

/** Balance of accounts at the end of the month, debits positive. */
export function balance({ reports }: TieOutFacts, accounts: readonly Account[]): Decimal {
  const ids = new Set(accounts.map(({ id }) => id));
  return sum(
    reports.trial_balance.flatMap(({ accountId, debit, credit }) =>
      accountId !== null && ids.has(accountId) ? [minus(debit, credit)] : [],
    ),
  );
}

export const ledgerOf = ({ reports }: TieOutFacts, accounts: readonly Account[]): LedgerAccount[] => {
  const ids = new Set(accounts.map(({ id }) => id));
  return reports.general_ledger.filter(({ accountId }) => accountId !== null && ids.has(accountId));
};

export const entryRow = ({
  type,
  number,
  datedOn,
  partyName,
  amount,
}: Pick<LedgerEntry, 'type' | 'number' | 'datedOn' | 'partyName' | 'amount'>): TieOutRow => ({
  label: [type, number, partyName, datedOn].filter((part) => part !== null && part !== '').join(' · '),
  left: amount,
  right: null,
});

/** The income account that a line of a sale goes to. */
export const accountOf = (facts: TieOutFacts) => {
  const items = new Map(facts.lists.items.map(({ id, incomeAccountId }) => [id, incomeAccountId]));
  return (line: BooksDocument['lines'][number]): string | null =>
    line.accountId ?? (line.itemId === null ? null : (items.get(line.itemId) ?? null));
};
