import { expect, test } from 'vitest';
import { decimal } from '../values/decimal.ts';
import { smallDifferences } from './small-differences.ts';

const one = (of: string, amount: string, currency = 'USD') => ({
  key: `${of} ${amount} ${currency}`,
  class: of,
  currency,
  amount: decimal(amount),
});

test('groups small differences of one class and currency, whatever their sign', () => {
  const found = smallDifferences(
    [
      one('rounding', '-0.02'),
      one('rounding', '0.01'),
      one('rounding', '0.06'),
      one('rounding', '0.03', 'CAD'),
      one('tax_differs', '0.05'),
      one('tax_differs', '-0.05'),
      one('due_differs', '0'),
      one('due_differs', '0'),
    ],
    decimal('0.05'),
  );
  expect(
    found.map(({ class: of, currency, differences, least, most }) => [of, currency, differences.length, least, most]),
  ).toEqual([
    ['rounding', 'USD', 2, '0.01', '0.02'],
    ['tax_differs', 'USD', 2, '0.05', '0.05'],
  ]);
});
