import { describe, expect, test } from 'vitest';
import { settingsConfig } from '#core/settings/config.ts';
import { settingTabs } from '#core/settings/definition.ts';
import { defaultSettings, definitionOf, settingDefinitions, type SettingKey } from '#core/settings/definitions.ts';
import { itemSettingsConfig } from '#core/settings/item-settings.ts';
import { sourcesOf } from '#core/mapping/table.ts';
import { flashMs } from '../lib/flash.ts';
import { formWords, savedMs } from '../lib/form-words.ts';
import { pagingText } from '../lib/format.ts';
import { boundsText, type SettingsConfigReply } from './settings/form.ts';
import { fileWords, noteOf, settingsWords, timeZoneWords } from './settings/words.ts';
import { screens } from '../shell/screens.ts';
import { armedMs } from '../ui/confirm-button.tsx';
import { pageSize } from '../ui/list-table.tsx';
import { books } from '#test/cases/sample-world.ts';

/**
 * The texts and figures of Settings, Item Settings and the mapping screens to the letter: those that the specification
 * words (specification 1, sections 2, 5, 8 and 9; specification 2, sections 2, 5 and 9; domain reference 3 and 4), and
 * our own beside them. The PSA is called by a name of its own here, so that none of them is made for one.
 */

const psa = 'Ledgerline';
const config = settingsConfig(
  {
    psaLabel: psa,
    isConnected: true,
    preferences: { ...books.preferences, automatedSalesTax: true, tracksLocations: true },
    accounts: books.accounts,
    modules: { procurement: true, multiCurrency: false },
    voidsEnabled: true,
    paymentsAvailable: true,
  },
  defaultSettings,
);

describe('screens', () => {
  const expected: Readonly<Record<string, string>> = {
    '/settings': 'Settings',
    '/item-settings': 'Item Settings',
    '/company-xrefs': 'Customer Mappings',
    '/vendor-xrefs': 'Vendor Mappings',
    '/expense-xrefs': 'Expense Mappings',
    '/item-xrefs': 'Item Mappings',
    '/lob-xrefs': 'Lines of Business',
    '/location-xrefs': 'Locations',
    '/tax-region-xrefs': 'Tax Regions',
    '/custom-field-xrefs': 'Custom Fields',
  };

  test('have their addresses and their names in the menu', () => {
    const found = screens.flatMap(({ paths: [path], label }) => (path in expected ? [[path, label]] : []));
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});

describe('mapping screens', () => {
  test('custom fields carry these fields of the PSA', () => {
    const none = {
      customers: [],
      vendors: [],
      billingCodes: [],
      products: [],
      productCategories: [],
      expenseCategories: [],
      linesOfBusiness: [],
      taxRegions: [],
    };
    expect(sourcesOf('SalesCustomField', none).map(({ value, name }) => [value, name])).toEqual([
      ['InvoiceNumber', 'Invoice Number'],
      ['OrderNumber', 'Order Number'],
    ]);
  });

  test('show ten rows on a page, and say which', () => {
    expect(pageSize).toBe(10);
    expect(pagingText(1, pageSize, 7)).toBe('Showing 1-7 of 7 items');
    expect(pagingText(500, pageSize, 4_996)).toBe('Showing 4,991-4,996 of 4,996 items');
  });
});

describe('settings', () => {
  test('stand on these tabs', () => {
    expect(Object.values(settingTabs)).toEqual(['Invoices', 'Purchase Orders', 'Expense Reports', 'Other', 'Advanced']);
  });

  /** Settings of the specification: label, bounds that the help names, and whether they must not be empty. */
  const table: readonly (readonly [SettingKey, label: string, bounds: string | null, isRequired: boolean])[] = [
    ['inv_sync_active', 'Automatic invoice sync', null, false],
    ['pay_sync_active', 'Automatic payment sync', null, false],
    ['void_sync_active', 'Automatic voided-invoice sync', null, false],
    ['po_sync_active', 'Automatic purchase order sync', null, false],
    ['exp_sync_active', 'Automatic expense report sync', null, false],
    ['inv_max_age_days', 'Invoice max age', '1 to 90 days.', true],
    ['void_max_age_days', 'Voided invoice max age', '1 to 90 days.', false],
    ['po_max_age_days', 'Purchase order max age', '1 to 90 days.', false],
    ['exp_max_age_days', 'Expense report max age', '1 to 90 days.', false],
    ['inv_numbering_option', 'Invoice numbering', null, true],
    ['po_numbering_option', 'Purchase order numbering', null, false],
    ['inv_create_item_automatically', 'Create QuickBooks items automatically', null, false],
    ['inv_default_income_account', 'Income account to use', null, false],
    ['inv_group_invoice_lines', 'Group invoice lines', null, false],
    ['inv_include_customer_message', 'Include customer message', null, false],
    ['inv_email_automatically', 'Email invoices automatically', null, false],
    ['inv_ignore_zero_balance_invoices', 'Ignore zero balance invoices', null, false],
    ['inv_ast_shipping_address', 'Address for sales tax', null, false],
    ['inv_allow_cc_payment', 'Allow online card payment', null, false],
    ['inv_allow_ach_payment', 'Allow online bank payment', null, false],
    ['po_payable_account', 'Payable account', null, false],
    ['po_create_item_automatically', 'Create QuickBooks items automatically', null, false],
    ['po_default_expense_account', 'Expense account to use', null, false],
    ['exp_cash_advance_expense_account', 'Cash advance account', null, false],
    ['pay_grace_hours', 'Wait before a payment is created', '0 to 168 hours.', false],
  ];
  const reply = config as SettingsConfigReply;

  test.each(table)('%s is “%s”', (key, label, bounds, isRequired) => {
    const entry = reply[key];
    if (entry === undefined) throw new Error(key);
    expect([entry.label, boundsText(entry), entry.required]).toEqual([label, bounds, isRequired]);
  });

  test('other than those are required of nobody', () => {
    const required = Object.keys(reply).filter((key) => reply[key]?.required);
    expect(required.toSorted()).toEqual(['inv_max_age_days', 'inv_numbering_option']);
  });

  test.each<readonly [SettingKey, readonly (readonly [value: string, text: string])[]]>([
    [
      'inv_numbering_option',
      [
        ['qbo', 'Let QuickBooks generate the invoice number'],
        ['autotask', 'Use the Ledgerline invoice number'],
      ],
    ],
    [
      'po_numbering_option',
      [
        ['qbo', 'Let QuickBooks generate the purchase order number'],
        ['autotask', 'Use the Ledgerline purchase order number'],
      ],
    ],
    [
      'inv_ast_shipping_address',
      [
        ['qbo_customer', "The QuickBooks customer's shipping address"],
        ['psa_company', 'The Ledgerline company address'],
        ['psa_bill_to', 'The Ledgerline billing address'],
      ],
    ],
  ])('%s offers these', (key, options) => {
    expect(reply[key]?.options?.map(({ value, text }) => [value, text])).toEqual(options);
  });

  test('are shown only beside the setting that they belong to', () => {
    const condition = (key: SettingKey) => definitionOf(key).shownWhen;
    expect(condition('inv_default_income_account')).toEqual({ inv_create_item_automatically: true });
    expect(condition('po_default_expense_account')).toEqual({ po_create_item_automatically: true });
    expect(settingDefinitions.inv_ast_shipping_address.availableWhen).toBe('automated_sales_tax');
  });

  const facts = { psa, hasProcurement: null, isMultiCurrency: null };
  const currencies = (inPsa: boolean, inBooks: boolean) => ({
    ...facts,
    isMultiCurrency: { psa: inPsa, books: inBooks },
  });
  test.each<readonly [found: unknown, text: unknown]>([
    [formWords.connectFirst(psa), 'You must be connected to both Ledgerline and QuickBooks Online to modify settings.'],
    [
      [formWords.save, formWords.discard],
      ['Save', 'Discard'],
    ],
    [
      [formWords.restore, formWords.restoreArmed],
      ['Restore Defaults', 'Click Again to Restore'],
    ],
    [
      [settingsWords.saving, formWords.saved, settingsWords.reset],
      ['Saving settings...', 'Saved changes.', 'Settings reset to defaults.'],
    ],
    [
      settingsWords.lead(psa),
      'What is synced from Ledgerline to QuickBooks, how, and where it is booked. A change applies from the next sync on.',
    ],
    [
      [settingsWords.wrongTab, settingsWords.noAccount, settingsWords.unchanged],
      ['Something here does not fit', 'No account fits.', 'Nothing is changed.'],
    ],
    [
      [settingsWords.changed(1), settingsWords.changed(2)],
      ['1 setting changed.', '2 settings changed.'],
    ],
    // Notes of a tab.
    [noteOf('purchase_orders', facts), { tone: 'info', text: 'Procurement must be enabled in Ledgerline.' }],
    [
      noteOf('purchase_orders', { ...facts, hasProcurement: true }),
      { tone: 'info', text: 'Procurement must be enabled in Ledgerline.' },
    ],
    [
      noteOf('purchase_orders', { ...facts, hasProcurement: false }),
      {
        tone: 'warning',
        text: 'You must enable Procurement in Ledgerline to use the Purchase Orders portion of the app.',
      },
    ],
    [
      noteOf('invoices', currencies(true, false)),
      {
        tone: 'info',
        text: 'Multicurrency is on in Ledgerline and off in QuickBooks. All multicurrency settings are ignored on invoice sync.',
      },
    ],
    [
      noteOf('invoices', currencies(false, true)),
      {
        tone: 'info',
        text: 'Multicurrency is off in Ledgerline and on in QuickBooks. All multicurrency settings are ignored on invoice sync.',
      },
    ],
    [
      [noteOf('invoices', currencies(true, true)), noteOf('invoices', currencies(false, false))],
      [null, null],
    ],
    [
      [noteOf('invoices', facts), noteOf('other', currencies(true, false))],
      [null, null],
    ],
    // Files and the time zone.
    [
      [fileWords.title, fileWords.out, fileWords.in],
      ['Settings as a file', 'Save as JSON', 'Fill the form from a file'],
    ],
    [fileWords.read, 'The form shows what the file says. Nothing is saved yet.'],
    [fileWords.tooLarge, 'This file is too large to hold settings.'],
    [
      [timeZoneWords.title, timeZoneWords.label(psa), timeZoneWords.change],
      ['Time zone', 'Time zone of Ledgerline', 'Change time zone'],
    ],
    [
      timeZoneWords.help('Mar 3, 2025, 9:15 AM CST'),
      'Decides on which day a document is dated, where the age window begins, and from which day automatic sync counts. It is now Mar 3, 2025, 9:15 AM CST there. Documents that are posted keep their dates.',
    ],
    // In milliseconds: a flash, one after saving, a button that waits for its second click.
    [
      [flashMs, savedMs, armedMs],
      [5_000, 3_000, 5_000],
    ],
  ])('%j', (found, text) => expect(found).toEqual(text));
});

test('item settings are named, and offer these ways to name an item', () => {
  const offered = Object.entries(itemSettingsConfig()).map(([key, { label, options }]) => [
    key,
    label,
    ...options.map(({ text }) => text),
  ]);
  const [code, item, contract, all] = ['Billing code', 'Item name', 'Contract name', 'One item for all'];
  expect(offered).toEqual([
    ['labor', 'Labour', code, 'Role', 'Role : Work type', 'Work type : Role', all],
    ['ticket_purchase', 'Ticket Purchases', all, contract, code],
    ['service', 'Services/Bundles', item, code, all],
    ['subscription', 'Subscriptions', code, item, all],
    ['charge', 'Charges', code, 'Product name', item, all],
    ['expense', 'Expenses', code, item, all],
    ['block_purchase', 'Block Purchases', all, contract, code],
    ['milestone', 'Milestones', code, item, all],
    ['retainer_purchase', 'Retainer Purchase', all, contract, code],
    ['contract_setup_fee', 'Contract Setup Fee', all, contract, code],
  ]);
  const helps = Object.values(itemSettingsConfig()).map(({ help }) => help);
  expect([helps[0], helps[1], helps[2]]).toEqual([
    '“One item for all” uses the item “Labor”. “Billing code” makes one item per code. Role and work type together make one item for each pair of them.',
    '“One item for all” uses the item “Ticket Purchase”. “Billing code” makes one item per code.',
    '“One item for all” uses the item “Services”. “Billing code” makes one item per code.',
  ]);
});
