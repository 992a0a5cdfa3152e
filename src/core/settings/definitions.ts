import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import { isAccountFor } from './account-uses.ts';
import {
  account,
  amount,
  choice,
  days,
  onOff,
  type ChoiceDefinition,
  type SettingDefinition,
  type SettingsFacts,
} from './definition.ts';

/**
 * Every setting of a subscription, in the order of the screen (domain reference 3). Defaults, validation, the config
 * reply, the API's schemas, the form and its words all read this table: a new setting is a new row.
 */
export const settingDefinitions = {
  inv_sync_active: onOff({
    tab: 'invoices',
    group: 'Automatic sync',
    label: 'Automatic invoice sync',
    help: 'Sends new {psa} invoices to QuickBooks about every 15 minutes.',
    default: false,
  }),
  inv_max_age_days: days({
    tab: 'invoices',
    group: 'Automatic sync',
    label: 'Invoice max age',
    help: 'Invoices that were created in {psa} longer ago are not picked up automatically.',
    required: true,
    default: 14,
  }),
  inv_numbering_option: choice({
    tab: 'invoices',
    group: 'Numbering',
    label: 'Invoice numbering',
    help: 'Must agree with “Custom transaction numbers” in QuickBooks (Account and settings, Sales).',
    required: true,
    wrong: 'Choose how invoices are numbered.',
    options: [
      { value: 'qbo', text: 'Let QuickBooks generate the invoice number' },
      { value: 'autotask', text: 'Use the {psa} invoice number' },
    ],
    default: 'qbo',
  }),
  inv_create_item_automatically: onOff({
    tab: 'invoices',
    group: 'Items',
    label: 'Create QuickBooks items automatically',
    help: 'A line without a matching item gets a new non-inventory item. When off, the invoice is refused instead.',
    default: true,
  }),
  inv_default_income_account: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Income account to use',
    help: 'Income account of the items that are created automatically.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'income',
    requiredWhen: { inv_create_item_automatically: true },
    neededFor: ['invoice'],
  }),
  inv_income_account_labor: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Income account of labor',
    help: 'Income account of items that are created for labor. Empty: the income account above.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'income',
  }),
  inv_income_account_service: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Income account of services',
    help: 'Income account of items that are created for services and bundles. Empty: the income account above.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'income',
  }),
  inv_income_account_subscription: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Income account of subscriptions',
    help: 'Income account of items that are created for subscriptions. Empty: the income account above.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'income',
  }),
  inv_income_account_charge: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Income account of charges',
    help: 'Income account of items that are created for charges. Empty: the income account above.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'income',
  }),
  inv_income_account_expense: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Income account of expenses',
    help: 'Income account of items that are created for rebilled expenses. Empty: the income account above.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'income',
  }),
  inv_income_account_milestone: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Income account of milestones',
    help: 'Income account of items that are created for milestones. Empty: the income account above.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'income',
  }),
  prepaid_account: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Account of blocks, retainers and tickets',
    help: 'Liability account of hours, retainers and tickets that are paid in advance: such money is not earned yet. While it is empty, invoices with such sales wait, unless their billing code is mapped to an item.',
    accepts: 'prepaid',
    requiredWhen: { prepaid_drawdown: true },
  }),
  prepaid_drawdown: onOff({
    tab: 'invoices',
    group: 'Items',
    label: 'Earn prepaid work as it is done',
    help: 'Moves work that a block, retainer or ticket covers from the prepaid account to income, at the price of the sale. The lines add nothing to the invoice total. Only synced sales count: post the use of earlier ones by hand.',
    shownWhen: { inv_create_item_automatically: true },
    default: false,
  }),
  inv_rounding_account: account({
    tab: 'invoices',
    group: 'Items',
    label: 'Account of rounding differences',
    help: 'Where cents go by which rounded lines miss the total of an invoice (item “Rounding difference”). Empty: the income account above.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'rounding',
  }),
  inv_group_invoice_lines: onOff({
    tab: 'invoices',
    group: 'What stands on the invoice',
    label: 'Group invoice lines',
    help: 'Billing items of one printed row that share item, tax code and class become one line.',
    default: false,
  }),
  inv_child_work: choice({
    tab: 'invoices',
    group: 'What stands on the invoice',
    label: 'Work for a child that its parent pays',
    help: 'An invoice that {psa} bills to a parent belongs to the parent. Its lines name the child; or it goes to the child as a sub-customer of the parent, where all of its work is one child’s.',
    options: [
      { value: 'parent', text: 'To the parent; the lines name the child' },
      { value: 'sub_customer', text: 'To the child, a sub-customer of the parent' },
    ],
    default: 'parent',
  }),
  inv_include_customer_message: onOff({
    tab: 'invoices',
    group: 'What stands on the invoice',
    label: 'Include customer message',
    help: 'Puts order number, tax group, invoice date and comments into the message to the customer.',
    default: true,
  }),
  inv_ignore_zero_balance_invoices: onOff({
    tab: 'invoices',
    group: 'What stands on the invoice',
    label: 'Ignore zero balance invoices',
    help: 'Skips invoices on which every line is zero.',
    default: true,
  }),
  inv_ast_shipping_address: choice({
    tab: 'invoices',
    group: 'Sales tax',
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
  inv_tax_authority: choice({
    tab: 'invoices',
    group: 'Sales tax',
    label: 'Whose sales tax counts',
    help: 'QuickBooks computes sales tax itself. It can be asked to take over what the client was billed; whether it did is checked.',
    availableWhen: 'automated_sales_tax',
    options: [
      { value: 'quickbooks', text: 'What QuickBooks computes' },
      { value: 'autotask', text: 'What the client was billed in {psa}' },
    ],
    default: 'quickbooks',
  }),
  tax_hold_over: amount({
    tab: 'invoices',
    group: 'Sales tax',
    label: 'Hold when tax differs by more than',
    help: 'An invoice on which QuickBooks would charge another tax than the client was billed waits. Where only QuickBooks knows the tax, it is posted, and you are told.',
    min: '0',
    max: '100000',
    default: '0.05',
  }),
  inv_email_automatically: onOff({
    tab: 'invoices',
    group: 'Delivery and payment',
    label: 'Email invoices automatically',
    help: 'Each new invoice is mailed to the customer by QuickBooks, once its totals were compared; one that differs is not. Credit memos are never mailed.',
    default: false,
  }),
  inv_allow_cc_payment: onOff({
    tab: 'invoices',
    group: 'Delivery and payment',
    label: 'Allow online card payment',
    help: 'Offers payment by card on invoices; needs QuickBooks Payments.',
    default: false,
  }),
  inv_allow_ach_payment: onOff({
    tab: 'invoices',
    group: 'Delivery and payment',
    label: 'Allow online bank payment',
    help: 'Offers payment by bank transfer on invoices; needs QuickBooks Payments.',
    default: false,
  }),
  void_sync_active: onOff({
    tab: 'invoices',
    group: 'Voided invoices',
    label: 'Automatic voided-invoice sync',
    help: 'Voids an invoice in QuickBooks after it was voided in {psa}.',
    availableWhen: 'voids',
    default: false,
  }),
  void_max_age_days: days({
    tab: 'invoices',
    group: 'Voided invoices',
    label: 'Voided invoice max age',
    help: 'Invoices that were voided in {psa} longer ago are not picked up.',
    availableWhen: 'voids',
    shownWhen: { void_sync_active: true },
    requiredWhen: { void_sync_active: true },
    default: 14,
  }),
  void_across_months: choice({
    tab: 'invoices',
    group: 'Voided invoices',
    label: 'Voids of an earlier month',
    help: 'Voiding an invoice takes its amount out of the month it is dated in, which you may have reported already.',
    availableWhen: 'voids',
    options: [
      { value: 'ask', text: 'Ask: nothing is done until you have decided' },
      { value: 'credit_memo', text: 'Create a credit memo dated today; the earlier month stays as it is' },
      { value: 'void', text: 'Void it all the same; the earlier month changes' },
    ],
    default: 'ask',
  }),
  po_sync_active: onOff({
    tab: 'purchase_orders',
    group: 'Automatic sync',
    label: 'Automatic purchase order sync',
    help: 'Sends submitted {psa} purchase orders to QuickBooks.',
    availableWhen: 'procurement',
    default: false,
  }),
  po_max_age_days: days({
    tab: 'purchase_orders',
    group: 'Automatic sync',
    label: 'Purchase order max age',
    help: 'Purchase orders that were created in {psa} longer ago are not picked up automatically.',
    availableWhen: 'procurement',
    requiredWhen: { po_sync_active: true },
    default: 14,
  }),
  po_numbering_option: choice({
    tab: 'purchase_orders',
    group: 'Numbering',
    label: 'Purchase order numbering',
    help: 'A number that QuickBooks already uses is refused.',
    availableWhen: 'procurement',
    requiredWhen: { po_sync_active: true },
    wrong: 'Choose how purchase orders are numbered.',
    options: [
      { value: 'qbo', text: 'Let QuickBooks generate the purchase order number' },
      { value: 'autotask', text: 'Use the {psa} purchase order number' },
    ],
    default: 'qbo',
  }),
  po_payable_account: account({
    tab: 'purchase_orders',
    group: 'Accounts and items',
    label: 'Payable account',
    help: 'Accounts payable account of purchase orders, and of expense bills.',
    availableWhen: 'procurement',
    accepts: 'payable',
    requiredWhen: { po_sync_active: true },
    neededFor: ['purchase_order'],
  }),
  po_create_item_automatically: onOff({
    tab: 'purchase_orders',
    group: 'Accounts and items',
    label: 'Create QuickBooks items automatically',
    help: 'A product without a matching item gets a new non-inventory item. When off, the order is refused instead.',
    availableWhen: 'procurement',
    default: true,
  }),
  po_default_expense_account: account({
    tab: 'purchase_orders',
    group: 'Accounts and items',
    label: 'Expense account to use',
    help: 'Expense account of the items that are created automatically, and of freight.',
    availableWhen: 'procurement',
    shownWhen: { po_create_item_automatically: true },
    accepts: 'expense',
    requiredWhen: { po_sync_active: true, po_create_item_automatically: true },
    neededFor: ['purchase_order'],
  }),
  po_freight_account: account({
    tab: 'purchase_orders',
    group: 'Accounts and items',
    label: 'Freight account',
    help: 'Where the freight of an order goes, e.g. Freight in. Empty: the expense account above.',
    availableWhen: 'procurement',
    accepts: 'expense',
  }),
  exp_sync_active: onOff({
    tab: 'expense_reports',
    group: 'Automatic sync',
    label: 'Automatic expense report sync',
    help: 'Sends {psa} expense reports that are approved for payment to QuickBooks as bills.',
    default: false,
  }),
  exp_max_age_days: days({
    tab: 'expense_reports',
    group: 'Automatic sync',
    label: 'Expense report max age',
    help: 'Expense reports that were submitted longer ago are not picked up automatically.',
    requiredWhen: { exp_sync_active: true },
    default: 30,
  }),
  exp_split_month_end: onOff({
    tab: 'expense_reports',
    group: 'Dates',
    label: 'Split reports at the end of a month',
    help: 'A report with expenses of two months becomes one bill for each, so that every expense stands in its month.',
    default: true,
  }),
  exp_cash_advance_expense_account: account({
    tab: 'expense_reports',
    group: 'Cash advances',
    label: 'Cash advance account',
    help: 'Where cash advances are deducted. Reports with an advance are refused while it is empty.',
    accepts: 'cash_advance',
  }),
  pay_sync_active: onOff({
    tab: 'other',
    group: 'Payments',
    label: 'Automatic payment sync',
    help: 'Keeps the paid state of synced invoices in step.',
    availableWhen: 'payments',
    default: false,
  }),
  negative_invoice_policy: choice({
    tab: 'advanced',
    group: 'Invoices',
    label: 'Invoices with a negative total',
    help: 'What becomes of an invoice that owes the customer money.',
    options: [
      { value: 'credit_memo', text: 'Create a credit memo' },
      { value: 'error', text: 'Refuse the invoice' },
    ],
    default: 'credit_memo',
  }),
  lob_only_mapped: onOff({
    tab: 'advanced',
    group: 'Invoices',
    label: 'Only sync mapped lines of business',
    help: 'Leaves out lines whose line of business has no QuickBooks class, and lists them. Normally every line is synced.',
    default: false,
  }),
  pay_direction: choice({
    tab: 'advanced',
    group: 'Payments',
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
    tab: 'advanced',
    group: 'Payments',
    label: 'Deposit account',
    help: 'Where payments that we create are deposited; empty means Undeposited Funds.',
    availableWhen: 'payments',
    accepts: 'deposit',
  }),
  pay_grace_hours: {
    type: 'integer',
    tab: 'advanced',
    group: 'Payments',
    label: 'Wait before a payment is created',
    help: 'Payment portals write to both systems; waiting avoids paying twice.',
    availableWhen: 'payments',
    unit: 'hours',
    min: 0,
    max: 168,
    default: 24,
  },
  customer_create_automatically: onOff({
    tab: 'advanced',
    group: 'Customers and vendors',
    label: 'Create QuickBooks customers automatically',
    help: 'A company without a matching customer gets a new one. When off, the document is refused instead.',
    default: true,
  }),
  vendor_create_automatically: onOff({
    tab: 'advanced',
    group: 'Customers and vendors',
    label: 'Create QuickBooks vendors automatically',
    help: 'A supplier or an employee without a matching vendor gets a new one. When off, the document is refused instead.',
    default: true,
  }),
  ask_before_creating_similar: onOff({
    tab: 'advanced',
    group: 'Customers and vendors',
    label: 'Ask before creating a similar customer or vendor',
    help: 'When QuickBooks has a customer or vendor with a similar name, the document waits until you link it or create a new one.',
    default: true,
  }),
  location_by: choice({
    tab: 'advanced',
    group: 'Locations',
    label: 'Location of documents',
    help: 'QuickBooks keeps one location per document. Lines of business are mapped under Locations; departments are found by their name or number.',
    availableWhen: 'locations',
    options: [
      { value: 'none', text: 'None' },
      { value: 'line_of_business', text: 'By line of business' },
      { value: 'department', text: 'By {psa} department' },
    ],
    default: 'none',
  }),
  foreign_currency_policy: choice({
    tab: 'advanced',
    group: 'Currencies',
    label: 'Documents in another currency',
    help: 'What becomes of a document in a foreign currency while QuickBooks keeps one currency only.',
    options: [
      { value: 'stop', text: 'Hold it until QuickBooks keeps that currency' },
      { value: 'home_amounts', text: "Post {psa}'s amounts in the home currency" },
    ],
    default: 'stop',
  }),
  closed_period_policy: choice({
    tab: 'advanced',
    group: 'Dates',
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
    tab: 'advanced',
    group: 'Dates',
    label: 'Sync start date',
    help: 'Nothing dated earlier is ever picked up automatically. Set when automatic sync is first turned on.',
    default: null,
  },
  unbilled_revenue_account: account({
    tab: 'advanced',
    group: 'Month end',
    label: 'Account of unbilled revenue',
    help: 'Where you accrue work that is approved and on no invoice yet. The proof of a month holds its balance against that work. Nothing is posted there.',
    accepts: 'unbilled_revenue',
  }),
  require_approval: onOff({
    tab: 'advanced',
    group: 'People',
    label: 'Require approval',
    help: 'Nothing is posted by itself: an automatic run prepares drafts, and a person approves them.',
    default: false,
  }),
  approval_limit: amount({
    tab: 'advanced',
    group: 'People',
    label: 'One person approves up to',
    help: 'A document above this amount, or in a foreign currency, needs two people. 0: there is no limit.',
    min: '0',
    max: '999999999',
    default: '0',
    shownWhen: { require_approval: true },
  }),
  approval_four_eyes: onOff({
    tab: 'advanced',
    group: 'People',
    label: 'Approval by somebody else',
    help: 'Whoever changed settings or mappings, or started the run, cannot approve it. Needs two administrators.',
    default: false,
    shownWhen: { require_approval: true },
  }),
  close_two_people: onOff({
    tab: 'advanced',
    group: 'People',
    label: 'Months are signed by two people',
    help: 'Whoever signed a month as its preparer cannot sign it as its reviewer. Off: one person may sign as both.',
    default: true,
  }),
  alert_emails: {
    type: 'list',
    tab: 'advanced',
    group: 'People',
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
          : Definition extends { readonly type: 'amount' }
            ? Decimal
            : readonly string[];

export type SettingKey = keyof typeof settingDefinitions;

/** The settings of a tenant, by their names on the wire. Accounts are ids of the books, null when none is chosen. */
export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof settingDefinitions)[Key]> };

export const settingKeys = Object.keys(settingDefinitions) as readonly SettingKey[];

/** Definition of a setting. */
export const definitionOf = (key: SettingKey): SettingDefinition => settingDefinitions[key];

/** The defaults of the table; accounts are empty until somebody chooses them. */
export const defaultSettings: Settings = Object.fromEntries(
  settingKeys.map((key) => [key, settingDefinitions[key].default]),
) as unknown as Settings;

/** Settings that “Restore Defaults” writes: the defaults, and the payable account when the books have exactly one. */
export const defaultSettingsFor = (facts: Pick<SettingsFacts, 'accounts'>): Settings =>
  withDefaultAccounts(defaultSettings, facts);

/**
 * Settings with the accounts that need no choice: while no payable account is chosen, documents take the only one that
 * the books have (domain reference 3).
 */
export function withDefaultAccounts(settings: Settings, { accounts }: Pick<SettingsFacts, 'accounts'>): Settings {
  if (settings.po_payable_account !== null) return settings;
  const [only, ...others] = accounts.filter((account) => isAccountFor('payable', account));
  return only === undefined || others.length > 0 ? settings : { ...settings, po_payable_account: only.id };
}

/** True when documents carry the PSA's own number; otherwise the books make one. */
export const usesPsaNumber = (option: 'qbo' | 'autotask'): boolean => option !== 'qbo';
