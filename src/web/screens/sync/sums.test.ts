import { expect, test } from 'vitest';
import { sumOfRows } from './sums.ts';

test('adds up each currency separately', () => {
  const rows = [
    { total: '100.10', currency: 'USD' },
    { total: '1620', currency: 'CAD' },
    { total: '-20.05', currency: 'USD' },
  ];
  expect(sumOfRows(rows)).toBe('$80.05 and CAD\u00A01,620.00');
});

test('returns nothing while a currency is unknown, and ignores rows without an amount', () => {
  const known = { total: '100.10', currency: 'USD' };
  expect(sumOfRows([known, { total: '5', currency: null }])).toBe('');
  expect(sumOfRows([known, { total: null, currency: null }])).toBe('$100.10');
  expect(sumOfRows([])).toBe('');
});
