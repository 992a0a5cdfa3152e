import { expect, test } from 'vitest';
import { stateOfMonth } from './month-state.ts';

const of = (psa_count: number, accounting_count: number, difference: string, currency = 'USD') => ({
  currency,
  psa_count,
  psa_total: '0',
  accounting_count,
  accounting_total: '0',
  difference,
});

test.each([
  [[], 'No invoices in November yet', null],
  [[of(3, 0, '-9170')], 'No invoice of November is synced yet:', '$9,170.00'],
  [[of(3, 2, '-120'), of(1, 0, '-90', 'CAD')], 'November is in step except for', '$120.00 and CAD\u00a090.00'],
  [[of(3, 3, '0')], 'November is in step', null],
])('%j: %s %s', (currencies, text, open) => {
  expect(stateOfMonth({ from: '2026-11-01', currencies })).toEqual({ text, open });
});
