import { expect, test } from 'vitest';
import type { ReportContents } from '../documents/books-report.ts';
import { decimal, zero } from '../values/decimal.ts';
import { withAccountIds } from './report-accounts.ts';

const account = (id: string, fullyQualifiedName: string) => ({
  id,
  fullyQualifiedName,
  classification: 'Revenue',
  subType: '',
  isActive: true,
});
const accounts = [
  account('1', 'Labor'),
  account('2', 'Income'),
  account('3', 'Income:Labor'),
  account('4', 'Income:Parts'),
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

test.each([
  ['an unknown account', ['Rent']],
  ['two rows of one account', ['Income:Parts', 'Parts']],
])('rejects %s', (_, names) => {
  expect(() => idsOf(...names)).toThrow('has the name of another account');
});

test('ignores an unknown account without amounts', () => {
  const given = reports('Rent');
  const empty = given.general_ledger.map((row) => ({ ...row, opening: zero }));
  expect(withAccountIds({ ...given, general_ledger: empty }, accounts).general_ledger).toHaveLength(1);
});
