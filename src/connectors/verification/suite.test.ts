import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineOf, markdownOf, summary } from './report.ts';
import { compared, shapeOf, type Shape } from './suite.ts';

test('equal shapes hold, whatever the order of their members', () => {
  expect(compared({ a: 1, b: [true] }, { b: [true], a: 1 })).toEqual({ result: 'holds' });
});

test('a difference keeps types, statuses and codes, and the texts that were expected', () => {
  expect(compared({ status: 200, order: 'kept' }, { status: 400, code: '4001', body: { Id: 'text' } })).toEqual({
    result: 'differs',
    expected: { status: 200, order: 'kept' },
    seen: { status: 400, code: '4001', body: { Id: 'text' } },
  });
});

test('a difference never shows data of the account', () => {
  const secret = fc.string({ minLength: 6 }).map((text) => `secret-${text}`);
  const value = fc.letrec<{ value: Shape }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      secret,
      fc.double({ min: 10_000, noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(secret, tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(value, (seen) => {
      const text = JSON.stringify(compared({ is: 'something else' }, { seen }));
      expect(text).not.toMatch(/secret-|\d{5}/);
    }),
  );
});

test('a shape has the types of members, and of the first element of a list', () => {
  expect(shapeOf({ Id: '1', Active: true, Line: [{ Amount: 1 }, {}], Memo: '', None: null, Links: [] })).toEqual({
    Id: 'text',
    Active: 'flag',
    Line: [{ Amount: 'number' }],
    Memo: 'empty text',
    None: null,
    Links: 'list',
  });
});

const results = [
  { facts: ['Q1'], title: 'One', finding: { result: 'holds' } },
  { facts: ['Q2', 'A1'], title: 'Two', finding: { result: 'differs', expected: { a: 1 }, seen: { a: 'x|y' } } },
  { facts: ['A2'], title: 'Three', finding: { result: 'not tried', reason: 'It writes; run with --write.' } },
] as const;

test('the report has a row for each check', () => {
  const run = {
    date: '2026-11-28',
    hosts: ['a.example', 'b.example'],
    version: '1.0.0',
    results,
    leftovers: ['Left.'],
  };
  expect(markdownOf(run)).toBe(`# Services verified on 2026-11-28

Tallybridge 1.0.0 checked a.example and b.example: 1 hold, 1 differ, 1 not tried.

| Facts | Expected | Result | Detail |
|---|---|---|---|
| Q1 | One | holds |  |
| Q2, A1 | Two | differs | expected \`{"a":1}\`, seen \`{"a":"x\\|y"}\` |
| A2 | Three | not tried | It writes; run with --write. |

- Left.
`);
});

test('a line names the result, the facts, and both shapes', () => {
  expect(lineOf(results[1])).toBe(
    'differs    Q2, A1: Two\n           expected {"a":1}\n           seen     {"a":"x|y"}',
  );
  expect(summary(results)).toBe('1 hold, 1 differ, 1 not tried.');
});
