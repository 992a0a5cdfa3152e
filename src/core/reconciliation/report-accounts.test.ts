import { expect, test } from 'vitest';
import type { ReportContents } from '../documents/accounting-report.ts';
import { decimal, zero } from '../values/decimal.ts';
import { withAccountIds } from './report-accounts.ts';
import { accountOf } from './testing.ts';

const accounts = [
  accountOf('1', 'Labor'),
  accountOf('2', 'Income'),
  accountOf('3', 'Income:Labor'),
  accountOf('4', 'Income:Parts'),
];
const reports = (...names: readonly string[]) =>
  ({
    trial_balance: [],
    general_ledger: names.map((name) => ({ accountId: null, name, opening: decimal('1'), entries: [] })),
  }) as unknown as ReportContents;
const idsOf = (...names: readonly string[]) =>
  withAccountIds(reports(...names), accounts).general_ledger.map(({ accountId }) => accountId);

test('finds accounts without an ID by full name or by a unique name', () => {
  expect(idsOf('Income:Labor', 'labor', 'Parts', 'Income (deleted)')).toEqual(['3', '1', '4', '2']);
});

test('tells a deleted account from a new one with its name', () => {
  const renewed = [...accounts, accountOf('5', 'Parts (deleted)'), accountOf('6', 'Parts')];
  const found = withAccountIds(reports('Parts', 'Parts (deleted)'), renewed).general_ledger;
  expect(found.map(({ accountId }) => accountId)).toEqual(['6', '5']);
});

test('finds a sub-account of a deleted account', () => {
  expect(idsOf('Income (deleted):Labor')).toEqual(['3']);
});

test.each([
  [
    'an unknown account',
    ['Rent'],
    'The account “Rent” in QuickBooks’ report General Ledger is not in QuickBooks’ list',
  ],
  ['two rows of one account', ['Income:Parts', 'Parts'], 'has the name of another account'],
])('rejects %s', (_, names, message) => {
  expect(() => idsOf(...names)).toThrow(message);
});

test('rejects an ID that is not in the list of accounts', () => {
  const given = reports('Labor');
  const other = given.general_ledger.map((row) => ({ ...row, accountId: '99' }));
  expect(() => withAccountIds({ ...given, general_ledger: other }, accounts)).toThrow('is not in QuickBooks’ list');
});

test('ignores an unknown account without amounts', () => {
  const given = reports('Rent');
  const empty = given.general_ledger.map((row) => ({ ...row, opening: zero }));
  expect(withAccountIds({ ...given, general_ledger: empty }, accounts).general_ledger).toHaveLength(1);
});
