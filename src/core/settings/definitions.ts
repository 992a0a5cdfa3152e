import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import {
  account,
  amount,
  choice,
  type ChoiceDefinition,
  days,
  isAccountFor,
  onOff,
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
    help: 'Creates a non-inventory item for a line without a match. If off, the invoice is rejected.',
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
    help: 'Liability account for hours, retainers and tickets that are paid in advance and not earned yet. While it is empty, invoices with such sales wait, unless their billing code is mapped to an item.',
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
    help: 'Account for cents by which rounded lines differ from the invoice total (item “Rounding difference”). Empty: the income account above.',
    shownWhen: { inv_create_item_automatically: true },
    accepts: 'rounding',
  }),
  inv_group_invoice_lines: onOff({
    tab: 'invoices',
    group: 'Invoice contents',
    label: 'Group invoice lines',
    help: 'Billing items of one printed row that share item, tax code and class become one line.',
    default: false,
  }),
  inv_child_work: choice({
    tab: 'invoices',
    group: 'Invoice contents',
    label: 'Work for a child company that its parent pays',
    help: 'For an invoice that {psa} bills to a parent. The sub-customer is used if all of its work is for one child; otherwise the parent is.',
    options: [
      { value: 'parent', text: 'To the parent; the lines name the child' },
      { value: 'sub_customer', text: 'To the child, a sub-customer of the parent' },
    ],
    default: 'parent',
  }),
  inv_include_customer_message: onOff({
    tab: 'invoices',
    group: 'Invoice contents',
    label: 'Include customer message',
    help: 'Puts order number, tax group, invoice date and comments into the message to the customer.',
    default: true,
  }),
  inv_ignore_zero_balance_invoices: onOff({
    tab: 'invoices',
    group: 'Invoice contents',
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
      { value: 'qbo_customer', text: 'The QuickBooks customer’s shipping address' },
      { value: 'psa_company', text: 'The {psa} company address' },
      { value: 'psa_bill_to', text: 'The {psa} billing address' },
    ],
    default: 'qbo_customer',
  }),
  inv_tax_authority: choice({
    tab: 'invoices',
    group: 'Sales tax',
    label: 'Source of the sales tax',
    help: 'QuickBooks computes sales tax. It can use the tax that the client was billed instead; the result is checked.',
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
    help: 'An invoice waits if QuickBooks would charge a different tax than the client was billed. If only QuickBooks knows the tax, the invoice is posted with a warning.',
    min: '0',
    max: '100000',
    default: '0.05',
  }),
  inv_email_automatically: onOff({
    tab: 'invoices',
    group: 'Delivery and payment',
    label: 'Email invoices automatically',
    help: 'QuickBooks emails each new invoice to the customer if its totals match. Credit memos are never emailed.',
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
    help: 'Voiding an invoice removes its amount from the month of its date, which you may have reported already.',
    availableWhen: 'voids',
    options: [
      { value: 'ask', text: 'Ask me each time' },
      { value: 'credit_memo', text: 'Create a credit memo dated today; the earlier month does not change' },
      { value: 'void', text: 'Void it; the earlier month changes' },
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
    help: 'A number that QuickBooks already uses is rejected.',
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
    help: 'Creates a non-inventory item for a product without a match. If off, the order is rejected.',
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
    help: 'Account for the freight of an order, e.g. Freight in. Empty: the expense account above.',
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
    help: 'A report with expenses of two months becomes one bill for each, so that every expense is in its month.',
    default: true,
  }),
  exp_cash_advance_expense_account: account({
    tab: 'expense_reports',
    group: 'Cash advances',
    label: 'Cash advance account',
    help: 'Account for cash advances. While it is empty, reports with an advance are rejected.',
    accepts: 'cash_advance',
  }),
  pay_sync_active: onOff({
    tab: 'other',
    group: 'Payments',
    label: 'Automatic payment sync',
    help: 'Keeps the paid status of synced invoices up to date in both services.',
    availableWhen: 'payments',
    default: false,
  }),
  negative_invoice_policy: choice({
    tab: 'advanced',
    group: 'Invoices',
    label: 'Invoices with a negative total',
    help: 'How to handle an invoice that owes the customer money.',
    options: [
      { value: 'credit_memo', text: 'Create a credit memo' },
      { value: 'error', text: 'Reject the invoice' },
    ],
    default: 'credit_memo',
  }),
  lob_only_mapped: onOff({
    tab: 'advanced',
    group: 'Invoices',
    label: 'Only sync mapped lines of business',
    help: 'Skips lines whose line of business has no QuickBooks class, and lists them. Normally every line is synced.',
    default: false,
  }),
  pay_direction: choice({
    tab: 'advanced',
    group: 'Payments',
    label: 'Direction of payments',
    help: 'QuickBooks has priority: a payment that is already recorded there wins.',
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
    help: 'Account for payments that Tallybridge creates; empty means Undeposited Funds.',
    availableWhen: 'payments',
    accepts: 'deposit',
  }),
  pay_grace_hours: {
    type: 'integer',
    tab: 'advanced',
    group: 'Payments',
    label: 'Wait before a payment is created',
    help: 'Payment portals write to both systems; waiting avoids duplicate payments.',
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
    help: 'Creates a customer for a company without a match. If off, the document is rejected.',
    default: true,
  }),
  vendor_create_automatically: onOff({
    tab: 'advanced',
    group: 'Customers and vendors',
    label: 'Create QuickBooks vendors automatically',
    help: 'Creates a vendor for a supplier or employee without a match. If off, the document is rejected.',
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
    help: 'QuickBooks allows one location per document. Lines of business are mapped under Locations; departments are found by their name or number.',
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
    help: 'How to handle a document in a foreign currency if QuickBooks uses only one currency.',
    options: [
      { value: 'stop', text: 'Hold it until QuickBooks uses that currency' },
      { value: 'home_amounts', text: "Post {psa}'s amounts in the home currency" },
    ],
    default: 'stop',
  }),
  exchange_rate_hold_over: amount({
    tab: 'advanced',
    group: 'Currencies',
    label: 'Hold when the home amount differs by more than (percent)',
    help: 'A document in a foreign currency waits if its amount in the home currency, at the exchange rate of QuickBooks, differs by more from the amount in {psa}. A payment is compared with its invoice.',
    min: '0',
    max: '1000',
    default: '5',
  }),
  inactive_record_policy: choice({
    tab: 'advanced',
    group: 'Classes and locations',
    label: 'Inactive classes and locations',
    help: 'How to handle documents whose mapped class or location is inactive in QuickBooks.',
    options: [
      { value: 'post', text: 'Post without it, with a warning' },
      { value: 'hold', text: 'Hold until it is active or mapped to another one' },
    ],
    default: 'post',
  }),
  closed_period_policy: choice({
    tab: 'advanced',
    group: 'Dates',
    label: 'Documents in a closed period',
    help: 'How to handle documents dated on or before the closing date in QuickBooks.',
    options: [
      { value: 'hold', text: 'Hold it until its date or the closing date changes' },
      { value: 'next_open_day', text: 'Post it on the first open day' },
    ],
    default: 'hold',
  }),
  sync_start_date: {
    type: 'date',
    tab: 'advanced',
    group: 'Dates',
    label: 'Sync start date',
    help: 'Documents with an earlier date are never picked up automatically. Set when automatic sync is first turned on.',
    default: null,
  },
  unbilled_revenue_account: account({
    tab: 'advanced',
    group: 'Month end',
    label: 'Account of unbilled revenue',
    help: 'Account in which you accrue approved work that is not invoiced yet. The month-end proof compares its balance with that work. Tallybridge posts nothing there.',
    accepts: 'unbilled_revenue',
  }),
  prepaid_breakage_account: account({
    tab: 'advanced',
    group: 'Month end',
    label: 'Income account of expired prepayments',
    help: 'The month-end proof lists blocks, retainers and tickets that ended with money left, and proposes an entry to this account. Tallybridge posts nothing there.',
    accepts: 'income',
  }),
  prepaid_grace_months: {
    type: 'integer',
    tab: 'advanced',
    group: 'Month end',
    label: 'Wait before expired prepayments are proposed as income',
    help: 'Months after the end of a block, retainer or ticket. Work of its last days may be invoiced later.',
    unit: 'months',
    min: 0,
    max: 60,
    default: 0,
  },
  require_approval: onOff({
    tab: 'advanced',
    group: 'People',
    label: 'Require approval',
    help: 'Nothing is posted automatically: an automatic run prepares drafts, and a user approves them.',
    default: false,
  }),
  approval_limit: amount({
    tab: 'advanced',
    group: 'People',
    label: 'One person approves up to',
    help: 'A document above this amount, or in a foreign currency, needs two people. 0: no limit.',
    min: '0',
    max: '999999999',
    default: '0',
    shownWhen: { require_approval: true },
  }),
  approval_four_eyes: onOff({
    tab: 'advanced',
    group: 'People',
    label: 'Approval by a second person',
    help: 'A user who changed settings or mappings, or started the run, cannot approve it. Needs two administrators.',
    default: false,
    shownWhen: { require_approval: true },
  }),
  close_two_people: onOff({
    tab: 'advanced',
    group: 'People',
    label: 'Two people sign a month',
    help: 'The preparer of a month cannot also sign as its reviewer. Off: one person may sign as both.',
    default: true,
  }),
  alert_emails: {
    type: 'list',
    tab: 'advanced',
    group: 'People',
    label: 'Email alerts to',
    help: 'Addresses that get an email about failures; empty: each user chooses under Notices, Preferences.',
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

/** The settings of a tenant, by their API names. Accounts are QuickBooks ids; null when none is chosen. */
export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof settingDefinitions)[Key]> };

export const settingKeys = Object.keys(settingDefinitions) as readonly SettingKey[];

/** Definition of a setting. */
export const definitionOf = (key: SettingKey): SettingDefinition => settingDefinitions[key];

/** The default settings; accounts are empty. */
export const defaultSettings: Settings = Object.fromEntries(
  settingKeys.map((key) => [key, settingDefinitions[key].default]),
) as unknown as Settings;

/** Settings that “Restore Defaults” writes: the defaults, and the payable account when QuickBooks has exactly one. */
export const defaultSettingsFor = (facts: Pick<SettingsFacts, 'accounts'>): Settings =>
  withDefaultAccounts(defaultSettings, facts);

/**
 * Settings with the accounts that need no choice: while no payable account is chosen, documents take the only one that
 * QuickBooks has (domain reference 3).
 */
export function withDefaultAccounts(settings: Settings, { accounts }: Pick<SettingsFacts, 'accounts'>): Settings {
  if (settings.po_payable_account !== null) return settings;
  const [only, ...others] = accounts.filter((account) => isAccountFor('payable', account));
  return only === undefined || others.length > 0 ? settings : { ...settings, po_payable_account: only.id };
}

/** True when documents use the PSA's number; otherwise QuickBooks assigns one. */
export const usesPsaNumber = (option: 'qbo' | 'autotask'): boolean => option !== 'qbo';
