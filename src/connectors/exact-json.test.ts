import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal } from '#core/values/decimal.ts';
import { parseExact, sentNumber, shownNumber, toDecimal } from './exact-json.ts';

/** Generates numbers in any JSON notation, with any sign, length, fraction, and exponent. */
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

describe('numbers in a response', () => {
  test('keep every digit in any notation', () => {
    fc.assert(
      fc.property(jsonNumber, (text) => {
        const { amount } = parseExact(`{"amount":${text}}`) as { amount: number | string };
        expect(toDecimal(amount)).toBe(decimal(text));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test('remain numbers if exact, and become text otherwise', () => {
    expect(parseExact('{"a":41.25,"b":100.00,"c":12345678901234.5678,"d":5000000000000085682}')).toEqual({
      a: 41.25,
      b: 100,
      c: '12345678901234.5678',
      d: '5000000000000085682',
    });
  });
});

describe('N9 a duplicate key in an object', () => {
  test.each([
    '{"Id":"1","Id":"2"}',
    '{"a":{"Id":"1","b":[{"x":1,"x":1}]}}',
    String.raw`{"Id":"1","\u0049d":"2"}`,
    '[{"a":1},{"":1,"":2}]',
    '{"a\\"b":1,"a\\"b":2}',
  ])('makes %s invalid', (text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  test('is not confused with keys of other objects, values, or text content', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(
          { a: value, b: ['a', 'a', value], 'x\\': '{"a":1,"a":2}', '\\"': '","' },
          null,
          indent,
        );
        expect(() => parseExact(text)).not.toThrow();
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  test('is found at any position', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 8 }), fc.nat(), (object, pick) => {
        const keys = Object.keys(object);
        const doubled = keys[pick % keys.length] ?? '';
        const members = [...keys, doubled].map((key) => `${JSON.stringify(key)}:${JSON.stringify(object[key])}`);
        expect(() => parseExact(`{"outer":[{${members.join(',')}}]}`)).toThrow(/twice/);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

test.each(['[', '{"a":', '[123456789012345678,'])(
  'rejects a response nested without end by %s like invalid JSON',
  (open) => {
    const close = open.startsWith('{') ? '}' : ']';
    const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
    expect(parseExact(nested(50))).toBeDefined();
    for (const levels of [200, 100_000]) expect(() => parseExact(nested(levels))).toThrow(SyntaxError);
  },
);

describe('numbers of a request', () => {
  const anyDecimal = jsonNumber.map((text) => decimal(text));

  test('are sent with their exact digits as JSON numbers', () => {
    fc.assert(
      fc.property(anyDecimal, (value) => {
        expect(JSON.stringify({ Amount: sentNumber(value) })).toBe(`{"Amount":${value}}`);
      }),
      { seed: 2 },
    );
  });

  test('are shown with the value that is sent', () => {
    fc.assert(
      fc.property(anyDecimal, (value) => {
        expect(toDecimal(shownNumber(value) as number | string)).toBe(value);
      }),
      { seed: 3 },
    );
  });
});
