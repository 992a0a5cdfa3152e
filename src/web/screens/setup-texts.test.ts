import { describe, expect, test } from 'vitest';
import { settingsConfig } from '#core/settings/config.ts';
import { settingTabs } from '#core/settings/definition.ts';
import { defaultSettings, definitionOf, settingDefinitions, type SettingKey } from '#core/settings/definitions.ts';
import { itemSettingsConfig } from '#core/settings/item-settings.ts';
import { sourcesOf } from '#core/mapping/table.ts';
import { mappingNamespaces, type MappingNamespace } from '#core/mapping/mapping.ts';
import { flashMs } from '../lib/flash.ts';
import { formWords, savedMs } from '../lib/form-words.ts';
import { pagingText } from '../lib/format.ts';
import { itemSettingsWords } from './item-settings/words.ts';
import { namespaceWords } from './mappings/namespaces.ts';
import {
  andMore,
  anyGroup,
  bothNeeded,
  companyWords,
  connectFirst,
  coverageText,
  deleteQuestion,
  expenseTabs,
  fieldWords,
  fileWords as mappingFileWords,
  heldUpText,
  historyWords,
  itemTabs,
  itemWords,
  type MappingScreen,
  notMapped,
  nothingFound,
  pageWords,
  removeLabel,
  showIds,
  staleText,
  suggestWords,
} from './mappings/words.ts';
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

  test('are headed by the name that the menu gives them', () => {
    const headings = [settingsWords, itemSettingsWords, ...Object.values(pageWords)].map(({ title }) => title);
    expect(headings.toSorted()).toEqual(Object.values(expected).toSorted());
  });

  test.each<readonly [MappingScreen, lead: string, refusal: string]>([
    [
      'customers',
      'For invoices, purchase orders and payments, Ledgerline companies are mapped to QuickBooks customers. Mapping is optional: without it, mappings are created automatically by matching the company name to the customer’s display name.',
      'Before managing your customer mappings, you must connect to both Ledgerline and QuickBooks Online',
    ],
    [
      'vendors',
      'For purchase orders, Ledgerline vendor companies are mapped to QuickBooks vendors. Mapping is optional: without it, mappings are created automatically by matching the company name to the vendor’s display name.',
      'Before managing your vendor mappings, you must connect to both Ledgerline and QuickBooks Online',
    ],
    [
      'expenses',
      'Ledgerline expense categories are mapped to QuickBooks expense accounts. Syncing an expense report with an unmapped category fails.',
      'Before managing your expense mappings, you must connect to both Ledgerline and QuickBooks Online',
    ],
    [
      'items',
      'Ledgerline billing codes and products are mapped to QuickBooks items. Without a mapping, an item is matched by its name or number, or made when the settings allow it; otherwise the invoice or purchase order errors out.',
      'Before managing your item mappings, you must connect to both Ledgerline and QuickBooks Online',
    ],
    [
      'linesOfBusiness',
      'Ledgerline lines of business are mapped to QuickBooks classes. Mapping is optional; with no mappings all transactions are synced.',
      'Before managing your line of business mappings, you must connect to both Ledgerline and QuickBooks Online',
    ],
    [
      'locations',
      'Ledgerline lines of business are mapped to QuickBooks locations. It counts where QuickBooks tracks locations and “Location of documents” in Settings is “By line of business”.',
      'Before managing your location mappings, you must connect to both Ledgerline and QuickBooks Online',
    ],
    [
      'taxRegions',
      'Ledgerline tax regions are mapped to QuickBooks tax codes. Without a mapping, a tax code of the same name is used.',
      'Before managing your tax region mappings, you must connect to both Ledgerline and QuickBooks Online',
    ],
    [
      'customFields',
      'What Ledgerline knows of an invoice can stand in a custom field of QuickBooks. Connect both apps first.',
      'Before managing your custom fields, you must connect to both Ledgerline and QuickBooks Online',
    ],
  ])('%s says what it is for, and what it needs', (screen, lead, refusal) => {
    expect(pageWords[screen].lead(psa)).toBe(lead);
    expect(connectFirst(pageWords[screen].what, psa)).toBe(refusal);
  });

  test('of mappings are these and no others', () => {
    expect(Object.keys(pageWords)).toHaveLength(8);
    // The sentence about Settings names a setting and one of its options by their words.
    const { label, options } = settingDefinitions.location_by;
    expect(pageWords.locations.lead(psa)).toContain(`“${label}”`);
    expect(pageWords.locations.lead(psa)).toContain(`“${options[1]?.text}”`);
  });
});

describe('mapping screens', () => {
  /** Heads of both columns, button, titles of both dialogs, pause in typing, name of the money. */
  const table: Readonly<Record<MappingNamespace, readonly unknown[]>> = {
    Customer: [
      'Company',
      'QuickBooks Customer',
      'Map to Customer',
      'Map Companies to a QuickBooks Customer',
      'Delete Company Mappings',
      500,
      'revenue',
    ],
    Vendor: [
      'Company',
      'QuickBooks Vendor',
      'Map to Vendor',
      'Map Companies to a QuickBooks Vendor',
      'Delete Company Mappings',
      750,
      'purchases',
    ],
    Employee: [
      'Employee',
      'QuickBooks Vendor',
      'Map to Vendor',
      'Map Employees to a QuickBooks Vendor',
      'Delete Employee Mappings',
      750,
      'expenses',
    ],
    ExpenseCategoryBillable: [
      'Expense Category',
      'QuickBooks Account',
      null,
      'Map to an Account',
      'Delete Mapping',
      500,
      'billable expenses',
    ],
    ExpenseCategoryNonBillable: [
      'Expense Category',
      'QuickBooks Account',
      null,
      'Map to an Account',
      'Delete Mapping',
      500,
      'non-billable expenses',
    ],
    ItemBilling: ['Billing Code', 'QuickBooks Item', 'Map to Item', 'Map to Item', 'Remove Mapping(s)', 500, 'revenue'],
    ItemPurchasing: ['Product', 'QuickBooks Item', 'Map to Item', 'Map to Item', 'Remove Mapping(s)', 500, 'purchases'],
    ItemName: ['Item Name', 'QuickBooks Item', null, 'Map to Item', 'Remove Mapping(s)', 500, 'revenue'],
    LineOfBusiness: ['Line of Business', 'QuickBooks Class', null, 'Map to a Class', 'Delete Mapping', 500, 'revenue'],
    Location: ['Line of Business', 'QuickBooks Location', null, 'Map to a Location', 'Delete Mapping', 500, 'revenue'],
    TaxRegion: ['Tax Region', 'QuickBooks Tax Code', null, 'Map to a Tax Code', 'Delete Mapping', 500, 'revenue'],
    SalesCustomField: [
      'Field',
      'QuickBooks Custom Field',
      null,
      'Map to a Custom Field',
      'Delete Mapping',
      500,
      'revenue',
    ],
  };
  const namespaces = Object.keys(mappingNamespaces) as MappingNamespace[];

  test.each(namespaces)('%s has its words and its pause in typing', (namespace) => {
    const words = namespaceWords[namespace];
    expect([
      words.sourceHead,
      words.targetHead,
      words.mapLabel,
      words.mapTitle,
      words.deleteTitle,
      words.debounceMs,
      words.money,
    ]).toEqual(table[namespace]);
    expect(words.namespace).toBe(namespace);
  });

  test.each<readonly [found: unknown, text: unknown]>([
    // Customers and vendors.
    [companyWords.placeholder('Customer', psa), 'Search Ledgerline Customer Companies'],
    [companyWords.placeholder('Vendor', psa), 'Search Ledgerline Vendor Companies'],
    [companyWords.activeOnly, 'Active Only'],
    [companyWords.search, 'Search'],
    [companyWords.results(0), '0 results'],
    [companyWords.results(1), '1 result'],
    [companyWords.results(5_000), '5,000 results'],
    [
      companyWords.beforeSearch('Customer', psa),
      'Search for Ledgerline companies to manage mappings to QuickBooks customers.',
    ],
    [
      companyWords.beforeSearch('Vendor', psa),
      'Search for Ledgerline companies to manage mappings to QuickBooks vendors.',
    ],
    [nothingFound, 'Nothing found.'],
    [notMapped, '- not mapped -'],
    // Expenses and items.
    [expenseTabs.map(({ label }) => label), ['Billable', 'Non-Billable']],
    [itemTabs.map(({ label }) => label), ['Invoices', 'Purchase Orders']],
    [itemWords.ItemBilling, { chooser: 'Billing Code Type', rememberedAs: 'imbcuse' }],
    [itemWords.ItemPurchasing, { chooser: 'Product Category', rememberedAs: 'improcat' }],
    [
      [anyGroup, showIds, suggestWords.toggle],
      ['All', 'Show ids', 'Suggest'],
    ],
    // Questions.
    [removeLabel('Customer'), 'Delete'],
    [removeLabel('Vendor'), 'Delete'],
    [removeLabel('ItemBilling'), 'Remove Mapping(s)'],
    [removeLabel('ItemPurchasing'), 'Remove Mapping(s)'],
    [deleteQuestion(0), 'None of these is mapped.'],
    [deleteQuestion(1), 'Please confirm you want to delete the mapping of:'],
    [deleteQuestion(5_000), 'Please confirm you want to delete the 5,000 mappings of:'],
    // Lists of which one is empty.
    [
      bothNeeded([3, ['line of business', 'lines of business']], [0, ['class', 'classes']]),
      '3 lines of business and 0 classes were found. Both must be present before anything can be mapped.',
    ],
    [
      bothNeeded([0, ['tax region', 'tax regions']], [1, ['tax code', 'tax codes']]),
      '0 tax regions and 1 tax code were found. Both must be present before anything can be mapped.',
    ],
    // Custom fields.
    [
      [fieldWords.booksField, fieldWords.psaField(psa), fieldWords.notMapped],
      ['QuickBooks Custom Field', 'Ledgerline Field', 'not mapped'],
    ],
    [fieldWords.none, 'QuickBooks has no custom fields on its sales forms.'],
    // Coverage and suggestions.
    [
      coverageText({ mapped: 31, total: 61, percent: '96' }, namespaceWords.ItemBilling),
      { figure: '31 of 61 billing codes', rest: ' mapped, 96 % of the last 90 days’ revenue.' },
    ],
    [
      coverageText({ mapped: 31, total: 61, percent: '100' }, namespaceWords.ItemBilling).rest,
      ' mapped, all of the last 90 days’ revenue.',
    ],
    [
      coverageText({ mapped: 0, total: 1, percent: null }, namespaceWords.Vendor),
      { figure: '0 of 1 company', rest: ' mapped.' },
    ],
    [
      coverageText({ mapped: 1_200, total: 5_000, percent: '0' }, namespaceWords.ItemPurchasing),
      { figure: '1,200 of 5,000 products', rest: ' mapped, 0 % of the last 90 days’ purchases.' },
    ],
    [heldUpText('$290.35'), '$290.35 not synced yet'],
    [staleText(1), '1 mapping cannot be used any more.'],
    [staleText(2), '2 mappings cannot be used any more.'],
    [suggestWords.accept, 'Accept'],
    [suggestWords.acceptOne('Remote Support', 'Support, remote'), 'Accept Remote Support for Support, remote'],
    [suggestWords.acceptAll(1_024), 'Accept all 1,024 of 95 or more'],
    [suggestWords.hint(undefined), 'Comparing names and numbers…'],
    [suggestWords.hint(0), 'Nothing that is not mapped resembles anything in QuickBooks closely enough.'],
    [suggestWords.hint(1), '1 suggestion. Nothing is saved until you accept it.'],
    [suggestWords.hint(12), '12 suggestions. Nothing is saved until you accept it.'],
    // Files and history.
    [
      [mappingFileWords.title, mappingFileWords.out, mappingFileWords.in],
      ['Mappings as a file', 'Save as CSV', 'Read a CSV file'],
    ],
    [
      mappingFileWords.about('billing codes'),
      'Save all billing codes with their mappings, change the file, and read it in again. An emptied QuickBooks id and name deletes a mapping.',
    ],
    [mappingFileWords.tooLarge, 'This file is too large to hold mappings.'],
    [mappingFileWords.unreadable, 'The file could not be read.'],
    [mappingFileWords.refused(1), '1 line cannot be read, so nothing can be saved.'],
    [mappingFileWords.refused(20), '20 lines cannot be read, so nothing can be saved.'],
    [mappingFileWords.unchanged, 'The file says what is saved already.'],
    [mappingFileWords.changes(1, 4_999), '1 mapping would change, 4,999 would stay.'],
    [mappingFileWords.changes(2, 0), '2 mappings would change, 0 would stay.'],
    [
      [mappingFileWords.save(1), mappingFileWords.save(2)],
      ['Save 1 change', 'Save 2 changes'],
    ],
    [andMore(1_012), 'and 1,012 more'],
    [
      historyWords,
      {
        title: 'History',
        empty: 'Nobody has mapped anything here yet.',
        undo: 'Undo',
        before: 'before:',
        deleted: ': deleted the mapping to',
      },
    ],
  ])('%j', (found, text) => expect(found).toEqual(text));

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
      [itemSettingsWords.saving, itemSettingsWords.reset],
      ['Saving item_settings...', 'Item Settings reset to defaults.'],
    ],
    [
      settingsWords.lead(psa),
      'What is synced from Ledgerline to QuickBooks, how, and where it is booked. A change applies from the next sync on.',
    ],
    [
      itemSettingsWords.lead(psa),
      'How an item of QuickBooks is found, or named when it is made, for lines of Ledgerline invoices whose billing code has no mapping. A change applies to later syncs.',
    ],
    [itemSettingsWords.panel, 'Naming conventions'],
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
