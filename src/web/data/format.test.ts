import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countOf,
  pagingText,
  formatRelativeTime,
  formatAmount,
  formatDate,
  formatMoney,
  formatQuantity,
  formatSums,
  formatExactTime,
  sumsByCurrency,
} from './format.ts';

test.each([
  ['0', '0.00'],
  ['1966.25', '1,966.25'],
  ['-1234.5', '−1,234.50'],
  ['1000000', '1,000,000.00'],
  ['161.76471', '161.76471'],
  ['12345678901234.5678', '12,345,678,901,234.5678'],
  ['by hand', 'by hand'],
])('formats the amount %s as %s', (amount, set) => {
  expect(formatAmount(amount)).toBe(set);
});

test('formatting an amount keeps every digit', () => {
  const amounts = fc
    .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: 0, max: 9_999_999 }))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(7, '0')}`);
  fc.assert(
    fc.property(amounts, (amount) => {
      expect(formatAmount(amount).replaceAll(',', '').replace('−', '-')).toBe(amount);
    }),
    { seed: 20_250_303 },
  );
});

test('formats money with the currency after the sign', () => {
  expect(formatMoney('1966.25', 'USD')).toBe('$1,966.25');
  expect(formatMoney('-20', 'USD')).toBe('−$20.00');
  expect(formatMoney('1620', 'CAD')).toBe('CAD\u00A01,620.00');
  expect(formatMoney('1620', null)).toBe('1,620.00');
});

test("uses the local currency symbol of the user's locale", () => {
  expect(formatMoney('-1234.5', 'GBP', 'en-GB')).toBe('−£1,234.50');
  expect(formatMoney('1234.5', 'USD', 'en-GB')).toBe('USD\u00A01,234.50');
  expect(formatMoney('5', 'CAD', 'en-CA')).toBe('$5.00');
});

test('never adds up several currencies', () => {
  const amounts = [
    { amount: '0.1', currency: 'USD' },
    { amount: '7', currency: 'CAD' },
    { amount: '0.2', currency: 'USD' },
    { amount: null, currency: 'USD' },
  ];
  expect(formatSums(sumsByCurrency(amounts))).toBe('$0.30 and CAD\u00A07.00');
  expect(formatSums(sumsByCurrency([]))).toBe('');
});

test('lists sums in a fixed order', () => {
  const amounts = [
    { amount: '3', currency: null },
    { amount: '7', currency: 'CAD' },
    { amount: '8', currency: 'CAD' },
    { amount: '9', currency: 'AUD' },
    { amount: '1', currency: 'USD' },
  ];
  const line = '$1.00 and AUD\u00A09.00 and CAD\u00A015.00 and 3.00';
  expect(formatSums(sumsByCurrency(amounts))).toBe(line);
  expect(formatSums(sumsByCurrency(amounts.toReversed()))).toBe(line);
  expect(sumsByCurrency(amounts, 'en-CA').map(({ currency }) => currency)).toEqual(['CAD', 'AUD', 'USD', null]);
});

test('formats a document date the same in every time zone', () => {
  expect(formatDate('2025-03-03')).toBe('Mar 3, 2025');
  expect(formatDate('2025-03-03T23:30:00Z', 'en-GB')).toBe('3 Mar 2025');
  expect(formatDate('soon')).toBe('soon');
});

test('formats a time in the given time zone', () => {
  expect(formatExactTime('2025-03-03T14:05:09Z', 'America/Chicago')).toMatch(/^Mar 3, 2025, 8:05:09\sAM CST$/);
});

test.each([
  ['3.500', '3.5'],
  ['20', '20'],
  ['1.2345', '1.235'],
  ['0.6667', '0.667'],
  ['12345678901234567890.0005', '12,345,678,901,234,567,890.001'],
  ['-1250.5', '−1,250.5'],
])('formats the quantity %s as %s', (quantity, set) => {
  expect(formatQuantity(quantity)).toBe(set);
});

test('uses the singular for one only', () => {
  expect([0, 1, 1200].map((count) => countOf(count, 'invoice'))).toEqual(['0 invoices', '1 invoice', '1,200 invoices']);
});

test.each([
  [1, 48, 'Showing 1-10 of 48 items'],
  [5, 48, 'Showing 41-48 of 48 items'],
  [1, 1, 'Showing 1-1 of 1 items'],
  [101, 1_234, 'Showing 1,001-1,010 of 1,234 items'],
])('page %i of %i items shows its range', (page, total, text) => {
  expect(pagingText(page, 10, total)).toBe(text);
});

test('shows nothing for a page beyond the end and for an empty list', () => {
  expect(pagingText(6, 10, 48)).toBeNull();
  expect(pagingText(2, 10, 10_000, true)).toBe('Showing 11-20 of more than 10,000 items');
  expect(pagingText(1, 10, 0)).toBeNull();
});

test("formats times relative to the client's date", () => {
  // 3 PM in Chicago is the next day in Auckland.
  const now = Date.parse('2025-03-05T21:00:00Z');
  const format = (at: string, zone = 'America/Chicago') => formatRelativeTime(at, now, zone);
  expect(format('2025-03-05T20:59:40Z')).toBe('just now');
  expect(format('2025-03-05T21:00:20Z')).toBe('just now');
  expect(format('2025-03-05T20:58:00Z')).toBe('2 min. ago');
  expect(format('2025-03-05T15:15:00Z')).toBe('9:15 AM');
  expect(format('2025-03-05T05:59:00Z')).toBe('yesterday, 11:59 PM');
  expect(format('2025-03-03T15:15:00Z')).toBe('Mon 9:15 AM');
  expect(format('2025-01-31T15:15:00Z')).toBe('Jan 31, 9:15 AM');
  expect(format('2023-01-31T15:15:00Z')).toBe('Jan 31, 2023, 9:15 AM');
  expect(format('2025-03-05T05:59:00Z', 'Pacific/Auckland')).toBe('yesterday, 6:59 PM');
  expect(format('2025-03-05T15:15:00Z', 'Pacific/Auckland')).toBe('4:15 AM');
});
