import { expect, test } from 'vitest';
import type { ReportContents } from '../documents/books-report.ts';
import type { Account, Item } from '../documents/reference-data.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, zero } from '../values/decimal.ts';
import { documentOf, lineOf } from './testing.ts';
import { holds, tieOuts, type TieOut, type TieOutFacts } from './tie-outs.ts';

const account = (id: string, classification: string, subType: string): Account => ({
  id,
  fullyQualifiedName: `Account ${id}`,
  classification,
  subType,
  isActive: true,
});
const item = (id: string, incomeAccountId: string) => ({ id, incomeAccountId }) as Item;

const nothing: ReportContents = {
  trial_balance: [],
  general_ledger: [],
  aged_receivables: { documents: [], total: zero },
  aged_payables: { documents: [], total: zero },
  customer_sales: { customers: [], total: zero },
  class_income: { classes: [], total: zero },
};

/** The tie-outs of one block of ten hours that is sold, of which four are used by another invoice. */
function named(name: string, reports: Partial<ReportContents>, more: Partial<TieOutFacts> = {}): TieOut | undefined {
  const facts: TieOutFacts = {
    through: calendarDate('2026-02-28'),
    homeCurrency: 'USD',
    psaLabel: 'Autotask',
    lists: {
      accounts: [
        account('1', 'Revenue', 'SalesOfProductIncome'),
        account('40', 'Liability', 'OtherCurrentLiabilities'),
      ],
      classes: [{ id: '7', fullyQualifiedName: 'Services', isActive: true }],
      items: [item('11', '1'), item('19', '40')],
    },
    documents: [
      documentOf(1, '1500', { lines: [lineOf('1500', { itemId: '19' })] }),
      documentOf(2, '0', { lines: [lineOf('600', { classId: '7' }), lineOf('-600', { itemId: '19' })] }),
    ],
    reports: { ...nothing, ...reports },
    psaOpen: [],
    openOrders: [],
    received: [],
    unbilled: null,
    advanceAccountId: null,
    prepaidAccountId: '40',
    ...more,
  };
  return tieOuts(facts).find((one) => one.name === name);
}

const owed = (credit: string) => ({
  trial_balance: [{ accountId: '40', name: 'Account 40', debit: zero, credit: decimal(credit) }],
  general_ledger: [{ accountId: '40', name: 'Account 40', opening: decimal('250'), entries: [] }],
});

test('blocks and retainers: what was owed, sold and used by client comes to what is owed now', () => {
  const found = named('prepayments', owed('1150'));
  expect(found).toMatchObject({ left: '1150', right: '1150', difference: '0', mustBeZero: true });
  expect(found?.rows).toMatchObject([
    { label: 'Balance before the month', left: '250' },
    { label: 'Acme Dental', left: '900', note: 'Sold 1500, used 600' },
  ]);
  expect(named('prepayments', owed('1149.99'))?.difference).toBe('0.01');
  expect(named('prepayments', owed('1150'), { prepaidAccountId: null })).toBeUndefined();
});

const income = (...classes: readonly (readonly [string, string])[]) => ({
  class_income: {
    classes: classes.map(([name, amount]) => ({ name, amount: decimal(amount) })),
    total: decimal('600'),
  },
});

test('revenue by class agrees with the report in each class, and prepaid work that is no income yet does not count', () => {
  const found = named('revenue_by_class', income(['Services', '600']));
  expect(found).toMatchObject({ left: '600', right: '600', rows: [{ label: 'Services', left: '600', right: '600' }] });
  expect(found !== undefined && holds(found)).toBe(true);
  // The sum is the same, and two classes are not.
  const moved = named('revenue_by_class', income(['Services', '500'], ['Not Specified', '100']));
  expect([moved?.difference, moved !== undefined && holds(moved)]).toEqual(['0', false]);
});

test('revenue by class has to agree only while the class of every entry is known', () => {
  const entry = { datedOn: null, id: '9', number: null, partyName: null, memo: null };
  const general_ledger = [
    {
      accountId: '1',
      name: 'Account 1',
      opening: zero,
      entries: [{ ...entry, type: 'Deposit', amount: decimal('30') }],
    },
  ];
  const found = named('revenue_by_class', { ...income(['Services', '630']), general_ledger });
  expect(found).toMatchObject({ mustBeZero: false, left: '630' });
});
