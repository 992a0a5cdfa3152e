import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Decimal, decimal, minus, round2, sum } from '../values/decimal.ts';
import { isRoundingOf, roundingOf, roundingRange } from './verify.ts';

test.each([
  [0, '0'],
  [1, '0.005'],
  [11, '0.055'],
  [40, '0.2'],
])('%i amounts round by at most %s', (count, rounding) => {
  expect(roundingOf(count)).toBe(rounding);
});

const times = (count: number, amount: string): readonly Decimal[] =>
  Array.from({ length: count }, () => decimal(amount));

test.each([
  ['no lines', [], '0', '0'],
  ['90 lines of whole cents', times(90, '12.34'), '0', '0'],
  ['a single line', [decimal('33.3333')], '0', '0'],
  ['two lines that lose', times(2, '33.3333'), '0', '0.01'],
  ['40 lines that gain', times(40, '49.948335'), '-0.07', '0'],
  ['ten halves', times(10, '10.125'), '-0.05', '0'],
  ['whole cents among two fractions', [...times(90, '5'), ...times(2, '33.3333')], '0', '0.01'],
  ['both directions', [...times(4, '1.004'), ...times(3, '1.006')], '-0.01', '0.02'],
])('%s can round by %s to %s', (_, amounts, least, most) => {
  expect(roundingRange(amounts)).toEqual({ least, most });
});

const amounts = fc.array(
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => decimal((value / 10_000).toFixed(4))),
  { maxLength: 40 },
);

test('the range is exactly what rounding each line, or not, can produce', () => {
  fc.assert(
    fc.property(amounts, fc.infiniteStream(fc.boolean()), (lines, isRounded) => {
      const whole = sum(lines.map((amount) => round2(amount)));
      const differs = (keeps: (amount: Decimal) => boolean) =>
        minus(round2(sum(lines.map((amount) => (keeps(amount) ? amount : round2(amount))))), whole);
      expect(
        isRoundingOf(
          differs(() => isRounded.next().value),
          lines,
        ),
      ).toBe(true);
      const gains = (amount: Decimal) => Number(minus(amount, round2(amount))) > 0;
      const loses = (amount: Decimal) => Number(minus(amount, round2(amount))) < 0;
      const { least, most } = roundingRange(lines);
      const cents = (amount: Decimal) => Math.round(Number(amount) * 100);
      // The total itself is rounded, half away from zero, so a half cent can go either way.
      expect(Math.abs(cents(most) - cents(differs(gains)))).toBeLessThanOrEqual(1);
      expect(Math.abs(cents(least) - cents(differs(loses)))).toBeLessThanOrEqual(1);
      expect(isRoundingOf(sum([most, decimal('0.01')]), lines)).toBe(false);
      expect(isRoundingOf(minus(least, decimal('0.01')), lines)).toBe(false);
    }),
    { seed: 20_250_303 },
  );
});

test('lines of whole cents never round', () => {
  const whole = fc.array(fc.integer({ min: -100_000, max: 100_000 }).map((cents) => decimal((cents / 100).toFixed(2))));
  fc.assert(
    fc.property(whole, (lines) => {
      expect(roundingRange(lines)).toEqual({ least: '0', most: '0' });
    }),
    { seed: 20_250_303 },
  );
});
