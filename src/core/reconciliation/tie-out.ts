import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { AccountingTaxes, LedgerAccount, LedgerEntry, ReportContents } from '../documents/accounting-report.ts';
import type { Account, AccountingLists } from '../documents/reference-data.ts';
import type { CalendarDate } from '../values/dates.ts';
import { isZero, minus, sum, type Decimal } from '../values/decimal.ts';
import type { ExpiredPrepaid } from './expired-prepaid.ts';
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
  'expired_prepayments',
  'open_orders',
  'received_not_billed',
  'unbilled',
  'foreign_currency',
] as const;
export type TieOutName = (typeof tieOutNames)[number];

/** One row of a tie-out; a side that does not apply is null. */
export interface TieOutRow {
  readonly label: string;
  readonly left: Decimal | null;
  readonly right: Decimal | null;
  readonly note?: string;
}

/** Two amounts that must be equal, in the home currency, with the rows that they consist of. */
export interface TieOut {
  readonly name: TieOutName;
  readonly label: string;
  readonly leftLabel: string;
  readonly rightLabel: string;
  readonly left: Decimal;
  readonly right: Decimal;
  /** Left minus right. */
  readonly difference: Decimal;
  /** False: a list for information, whose difference means nothing. */
  readonly mustBeZero: boolean;
  readonly rows: readonly TieOutRow[];
}

export interface TieOutFacts {
  readonly through: CalendarDate;
  /** The last day of the month, or today if the month has not ended. */
  readonly asOf: CalendarDate;
  readonly homeCurrency: string;
  readonly psaLabel: string;
  readonly lists: Pick<AccountingLists, 'accounts' | 'classes' | 'customers' | 'items'>;
  /** All QuickBooks documents that are dated in the month. */
  readonly documents: readonly AccountingDocument[];
  /** Payments of earlier months that may be undeposited; empty if nothing is undeposited. */
  readonly earlierPayments: readonly AccountingDocument[];
  /** Ids of the open expense report bills at the end of the month. */
  readonly expenseBillIds: ReadonlySet<string>;
  readonly reports: { readonly [Name in keyof ReportContents]: ReportContents[Name] };
  /**
   * Invoices that the PSA shows as unpaid at the end of the month, in the home currency, by paying customer. A
   * sub-customer counts toward its parent.
   */
  readonly psaOpen: readonly {
    readonly customer: string;
    /** Null if no document of the month has a rate for the currency. */
    readonly amount: Decimal | null;
    readonly currency: string;
    readonly amountInCurrency: Decimal;
  }[];
  /** Orders that are not completely received or billed at the end of the month, in the home currency. */
  readonly openOrders: readonly {
    readonly label: string;
    readonly psa: Decimal | null;
    readonly accounting: Decimal | null;
  }[];
  /**
   * Goods received for each order by the end of the month at cost, and the part of them that QuickBooks bills cover, in
   * the home currency.
   */
  readonly received: readonly { readonly label: string; readonly received: Decimal; readonly billed: Decimal }[];
  /** Work approved in the PSA by the end of the month and not invoiced; null if the PSA gives no access to it. */
  readonly unbilled: { readonly count: number; readonly amount: Decimal } | null;
  readonly taxes: AccountingTaxes;
  /** Prepayments of clients, in the home currency; null if no account for blocks and retainers is chosen. */
  readonly prepaid: {
    readonly accountId: string;
    /** False if the PSA gives no access to the balances of blocks and retainers. */
    readonly isVisible: boolean;
    /** Balance of the account before its first entry that was read. */
    readonly opening: Decimal;
    readonly contracts: readonly {
      readonly label: string;
      /** Sold and not used; null if the PSA has no block or retainer for the contract. */
      readonly psa: Decimal | null;
      readonly accounting: Decimal | null;
    }[];
    /** Entries of the account without a known contract. */
    readonly others: readonly LedgerEntry[];
    /** Money of purchases that have ended, oldest first. */
    readonly expired: readonly ExpiredPrepaid[];
    /** Income account of the proposed entries; null: none is chosen. */
    readonly breakageAccountId: string | null;
  } | null;
  /** Account for cash advances; null: none is set. */
  readonly advanceAccountId: string | null;
  /** Account for completed work that is not invoiced; null: none is set. */
  readonly unbilledAccountId: string | null;
}

export const salesTypes: ReadonlySet<string> = new Set(['Invoice', 'CreditMemo', 'SalesReceipt', 'RefundReceipt']);
/** Returns a type as the general ledger spells it, with spaces between words. A refund receipt is a “Refund”. */
export const ledgerType = (type: string): string =>
  type === 'RefundReceipt' ? 'Refund' : type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
export const salesEntryTypes: ReadonlySet<string> = new Set([...salesTypes].map(ledgerType));
/** Returns an amount with the sign of what is owed: credits and refunds are negative. */
export const signed = ({ type }: AccountingDocument, amount: Decimal): Decimal => ofType(type, amount);
export const ofTypes = (documents: readonly AccountingDocument[], ...types: readonly string[]): AccountingDocument[] =>
  documents.filter(({ type, isVoided }) => !isVoided && types.includes(type));

export const tieOut = (
  of: Pick<TieOut, 'name' | 'label' | 'leftLabel' | 'rightLabel' | 'mustBeZero' | 'rows'>,
  left: Decimal,
  right: Decimal,
): TieOut => ({ ...of, left, right, difference: minus(left, right) });

/** Returns whether both sides agree, in total and in each row. */
export const holds = ({ mustBeZero, difference, rows }: TieOut): boolean =>
  !mustBeZero ||
  (isZero(difference) &&
    rows.every(({ left, right }) => left === null || right === null || isZero(minus(left, right))));

export const accountsOf = (facts: TieOutFacts, ...subTypes: readonly string[]): Account[] =>
  facts.lists.accounts.filter(({ subType }) => subTypes.includes(subType));

/** Returns the balance of accounts at the end of the month, debits positive. */
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

/**
 * Returns a function that finds the income account of a sales line: the one that its item had when it was posted, else
 * its current one.
 */
export const accountOf = (facts: TieOutFacts) => {
  const items = new Map(facts.lists.items.map(({ id, incomeAccountId }) => [id, incomeAccountId]));
  // QuickBooks posts a discount without an account to the account for discounts.
  const discounts = facts.lists.accounts.find((account) => account.subType === 'DiscountsRefundsGiven')?.id ?? null;
  return (line: AccountingDocument['lines'][number]): string | null =>
    line.accountId ??
    line.itemAccountId ??
    (line.isDiscount === true ? discounts : line.itemId === null ? null : (items.get(line.itemId) ?? null));
};
