import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrongShape, type JsonRecord } from './errors.ts';
import type { QuickbooksApi, ReadCall } from './api.ts';
import { equalText, like, quote, select } from './query.ts';

/** Parses a quoted text like the query language: up to the first quote without a preceding backslash. */
function closesAtItsEnd(literal: string): boolean {
  if (!literal.startsWith("'")) return false;
  let position = 1;
  while (position < literal.length && literal[position] !== "'") position += literal[position] === '\\' ? 2 : 1;
  return position === literal.length - 1;
}

/** Parses without escaped backslashes: only `\'` is an escape. */
const closesWithoutDoubling = (literal: string): boolean => /^'(?:[^'\\]|\\')*'$/.test(literal);

const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom("'", '\\', '%', ' ', 'a', 'O', '"', '\n', '’', '–', 'é', ' OR ', ')') }),
);

describe('a text in a query', () => {
  test('never ends before its closing quote, with any content', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const literal of [quote(text), like(text, 'anywhere'), like(text, 'whole')]) {
          if (literal === null) continue;
          expect(closesAtItsEnd(literal)).toBe(true);
          expect(closesWithoutDoubling(literal)).toBe(true);
        }
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  test('is quoted for the query language', () => {
    expect(quote("O'Neil")).toBe(String.raw`'O\'Neil'`);
    expect(quote("' OR '1' = '1")).toBe(String.raw`'\' OR \'1\' = \'1'`);
    expect(quote('Müller & Söhne')).toBe("'Müller & Söhne'");
  });

  test('becomes a pattern with a later exact comparison if the language cannot express it', () => {
    expect(quote('back\\slash')).toBeNull();
    expect(equalText('DisplayName', 'Joe’s – Bar')).toBe("DisplayName LIKE 'Joe%s % Bar'");
    expect(equalText('DisplayName', 'Acme')).toBe("DisplayName = 'Acme'");
    expect(like('50 % off', 'anywhere')).toBe("'%50 % off%'");
  });
});

describe('reading all rows', () => {
  const rowsOf = (count: number): JsonRecord[] => Array.from({ length: count }, (_, index) => ({ Id: `${index + 1}` }));
  function service(rows: readonly JsonRecord[]) {
    const statements: string[] = [];
    const api: QuickbooksApi = {
      async read({ statement = '' }: ReadCall) {
        statements.push(statement);
        const [, start = '1', size = '100'] = /STARTPOSITION (\d+) MAXRESULTS (\d+)$/.exec(statement) ?? [];
        const page = rows.slice(Number(start) - 1, Number(start) - 1 + Number(size));
        return { QueryResponse: page.length === 0 ? {} : { Item: page } };
      },
      write: () => Promise.reject(wrongShape('write', 'not here')),
    };
    return { api, statements };
  }

  test.each([0, 1, 999, 1_000, 1_001, 2_000])('reads %i rows completely in a fixed order', async (count) => {
    const { api, statements } = service(rowsOf(count));
    const found = await select(api, 'Item', { operation: 'read Item', where: ['Active IN (true, false)'] });
    expect(found).toHaveLength(count);
    expect(statements).toHaveLength(Math.floor(count / 1_000) + 1);
    expect(statements[0]).toBe(
      'SELECT * FROM Item WHERE Active IN (true, false) ORDERBY Id STARTPOSITION 1 MAXRESULTS 1000',
    );
  });

  test('D16 loses and repeats no row when another is added or removed between pages', async () => {
    for (const change of ['remove', 'insert'] as const) {
      const rows = rowsOf(1_500);
      const moving = service(rows);
      let reads = 0;
      const api: QuickbooksApi = {
        ...moving.api,
        async read(call) {
          const answer = await moving.api.read(call);
          reads += 1;
          // After the first page of the first attempt.
          if (reads === 1) {
            if (change === 'remove') rows.splice(500, 1);
            else rows.splice(500, 0, { Id: 'new' });
          }
          return answer;
        },
      };
      const found = await select(api, 'Item', { operation: 'read Item' });
      expect(found).toEqual(rows);
      expect(reads).toBe(4);
    }
  });

  test('D16 fails after a limited number of calls when the list keeps changing', async () => {
    const rows = rowsOf(1_500);
    const moving = service(rows);
    const api: QuickbooksApi = {
      ...moving.api,
      async read(call) {
        const answer = await moving.api.read(call);
        rows.shift();
        return answer;
      },
    };
    await expect(select(api, 'Item', { operation: 'read Item' })).rejects.toMatchObject({
      about: { outcome: 'unknown', next: 'try_again' },
    });
    expect(moving.statements.length).toBeLessThanOrEqual(6);
  });

  test('fails when the service repeats the same page', async () => {
    const page = rowsOf(1_000);
    const api: QuickbooksApi = { ...service([]).api, read: async () => ({ QueryResponse: { Item: page } }) };
    await expect(select(api, 'Item', { operation: 'read Item' })).rejects.toMatchObject({
      about: { outcome: 'unknown' },
    });
  });
});
