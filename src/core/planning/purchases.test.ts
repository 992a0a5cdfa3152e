import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accounting,
  companies,
  expenseMappings,
  expenseReport,
  mapping,
  mappings,
  orderFactsFor,
  psa,
  purchaseOrder,
  reportFactsFor,
} from '#test/cases/sample-world.ts';
import type { Item, Vendor } from '../documents/reference-data.ts';
import { decimal, equals, isZero, minus, negate, round2, sum, times, zero, type Decimal } from '../values/decimal.ts';
import { chooseEmployeeVendor, chooseVendor } from './choose-party.ts';
import {
  isOrdered,
  isOrderEligible,
  isReportEligible,
  syncedOrderReference,
  syncedReportReference,
  thresholdOf,
} from './eligibility.ts';
import { choosePurchaseItem } from './choose-item.ts';
import { describeDocument as describeReport, billsByMonth, planExpenseReport } from './plan-expense-report.ts';
import { describeDocument, planPurchaseOrder } from './plan-purchase-order.ts';
import { costOf } from './document-lines.ts';
import { indexAccounting, indexMappings, indexPsa } from './reference-index.ts';
import { addSeconds, calendarDate, instant } from '../values/dates.ts';

const company = (id: number) => {
  const found = companies.find((one) => one.id === id);
  if (found === undefined) throw new Error(`the sample data has no company ${id}`);
  return found;
};
const ingram = company(301);
const withVendors = (...vendors: readonly Vendor[]) => indexAccounting({ ...accounting, vendors });
const vendor = (id: string, displayName: string, more: Partial<Vendor> = {}): Vendor => ({
  id,
  displayName,
  companyName: null,
  isActive: true,
  currency: 'USD',
  ...more,
});
const none = indexMappings([]);

describe('the vendor of an order', () => {
  test('is the mapped one before any name match', () => {
    const index = withVendors(vendor('1', 'Ingram Supplies'), vendor('2', 'Another Vendor'));
    const chosen = chooseVendor(ingram, index, indexMappings([mapping('Vendor', '301', '2')]), null);
    expect(chosen).toMatchObject({ is: 'existing', vendor: { id: '2' }, by: 'mapping' });
  });

  test('ignores a customer of that mapping or name', () => {
    const chosen = chooseVendor(company(302), indexAccounting(accounting), indexMappings(mappings), null);
    expect(chosen).toMatchObject({ is: 'new', vendor: { companyId: 302, displayName: 'Acme Dental' } });
  });

  test('is found by its company name when the display name differs', () => {
    const index = withVendors(vendor('1', 'Acme Dental (Vendor)', { companyName: 'acme  dental' }));
    expect(chooseVendor(company(302), index, none, null)).toMatchObject({ is: 'existing', by: 'company name' });
  });

  test('is refused when several match or the match is inactive', () => {
    const two = ['1', '2'].map((id) => vendor(id, `Branch ${id}`, { companyName: 'Ingram Supplies' }));
    expect(chooseVendor(ingram, withVendors(...two), none, null)).toMatchObject({
      is: 'refused',
      problem: {
        code: 'CUSTOMER_AMBIGUOUS',
        message: 'Several QuickBooks vendors have the name “Ingram Supplies”: “Branch 1”, “Branch 2”.',
        screen: '/vendor-mappings',
      },
    });
    const gone = withVendors(vendor('1', 'Ingram Supplies', { isActive: false }));
    expect(chooseVendor(ingram, gone, none, null)).toMatchObject({ problem: { code: 'VENDOR_INACTIVE' } });
  });
});

test.each([
  ['Betty', 'Decker', 'v-Decker, Betty'],
  ['John', "O'Brien", "v-O'Brien, John"],
  [null, 'Jacobsen', 'v-Jacobsen'],
  [' ', 'De: Witt', 'v-De Witt'],
])('an employee %s %s becomes the vendor %s', (firstName, lastName, displayName) => {
  const employee = { firstName, lastName };
  expect(chooseEmployeeVendor(employee, 21, withVendors(), none)).toMatchObject({
    is: 'new',
    vendor: { companyId: null, employee: { id: 21 }, displayName },
  });
  expect(chooseEmployeeVendor(employee, 21, withVendors(vendor('7', displayName)), none)).toMatchObject({
    is: 'existing',
    vendor: { id: '7' },
  });
});

test('returns no vendor for an employee without a name', () => {
  expect(chooseEmployeeVendor({ firstName: null, lastName: ' ' }, 21, withVendors(), none)).toBeNull();
});

const digits = (max: number, places: number) =>
  fc.integer({ min: 0, max }).map((value): Decimal => {
    const text = String(value).padStart(places + 1, '0');
    return decimal(places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`);
  });

test('quantity times price equals the amount of every cost to the cent', () => {
  fc.assert(
    fc.property(digits(1_000_000, 0), digits(2_000_000_000, 7), (quantity, unitCost) => {
      const { amount, quantity: sent, unitPrice } = costOf(quantity, unitCost);
      expect(equals(amount, round2(times(quantity, unitCost)))).toBe(true);
      expect(equals(round2(times(sent, unitPrice)), amount)).toBe(true);
    }),
  );
});

test('an order totals its rounded lines plus freight, also if the vendor credits freight', () => {
  const lines = fc.array(fc.tuple(digits(500, 0), digits(90_000_000, 4)), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lines, digits(99_999, 2), fc.boolean(), (chosen, charged, isCredited) => {
      const freight = isCredited ? negate(charged) : charged;
      const order = purchaseOrder({
        freight,
        lines: chosen.map(([quantity, unitCost]) => ({ productId: 801, quantity, unitCost })),
      });
      const decision = planPurchaseOrder(orderFactsFor(order));
      if (decision.outcome !== 'plan') throw new Error('no plan');
      const expected = sum([freight, ...chosen.map(([quantity, cost]) => round2(times(quantity, cost)))]);
      expect(equals(decision.plan.expected.subtotal, expected)).toBe(true);
    }),
  );
});

test('a bill totals the reimbursed amount minus the advance, is never billable, and never negative', () => {
  const items = fc.array(fc.tuple(digits(99_999, 3), fc.boolean(), fc.boolean()), { maxLength: 15 });
  fc.assert(
    fc.property(items, digits(99_999, 2), (chosen, cashAdvance) => {
      const report = expenseReport({
        cashAdvance,
        items: chosen.map(([amount, isReimbursable, isRejected]) => ({ amount, isReimbursable, isRejected })),
      });
      const decision = planExpenseReport(reportFactsFor(report, { mappings: expenseMappings }));
      const counted = chosen.filter(([, isReimbursable, isRejected]) => isReimbursable && !isRejected);
      const owed = minus(sum(counted.map(([amount]) => round2(amount))), cashAdvance);
      expect(decision.outcome).toBe(counted.every(([amount]) => isZero(round2(amount))) ? 'skip' : 'plan');
      if (decision.outcome !== 'plan') return;
      const { subtotal } = decision.plan.expected;
      expect(equals(subtotal, owed.startsWith('-') ? zero : owed)).toBe(true);
      expect(describeReport({ report, accounting }).amount).toBe(subtotal);
    }),
  );
});

test('the bills of a split report are never negative, and add up to what is owed', () => {
  const days = ['2025-01-31', '2025-02-01', '2025-02-28', '2025-03-01', '2025-04-02'];
  const expense = fc.tuple(fc.integer({ min: -500, max: 1_000 }), fc.constantFrom(...days));
  fc.assert(
    fc.property(fc.array(expense, { minLength: 1, maxLength: 6 }), fc.nat({ max: 2_000 }), (expenses, advance) => {
      const report = expenseReport({
        cashAdvance: decimal(advance),
        weekEndingOn: calendarDate('2025-03-02'),
        items: expenses.map(([amount, day]) => ({ amount: decimal(amount), spentOn: calendarDate(day) })),
      });
      const { settings } = reportFactsFor(report);
      const facts = reportFactsFor(report, {
        mappings: expenseMappings,
        accounting: { ...accounting, preferences: { ...accounting.preferences, closedThrough: null } },
        settings: { ...settings, exp_split_month_end: true, exp_cash_advance_expense_account: '25' },
      });
      const decision = planExpenseReport(facts);
      const spent = expenses.reduce((total, [amount]) => total + amount, 0);
      const isEmpty = expenses.every(([amount]) => amount === 0);
      expect(decision.outcome).toBe(isEmpty ? 'skip' : spent < 0 ? 'refuse' : 'plan');
      if (decision.outcome !== 'plan') return;
      const bills = decision.plan.commands.flatMap((one) => (one.do === 'create_bill' ? [one.bill] : []));
      const totals = bills.map(({ lines }) => sum(lines.map(({ amount }) => amount)));
      expect(totals.filter((total) => total.startsWith('-'))).toEqual([]);
      expect(bills.filter(({ lines }) => lines.length === 0)).toEqual([]);
      expect(Number(sum(totals))).toBe(Math.max(0, spent - advance));
    }),
  );
});

test.each([
  ['the class with that full name', ['SVC', 'West:SVC'], '1'],
  ['the only class with that name', ['West:SVC', 'Hardware'], '1'],
  ['none when several have that name', ['West:SVC', 'East:SVC'], null],
  ['none when no class has it', ['Hardware'], null],
])('uses as department of a report %s', (_, names, classId) => {
  const classes = names.map((fullyQualifiedName, at) => ({ id: String(at + 1), fullyQualifiedName, isActive: true }));
  const decision = planExpenseReport(
    reportFactsFor(expenseReport({ items: [{ amount: decimal('12.50') }] }), {
      mappings: expenseMappings,
      accounting: { ...accounting, classes, preferences: { ...accounting.preferences, classPerLine: true } },
    }),
  );
  expect(decision).toMatchObject({ outcome: 'plan', plan: { commands: [{ bill: { lines: [{ classId }] } }] } });
});

describe('a sync that searches', () => {
  const from = thresholdOf(instant('2025-03-03T15:00:00Z'), 'America/Chicago', 14);
  const before = addSeconds(from, -1);

  test('takes orders from the first day of the window on', () => {
    const rules = { from, force: false };
    expect(isOrderEligible(purchaseOrder({ createdAt: from }), rules)).toBe(true);
    expect(isOrderEligible(purchaseOrder({ createdAt: before }), rules)).toBe(false);
    // An order that was received between two syncs must still be posted.
    for (const status of ['partly_received', 'received'] as const)
      expect(isOrderEligible(purchaseOrder({ status, createdAt: from }), rules)).toBe(true);
    for (const status of ['new', 'canceled'] as const)
      expect(isOrderEligible(purchaseOrder({ status }), { from: before, force: true })).toBe(false);
    for (const externalNumber of ['1009', 'ERROR']) {
      expect(isOrderEligible(purchaseOrder({ externalNumber }), rules)).toBe(false);
      expect(isOrderEligible(purchaseOrder({ externalNumber }), { from, force: true })).toBe(true);
    }
  });

  test('takes reports by their submission date, and stale ones that no process works on', () => {
    const rules = { from, force: false };
    expect(isReportEligible(expenseReport({ submittedAt: from }), rules, false)).toBe(true);
    expect(isReportEligible(expenseReport({ submittedAt: before }), rules, false)).toBe(false);
    expect(isReportEligible(expenseReport({ submittedAt: null }), rules, false)).toBe(false);
    expect(isReportEligible(expenseReport({ status: 'paid' }), rules, false)).toBe(false);
    expect(isReportEligible(expenseReport({ reference: 'IN PROCESS' }), rules, false)).toBe(true);
    expect(isReportEligible(expenseReport({ reference: 'IN PROCESS' }), rules, true)).toBe(false);
    for (const reference of ['ERROR', '9203'])
      expect(isReportEligible(expenseReport({ reference }), rules, false)).toBe(false);
  });
});

test.each([
  ['', null, null],
  [' ', null, null],
  ['ERROR', null, null],
  ['IN PROCESS', 'IN PROCESS', null],
  [' 1009 ', '1009', '1009'],
])('a reference “%s” means an order is posted as %s, and a report as %s', (reference, ofOrder, ofReport) => {
  expect(syncedOrderReference(purchaseOrder({ externalNumber: reference }))).toBe(ofOrder);
  expect(syncedReportReference(expenseReport({ reference }))).toBe(ofReport);
});

test.each([
  ['submitted', true],
  ['partly_received', true],
  ['received', true],
  ['new', false],
  ['canceled', false],
] as const)('the vendor has an order with status %s: %s', (status, has) => {
  expect(isOrdered({ status })).toBe(has);
});

describe('the item of a purchased product', () => {
  const chosen = (of: { readonly mapped?: Partial<Item>; readonly sku?: string | null; readonly to?: string }) => {
    const [sample] = accounting.items;
    if (sample === undefined) throw new Error('the sample data has no item');
    const bought: Item = { ...sample, id: '40', name: 'AP', fullyQualifiedName: 'AP', expenseAccountId: '14' };
    return choosePurchaseItem(804, decimal('12.50'), {
      psa: indexPsa({ ...psa, products: [{ id: 804, name: 'Cable', sku: of.sku ?? null }] }),
      accounting: indexAccounting({
        ...accounting,
        items: of.mapped === undefined ? [] : [{ ...bought, ...of.mapped }],
      }),
      mappings: indexMappings(of.to === undefined ? [] : [mapping('ItemPurchasing', '804', of.to, 'Access point')]),
      createsItems: true,
      expenseAccountId: '14',
      incomeAccountId: '2',
    });
  };

  test.each<[string, Parameters<typeof chosen>[0], string]>([
    ['is deleted', { to: '40' }, 'The mapped item “Access point” is inactive or deleted.'],
    ['is inactive', { to: '40', mapped: { isActive: false } }, 'The mapped item “AP” is inactive or deleted.'],
    ['is a bundle', { to: '40', mapped: { type: 'Group' } }, 'The mapped item “AP” is a group.'],
  ])('is refused when the mapped item %s', (_, of, message) => {
    expect(chosen(of)).toMatchObject({ is: 'refused', problem: { code: 'ITEM_INVALID', message } });
  });

  test.each([
    [null, null],
    [' ', null],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['x'.repeat(101), null],
  ])('is created with SKU %s shortened for QuickBooks: %s', (sku, saved) => {
    expect(chosen({ sku })).toMatchObject({ is: 'new', item: { name: 'Cable', sku: saved, purchaseCost: '12.5' } });
  });
});

test.each([
  ['both sides have several currencies', true, true, { unitPrice: '100', freight: '10', amount: '110' }],
  ['only the PSA has several', true, false, { unitPrice: '80', freight: '8', amount: '88' }],
  ['only QuickBooks has several', false, true, { unitPrice: '80', freight: '8', amount: '88' }],
  ['both have one', false, false, { unitPrice: '80', freight: '8', amount: '88' }],
])("uses the vendor's currency for an order only when %s", (_, ofPsa, ofAccounting, wanted) => {
  const facts = orderFactsFor(
    purchaseOrder({
      freight: decimal('10'),
      internalFreight: decimal('8'),
      lines: [{ productId: 801, unitCost: decimal('100'), internalUnitCost: decimal('80') }],
    }),
    {
      psa: { ...psa, modules: { ...psa.modules, multiCurrency: ofPsa } },
      accounting: { ...accounting, preferences: { ...accounting.preferences, multiCurrency: ofAccounting } },
    },
  );
  expect(describeDocument(facts).amount).toBe(wanted.amount);
  expect(planPurchaseOrder(facts)).toMatchObject({
    plan: {
      commands: [{ order: { lines: [{ unitPrice: wanted.unitPrice }, { amount: wanted.freight }] } }],
      expected: { subtotal: wanted.amount },
    },
  });
});

test.each([
  ['both sides have several currencies', true, true, 'CAD'],
  ['only the PSA has several', true, false, null],
  ['only QuickBooks has several', false, true, null],
])('a customer created by an order gets its currency when %s', (_, ofPsa, ofAccounting, currency) => {
  const decision = planPurchaseOrder(
    orderFactsFor(purchaseOrder({ forCompanyId: 177, lines: [{ productId: 801, unitCost: decimal('100') }] }), {
      psa: { ...psa, modules: { ...psa.modules, multiCurrency: ofPsa } },
      accounting: {
        ...accounting,
        customers: [],
        preferences: { ...accounting.preferences, multiCurrency: ofAccounting },
      },
    }),
  );
  expect(decision).toMatchObject({ plan: { commands: [{ do: 'create_customer', customer: { currency } }, {}] } });
});

test.each([
  ['one product', [900], 'The product "product 900" is not mapped'],
  ['two products', [900, 901], '2 products'],
])('refuses an order of %s without items once', (_, products) => {
  const lines = products.map((productId) => ({ productId, unitCost: decimal('1') }));
  const decision = planPurchaseOrder(orderFactsFor(purchaseOrder({ lines })));
  expect(decision.outcome === 'refuse' && decision.problems.map(({ code }) => code)).toEqual(['ITEM_NOT_MAPPED']);
});

const nowhere = { line1: null, line2: null, city: null, state: null, postalCode: null, country: null };
test.each([
  ['no name and no address', ' ', nowhere, null],
  ['a name', 'Acme Dental', nowhere, { name: 'Acme Dental', address: nowhere }],
  ['an address', '', { ...nowhere, city: 'Austin' }, { name: null, address: { ...nowhere, city: 'Austin' } }],
])('an order shipped to %s includes it', (_, shipToName, shipTo, wanted) => {
  const order = purchaseOrder({ shipToName, shipTo, lines: [{ productId: 801, unitCost: decimal('1') }] });
  expect(planPurchaseOrder(orderFactsFor(order))).toMatchObject({
    plan: { commands: [{ order: { shipTo: wanted } }] },
  });
});

test('refuses a report of an employee without a name', () => {
  const report = expenseReport({ submitter: { firstName: null, lastName: ' ' }, items: [{ amount: decimal('10') }] });
  const decision = planExpenseReport(reportFactsFor(report, { mappings: expenseMappings }));
  expect(decision.outcome === 'refuse' && decision.problems.map(({ code }) => code)).toEqual(['RESOURCE_NOT_FOUND']);
});

test.each([
  ['nothing', [], ['2025-03-02 0']],
  [
    'one month',
    [
      ['2025-02-01', '10'],
      ['2025-02-28', '-10'],
    ],
    ['2025-02-28 0'],
  ],
  [
    'two months',
    [
      ['2025-02-28', '10'],
      ['2025-03-01', '5'],
    ],
    ['2025-02-28 10', '2025-03-02 5'],
  ],
  [
    'two years',
    [
      ['2024-02-28', '1'],
      ['2025-02-28', '2'],
    ],
    ['2024-02-29 1', '2025-02-28 2'],
  ],
  [
    'a later refund',
    [
      ['2025-02-27', '100'],
      ['2025-03-01', '-20'],
    ],
    ['2025-03-02 80'],
  ],
  [
    'an earlier refund',
    [
      ['2025-02-27', '-0.01'],
      ['2025-03-01', '100'],
    ],
    ['2025-03-02 99.99'],
  ],
  [
    'a refund of all',
    [
      ['2025-02-27', '-5'],
      ['2025-02-28', '5'],
      ['2025-03-01', '7'],
    ],
    ['2025-02-28 0', '2025-03-02 7'],
  ],
] as const)('a report of %s has no negative bill', (_, expenses, bills) => {
  const items = expenses.map(([day, amount]) => ({ spentOn: calendarDate(day), amount: decimal(amount) }));
  const parts = billsByMonth({ cashAdvance: decimal('0') }, items, calendarDate('2025-03-02'));
  expect(parts.map(({ on, total }) => `${on} ${total}`)).toEqual(bills);
  expect(parts.filter(({ isLast }) => isLast)).toEqual(parts.slice(-1));
});

test('creates one bill per month, earliest first, and links the last one to the report', () => {
  const days = ['2025-02-25', '2024-12-30', '2025-01-05', '2025-01-31', '2025-03-02'];
  const amounts = ['1', '2', '4', '8', '16'];
  const decision = planExpenseReport(
    reportFactsFor(
      expenseReport({
        weekEndingOn: calendarDate('2025-02-28'),
        items: days.map((day, at) => ({ spentOn: calendarDate(day), amount: decimal(amounts[at] ?? '0') })),
      }),
      {
        mappings: expenseMappings,
        accounting: { ...accounting, preferences: { ...accounting.preferences, closedThrough: null } },
        settings: { ...reportFactsFor(expenseReport({})).settings, exp_split_month_end: true },
      },
    ),
  );
  if (decision.outcome !== 'plan') throw new Error(JSON.stringify(decision));
  const bills = decision.plan.commands.flatMap((one) => (one.do === 'create_bill' ? [one.bill] : []));
  expect(bills.map(({ number, datedOn, lines }) => [number, datedOn, sum(lines.map(({ amount }) => amount))])).toEqual([
    ['EXP-1207-2024-12', '2024-12-31', '2'],
    ['EXP-1207-2025-01', '2025-01-31', '12'],
    ['EXP-1207', '2025-02-28', '17'],
  ]);
});
