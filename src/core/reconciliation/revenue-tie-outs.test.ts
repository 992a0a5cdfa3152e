import { expect, test } from 'vitest';
import type { LedgerEntry } from '../documents/accounting-report.ts';
import { decimal, zero } from '../values/decimal.ts';
import { customerSales, revenueByClass } from './revenue-tie-outs.ts';
import { accountOf, documentOf, entryOf, lineOf, tieOutFactsOf } from './testing.ts';
import { holds, type TieOutFacts } from './tie-out.ts';
import { tieOuts } from './tie-outs.ts';

const onClass = (classId: string | null, amount: string, accountId = '1') =>
  lineOf(amount, { classId, accountId, itemId: null });

/** Has one invoice with two classes, one credit memo, and the ledger of the income account. */
const facts = (ledger: readonly LedgerEntry[], others: TieOutFacts['reports']['general_ledger'] = []): TieOutFacts =>
  tieOutFactsOf([], {
    lists: {
      accounts: [accountOf('1', 'Service Income'), accountOf('2', 'Prepaid costs', { classification: 'Asset' })],
      classes: [{ id: '7', fullyQualifiedName: 'Managed services', isActive: true }],
      customers: [],
      items: [],
    },
    documents: [
      documentOf(1, '150', { lines: [onClass('7', '100'), onClass(null, '50')] }),
      documentOf(2, '30', { type: 'CreditMemo', lines: [onClass('7', '30')] }),
    ],
    reports: {
      general_ledger: [{ accountId: '1', name: 'Service Income', opening: zero, entries: ledger }, ...others],
    },
  });
const agreeing = [
  entryOf('100', { className: 'Managed services' }),
  entryOf('50', { className: '' }),
  entryOf('-30', { type: 'Credit Memo', className: 'Managed services' }),
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
  const moved = [entryOf('150', { className: 'Managed services' }), ...agreeing.slice(2)];
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
    { accountId: '2', name: 'Prepaid costs', opening: zero, entries: [entryOf('-20', { className: null })] },
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
  const tie = revenueByClass(facts([entryOf('120')]));
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
