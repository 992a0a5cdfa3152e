import { describe, expect, test } from 'vitest';
import { accounting, settingsFacts as facts } from '#test/cases/sample-world.ts';
import { isAccountFor, type SettingsFacts, settingTabs } from './definition.ts';
import { settingsConfig } from './config.ts';
import {
  defaultSettings,
  defaultSettingsFor,
  definitionOf,
  settingDefinitions,
  settingKeys,
  usesPsaNumber,
  type Settings,
} from './definitions.ts';
import { defaultItemSettings, itemSettingKeys, itemSettingsConfig } from './item-settings.ts';
import { kindNames } from '../kinds.ts';
import { changeErrors, settingsValid, stopsKind, validateSettings } from './validate.ts';

const valid: Settings = { ...defaultSettings, inv_default_income_account: '1' };
const check = (change: Partial<Settings>, more: Partial<SettingsFacts> = {}) =>
  validateSettings({ ...valid, ...change }, { ...facts, ...more });
const withPreferences = (customTransactionNumbers: boolean): Partial<SettingsFacts> => ({
  preferences: { ...accounting.preferences, customTransactionNumbers },
});

describe('defaults', () => {
  test('match the table of the domain reference', () => {
    expect(defaultSettings).toEqual({
      inv_sync_active: false,
      pay_sync_active: false,
      void_sync_active: false,
      void_across_months: 'ask',
      po_sync_active: false,
      exp_sync_active: false,
      inv_max_age_days: 14,
      void_max_age_days: 14,
      po_max_age_days: 14,
      exp_max_age_days: 30,
      inv_numbering_option: 'qbo',
      po_numbering_option: 'qbo',
      inv_create_item_automatically: true,
      inv_default_income_account: null,
      inv_group_invoice_lines: false,
      inv_include_customer_message: true,
      inv_email_automatically: false,
      inv_ignore_zero_balance_invoices: true,
      inv_ast_shipping_address: 'qbo_customer',
      inv_allow_cc_payment: false,
      inv_allow_ach_payment: false,
      po_payable_account: null,
      po_create_item_automatically: true,
      po_default_expense_account: null,
      exp_cash_advance_expense_account: null,
      sync_start_date: null,
      inactive_record_policy: 'post',
      closed_period_policy: 'hold',
      negative_invoice_policy: 'credit_memo',
      pay_direction: 'both',
      pay_deposit_account: null,
      pay_grace_hours: 24,
      require_approval: false,
      approval_limit: '0',
      approval_four_eyes: false,
      close_two_people: true,
      unbilled_revenue_account: null,
      prepaid_breakage_account: null,
      prepaid_grace_months: 0,
      alert_emails: [],
      lob_only_mapped: false,
      inv_child_work: 'parent',
      location_by: 'none',
      inv_rounding_account: null,
      inv_income_account_labor: null,
      inv_income_account_service: null,
      inv_income_account_subscription: null,
      inv_income_account_charge: null,
      inv_income_account_expense: null,
      inv_income_account_milestone: null,
      prepaid_account: null,
      prepaid_drawdown: false,
      customer_create_automatically: true,
      vendor_create_automatically: true,
      ask_before_creating_similar: true,
      po_freight_account: null,
      exp_split_month_end: true,
      foreign_currency_policy: 'stop',
      exchange_rate_hold_over: '5',
      inv_tax_authority: 'quickbooks',
      tax_hold_over: '0.05',
    });
  });

  test('are invalid until an income account is chosen', () => {
    expect(validateSettings(defaultSettings, facts)).toEqual([
      { key: 'inv_default_income_account', error: 'Choose an active income account.' },
    ]);
    expect(settingsValid(valid, facts)).toBe(true);
  });

  test('use the payable account when QuickBooks has exactly one', () => {
    const [payable] = accounting.accounts.filter((account) => isAccountFor('payable', account));
    expect(payable?.id).toBe('20');
    expect(defaultSettingsFor(facts).po_payable_account).toBe('20');
    const second = { ...accounting.accounts[0], ...payable, id: '21' } as (typeof accounting.accounts)[number];
    expect(defaultSettingsFor({ accounts: [...accounting.accounts, second] }).po_payable_account).toBeNull();
  });
});

describe('validation', () => {
  test('rejects every change without both connections', () => {
    expect(check({}, { isConnected: false })).toEqual([
      {
        key: 'connections',
        error: 'You must be connected to both Autotask and QuickBooks Online to modify settings.',
      },
    ]);
  });

  test.each(['inv_max_age_days', 'void_max_age_days', 'po_max_age_days', 'exp_max_age_days'] as const)(
    '%s is a whole number from 1 to 90',
    (key) => {
      const checkDays = (days: number) => check({ [key]: days, void_sync_active: true });
      expect(checkDays(1)).toEqual([]);
      expect(checkDays(90)).toEqual([]);
      for (const days of [0, 91, -1])
        expect(checkDays(days)).toEqual([{ key, error: 'Must be between 1 and 90 days.' }]);
      for (const days of [1.5, Number.NaN])
        expect(checkDays(days)).toEqual([{ key, error: 'Enter a whole number of days.' }]);
    },
  );

  test('a hidden setting does not block saving', () => {
    expect(check({ void_max_age_days: 0, void_sync_active: false })).toEqual([]);
  });

  test('rejects an invalid change of a hidden setting', () => {
    const after = { ...valid, void_max_age_days: 0, void_sync_active: false };
    expect(changeErrors({ void_max_age_days: 0 }, after, facts)).toEqual([
      { key: 'void_max_age_days', error: 'Must be between 1 and 90 days.' },
    ]);
  });

  test('rejects an account that the form would not offer, even while its kind is off', () => {
    const income = accounting.accounts.find((account) => isAccountFor('income', account))?.id ?? '';
    const after = { ...valid, exp_sync_active: false, exp_cash_advance_expense_account: income };
    expect(changeErrors({ exp_cash_advance_expense_account: income }, after, facts)).toEqual([
      { key: 'exp_cash_advance_expense_account', error: 'Choose an active cash advance account.' },
    ]);
  });

  test.each([
    ['Expense', 'Travel', true],
    ['Asset', 'EmployeeCashAdvances', true],
    ['Asset', 'OtherCurrentAssets', true],
    ['Asset', 'Checking', false],
    ['Asset', 'UndepositedFunds', false],
    ['Asset', 'Inventory', false],
    ['Asset', 'AccountsReceivable', false],
    ['Asset', 'FixedAssetComputers', false],
    ['Liability', 'OtherCurrentLiabilities', false],
  ])('a cash advance account may be of class %s and subtype %s: %s', (classification, subType, isOffered) => {
    const account = {
      ...accounting.accounts[0],
      classification,
      subType,
      isActive: true,
    } as (typeof accounting.accounts)[number];
    expect(isAccountFor('cash_advance', account)).toBe(isOffered);
  });

  test('the grace period of payments is a whole number from 0 to 168', () => {
    expect(check({ pay_grace_hours: 0 })).toEqual([]);
    expect(check({ pay_grace_hours: 169 })).toEqual([
      { key: 'pay_grace_hours', error: 'Must be between 0 and 168 hours.' },
    ]);
  });

  test('numbering must match the QuickBooks preference', () => {
    const turnOn =
      'Turn on Custom transaction numbers in QuickBooks (Account and settings, Sales) to use Autotask invoice numbers, or let QuickBooks generate the invoice number.';
    const turnOff =
      'Turn off Custom transaction numbers in QuickBooks, or use the Autotask invoice number. Otherwise the invoice number is empty.';
    const errors = (option: 'qbo' | 'autotask', isOn: boolean) =>
      check({ inv_numbering_option: option }, withPreferences(isOn)).map(({ error }) => error);
    expect(errors('autotask', false)).toEqual([turnOn]);
    expect(errors('autotask', true)).toEqual([]);
    expect(errors('qbo', false)).toEqual([]);
    expect(errors('qbo', true)).toEqual([turnOff]);
    expect([usesPsaNumber('autotask'), usesPsaNumber('qbo')]).toEqual([true, false]);
  });

  test('reports an empty choice', () => {
    const empty = { ...valid, inv_numbering_option: '' } as unknown as Settings;
    expect(validateSettings(empty, facts)).toEqual([
      { key: 'inv_numbering_option', error: 'Choose how invoices are numbered.' },
    ]);
  });

  test.each([
    ['empty', null],
    ['unknown', '999'],
    ['of another type', '12'],
  ])('the income account may not be %s while items are created', (_, id) => {
    const error = { key: 'inv_default_income_account', error: 'Choose an active income account.' };
    expect(check({ inv_default_income_account: id })).toEqual([error]);
    expect(check({ inv_default_income_account: id, inv_create_item_automatically: false })).toEqual([]);
  });

  test('an account that becomes inactive invalidates the settings', () => {
    const accounts = accounting.accounts.map((account) => ({ ...account, isActive: account.id !== '1' }));
    expect(settingsValid(valid, { ...facts, accounts })).toBe(false);
  });

  test.each(settingKeys.filter((key) => settingDefinitions[key].type === 'account'))(
    'the error of %s names an account that is inactive',
    (key) => {
      const accounts = accounting.accounts.map((account) => ({ ...account, isActive: false }));
      const [chosen] = accounts;
      if (chosen === undefined) throw new Error('no account');
      const [error] = changeErrors({ [key]: chosen.id }, { ...valid, [key]: chosen.id }, { ...facts, accounts });
      expect(error).toEqual({
        key,
        error: `The account “${chosen.fullyQualifiedName}” is inactive in QuickBooks. Make it active there, or choose another one.`,
      });
    },
  );

  test('synced purchase orders need procurement, a payable account, and an expense account', () => {
    const on = { po_sync_active: true } as const;
    expect(check(on, { modules: { procurement: false, multiCurrency: false } })).toContainEqual({
      key: 'po_sync_active',
      error: 'You must enable Procurement in Autotask to use the Purchase Orders portion of the app.',
    });
    const [payable] = accounting.accounts.filter(({ id }) => id === '20');
    if (payable === undefined) throw new Error('no payable account');
    const accounts = [...accounting.accounts, { ...payable, id: '21' }];
    expect(check(on, { accounts })).toEqual([
      { key: 'po_payable_account', error: 'Choose an active payable account.' },
      { key: 'po_default_expense_account', error: 'Choose an active expense account.' },
    ]);
    // The only account needs no choice.
    expect(check(on)).toEqual([{ key: 'po_default_expense_account', error: 'Choose an active expense account.' }]);
    expect(check({ ...on, po_payable_account: '20', po_default_expense_account: '14' })).toEqual([]);
    expect(check({ ...on, po_payable_account: '20', po_create_item_automatically: false })).toEqual([]);
  });

  test('a cash advance account is empty, an expense, or an asset', () => {
    for (const id of [null, '12', '25']) expect(check({ exp_cash_advance_expense_account: id })).toEqual([]);
    expect(check({ exp_cash_advance_expense_account: '1' })).toEqual([
      { key: 'exp_cash_advance_expense_account', error: 'Choose an active cash advance account.' },
    ]);
  });

  test('payments are deposited to bank or current asset accounts, never to receivables', () => {
    expect(check({ pay_deposit_account: '26' })).toEqual([]);
    expect(check({ pay_deposit_account: '30' })).toHaveLength(1);
  });

  test('rejects an invalid alert email', () => {
    expect(check({ alert_emails: ['a@b.example'] })).toEqual([]);
    expect(check({ alert_emails: ['not-an-email'] })).toEqual([
      { key: 'alert_emails', error: 'Enter email addresses only.' },
    ]);
  });

  test('stores the address for sales tax while automated tax is off', () => {
    expect(check({ inv_ast_shipping_address: 'psa_bill_to' })).toEqual([]);
  });
});

describe('the config response', () => {
  const config = settingsConfig(facts, valid);

  test("has an entry per setting and uses the PSA's label", () => {
    expect(Object.keys(config)).toEqual([...settingKeys]);
    expect(JSON.stringify(config)).not.toContain('{psa}');
    expect(config.inv_numbering_option.options).toEqual([
      { value: 'qbo', text: 'Let QuickBooks generate the invoice number' },
      { value: 'autotask', text: 'Use the Autotask invoice number' },
    ]);
    expect(config.inv_max_age_days).toMatchObject({ type: 'integer', default: 14, min: 1, max: 90, available: true });
  });

  test('contains position, bounds, and conditions of each setting', () => {
    expect(config.tax_hold_over).toMatchObject({ type: 'amount', min: '0', max: expect.any(String) as unknown });
    expect(config.tax_hold_over).toHaveProperty('unit', 'USD');
    expect(config.inv_max_age_days).toHaveProperty('unit');
    expect(config.inv_sync_active).not.toHaveProperty('min');
    expect(Object.values(config).map(({ order }) => order)).toEqual(settingKeys.map((_, at) => at + 1));
    for (const key of settingKeys) {
      const { required = false, requiredWhen, shownWhen } = definitionOf(key);
      expect([config[key].required, config[key].requiredWhen, config[key].shownWhen]).toEqual([
        required,
        requiredWhen,
        shownWhen,
      ]);
      expect('requiredWhen' in config[key]).toBe(requiredWhen !== undefined);
      expect('shownWhen' in config[key]).toBe(shownWhen !== undefined);
    }
  });

  test('offers only active accounts of a suitable type', () => {
    const ids = (options: readonly { readonly value: string }[] | undefined) => options?.map(({ value }) => value);
    expect(ids(config.inv_default_income_account.options)).toEqual(['1', '2', '3']);
    expect(ids(config.po_default_expense_account.options)).toEqual(['11', '12', '13', '14']);
    expect(ids(config.po_payable_account.options)).toEqual(['20']);
    expect(config.po_payable_account.default).toBe('20');
    const closed = accounting.accounts.map((account) => ({ ...account, isActive: account.id !== '2' }));
    expect(ids(settingsConfig({ ...facts, accounts: closed }, valid).inv_default_income_account.options)).toEqual([
      '1',
      '3',
    ]);
  });

  test.each([
    [{ voidsEnabled: false }, ['void_sync_active', 'void_max_age_days', 'void_across_months']],
    [
      { modules: { procurement: false, multiCurrency: false } },
      [
        'po_sync_active',
        'po_max_age_days',
        'po_numbering_option',
        'po_payable_account',
        'po_create_item_automatically',
        'po_default_expense_account',
        'po_freight_account',
      ],
    ],
    [{ paymentsAvailable: false }, ['pay_sync_active', 'pay_direction', 'pay_deposit_account', 'pay_grace_hours']],
  ] as const)('marks unavailable settings: %j', (change, keys) => {
    const entries = Object.entries(settingsConfig({ ...facts, ...change }, valid));
    const unavailable = entries.filter(([, entry]) => !entry.available).map(([key]) => key);
    expect(unavailable.sort()).toEqual(
      [...keys, 'inv_ast_shipping_address', 'inv_tax_authority', 'location_by'].sort(),
    );
  });

  test('offers the address for sales tax only with automated tax', () => {
    const preferences = { ...accounting.preferences, automatedSalesTax: true };
    expect(settingsConfig({ ...facts, preferences }, valid).inv_ast_shipping_address.available).toBe(true);
  });

  test('conditions refer to existing settings with values of the right type', () => {
    for (const key of settingKeys) {
      const { shownWhen = {}, requiredWhen = {} } = definitionOf(key);
      for (const [other, value] of [...Object.entries(shownWhen), ...Object.entries(requiredWhen)])
        expect(typeof defaultSettings[settingKeys.find((one) => one === other) ?? key]).toBe(typeof value);
    }
    expect(config.inv_default_income_account).toMatchObject({
      required: false,
      requiredWhen: { inv_create_item_automatically: true },
      shownWhen: { inv_create_item_automatically: true },
    });
    expect([config.inv_max_age_days.required, config.inv_numbering_option.required]).toEqual([true, true]);
  });

  test('keeps tabs and groups together in screen order', () => {
    const places = Object.values(config).map(({ tab, group }) => `${tab} ${group}`);
    expect(places.filter((place, at) => place !== places[at - 1])).toEqual([...new Set(places)]);
    const tabs = [...new Set(Object.values(config).map(({ tab }) => tab))];
    expect(tabs).toEqual(Object.keys(settingTabs));
    expect(Object.values(config).map(({ order }) => order)).toEqual(settingKeys.map((_, at) => at + 1));
  });

  test('names chosen accounts that are inactive, or while disconnected', () => {
    const chosen = (more: Partial<SettingsFacts>, names = {}) =>
      settingsConfig({ ...facts, ...more }, valid, names).inv_default_income_account.chosen;
    expect(chosen({})).toEqual({ value: '1', text: 'Service Income' });
    const closed = accounting.accounts.map((account) => ({ ...account, isActive: account.id !== '1' }));
    expect(chosen({ accounts: closed })).toEqual({ value: '1', text: 'Service Income (inactive)' });
    expect(chosen({ accounts: [] }, { 1: 'Service Income' })).toEqual({ value: '1', text: 'Service Income' });
    expect(chosen({ accounts: [] })).toEqual({ value: '1', text: 'Account 1' });
    expect(config.po_default_expense_account.chosen).toBeNull();
    expect(config.po_payable_account.chosen).toEqual({ value: '20', text: 'Accounts Payable' });
  });
});

describe('item settings', () => {
  test('have the defaults of the domain reference', () => {
    expect(defaultItemSettings).toEqual({
      labor: 'billing_code',
      ticket_purchase: 'fixed',
      service: 'item_name',
      subscription: 'billing_code',
      charge: 'billing_code',
      expense: 'billing_code',
      block_purchase: 'fixed',
      milestone: 'billing_code',
      retainer_purchase: 'fixed',
      contract_setup_fee: 'fixed',
    });
  });

  test('include their default among the options and the fixed name in the help', () => {
    const config = itemSettingsConfig();
    expect(Object.keys(config)).toEqual([...itemSettingKeys]);
    for (const entry of Object.values(config)) {
      expect(entry.options.map(({ value }) => value)).toContain(entry.default);
      expect(new Set(entry.options.map(({ text }) => text)).size).toBe(entry.options.length);
    }
    expect(config.block_purchase.help).toContain('“Block Hours”');
  });
});

test.each<[Parameters<typeof isAccountFor>[0], string, string, boolean]>([
  ['income', 'Revenue', '', true],
  ['income', 'Expense', '', false],
  ['rounding', 'Revenue', '', true],
  ['rounding', 'Expense', '', true],
  ['rounding', 'Asset', '', false],
  ['prepaid', 'Liability', 'DeferredRevenue', true],
  ['prepaid', 'Liability', 'AccountsPayable', false],
  ['prepaid', 'Liability', 'CreditCard', false],
  ['prepaid', 'Asset', 'DeferredRevenue', false],
  ['expense', 'Expense', '', true],
  ['expense', 'Revenue', '', false],
  ['payable', 'Liability', 'AccountsPayable', true],
  ['payable', 'Liability', 'CreditCard', false],
  ['payable', 'Asset', 'AccountsPayable', false],
  ['cash_advance', 'Expense', '', true],
  ['cash_advance', 'Asset', '', true],
  ['cash_advance', 'Revenue', '', false],
  ['deposit', 'Asset', 'Checking', true],
  ['deposit', 'Asset', 'AccountsReceivable', false],
  ['deposit', 'Liability', 'Checking', false],
  ['unbilled_revenue', 'Asset', 'OtherCurrentAssets', true],
  ['unbilled_revenue', 'Asset', 'Vehicles', false],
  ['unbilled_revenue', 'Revenue', 'OtherCurrentAssets', false],
])(
  '%s accepts an account of class %s and subtype %s: %s; never an inactive one',
  (use, classification, subType, fits) => {
    const account = { id: '1', fullyQualifiedName: 'Account', classification, subType, isActive: true };
    expect(isAccountFor(use, account)).toBe(fits);
    expect(isAccountFor(use, { ...account, isActive: false })).toBe(false);
  },
);

test.each([
  ['0', true],
  ['0.05', true],
  ['-1', false],
  ['1.123456', false],
  ['five', false],
  ['9'.repeat(13), false],
])('the limit of a tax difference may be %s: %s', (value, isAllowed) => {
  const found = check({ tax_hold_over: value as Settings['tax_hold_over'] });
  expect(found.map(({ key }) => key)).toEqual(isAllowed ? [] : ['tax_hold_over']);
});

test('an error of a setting stops only the kinds that it affects', () => {
  const stopped = (key: Parameters<typeof stopsKind>[0]) => kindNames.filter((kind) => stopsKind(key, kind));
  expect(stopped('po_payable_account')).toEqual(['purchase_order']);
  expect(stopped('exp_cash_advance_expense_account')).toEqual(['expense_report']);
  expect(stopped('inv_default_income_account')).not.toContain('purchase_order');
  expect(stopped('inv_default_income_account')).toContain('invoice');
  expect(stopped('connections')).toEqual([...kindNames]);
  expect(stopped('prepaid_account')).toContain('invoice');
});
