import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, plus } from '#core/values/decimal.ts';
import { addAmounts, isPlainAmount } from './add-amounts.ts';

const amount = fc
  .tuple(fc.constantFrom('', '-'), fc.bigInt(0n, 10n ** 18n), fc.option(fc.stringMatching(/^\d{1,12}$/)))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`);

test('adds two amounts to the last digit like core', () => {
  fc.assert(
    fc.property(amount, amount, (one, other) => {
      expect(addAmounts(one, other)).toBe(plus(decimal(one), decimal(other)));
    }),
  );
  expect(addAmounts('0.10', '0.20')).toBe('0.3');
  expect(addAmounts('-1.50', '1.5')).toBe('0');
});

test('rejects text that is not an amount', () => {
  for (const text of ['', '1e3', '1.', '.5', '1,000', 'x', '1 ']) {
    expect(isPlainAmount(text)).toBe(false);
    expect(() => addAmounts(text, '1')).toThrow(RangeError);
  }
});
