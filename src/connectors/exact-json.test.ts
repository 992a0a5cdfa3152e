import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal } from '#core/values/decimal.ts';
import { parseExact, sentNumber, shownNumber, toDecimal } from './exact-json.ts';

/** Numbers as JSON may spell them: any sign, length, fraction and exponent. */
const jsonNumber = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 24n }),
    fc.option(fc.stringMatching(/^\d{1,12}$/), { nil: undefined }),
    fc.option(fc.integer({ min: -20, max: 20 }), { nil: undefined }),
  )
  .map(
    ([isNegative, whole, fraction, exponent]) =>
      `${isNegative ? '-' : ''}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent === undefined ? '' : `e${exponent}`}`,
  );

describe('numbers of an answer', () => {
  test('keep every digit, however they are written', () => {
    fc.assert(
      fc.property(jsonNumber, (text) => {
        const { amount } = parseExact(`{"amount":${text}}`) as { amount: number | string };
        expect(toDecimal(amount)).toBe(decimal(text));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test('stay numbers when a number holds them, and become their text otherwise', () => {
    expect(parseExact('{"a":41.25,"b":100.00,"c":12345678901234.5678,"d":5000000000000085682}')).toEqual({
      a: 41.25,
      b: 100,
      c: '12345678901234.5678',
      d: '5000000000000085682',
    });
  });
});

describe('numbers of a request', () => {
  const anyDecimal = jsonNumber.map((text) => decimal(text));

  test('are sent with exactly their digits, as JSON numbers', () => {
    fc.assert(
      fc.property(anyDecimal, (value) => {
        expect(JSON.stringify({ Amount: sentNumber(value) })).toBe(`{"Amount":${value}}`);
      }),
      { seed: 2 },
    );
  });

  test('are shown as the same value that is sent', () => {
    fc.assert(
      fc.property(anyDecimal, (value) => {
        expect(toDecimal(shownNumber(value) as number | string)).toBe(value);
      }),
      { seed: 3 },
    );
  });
});
