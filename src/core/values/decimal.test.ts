import { Decimal as Big } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absolute,
  compare,
  decimal,
  divide,
  equals,
  fixed,
  format,
  isDecimal,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  round,
  round2,
  smaller,
  sum,
  times,
  zero,
} from './decimal.ts';

const Exact = Big.clone({ precision: 60, rounding: Big.ROUND_HALF_UP });

fc.configureGlobal({ seed: 20_250_303 });

/** Generates digits and places: 12345 and 2 are 123.45. */
const scaled = fc.tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: 0, max: 7 }));
const textOf = ([digits, places]: readonly [bigint, number]): string => {
  const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, '0');
  const point = text.length - places;
  return `${digits < 0n ? '-' : ''}${text.slice(0, point)}${places === 0 ? '' : `.${text.slice(point)}`}`;
};
const decimals = scaled.map((value) => decimal(textOf(value)));

describe('decimals', () => {
  test.each([
    ['12.50', '12.5'],
    ['+7', '7'],
    ['-0', '0'],
    ['-0.000', '0'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['1e-7', '0.0000001'],
    ['1E3', '1000'],
    ['0012.3400', '12.34'],
    ['386.645', '386.645'],
  ])('%s is read as %s', (text, canonical) => {
    expect(decimal(text)).toBe(canonical);
  });

  test.each(['', ' ', '1,000.00', '12.5.1', 'NaN', 'Infinity', '0x10', '1e9999', '--1', ' 1', '1 '])(
    '“%s” is not a decimal',
    (text) => {
      expect(isDecimal(text)).toBe(false);
      expect(() => decimal(text)).toThrow(RangeError);
    },
  );

  test('rejects a fractional float and accepts a whole number', () => {
    expect(() => decimal(0.1)).toThrow(RangeError);
    expect(() => decimal(2 ** 53)).toThrow(RangeError);
    expect(() => decimal(Number.NaN)).toThrow(RangeError);
    expect(decimal(-42)).toBe('-42');
  });

  test('equal values have equal text in any spelling', () => {
    fc.assert(
      fc.property(scaled, fc.integer({ min: 0, max: 6 }), ([digits, places], zeros) => {
        const text = textOf([digits, places]);
        const padded = places === 0 ? text : `${text}${'0'.repeat(zeros)}`;
        expect(decimal(padded)).toBe(decimal(text));
        expect(decimal(decimal(text))).toBe(decimal(text));
      }),
    );
  });

  test('parses, compares, and rounds every spelling like decimal arithmetic', () => {
    const digits = fc.stringMatching(/^\d{1,22}$/);
    const written = fc
      .tuple(
        fc.constantFrom('', '-', '+'),
        digits,
        fc.option(fc.stringMatching(/^\d{0,9}$/), { nil: undefined }),
        fc.constantFrom('', '', '', 'e3', 'E-4'),
      )
      .map(([sign, whole, places, power]) => `${sign}${whole}${places === undefined ? '' : `.${places}`}${power}`);
    const text = (value: Big) => (value.isZero() ? '0' : value.toFixed());
    fc.assert(
      fc.property(written, written, fc.integer({ min: 0, max: 5 }), (one, another, places) => {
        const [a, b, exactA, exactB] = [decimal(one), decimal(another), new Exact(one), new Exact(another)];
        expect(a).toBe(text(exactA));
        expect([negate(a), absolute(a), round(a, places)]).toEqual([
          text(exactA.negated()),
          text(exactA.abs()),
          text(exactA.toDecimalPlaces(places)),
        ]);
        expect([isZero(a), isNegative(a), isPositive(a)]).toEqual([exactA.isZero(), exactA.lt(0), exactA.gt(0)]);
        expect([equals(a, b), equals(a, decimal(text(exactA)))]).toEqual([exactA.eq(exactB), true]);
      }),
      { numRuns: 500 },
    );
    for (const whole of [0, -0, 7, -7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])
      expect(decimal(whole)).toBe(text(new Exact(whole)));
  });

  test('sums match whole-number arithmetic exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), { maxLength: 50 }), (cents) => {
        const total = cents.reduce((a, b) => a + b, 0n);
        expect(sum(cents.map((value) => decimal(textOf([value, 2]))))).toBe(decimal(textOf([total, 2])));
      }),
    );
    expect(sum([decimal('0.1'), decimal('0.2')])).toBe('0.3');
    expect(sum([])).toBe(zero);
  });

  test('plus, minus, negate, and absolute are consistent', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        expect(minus(plus(a, b), b)).toBe(a);
        expect(minus(a, b)).toBe(negate(minus(b, a)));
        expect(isNegative(absolute(a))).toBe(false);
        expect(equals(times(a, b), times(b, a))).toBe(true);
      }),
    );
  });

  test('products are exact', () => {
    fc.assert(
      fc.property(scaled, scaled, ([a, m], [b, n]) => {
        expect(times(decimal(textOf([a, m])), decimal(textOf([b, n])))).toBe(decimal(textOf([a * b, m + n])));
      }),
    );
  });

  test.each([
    ['2.345', '2.35'],
    ['-2.345', '-2.35'],
    ['1234.575', '1234.58'],
    ['43.125', '43.13'],
    ['2.3449999', '2.34'],
    ['-0.004', '0'],
    ['0.005', '0.01'],
    ['-0.005', '-0.01'],
    ['1.005', '1.01'],
  ])('rounds %s to %s, half away from zero', (text, rounded) => {
    expect(round2(decimal(text))).toBe(rounded);
  });

  test('rounding changes a value by at most half a unit, symmetrically around zero', () => {
    fc.assert(
      fc.property(decimals, fc.integer({ min: 0, max: 6 }), (a, places) => {
        const rounded = round(a, places);
        const half = decimal(`0.${'0'.repeat(places)}5`);
        expect(compare(absolute(minus(rounded, a)), half)).toBeLessThanOrEqual(0);
        expect(round(negate(a), places)).toBe(negate(rounded));
        expect(round(rounded, places)).toBe(rounded);
      }),
    );
  });

  test('division rounds half up and rejects zero', () => {
    expect(divide(decimal('687.50'), decimal('4.25'), 5)).toBe('161.76471');
    expect(divide(decimal(-1), decimal(8), 2)).toBe('-0.13');
    expect(() => divide(decimal(1), zero, 2)).toThrow(RangeError);
  });

  test('compares values and signs', () => {
    expect(compare(decimal('9.9'), decimal('10'))).toBeLessThan(0);
    expect([isZero(zero), isPositive(decimal('0.01')), isNegative(decimal('-0.01'))]).toEqual([true, true, true]);
    expect([isPositive(zero), isNegative(zero)]).toEqual([false, false]);
    expect([smaller(decimal('9.9'), decimal('10')), smaller(zero, decimal('-0.01'))]).toEqual(['9.9', '-0.01']);
  });

  test.each([
    ['1966.25', 2, '1,966.25'],
    ['0', 2, '0.00'],
    ['-1234567.5', 2, '-1,234,567.50'],
    ['0.493828', 2, '0.493828'],
    ['2500', 0, '2,500'],
    ['3.5', 0, '3.5'],
    ['999', 2, '999.00'],
    ['1000', 2, '1,000.00'],
  ])('%s with %i places is shown as %s', (text, places, shown) => {
    expect(format(decimal(text), places)).toBe(shown);
  });

  test('parses formatted values', () => {
    fc.assert(
      fc.property(decimals, (a) => {
        expect(decimal(format(a).replaceAll(',', ''))).toBe(a);
      }),
    );
  });
});

test.each([
  ['200', '200.00'],
  ['1966.25', '1966.25'],
  ['-180', '-180.00'],
  ['0.125', '0.13'],
  ['1234567.5', '1234567.50'],
])('%s shows two decimals in a table: %s', (value, shown) => {
  expect(fixed(decimal(value))).toBe(shown);
});
