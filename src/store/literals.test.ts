import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newDatabase } from '#test/support/database.ts';
import { literal } from './literals.ts';

test('accepts only whole numbers and booleans as literals, regardless of the type', async () => {
  const db = await newDatabase();
  try {
    const { rows } = await db.database.acrossTenants((tx) =>
      sql<{ one: number; yes: boolean }>`select ${literal(-7)}::int as one, ${literal(true)} as yes`.execute(tx),
    );
    expect(rows).toEqual([{ one: -7, yes: true }]);
  } finally {
    await db.close();
  }
  for (const value of ['1; drop table logs', Number.NaN, 1.5, 1e300, null])
    expect(() => literal(value as number)).toThrow('a literal is a whole number or a truth value');
});
