import { expect, test } from 'vitest';
import type { LedgerEntry } from '../documents/accounting-report.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, zero } from '../values/decimal.ts';
import { customerSales, revenueByClass } from './revenue-tie-outs.ts';
import { documentOf, lineOf } from './testing.ts';
import { holds, type TieOutFacts } from './tie-out.ts';
import { tieOuts } from './tie-outs.ts';

const account = (id: string, fullyQualifiedName: string, classification: string) => ({
  id,
  fullyQualifiedName,
  classification,
  subType: '',
  isActive: true,
});
const entry = (amount: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  datedOn: calendarDate('2026-02-10'),
  type: 'Invoice',
  id: '1',
  number: 'AT-1',
  partyName: 'Acme Dental',
  memo: null,
  amount: decimal(amount),
  ...more,
});
const onClass = (classId: string | null, amount: string, accountId = '1') =>
  lineOf(amount, { classId, accountId, itemId: null });

/** Has one invoice with two classes, one credit memo, and the ledger of the income account. */
const facts = (ledger: readonly LedgerEntry[], others: TieOutFacts['reports']['general_ledger'] = []): TieOutFacts => ({
  through: calendarDate('2026-02-28'),
  asOf: calendarDate('2026-02-28'),
  homeCurrency: 'USD',
  psaLabel: 'Autotask',
  lists: {
    accounts: [account('1', 'Service Income', 'Revenue'), account('2', 'Prepaid costs', 'Asset')],
    classes: [{ id: '7', fullyQualifiedName: 'Managed services', isActive: true }],
    customers: [],
    items: [],
  },
  documents: [
    documentOf(1, '150', { lines: [onClass('7', '100'), onClass(null, '50')] }),
    documentOf(2, '30', { type: 'CreditMemo', lines: [onClass('7', '30')] }),
  ],
  earlierPayments: [],
  expenseBillIds: new Set(),
  reports: {
    trial_balance: [],
    general_ledger: [{ accountId: '1', name: 'Service Income', opening: zero, entries: ledger }, ...others],
    aged_receivables: { documents: [], total: zero },
    aged_payables: { documents: [], total: zero },
    customer_sales: { customers: [], total: zero },
  },
  psaOpen: [],
  openOrders: [],
  received: [],
  unbilled: null,
  taxes: { rates: [], summaries: [] },
  prepaid: null,
  advanceAccountId: null,
  unbilledAccountId: null,
});
const agreeing = [
  entry('100', { className: 'Managed services' }),
  entry('50', { className: '' }),
  entry('-30', { type: 'Credit Memo', className: 'Managed services' }),
];
const shown = (of: TieOutFacts) => {
  const tie = revenueByClass(of);
  return { holds: holds(tie), rows: tie.rows.map(({ label, left, right }) => [label, left, right]) };
};

test('compares lines by class with ledger entries by class', () => {
  expect(shown(facts(agreeing))).toEqual({
    holds: true,
    rows: [
      ['Managed services', '70', '70'],
      ['Without a class', '50', '50'],
    ],
  });
});

test('finds revenue posted to another class at the same total', () => {
  const moved = [entry('150', { className: 'Managed services' }), ...agreeing.slice(2)];
  expect(shown(facts(moved))).toEqual({
    holds: false,
    rows: [
      ['Managed services', '70', '120'],
      ['Without a class', '50', '0'],
    ],
  });
});

test('counts a line posted to a debit account', () => {
  const { documents, ...rest } = facts(agreeing, [
    { accountId: '2', name: 'Prepaid costs', opening: zero, entries: [entry('-20', { className: null })] },
  ]);
  const all = [...documents, documentOf(3, '20', { lines: [onClass(null, '20', '2')] })];
  expect(shown({ ...rest, documents: all })).toEqual({
    holds: true,
    rows: [
      ['Managed services', '70', '70'],
      ['Without a class', '70', '70'],
    ],
  });
});

test('becomes informational when the ledger has no classes', () => {
  const tie = revenueByClass(facts([entry('120')]));
  expect(tie).toMatchObject({ mustBeZero: false, rightLabel: 'QuickBooks reports no classes', difference: '0' });
  expect(tie.rows.map(({ right }) => right)).toEqual([null, null]);
});

test('uses the singular for one document', () => {
  const { documents, ...rest } = facts(agreeing);
  const labelsOf = (of: TieOutFacts) => customerSales(of, []).rows.map(({ label }) => label);
  expect(labelsOf({ ...rest, documents })[0]).toBe('2 sales documents');
  expect(labelsOf({ ...rest, documents: documents.slice(0, 1) })[0]).toBe('1 sales document');
});

test('includes some tie-outs only with an account, a list, or another currency', () => {
  const names = (of: Partial<TieOutFacts>) => tieOuts({ ...facts([]), ...of }, []).map(({ name }) => name);
  const always = names({});
  expect(always).not.toContain('employee_advances');
  expect(names({ advanceAccountId: '2' }).filter((name) => !always.includes(name))).toEqual(['employee_advances']);
  const work = { count: 1, amount: decimal('80') };
  expect(names({ unbilled: work }).filter((name) => !always.includes(name))).toEqual(['unbilled']);
  expect(always).toEqual(expect.arrayContaining(['receivables_ageing', 'payables_ageing', 'customer_sales']));
});
