import { expect, test } from 'vitest';
import type { ExpenseReport } from '../documents/expense-report.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, sum } from '../values/decimal.ts';
import { sourceOfReport } from './plan.ts';

const item = (amount: string, of: object = {}) => ({
  id: 1,
  spentOn: calendarDate('2025-02-25'),
  categoryId: 41,
  categoryName: 'Travel',
  description: 'Hotel',
  isBillable: false,
  isReimbursable: true,
  isRejected: false,
  companyId: null,
  amount: decimal(amount),
  ...of,
});

test('expense report lines total the amount owed; items without reimbursement show their amount', () => {
  const items = [item('100'), item('35', { isReimbursable: false }), item('12.5', { isRejected: true })];
  const report = { items, cashAdvance: decimal('20') } as unknown as ExpenseReport;
  const about = { what: 'Expense report', psaId: 7, number: null, party: null, on: null, currency: null } as const;
  const { lines, total } = sourceOfReport(report, { ...about, amount: decimal('80') });
  expect(lines.map(({ description, amount }) => [description, amount])).toEqual([
    ['Travel: Hotel', '100'],
    ['Travel: Hotel (35.00, paid by the company)', '0'],
    ['Travel: Hotel (12.50, rejected)', '0'],
    ['Cash advance', '-20'],
  ]);
  expect(sum(lines.map(({ amount }) => amount))).toBe(total);
});
