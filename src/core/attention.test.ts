import { expect, test } from 'vitest';
import { countByState, groupByCause } from './attention.ts';
import type { Unresolved } from './records/log.ts';
import { problem, withUsedRecords, type Problem } from './problems.ts';
import { addSeconds, calendarDate, instant } from './values/dates.ts';
import { decimal } from './values/decimal.ts';
import { menus } from '#test/cases/sample-world.ts';

const at = instant('2025-03-03T15:00:00Z');

const mapping = (label: string): Problem => ({
  code: 'ITEM_NOT_MAPPED',
  treatment: 'person',
  message: `A line has no QuickBooks item: "${label}".`,
  remedy: 'Map it.',
  screen: '/item-mappings',
  repairs: [
    { do: 'map', namespace: 'ItemBilling', sourceEntity: 'BillingCode', sourceValue: label, sourceLabel: label },
  ],
});
const closed: Problem = {
  code: 'PERIOD_CLOSED',
  treatment: 'held',
  message: 'The books are closed.',
  remedy: null,
  screen: null,
};
const down: Problem = {
  code: 'QBO_UNAVAILABLE',
  treatment: 'transient',
  message: 'QuickBooks did not respond.',
  remedy: null,
  screen: null,
};

const one = (psaId: number, amount: string | null, ...problems: readonly Problem[]): Unresolved => ({
  key: `invoice/${psaId}/${at}`,
  at: addSeconds(at, psaId),
  type: 'invoice',
  psaId,
  isTest: false,
  isManual: false,
  success: false,
  what: 'Invoice',
  number: null,
  party: 'Acme Dental',
  on: null,
  amount: amount === null ? null : decimal(amount),
  currency: 'USD',
  message: problems[0]?.message ?? 'It failed.',
  awaitsApproval: false,
  isOnHold: false,
  problems,
  testedSince: null,
});
const shape = (documents: readonly Unresolved[]) =>
  groupByCause(documents).map(({ state, message, documents: of }) => [state, message, of.map(({ psaId }) => psaId)]);

test('groups documents by missing mapping', () => {
  expect(
    shape([one(1, '10', mapping('Workstation')), one(2, '5', mapping('Server')), one(3, '20', mapping('Workstation'))]),
  ).toEqual([
    ['needs_you', 'A line has no QuickBooks item: "Workstation".', [1, 3]],
    ['needs_you', 'A line has no QuickBooks item: "Server".', [2]],
  ]);
});

test('lists a document with two missing mappings in both groups and counts it once', () => {
  const [meals, mileage] = [mapping('Meals'), mapping('Mileage')];
  const both = (first: Problem, second: Problem): Problem => ({
    ...first,
    message: 'Several are missing.',
    repairs: [...(first.repairs ?? []), ...(second.repairs ?? [])],
  });
  const documents = [one(1, '10', both(meals, mileage)), one(2, '5', both(mileage, meals)), one(3, '5', meals)];
  expect(shape(documents)).toEqual([
    ['needs_you', '“Meals” is not mapped.', [1, 2, 3]],
    ['needs_you', '“Mileage” is not mapped.', [1, 2]],
  ]);
  expect(groupByCause(documents).map(({ repairs }) => repairs)).toEqual([meals.repairs, mileage.repairs]);
  expect(countByState(groupByCause(documents))).toEqual({ needs_you: 3, held: 0, retrying: 0 });
});

test('lists a document under each missing mapping and setting of its problems, and other problems under the first', () => {
  const advance = problem('CASH_ADVANCE_ACCOUNT_REQUIRED');
  const vendor = (id: number) =>
    problem('VENDOR_NOT_MAPPED', {
      name: `Vendor ${id}`,
      namespace: 'Employee',
      company: { id, name: `Employee ${id}` },
    });
  const empty = problem('NO_LINES', { psa: 'Autotask', what: 'purchase order' });
  const warned = problem('DATE_MOVED', {
    from: calendarDate('2025-01-31'),
    to: calendarDate('2025-02-01'),
    closedThrough: calendarDate('2025-01-31'),
  });
  const found = groupByCause([
    one(1, '10', vendor(21), advance),
    one(2, '20', advance),
    one(3, '5', vendor(21), vendor(22), vendor(21), empty),
    one(4, '1', warned, empty, advance),
  ]);
  expect(found.map(({ code, message, documents }) => [code, message, documents.map(({ psaId }) => psaId)])).toEqual([
    ['CASH_ADVANCE_ACCOUNT_REQUIRED', advance.message, [1, 2, 4]],
    ['VENDOR_NOT_MAPPED', vendor(21).message, [1, 3]],
    ['VENDOR_NOT_MAPPED', vendor(22).message, [3]],
    ['NO_LINES', empty.message, [4]],
  ]);
  expect(found[1]?.remedy).toMatch(/^Map the employee under Vendor Mappings/);
  expect(countByState(found)).toEqual({ needs_you: 4, held: 0, retrying: 0 });
});

test('separates refusals of QuickBooks that name different missing records', () => {
  const gone = (id: string) =>
    problem('QBO_REFERENCE', { detail: `Invalid Reference Id : Vendors element id ${id} not found` });
  expect(shape([one(1, '3', gone('90')), one(2, '2', gone('91')), one(3, '1', gone('90'))])).toEqual([
    ['needs_you', gone('90').message, [1, 3]],
    ['needs_you', gone('91').message, [2]],
  ]);
});

test('groups refusals of one missing record, although the documents use different others', () => {
  const refused = (detail: string, records: string) => withUsedRecords(problem('QBO_REFERENCE', { detail }), records);
  const named = 'Accounts element id 12 not found';
  const unnamed = 'Something was made inactive.';
  expect(
    shape([
      one(1, '9', refused(named, 'account “Meals”')),
      one(2, '8', refused(named, 'account “Meals”, customer “Acme”')),
      one(3, '7', refused(unnamed, 'account “Meals”')),
      one(4, '6', refused(unnamed, 'account “Auto”')),
      one(5, '5', refused(unnamed, 'account “Meals”')),
    ]).map(([, message, ids]) => [message, ids]),
  ).toEqual([
    ['A record used by this document no longer exists in QuickBooks: Accounts element id 12 not found.', [1, 2]],
    [refused(unnamed, 'account “Meals”').message, [3, 5]],
    [refused(unnamed, 'account “Auto”').message, [4]],
  ]);
});

test('separates problems of different records that several documents use', () => {
  const company = (id: number) => problem('COMPANY_NOT_FOUND', { psa: 'Autotask', id });
  const employee = (id: number) => problem('RESOURCE_NOT_FOUND', { psa: 'Autotask', id });
  const rate = (on: string) => problem('EXCHANGE_RATE_MISSING', { currency: 'CAD', on: calendarDate(on) });
  const all = [company(301), company(302), employee(21), employee(22), rate('2025-03-03'), rate('2025-03-04')];
  const found = groupByCause([...all, ...all].map((of, index) => one(index, '1', of)));
  expect(found.map(({ message, documents }) => [message, documents.length]).sort()).toEqual(
    all.map(({ message }) => [message, 2]).sort(),
  );
  expect(found.find(({ message }) => message === employee(22).message)?.repairs).toEqual(employee(22).repairs);
});

test('separates problems with one message and different fixes', () => {
  const two = ['Map it.', 'Make it active.'].map((remedy) => ({
    ...problem('NO_LINES', { psa: 'Autotask', what: 'x' }),
    remedy,
  }));
  expect(groupByCause(two.map((of, index) => one(index, '1', of))).map(({ remedy }) => remedy)).toEqual([
    'Map it.',
    'Make it active.',
  ]);
});

test('names the billable or non-billable account that an expense category needs', () => {
  const expense = (namespace: 'ExpenseCategoryBillable' | 'ExpenseCategoryNonBillable') =>
    ({ do: 'map', namespace, sourceEntity: 'ExpenseCategory', sourceValue: '42', sourceLabel: 'Meals' }) as const;
  const both: Problem = {
    ...mapping('Meals'),
    code: 'EXPENSE_CATEGORY_NOT_MAPPED',
    message: 'No billable account is mapped for “Meals”. No non-billable account is mapped for “Meals”.',
    repairs: [expense('ExpenseCategoryBillable'), expense('ExpenseCategoryNonBillable')],
  };
  expect(shape([one(1, '10', both)])).toEqual([
    ['needs_you', 'No billable account is mapped for “Meals”.', [1]],
    ['needs_you', 'No non-billable account is mapped for “Meals”.', [1]],
  ]);
});

test('separates different error responses of a service, even with the same remedy', () => {
  const refused = (detail: string) => problem('QBO_VALIDATION', { detail });
  const email = (text: string) =>
    refused(`Email address does not conform to the RFC822 format. Supplied value:${text}`);
  const found = groupByCause([
    one(1, '1', email('none')),
    one(2, '1', email('a@x; b@x')),
    one(3, '1', refused('Business Validation Error: The name is too long.')),
  ]);
  expect(found.map(({ message, documents }) => [message, documents.map(({ psaId }) => psaId)])).toEqual([
    [expect.stringContaining('RFC822 format. Supplied value: …'), [1, 2]],
    [expect.stringContaining('The name is too long.'), [3]],
  ]);
});

test('groups documents that differ only in a date', () => {
  const open = (on: string) =>
    problem('OPEN_AGAIN', { psa: 'Autotask', menus, number: '1042', open: '5.00', paidOn: calendarDate(on) });
  expect(groupByCause([one(1, '2', open('2026-02-28')), one(2, '1', open('2026-03-01'))])).toHaveLength(1);
});

test('omits amounts from the title of a group with several documents', () => {
  const control = (lines: string, invoice: string) =>
    problem('CONTROL_TOTAL', { psa: 'Autotask', menus, lines, invoice });
  expect(shape([one(1, '2', control('10.00', '1,211.00')), one(2, '1', control('5.50', '6.00'))])).toEqual([
    ['needs_you', 'The lines add up to …, but the invoice total is ….', [1, 2]],
  ]);
  expect(shape([one(1, '2', control('10.00', '11.00'))])).toEqual([
    ['needs_you', 'The lines add up to 10.00, but the invoice total is 11.00.', [1]],
  ]);
});

test('lists groups that need a person first, then by absolute amount', () => {
  expect(
    shape([one(1, '900', closed), one(2, '10', mapping('A')), one(3, '-50', mapping('B')), one(4, null, down)]).map(
      ([, , ids]) => ids,
    ),
  ).toEqual([[3], [2], [1], [4]]);
});

test('groups a document with several problems under the one that needs a person', () => {
  expect(shape([one(1, '1', closed, mapping('A'))])).toEqual([
    ['needs_you', 'A line has no QuickBooks item: "A".', [1]],
  ]);
});

test('a failure without a known problem needs a person and shows its own message', () => {
  expect(shape([one(1, '1'), one(2, '1')])).toEqual([['needs_you', 'It failed.', [1, 2]]]);
});

test('groups problems without a repair by their remedy', () => {
  const gone = problem('PSA_DOCUMENT_MISSING', { psa: 'Autotask', what: 'invoice 1' });
  const other = problem('PSA_DOCUMENT_MISSING', { psa: 'Autotask', what: 'invoice 2' });
  expect(groupByCause([one(1, '1', gone), one(2, '1', other)])).toHaveLength(1);
});

test('counts documents by what they wait for', () => {
  const groups = groupByCause([one(1, '9', closed), one(2, '1', down), one(3, '1', mapping('A')), one(4, '1')]);
  expect(countByState(groups)).toEqual({ needs_you: 2, held: 1, retrying: 1 });
});

test('does not sort groups by the sum of different currencies', () => {
  const two = [
    one(1, '60', mapping('Labour')),
    { ...one(2, '60', mapping('Labour')), currency: 'CAD' },
    one(3, '100', mapping('Travel')),
  ];
  expect(groupByCause(two).map(({ documents }) => documents.map(({ psaId }) => psaId))).toEqual([[3], [1, 2]]);
});
