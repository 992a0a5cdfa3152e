import type { Account, BooksPreferences, PsaModules } from '../documents/reference-data.ts';
import type { CalendarDate } from '../values/dates.ts';

/** Tabs of the Settings screen. */
export const settingTabs = ['invoices', 'purchase_orders', 'expense_reports', 'other'] as const;
export type SettingTab = (typeof settingTabs)[number];

/** Which accounts of the books a setting accepts (domain reference 3). */
export type AccountUse = 'income' | 'expense' | 'payable' | 'cash_advance' | 'deposit';

/** What current connections, preferences and lists say; decides options, availability and validity. */
export interface SettingsFacts {
  /** The PSA's label, e.g. `Autotask`; stands in place of `{psa}` in texts. */
  readonly psaLabel: string;
  /** Both services are connected. */
  readonly isConnected: boolean;
  /** Null while they were never read. */
  readonly preferences: BooksPreferences | null;
  /** Every account that is known, inactive ones included. */
  readonly accounts: readonly Account[];
  /** Null while they were never read. */
  readonly modules: PsaModules | null;
  /** The deployment's voids flag. */
  readonly voidsEnabled: boolean;
  /** False for connections on which payments are not offered. */
  readonly paymentsAvailable: boolean;
}

type Availability = 'voids' | 'payments' | 'procurement' | 'automated_sales_tax';

interface Common {
  readonly tab: SettingTab;
  readonly label: string;
  /** One or two sentences for people; `{psa}` stands for the PSA's label. */
  readonly help: string;
  /** Must never be empty. */
  readonly required?: true;
  /** Hidden, and not required, while this switch is off. */
  readonly shownWhen?: string;
  readonly availableWhen?: Availability;
}

export interface BooleanDefinition extends Common {
  readonly type: 'boolean';
  readonly default: boolean;
}
export interface IntegerDefinition extends Common {
  readonly type: 'integer';
  readonly unit: 'days' | 'hours';
  readonly min: number;
  readonly max: number;
  readonly default: number;
}
export interface ChoiceDefinition<Value extends string = string> extends Common {
  readonly type: 'choice';
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  readonly default: Value;
}
export interface AccountDefinition extends Common {
  readonly type: 'account';
  readonly accepts: AccountUse;
  readonly default: null;
}
export interface DateDefinition extends Common {
  readonly type: 'date';
  readonly default: null;
}
export interface ListDefinition extends Common {
  readonly type: 'list';
  readonly default: readonly string[];
}

export type SettingDefinition =
  | BooleanDefinition
  | IntegerDefinition
  | ChoiceDefinition
  | AccountDefinition
  | DateDefinition
  | ListDefinition;

const onOff = (of: Omit<BooleanDefinition, 'type'>): BooleanDefinition => ({ type: 'boolean', ...of });
const days = (of: Omit<IntegerDefinition, 'type' | 'unit' | 'min' | 'max'>): IntegerDefinition => ({
  type: 'integer',
  unit: 'days',
  min: 1,
  max: 90,
  ...of,
});
const account = (of: Omit<AccountDefinition, 'type' | 'default'>): AccountDefinition => ({
  type: 'account',
  default: null,
  ...of,
});
function choice<const Value extends string>(
  of: Omit<ChoiceDefinition, 'type' | 'options' | 'default'> & {
    readonly options: readonly { readonly value: Value; readonly text: string }[];
    readonly default: NoInfer<Value>;
  },
): ChoiceDefinition<Value> {
  return { type: 'choice', ...of };
}

/**
 * Every setting of a subscription, in the order of the screen (domain reference 3). Defaults, validation, the config
 * reply, the API's schemas and the form all read this table.
 */
export const settingDefinitions = {
  inv_sync_active: onOff({
    tab: 'invoices',
    label: 'Automatic invoice sync',
    help: 'Sends new {psa} invoices to QuickBooks about every 15 minutes.',
    default: false,
  }),
  inv_max_age_days: days({
    tab: 'invoices',
    label: 'Invoice max age',
    help: 'Invoices that were created in {psa} longer ago are not picked up automatically.',
    required: true,
    default: 14,
  }),
  inv_numbering_option: choice({
    tab: 'invoices',
    label: 'Invoice numbering',
    help: 'Must agree with “Custom transaction numbers” in QuickBooks (Account and settings, Sales).',
    required: true,
    options: [
      { value: 'qbo', text: 'Let QuickBooks generate the invoice number' },
      { value: 'autotask', text: 'Use the {psa} invoice number' },
    ],
    default: 'qbo',
  }),
  inv_create_item_automatically: onOff({
    tab: 'invoices',
    label: 'Create QuickBooks items automatically',
    help: 'A line without a matching item gets a new non-inventory item. When off, the invoice is refused instead.',
    default: true,
  }),
  inv_default_income_account: account({
    tab: 'invoices',
    label: 'Income account to use',
    help: 'Income account of the items that are created automatically.',
    shownWhen: 'inv_create_item_automatically',
    accepts: 'income',
  }),
  inv_group_invoice_lines: onOff({
    tab: 'invoices',
    label: 'Group invoice lines',
    help: 'Billing items of one printed row that share item, tax code and class become one line.',
    default: false,
  }),
  inv_include_customer_message: onOff({
    tab: 'invoices',
    label: 'Include customer message',
    help: 'Puts order number, tax group, invoice date and comments into the message to the customer.',
    default: true,
  }),
  inv_email_automatically: onOff({
    tab: 'invoices',
    label: 'Email invoices automatically',
    help: 'QuickBooks mails each new invoice to the customer. Credit memos are never mailed.',
    default: false,
  }),
  inv_ignore_zero_balance_invoices: onOff({
    tab: 'invoices',
    label: 'Ignore zero balance invoices',
    help: 'Skips invoices on which every line is zero.',
    default: true,
  }),
  inv_ast_shipping_address: choice({
    tab: 'invoices',
    label: 'Address for sales tax',
    help: 'QuickBooks computes sales tax from this address.',
    availableWhen: 'automated_sales_tax',
    options: [
      { value: 'qbo_customer', text: "The QuickBooks customer's shipping address" },
      { value: 'psa_company', text: 'The {psa} company address' },
      { value: 'psa_bill_to', text: 'The {psa} billing address' },
    ],
    default: 'qbo_customer',
  }),
  inv_allow_cc_payment: onOff({
    tab: 'invoices',
    label: 'Allow online card payment',
    help: 'Offers payment by card on invoices; needs QuickBooks Payments.',
    default: false,
  }),
  inv_allow_ach_payment: onOff({
    tab: 'invoices',
    label: 'Allow online bank payment',
    help: 'Offers payment by bank transfer on invoices; needs QuickBooks Payments.',
    default: false,
  }),
  negative_invoice_policy: choice({
    tab: 'invoices',
    label: 'Invoices with a negative total',
    help: 'What becomes of an invoice that owes the customer money.',
    options: [
      { value: 'credit_memo', text: 'Create a credit memo' },
      { value: 'error', text: 'Refuse the invoice' },
    ],
    default: 'credit_memo',
  }),
  lob_only_mapped: onOff({
    tab: 'invoices',
    label: 'Only sync mapped lines of business',
    help: 'Leaves out lines whose line of business has no QuickBooks class, and lists them. Normally every line is synced.',
    default: false,
  }),
  void_sync_active: onOff({
    tab: 'invoices',
    label: 'Automatic voided-invoice sync',
    help: 'Voids an invoice in QuickBooks after it was voided in {psa}.',
    availableWhen: 'voids',
    default: false,
  }),
  void_max_age_days: days({
    tab: 'invoices',
    label: 'Voided invoice max age',
    help: 'Invoices that were voided in {psa} longer ago are not picked up.',
    availableWhen: 'voids',
    shownWhen: 'void_sync_active',
    default: 14,
  }),
  po_sync_active: onOff({
    tab: 'purchase_orders',
    label: 'Automatic purchase order sync',
    help: 'Sends submitted {psa} purchase orders to QuickBooks.',
    availableWhen: 'procurement',
    default: false,
  }),
  po_max_age_days: days({
    tab: 'purchase_orders',
    label: 'Purchase order max age',
    help: 'Purchase orders that were created in {psa} longer ago are not picked up automatically.',
    availableWhen: 'procurement',
    default: 14,
  }),
  po_numbering_option: choice({
    tab: 'purchase_orders',
    label: 'Purchase order numbering',
    help: 'A number that QuickBooks already uses is refused.',
    availableWhen: 'procurement',
    options: [
      { value: 'qbo', text: 'Let QuickBooks generate the purchase order number' },
      { value: 'autotask', text: 'Use the {psa} purchase order number' },
    ],
    default: 'qbo',
  }),
  po_payable_account: account({
    tab: 'purchase_orders',
    label: 'Payable account',
    help: 'Accounts payable account of purchase orders, and of expense bills.',
    availableWhen: 'procurement',
    accepts: 'payable',
  }),
  po_create_item_automatically: onOff({
    tab: 'purchase_orders',
    label: 'Create QuickBooks items automatically',
    help: 'A product without a matching item gets a new non-inventory item. When off, the order is refused instead.',
    availableWhen: 'procurement',
    default: true,
  }),
  po_default_expense_account: account({
    tab: 'purchase_orders',
    label: 'Expense account to use',
    help: 'Expense account of the items that are created automatically, and of freight.',
    availableWhen: 'procurement',
    shownWhen: 'po_create_item_automatically',
    accepts: 'expense',
  }),
  exp_sync_active: onOff({
    tab: 'expense_reports',
    label: 'Automatic expense report sync',
    help: 'Sends {psa} expense reports that are approved for payment to QuickBooks as bills.',
    default: false,
  }),
  exp_max_age_days: days({
    tab: 'expense_reports',
    label: 'Expense report max age',
    help: 'Expense reports that were submitted longer ago are not picked up automatically.',
    default: 30,
  }),
  exp_cash_advance_expense_account: account({
    tab: 'expense_reports',
    label: 'Cash advance account',
    help: 'Where cash advances are deducted. Reports with an advance are refused while it is empty.',
    accepts: 'cash_advance',
  }),
  pay_sync_active: onOff({
    tab: 'other',
    label: 'Automatic payment sync',
    help: 'Keeps the paid state of synced invoices in step.',
    availableWhen: 'payments',
    default: false,
  }),
  pay_direction: choice({
    tab: 'other',
    label: 'Direction of payments',
    help: 'QuickBooks always goes first: a payment that is already in the books wins.',
    availableWhen: 'payments',
    options: [
      { value: 'both', text: 'Both ways' },
      { value: 'qbo_to_psa', text: 'From QuickBooks to {psa} only' },
      { value: 'psa_to_qbo', text: 'From {psa} to QuickBooks only' },
    ],
    default: 'both',
  }),
  pay_deposit_account: account({
    tab: 'other',
    label: 'Deposit account',
    help: 'Where payments that we create are deposited; empty means Undeposited Funds.',
    availableWhen: 'payments',
    accepts: 'deposit',
  }),
  pay_grace_hours: {
    type: 'integer',
    tab: 'other',
    label: 'Wait before a payment is created',
    help: 'Payment portals write to both systems; waiting avoids paying twice.',
    availableWhen: 'payments',
    unit: 'hours',
    min: 0,
    max: 168,
    default: 24,
  },
  closed_period_policy: choice({
    tab: 'other',
    label: 'Documents in a closed period',
    help: 'What becomes of a document dated on or before the closing date of the books.',
    options: [
      { value: 'hold', text: 'Hold it until the date or the books change' },
      { value: 'next_open_day', text: 'Post it on the first open day' },
    ],
    default: 'hold',
  }),
  sync_start_date: {
    type: 'date',
    tab: 'other',
    label: 'Sync start date',
    help: 'Nothing dated earlier is ever picked up automatically. Set when automatic sync is first turned on.',
    default: null,
  },
  require_approval: onOff({
    tab: 'other',
    label: 'Require approval',
    help: 'Automatic runs stop at a draft that a person must approve.',
    default: false,
  }),
  alert_emails: {
    type: 'list',
    tab: 'other',
    label: 'Email alerts to',
    help: 'Addresses that are told of failures; empty means every administrator.',
    default: [],
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;

type ValueOf<Definition> = Definition extends { readonly type: 'boolean' }
  ? boolean
  : Definition extends { readonly type: 'integer' }
    ? number
    : Definition extends ChoiceDefinition<infer Value>
      ? Value
      : Definition extends { readonly type: 'account' }
        ? string | null
        : Definition extends { readonly type: 'date' }
          ? CalendarDate | null
          : readonly string[];

export type SettingKey = keyof typeof settingDefinitions;

/** The settings of a tenant, by their names on the wire. Accounts are ids of the books, null when none is chosen. */
export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof settingDefinitions)[Key]> };

export const settingKeys = Object.keys(settingDefinitions) as readonly SettingKey[];

/** The defaults of the table; accounts are empty until somebody chooses them. */
export const defaultSettings: Settings = Object.fromEntries(
  settingKeys.map((key) => [key, settingDefinitions[key].default]),
) as unknown as Settings;

/** What “Restore Defaults” writes: the defaults, and the payable account when the books have exactly one. */
export function defaultSettingsFor(facts: Pick<SettingsFacts, 'accounts'>): Settings {
  const payable = facts.accounts.filter((account) => isAccountFor('payable', account));
  return { ...defaultSettings, po_payable_account: payable.length === 1 ? (payable[0]?.id ?? null) : null };
}

/** True when documents carry the PSA's own number; otherwise the books make one. */
export const usesPsaNumber = (option: 'qbo' | 'autotask'): boolean => option !== 'qbo';

const accountRules: Readonly<Record<AccountUse, (account: Account) => boolean>> = {
  income: ({ classification }) => classification === 'Revenue',
  expense: ({ classification }) => classification === 'Expense',
  payable: ({ classification, subType }) => classification === 'Liability' && subType === 'AccountsPayable',
  // An advance is properly an asset of the company, so asset accounts are offered too.
  cash_advance: ({ classification }) => classification === 'Expense' || classification === 'Asset',
  // Bank and Other Current Asset accounts; receivables and fixed assets take no deposits.
  deposit: ({ classification, subType }) => classification === 'Asset' && !notForDeposits.test(subType),
};
const notForDeposits =
  /^AccountsReceivable$|^Fixed|Furniture|Machinery|Vehicles|Buildings|^Land|Depreciation|Leasehold/;

/** True when a setting of this use accepts the account: the right kind, and active. */
export const isAccountFor = (use: AccountUse, account: Account): boolean =>
  account.isActive && accountRules[use](account);

/** One entry of the config reply; the screen draws a control from it. */
export interface SettingConfig {
  readonly type: SettingDefinition['type'];
  readonly default: boolean | number | string | readonly string[] | null;
  readonly min?: number;
  readonly max?: number;
  readonly options?: readonly { readonly value: string; readonly text: string }[];
  readonly label: string;
  readonly help: string;
  /** False: the setting does not apply now, e.g. purchase orders without procurement. */
  readonly available: boolean;
}

/** The reply of `GET /api/my/settings/config`: one entry per setting, with options as they are now. */
export function settingsConfig(facts: SettingsFacts): Readonly<Record<SettingKey, SettingConfig>> {
  const defaults = defaultSettingsFor(facts);
  const entries = settingKeys.map((key): [SettingKey, SettingConfig] => {
    const definition: SettingDefinition = settingDefinitions[key];
    return [
      key,
      {
        type: definition.type,
        default: defaults[key],
        ...(definition.type === 'integer' ? { min: definition.min, max: definition.max } : {}),
        ...optionsOf(definition, facts),
        label: definition.label,
        help: named(definition.help, facts.psaLabel),
        available: isAvailable(key, facts),
      },
    ];
  });
  return Object.fromEntries(entries) as Record<SettingKey, SettingConfig>;
}

/** True when the setting applies now (domain reference 3, “available”). */
export function isAvailable(key: SettingKey, facts: SettingsFacts): boolean {
  const { availableWhen }: SettingDefinition = settingDefinitions[key];
  return availableWhen === undefined || availability[availableWhen](facts);
}

const availability: Readonly<Record<Availability, (facts: SettingsFacts) => boolean>> = {
  voids: ({ voidsEnabled }) => voidsEnabled,
  payments: ({ paymentsAvailable }) => paymentsAvailable,
  procurement: ({ modules }) => modules?.procurement === true,
  automated_sales_tax: ({ preferences }) => preferences?.automatedSalesTax === true,
};

function optionsOf(definition: SettingDefinition, facts: SettingsFacts): Pick<SettingConfig, 'options'> {
  if (definition.type === 'choice')
    return { options: definition.options.map(({ value, text }) => ({ value, text: named(text, facts.psaLabel) })) };
  if (definition.type === 'account') {
    const fitting = facts.accounts.filter((account) => isAccountFor(definition.accepts, account));
    return { options: fitting.map(({ id, fullyQualifiedName }) => ({ value: id, text: fullyQualifiedName })) };
  }
  return {};
}

const named = (text: string, psaLabel: string): string => text.replaceAll('{psa}', psaLabel);
