import { describe, expect, test } from 'vitest';
import { accounting, mapping, item } from '#test/cases/sample-world.ts';
import type { AccountingLists, Customer, Item, Vendor } from '../documents/reference-data.ts';
import { decimal } from '../values/decimal.ts';
import type { MappingNamespace } from './mapping.ts';
import { isFoundBy, stateOf, targetsOf, type Target } from './targets.ts';

const shown = (namespace: MappingNamespace, of: Partial<AccountingLists>) =>
  targetsOf(namespace, { ...accounting, ...of }).map(({ label, detail, whyNot }) => [label, detail, whyNot]);
const vendor: Vendor = { id: '1', displayName: 'Ingram', companyName: null, isActive: true, currency: 'USD' };
const one: Customer = {
  ...vendor,
  displayName: 'Acme',
  companyName: 'Acme',
  email: null,
  billingAddress: null,
  shippingAddress: null,
};
const itemOf = (more: Partial<Item>) =>
  item('1', 'Toner', '1', { fullyQualifiedName: 'Sales:Toner', sku: 'T-1', expenseAccountId: '14', ...more });

describe('mapping targets', () => {
  test('are customers and vendors, searchable by company name', () => {
    const customers = [one, { ...one, companyName: 'Acme Inc' }, { ...one, companyName: null, isActive: false }];
    const vendors = [vendor];
    const of = { customers, vendors };
    expect(shown('Customer', of)).toEqual([
      ['Acme', null, null],
      ['Acme', 'Acme Inc', null],
      ['Acme', null, '“Acme” is inactive in QuickBooks.'],
    ]);
    expect(targetsOf('Customer', { ...accounting, ...of }).map(({ names }) => names)).toEqual([
      ['Acme'],
      ['Acme Inc'],
      [],
    ]);
    expect(shown('Vendor', of)).toEqual([['Ingram', null, null]]);
  });

  test('are expense accounts', () => {
    const account = { id: '1', fullyQualifiedName: 'Meals', classification: 'Expense', subType: '', isActive: true };
    const accounts = [account, { ...account, isActive: false }, { ...account, classification: 'Revenue' }];
    const wanted = [
      ['Meals', null, null],
      ['Meals', null, '“Meals” is inactive in QuickBooks.'],
      ['Meals', null, '“Meals” is no expense account. Choose an active expense account.'],
    ];
    expect(shown('ExpenseCategoryBillable', { accounts })).toEqual(wanted);
    expect(shown('ExpenseCategoryNonBillable', { accounts })).toEqual(wanted);
  });

  test.each<[string, Partial<Item>, string | null, string | null]>([
    ['sold and bought', {}, null, null],
    [
      'without an income account',
      { incomeAccountId: null },
      '“Sales:Toner” has no income account in QuickBooks, so it cannot be sold.',
      null,
    ],
    [
      'without an expense account',
      { expenseAccountId: null },
      null,
      '“Sales:Toner” has no expense account in QuickBooks, so it cannot be bought.',
    ],
    ...(
      [
        ['inactive', { isActive: false }, '“Sales:Toner” is inactive in QuickBooks.'],
        [
          'a category',
          { type: 'Category' },
          '“Sales:Toner” is a category in QuickBooks, which cannot be used on a line. Choose an item.',
        ],
        [
          'a bundle',
          { type: 'Group' },
          '“Sales:Toner” is a bundle in QuickBooks, which cannot be used on a line. Choose an item.',
        ],
        ['of an unsupported type', { type: 'Tax' }, '“Sales:Toner” has a type that cannot be used on a line (Tax).'],
      ] as const
    ).map(([what, more, why]): [string, Partial<Item>, string, string] => [what, more, why, why]),
  ])('are items that are %s', (_, more, sale, purchase) => {
    const items = [itemOf(more)];
    expect(shown('ItemBilling', { items })).toEqual([['Sales:Toner', 'T-1', sale]]);
    expect(shown('ItemPurchasing', { items })).toEqual([['Sales:Toner', 'T-1', purchase]]);
  });

  test('are classes, locations, tax codes, and custom fields', () => {
    const label = { id: '1', fullyQualifiedName: 'West', isActive: true };
    const inactive = { ...label, fullyQualifiedName: 'East', isActive: false };
    const of = { classes: [label], locations: [inactive] };
    expect(shown('LineOfBusiness', of)).toEqual([['West', null, null]]);
    expect(shown('Location', of)).toEqual([['East', null, '“East” is inactive in QuickBooks.']]);
    const code = { id: '5', name: 'Travis', isActive: true, salesRate: decimal('8.25') };
    expect(shown('TaxRegion', { taxCodes: [code, { ...code, isActive: false, salesRate: null }] })).toEqual([
      ['Travis', '8.25 %', null],
      ['Travis', null, '“Travis” is inactive in QuickBooks.'],
    ]);
    expect(shown('SalesCustomField', {})).toEqual([
      ['P.O. Number', null, null],
      ['Ticket', null, null],
    ]);
  });
});

test('finds a target by any name or number, repeatedly', () => {
  const [target] = targetsOf('ItemBilling', { ...accounting, items: [itemOf({})] });
  if (target === undefined) throw new Error('no item');
  for (const [wanted, isFound] of [
    ['sales:', true],
    ['t-1', true],
    ['toner', true],
    ['ink', false],
  ] as const) {
    expect(isFoundBy(target, wanted)).toBe(isFound);
    expect(isFoundBy(target, wanted)).toBe(isFound);
  }
});

test.each<[string, Partial<Target> | null, string | null, string]>([
  ['present under the same name', {}, 'Acme', 'ok'],
  ['present and mapped without a name', {}, null, 'ok'],
  ['renamed', { label: 'Acme Inc' }, 'Acme', 'renamed Was called “Acme” when it was mapped.'],
  ['inactive', { whyNot: '“Acme” is inactive in QuickBooks.' }, 'Acme', 'unusable “Acme” is inactive in QuickBooks.'],
  [
    'deleted',
    null,
    'Acme',
    'gone QuickBooks no longer has this customer: it was deleted or merged into another one. Choose another, or delete the mapping.',
  ],
])('returns the state of a mapping whose target is %s', (_, more, targetLabel, wanted) => {
  const target: Target = { value: '58', label: 'Acme', detail: null, names: [], number: null, whyNot: null, ...more };
  const targets = new Map(more === null ? [] : [['58', target]]);
  const { state, text } = stateOf({ ...mapping('Customer', '175', '58'), targetLabel }, targets);
  expect([state, ...(text === null ? [] : [text])].join(' ')).toBe(wanted);
});
