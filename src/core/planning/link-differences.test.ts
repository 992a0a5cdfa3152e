import { describe, expect, test } from 'vitest';
import { accounting, expenseReport, mapping } from '#test/cases/sample-world.ts';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { Customer, Vendor } from '../documents/reference-data.ts';
import type { SalesState } from '../documents/sales-state.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { documentOf } from '../reconciliation/testing.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal } from '../values/decimal.ts';
import {
  differencesOfLink,
  differencesOfOrderLink,
  differencesOfReportLink,
  isName,
  type LinkFacts,
  type OrderLinkFacts,
  type ReportLinkFacts,
} from './link-differences.ts';
import { salesState } from '#test/cases/sample-documents.ts';

const on = calendarDate('2025-03-03');
const existing = salesState({
  syncToken: '0',
  customer: { id: '900', name: null },
  total: decimal('100.00'),
  balance: decimal('100.00'),
  currency: null,
});
const [sample] = accounting.customers;
const customer = (id: string, more: Partial<Customer>): Customer => ({
  ...(sample as Customer),
  id,
  displayName: `Customer ${id}`,
  companyName: null,
  parentId: null,
  ...more,
});
const mapped = (to: string): Mapping => mapping('Customer', '175', to, 'Acme');

interface Of extends Partial<Omit<LinkFacts, 'document' | 'accounting'>> {
  readonly document?: Partial<SalesState>;
  readonly customers?: readonly Customer[];
  readonly closedThrough?: string;
}
const differences = ({ document, customers = [], closedThrough, ...of }: Of = {}): string =>
  differencesOfLink({
    invoice: { id: 7, companyId: 175, invoicedOn: on, total: decimal('100.00') },
    company: { id: 175, name: 'Acme Dental' },
    document: { ...existing, ...document },
    postedTotal: null,
    accounting: {
      ...accounting,
      customers,
      preferences: {
        ...accounting.preferences,
        closedThrough: closedThrough === undefined ? null : calendarDate(closedThrough),
      },
    },
    mappings: [],
    psaLabel: 'Autotask',
    ...of,
  })
    .map(({ message }) => message)
    .join();

test.each<[string, Of, boolean]>([
  ['has an unknown customer', {}, false],
  ["has the company's name", { document: { customer: { id: '900', name: 'ACME  dental' } } }, true],
  ['has a customer with that display name', { customers: [customer('900', { displayName: 'Acme Dental' })] }, true],
  [
    'has a customer with that display name that belongs to another company',
    {
      customers: [customer('900', { displayName: 'Acme Dental' })],
      mappings: [{ ...mapped('900'), sourceValue: '176' }],
    },
    false,
  ],
  ['has a customer with that company name', { customers: [customer('900', { companyName: 'Acme Dental' })] }, true],
  ['has a customer with another name', { customers: [customer('900', {})] }, false],
  [
    'has a sub-customer of a payer with that name',
    { customers: [customer('900', { parentId: '901' }), customer('901', { displayName: 'Acme Dental' })] },
    true,
  ],
  ['has a sub-customer of an unknown customer', { customers: [customer('900', { parentId: '901' })] }, false],
  ['has the mapped customer', { mappings: [mapped('900')] }, true],
  ['has a different customer than the mapped one', { mappings: [mapped('901')] }, false],
  ['cannot be compared because the company cannot be read', { company: null }, true],
])('matches customers when a document %s', (_, of, isSame) => {
  const message = differences(of);
  if (isSame) expect(message).toBe('');
  else expect(message).toContain('Acme Dental');
});

const ours = { company: null } as const;
test.each<[string, Of, boolean]>([
  ['the posted total', { postedTotal: decimal('100.00'), document: { total: decimal('107.00') } }, true],
  ['a total that differs from the posted one', { postedTotal: decimal('99.99') }, false],
  ['the current total when no posted total is stored', { document: { total: decimal('99.99') } }, false],
])('compares %s', (_, of, isSame) => {
  expect(differences({ ...ours, ...of }) === '').toBe(isSame);
});

test.each([
  ['2025-03-03', undefined, true],
  ['2025-03-04', undefined, false],
  ['2025-04-01', '2025-03-31', true],
  ['2025-04-01', '2025-03-03', true],
  ['2025-04-01', '2025-03-02', false],
  ['2025-03-02', '2025-03-31', false],
])('an invoice of March 3 dated %s, books closed through %s, matches: %s', (datedOn, closed, isSame) => {
  const of = {
    ...ours,
    document: { datedOn: calendarDate(datedOn) },
    ...(closed !== undefined && { closedThrough: closed }),
  };
  expect(differences(of) === '').toBe(isSame);
});

test('lists every difference, QuickBooks first', () => {
  expect(
    differences({
      document: { customer: { id: '900', name: 'Birch Legal' }, datedOn: calendarDate('2025-03-02') },
      postedTotal: decimal('-99.99'),
    }),
  ).toBe(
    'QuickBooks document 1042 differs from this one: customer “Birch Legal”, Autotask has “Acme Dental”; 99.99, Autotask has 100.00; dated Mar 2, 2025, Autotask has Mar 3, 2025.',
  );
});

test.each([
  [null, false],
  [undefined, false],
  ['Birch Legal', false],
  ['ACME  dental', true],
])('%s is the name of Acme Dental: %s', (name, isSame) => {
  expect(isName(name, 'Acme Dental')).toBe(isSame);
});

describe('a purchase order in QuickBooks', () => {
  const vendors: readonly Vendor[] = [
    { id: '90', displayName: 'Ingram (West)', companyName: 'Ingram Supplies', isActive: true, currency: 'USD' },
    { id: '91', displayName: 'Ingram Supplies', companyName: null, isActive: true, currency: 'USD' },
  ];
  const order: AccountingDocument = documentOf(3_310, '100.00', {
    type: 'PurchaseOrder',
    party: { id: '99', name: 'Pax Cloud' },
    datedOn: on,
  });
  const describeLink = ({ document, ...of }: Partial<Omit<OrderLinkFacts, 'document'>> & { document?: object } = {}) =>
    differencesOfOrderLink({
      order: { id: 3_310, vendorId: 301 },
      vendor: { id: 301, name: 'Ingram Supplies' },
      about: { on, amount: decimal('100.00') },
      document: { ...order, ...document },
      postedTotal: null,
      accounting: { ...accounting, vendors, preferences: { ...accounting.preferences, closedThrough: null } },
      mappings: [],
      psaLabel: 'Autotask',
      ...of,
    })
      .map(({ message }) => message.replace(/^.* differs from this one: /, ''))
      .join();
  const other = 'vendor “Pax Cloud”, Autotask has “Ingram Supplies”.';

  test.each<[string, Parameters<typeof describeLink>[0], string]>([
    ['of another vendor', {}, other],
    ['of a vendor without a name', { document: { party: { id: '99', name: null } } }, other.replace('Pax Cloud', '99')],
    ['of the vendor by name', { document: { party: { id: '99', name: 'INGRAM supplies' } } }, ''],
    [
      'of the vendor’s name that belongs to another company',
      {
        document: { party: { id: '99', name: 'INGRAM supplies' } },
        mappings: [mapping('Vendor', '303', '99')],
      },
      other.replace('Pax Cloud', 'INGRAM supplies'),
    ],
    ['of the vendor by its name in the list', { document: { party: { id: '91', name: null } } }, ''],
    ['of the vendor by its company name', { document: { party: { id: '90', name: null } } }, ''],
    ['of the mapped vendor', { mappings: [mapping('Vendor', '301', '99')] }, ''],
    ['of a different vendor than the mapped one', { mappings: [mapping('Vendor', '301', '98')] }, other],
    ['of a vendor that cannot be read', { vendor: null }, ''],
  ])('%s', (_, of, wanted) => {
    expect(describeLink(of)).toBe(wanted);
  });

  const same = { vendor: null } as const;
  test.each<[string, Parameters<typeof describeLink>[0], string]>([
    ['the current total', { about: { on, amount: decimal('99') } }, '100.00, Autotask has 99.00.'],
    ['the total of the posting', { postedTotal: decimal('98') }, '98.00, Autotask has 100.00.'],
    ['no total when the PSA hides costs', { about: { on, amount: null }, postedTotal: decimal('98') }, ''],
    [
      'the date',
      { about: { on: calendarDate('2025-03-04'), amount: null } },
      'dated Mar 3, 2025, Autotask has Mar 4, 2025.',
    ],
    ['no date when the PSA has none', { about: { on: null, amount: null } }, ''],
  ])('is compared by %s', (_, of, wanted) => {
    expect(describeLink({ ...same, ...of })).toBe(wanted);
  });
});

describe('a bill in QuickBooks for an expense report', () => {
  const employee = { id: '91', displayName: 'v-Decker, Betty', companyName: null, isActive: true, currency: 'USD' };
  const describeLink = ({ amountDue, ...of }: Partial<ReportLinkFacts> & { amountDue?: string | null } = {}) =>
    differencesOfReportLink({
      report: expenseReport({ amountDue: amountDue === undefined || amountDue === null ? null : decimal(amountDue) }),
      about: { on, party: 'Betty Decker' },
      isWhole: true,
      document: documentOf(9_203, '100.00', {
        type: 'Bill',
        number: '1207',
        party: { id: '91', name: 'Betty' },
        datedOn: on,
      }),
      postedTotal: decimal('100.00'),
      accounting: {
        ...accounting,
        vendors: [employee],
        preferences: { ...accounting.preferences, closedThrough: null },
      },
      mappings: [],
      psaLabel: 'Autotask',
      ...of,
    })
      .map(({ message }) => message.replace(/^.* differs from this one: /, ''))
      .join();
  const ofOther = (name: string | null) =>
    documentOf(9_203, '100.00', { type: 'Bill', party: { id: '95', name }, datedOn: on });

  test.each<[string, Parameters<typeof describeLink>[0], string]>([
    ['of the employee under another name', {}, ''],
    ['of another person', { document: ofOther('Carl') }, 'vendor “Carl”, Autotask has “Betty Decker”.'],
    ['of a nameless vendor', { document: ofOther(null) }, 'vendor “95”, Autotask has “Betty Decker”.'],
    [
      'of an employee that QuickBooks does not list',
      { document: ofOther('Carl'), accounting: { ...accounting, vendors: [] } },
      '',
    ],
    [
      'of an employee who cannot be read',
      { document: ofOther('Carl'), report: expenseReport({ submitter: null }) },
      '',
    ],
    ['of the amount owed', { amountDue: '100.00' }, ''],
    ['of another amount', { amountDue: '99.99' }, '100.00, Autotask has 99.99.'],
    ['of a report with nothing owed in the PSA', { amountDue: '0' }, ''],
    ['of an unknown posted amount', { amountDue: '99.99', postedTotal: null }, ''],
    ['of one of several bills of the report', { amountDue: '150.00', isWhole: false }, ''],
    [
      'of another date',
      { about: { on: calendarDate('2025-03-04'), party: null } },
      'dated Mar 3, 2025, Autotask has Mar 4, 2025.',
    ],
    [
      'of another date, one of several bills',
      { about: { on: calendarDate('2025-03-04'), party: null }, isWhole: false },
      '',
    ],
    ['of a report without a date', { about: { on: null, party: null } }, ''],
  ])('%s', (_, of, wanted) => {
    expect(describeLink(of)).toBe(wanted);
  });
});
