import type { Account, AccountingPreferences, PsaModules } from '../documents/reference-data.ts';
import type { Kind } from '../kinds.ts';

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

/**
 * Returns the sentence for a setting whose account cannot be used. An inactive account is named.
 *
 * @param chosen the chosen account; undefined if none is chosen or QuickBooks no longer has it
 */
export const wrongAccount = (
  { accepts, wrong }: { readonly accepts: AccountUse; readonly wrong?: string },
  chosen: Account | undefined,
): string =>
  chosen?.isActive === false
    ? `The account “${chosen.fullyQualifiedName}” is inactive in QuickBooks. Make it active there, or choose another one.`
    : (wrong ?? chooseAccount(accepts));

/** Tabs of the Settings screen, in its order. */
export const settingTabs = {
  invoices: 'Invoices',
  purchase_orders: 'Purchase Orders',
  expense_reports: 'Expense Reports',
  other: 'Other',
  advanced: 'Advanced',
} as const;
export type SettingTab = keyof typeof settingTabs;

/** Facts of current connections, preferences and lists; they decide options, availability and validity. */
export interface SettingsFacts {
  /** The PSA's label, e.g. `Autotask`; replaces `{psa}` in texts. */
  readonly psaLabel: string;
  /** Both services are connected. */
  readonly isConnected: boolean;
  /** Null while they were never read. */
  readonly preferences: AccountingPreferences | null;
  /** Every account that is known, inactive ones included. */
  readonly accounts: readonly Account[];
  /** Null while they were never read. */
  readonly modules: PsaModules | null;
  /** The deployment's voids flag. */
  readonly voidsEnabled: boolean;
  /** False for connections on which payments are not offered. */
  readonly paymentsAvailable: boolean;
}

/** A circumstance without which a setting is not offered at all. */
type Circumstance = keyof typeof circumstances;

const circumstances = {
  voids: ({ voidsEnabled }: SettingsFacts) => voidsEnabled,
  payments: ({ paymentsAvailable }: SettingsFacts) => paymentsAvailable,
  procurement: ({ modules }: SettingsFacts) => modules?.procurement === true,
  locations: ({ preferences }: SettingsFacts) => preferences?.tracksLocations === true,
  automated_sales_tax: ({ preferences }: SettingsFacts) => preferences?.automatedSalesTax === true,
} as const;

/** True when settings of this circumstance apply now; settings without one always do. */
export const applies = (circumstance: Circumstance | undefined, facts: SettingsFacts): boolean =>
  circumstance === undefined || circumstances[circumstance](facts);

/** Values that other settings must have, all of them. */
export type Condition = Readonly<Record<string, boolean | number | string>>;

/** True when every setting that the condition names has the value that it names; no condition always holds. */
export const holds = (condition: Condition | undefined, settings: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(condition ?? {}).every(([key, value]) => settings[key] === value);

interface Common {
  readonly tab: SettingTab;
  /** Heading on the tab; the settings of a group are adjacent. */
  readonly group: string;
  readonly label: string;
  /** One or two sentences for people; `{psa}` stands for the PSA's label. */
  readonly help: string;
  /** Must never be empty. */
  readonly required?: true;
  /** Must not be empty while this holds. */
  readonly requiredWhen?: Condition;
  /** Hidden, and not required, while this does not hold. */
  readonly shownWhen?: Condition;
  readonly availableWhen?: Circumstance;
  /** Kinds of which no document can succeed while it is shown and empty; they do not count as ready until then. */
  readonly neededFor?: readonly Kind[];
  /** Message for an empty or invalid value; the default depends on the type. */
  readonly wrong?: string;
}

interface BooleanDefinition extends Common {
  readonly type: 'boolean';
  readonly default: boolean;
}
interface IntegerDefinition extends Common {
  readonly type: 'integer';
  readonly unit: 'days' | 'hours' | 'months';
  readonly min: number;
  readonly max: number;
  readonly default: number;
}
/** Money in the home currency, or a rate: decimal text, never a number. */
interface AmountDefinition extends Common {
  readonly type: 'amount';
  readonly min: string;
  readonly max: string;
  readonly default: string;
}
export interface ChoiceDefinition<Value extends string = string> extends Common {
  readonly type: 'choice';
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  readonly default: Value;
}
interface AccountDefinition extends Common {
  readonly type: 'account';
  readonly accepts: AccountUse;
  readonly default: null;
}
interface DateDefinition extends Common {
  readonly type: 'date';
  readonly default: null;
}
interface ListDefinition extends Common {
  readonly type: 'list';
  readonly default: readonly string[];
}

export type SettingDefinition =
  | BooleanDefinition
  | IntegerDefinition
  | AmountDefinition
  | ChoiceDefinition
  | AccountDefinition
  | DateDefinition
  | ListDefinition;

/** Makers of rows of the table. */
export const amount = (of: Omit<AmountDefinition, 'type'>): AmountDefinition => ({ type: 'amount', ...of });
export const onOff = (of: Omit<BooleanDefinition, 'type'>): BooleanDefinition => ({ type: 'boolean', ...of });
export const days = (of: Omit<IntegerDefinition, 'type' | 'unit' | 'min' | 'max'>): IntegerDefinition => ({
  type: 'integer',
  unit: 'days',
  min: 1,
  max: 90,
  ...of,
});
export const account = (of: Omit<AccountDefinition, 'type' | 'default'>): AccountDefinition => ({
  type: 'account',
  default: null,
  ...of,
});
export function choice<const Value extends string>(
  of: Omit<ChoiceDefinition, 'type' | 'options' | 'default'> & {
    readonly options: readonly { readonly value: Value; readonly text: string }[];
    readonly default: NoInfer<Value>;
  },
): ChoiceDefinition<Value> {
  return { type: 'choice', ...of };
}
