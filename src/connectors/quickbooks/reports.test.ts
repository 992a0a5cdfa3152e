import { expect, test } from 'vitest';
import { calendarDate } from '#core/values/dates.ts';
import type { QuickbooksApi } from './api.ts';
import { readAccountLedger, readReport } from './reports.ts';

const period = { from: calendarDate('2026-03-01'), through: calendarDate('2026-03-31') };
const api = (answer: unknown) => ({ read: async () => answer }) as unknown as QuickbooksApi;
const cells = (...values: readonly (string | readonly [value: string, id: string])[]) => ({
  ColData: values.map((one) => (typeof one === 'string' ? { value: one } : { value: one[0], id: one[1] })),
});
const columns = (...titles: readonly string[]) => ({
  Column: titles.map((title) => ({ ColTitle: title, ColType: 'String' })),
});
const head = { ReportName: 'x', Currency: 'USD', StartPeriod: '2026-03-01', EndPeriod: '2026-03-31' };
const ledger = (rows: readonly unknown[], more: object = {}) => ({
  Header: { ...head, ...more },
  Columns: columns('Date', 'Transaction Type', 'Num', 'Name', 'Memo/Description', 'Split', 'Amount', 'Balance'),
  Rows: { Row: rows },
});
const invoice = (date: string, amount: string) =>
  cells(date, ['Invoice', '7'], 'AT-1', 'Acme Dental', '', '', amount, amount);
const section = (name: string | readonly [string, string], rows: readonly unknown[], total: string) => ({
  Header: cells(name, '', '', '', '', '', '', ''),
  Rows: { Row: rows },
  Summary: cells(`Total for ${typeof name === 'string' ? name : name[0]}`, '', '', '', '', '', total, ''),
});
const read = async (answer: unknown) => (await readReport(api(answer), 'general_ledger', period)).content;

test('names sub-accounts without an ID by their full name', async () => {
  const labor = section('Labor', [section('Onsite', [invoice('2026-03-05', '40.00')], '40.00')], '40.00');
  const answer = ledger([
    section(['Income', '1'], [invoice('2026-03-04', '60.00'), labor], '100.00'),
    section('Other', [section('Labor', [invoice('2026-03-06', '5.00')], '5.00')], '5.00'),
  ]);
  expect((await read(answer)).map(({ accountId, name, entries }) => [accountId, name, entries.length])).toEqual([
    ['1', 'Income', 1],
    [null, 'Income:Labor:Onsite', 1],
    [null, 'Other:Labor', 1],
  ]);
});

test('reads US dates, thousands separators, parentheses, and empty amounts', async () => {
  const rows = [
    cells('Beginning Balance', '', '', '', '', '', '', '1,200.50'),
    invoice('03/05/2026', '1,000.00'),
    invoice('3/6/2026', '(250.25)'),
    invoice('2026-03-07', ''),
  ];
  const answer = ledger([section(['Bank', '1'], rows, '749.75')], {
    StartPeriod: '03/01/2026',
    EndPeriod: '03/31/2026',
  });
  const [bank] = await read(answer);
  expect(bank?.opening).toBe('1200.5');
  expect(bank?.entries.map(({ datedOn, amount }) => [datedOn, amount])).toEqual([
    ['2026-03-05', '1000'],
    ['2026-03-06', '-250.25'],
    ['2026-03-07', '0'],
  ]);
});

test('accepts an account total with or without its sub-accounts', async () => {
  const child = section('Child', [invoice('2026-03-05', '40.00')], '40.00');
  for (const total of ['100.00', '60.00'])
    expect(await read(ledger([section('Parent', [invoice('2026-03-04', '60.00'), child], total)]))).toHaveLength(2);
});

const oneAccount = (date: string, amount: string, total: string) =>
  ledger([section(['Income', '1'], [invoice(date, amount)], total)]);
test.each([
  [
    'a sum that differs from its rows',
    oneAccount('2026-03-05', '60.00', '61.00'),
    'do not add up to “Total for Income”',
  ],
  ['an unknown date', oneAccount('31/03/2026', '60.00', '60.00'), '“31/03/2026” is not a date'],
  ['an unknown amount', oneAccount('2026-03-05', '60,-', '60.00'), '“60,-” is not an amount'],
  ['a decimal comma', oneAccount('2026-03-05', '12,50', '12,50'), '“12,50” is not an amount'],
  ['a decimal comma after points', oneAccount('2026-03-05', '1.234,56', '1.234,56'), '“1.234,56” is not an amount'],
  ['two signs', oneAccount('2026-03-05', '(-60.00)', '60.00'), '“(-60.00)” is not an amount'],
  [
    'two columns with one name',
    { ...oneAccount('2026-03-05', '60.00', '60.00'), Columns: columns('Date', 'Transaction Type', 'Amount', 'Amount') },
    'the column Amount occurs twice',
  ],
  ['a date outside the period', oneAccount('2026-05-03', '60.00', '60.00'), 'outside its period'],
  ['a row without an account', ledger([invoice('2026-03-05', '60.00')]), 'belongs to no account'],
  [
    'a report that is too large',
    ledger([cells('Unable to display more data. Please reduce the date range.')]),
    'Unable to display more data',
  ],
  ['another period', ledger([], { StartPeriod: '2026-02-01' }), 'period'],
  ['the cash basis', ledger([], { ReportBasis: 'Cash' }), 'cash basis'],
  [
    'a missing column',
    { Header: head, Columns: columns('Date', 'Transaction Type'), Rows: { Row: [cells('2026-03-05', 'Invoice')] } },
    'the column Amount is missing',
  ],
])('rejects %s', async (_, answer, message) => {
  await expect(read(answer)).rejects.toThrow(message);
});

const balances = (rows: readonly unknown[]) => ({
  Header: head,
  Columns: columns('', 'Debit', 'Credit'),
  Rows: { Row: rows },
});
const total = (debit: string, credit: string) => ({ Summary: cells('TOTAL', debit, credit), group: 'GrandTotal' });
const nested = {
  Header: cells(['Income', '1'], '', '10.00'),
  Rows: { Row: [cells('Labor', '', '5.00')] },
  Summary: cells('Total Income', '', '15.00'),
};

test('reads a trial balance with sub-accounts below their parents', async () => {
  const answer = balances([cells(['Bank', '2'], '15.00', ''), nested, total('15.00', '15.00')]);
  const { content } = await readReport(api(answer), 'trial_balance', period);
  expect(content.map(({ accountId, name, debit, credit }) => [accountId, name, debit, credit])).toEqual([
    ['2', 'Bank', '15', '0'],
    ['1', 'Income', '0', '10'],
    [null, 'Income:Labor', '0', '5'],
  ]);
});

test('skips a header that repeats the sum of its rows', async () => {
  const repeated = { ...nested, Header: cells(['Income', '1'], '', '5.00'), Summary: cells('Total', '', '5.00') };
  const rows = [cells(['Bank', '2'], '5.00', ''), repeated, total('5.00', '5.00')];
  const { content } = await readReport(api(balances(rows)), 'trial_balance', period);
  expect(content.map(({ name, credit }) => [name, credit])).toEqual([
    ['Bank', '0'],
    ['Income:Labor', '5'],
  ]);
});

test('rejects a trial balance whose total differs', async () => {
  const answer = balances([cells(['Bank', '2'], '15.00', ''), total('16.00', '')]);
  await expect(readReport(api(answer), 'trial_balance', period)).rejects.toThrow('do not add up to “TOTAL”');
});

test('rejects a trial balance whose debits and credits differ', async () => {
  const answer = balances([cells(['Bank', '2'], '15.00', ''), cells(['Income', '3'], '', '14.00')]);
  await expect(readReport(api(answer), 'trial_balance', period)).rejects.toThrow('debits and credits differ');
});

test.each([
  ['in the last column', ['', 'Total'], ['Acme Dental', '10.00']],
  ['in another column', ['', 'Total', '% of Total'], ['Acme Dental', '10.00', '100.00']],
  ['after a column per month', ['', 'Mar 2026', 'Total'], ['Acme Dental', '10.00', '10.00']],
])('reads sales by customer with the total %s', async (_, titles, row) => {
  const sum = { Summary: cells('TOTAL', ...row.slice(1)) };
  const answer = { Header: head, Columns: columns(...titles), Rows: { Row: [cells(...row), sum] } };
  const { content } = await readReport(api(answer), 'customer_sales', period);
  expect(content).toEqual({ customers: [{ name: 'Acme Dental', amount: '10' }], total: '10' });
});

test('rejects sales by customer without a total', async () => {
  const answer = { Header: head, Columns: columns('', 'Mar 2026', 'Apr 2026'), Rows: { Row: [cells('A', '1', '2')] } };
  await expect(readReport(api(answer), 'customer_sales', period)).rejects.toThrow('the column Total is missing');
});

test.each([
  ['no columns', { Columns: {}, Rows: {} }],
  ['no rows', { Columns: columns('Date') }],
  ['neither', {}],
])('reads a report without data that has %s', async (_, parts) => {
  const answer = { Header: { ...head, Option: [{ Name: 'NoReportData', Value: 'true' }] }, ...parts };
  expect(await read(answer)).toEqual([]);
});

test('rejects a report without rows that does not say that it has no data', async () => {
  await expect(read({ Header: head, Columns: columns('Date') })).rejects.toThrow('it has no rows');
});

test('treats the only account without an ID as the requested account', async () => {
  const answer = ledger([section('Prepaid', [invoice('2026-03-05', '40.00')], '40.00')]);
  const { content } = await readAccountLedger(api(answer), '77', period.through);
  expect(content.entries).toHaveLength(1);
});
