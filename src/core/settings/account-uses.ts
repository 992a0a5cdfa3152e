import type { Account } from '../documents/reference-data.ts';

interface AccountUseRule {
  /** The kind of account in a sentence: `Choose an active {name} account.` */
  readonly name: string;
  readonly accepts: (account: Account) => boolean;
}

// Receivables and fixed assets take no deposits, and accrue nothing.
const noCurrentAsset =
  /^AccountsReceivable$|^Fixed|Furniture|Machinery|Vehicles|Buildings|^Land|Depreciation|Leasehold/;

/** Subtypes of bank accounts, undeposited funds and inventory. */
const moneyOrStock =
  /^(CashOnHand|Checking|MoneyMarket|RentsHeldInTrust|Savings|TrustAccounts|UndepositedFunds|Inventory)$/;

/**
 * Uses of a QuickBooks account (domain reference 3), by classification and subtype.
 */
const accountUses = {
  income: { name: 'income', accepts: ({ classification }) => classification === 'Revenue' },
  rounding: {
    name: 'income or expense',
    accepts: ({ classification }) => classification === 'Revenue' || classification === 'Expense',
  },
  // Money for work that is still to be done is owed to the customer.
  prepaid: {
    name: 'liability',
    accepts: ({ classification, subType }) => classification === 'Liability' && !/Payable|CreditCard/.test(subType),
  },
  expense: { name: 'expense', accepts: ({ classification }) => classification === 'Expense' },
  payable: {
    name: 'payable',
    accepts: ({ classification, subType }) => classification === 'Liability' && subType === 'AccountsPayable',
  },
  // An advance is properly an asset of the company: a receivable from an employee, never money in a bank or stock.
  cash_advance: {
    name: 'cash advance',
    accepts: ({ classification, subType }) =>
      classification === 'Expense' ||
      (classification === 'Asset' && !noCurrentAsset.test(subType) && !moneyOrStock.test(subType)),
  },
  // Bank and Other Current Asset accounts.
  deposit: {
    name: 'deposit',
    accepts: ({ classification, subType }) => classification === 'Asset' && !noCurrentAsset.test(subType),
  },
  unbilled_revenue: {
    name: 'current asset',
    accepts: ({ classification, subType }) => classification === 'Asset' && !noCurrentAsset.test(subType),
  },
} as const satisfies Readonly<Record<string, AccountUseRule>>;

export type AccountUse = keyof typeof accountUses;

/** True when a setting of this use accepts the account: the right kind, and active. */
export function isAccountFor(use: AccountUse, account: Account): boolean {
  const rule: AccountUseRule = accountUses[use];
  return account.isActive && rule.accepts(account);
}

/** Sentence for a choice that is missing, or is no account that fits. */
export const chooseAccount = (use: AccountUse): string => `Choose an active ${accountUses[use].name} account.`;
