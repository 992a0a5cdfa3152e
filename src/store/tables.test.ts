import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newDatabase } from '#test/support/database.ts';
import { jsonArray, toJson } from './tables.ts';

test('passes values to rows unchanged with any characters, and null for missing ones', async () => {
  const db = await newDatabase();
  const rowsOf = (values: readonly unknown[]): Promise<readonly (string | null)[]> =>
    db.database.acrossTenants(async (tx) => {
      const { rows } = await sql<{
        text: string | null;
      }>`select text from unnest(${jsonArray(values)}) as text`.execute(tx);
      return rows.map(({ text }) => text);
    });
  const separators = '\u001E\u001F"\\{},\'';
  const value = fc.oneof(
    fc.constant(undefined),
    fc.constant(null),
    fc.constantFrom(separators, ''),
    fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }),
  );
  try {
    expect(await rowsOf([undefined])).toEqual([null]);
    expect(await rowsOf([{ [separators]: separators }, undefined, ''])).toEqual([
      toJson({ [separators]: separators }),
      null,
      '""',
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 8 }), async (values) => {
        expect(await rowsOf(values)).toEqual(values.map((one) => (one === undefined ? null : toJson(one))));
      }),
      { seed: 20251125, numRuns: 60 },
    );
  } finally {
    await db.close();
  }
});
