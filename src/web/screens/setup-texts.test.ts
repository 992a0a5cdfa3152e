import { describe, expect, test } from 'vitest';
import { settingDefinitions } from '#core/settings/definitions.ts';
import { itemSettingsConfig } from '#core/settings/item-settings.ts';
import { sourcesOf } from '#core/mapping/table.ts';
import { mappingNamespaces, type MappingNamespace } from '#core/mapping/mapping.ts';
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
import { screens } from '../shell/screens.ts';
import { pageSize } from '../ui/list-table.tsx';

/**
 * The texts and figures of Settings, Item Settings and the mapping screens to the letter: those that the specification
 * words (specification 1, sections 2, 5, 8 and 9; specification 2, sections 2, 5 and 9; domain reference 3 and 4), and
 * our own beside them. The PSA is called by a name of its own here, so that none of them is made for one.
 */

const psa = 'Ledgerline';
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
    const headings = [{ title: 'Settings' }, itemSettingsWords, ...Object.values(pageWords)].map(({ title }) => title);
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
      { figure: '31 of 61 billing codes', rest: ' mapped, 96% of the last 90 days’ revenue.' },
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
      { figure: '1,200 of 5,000 products', rest: ' mapped, 0% of the last 90 days’ purchases.' },
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
