import { afterAll, beforeAll, expect, test } from 'vitest';
import { epochMs } from '#core/values/dates.ts';
import { newDatabase, type TestDatabase } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { databaseClock } from './clock.ts';
import type { Database } from './database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await newDatabase();
});
afterAll(() => db.close());

const databaseNow = async (): Promise<number> => {
  const { rows } = await db.database.pool.query<{ ms: string }>(
    `select (extract(epoch from clock_timestamp()) * 1000)::text as ms`,
  );
  return Number(rows[0]?.ms);
};

/** A database whose clock differs from this machine's by so many milliseconds. */
const shifted = (ms: { value: number }): Database => ({
  ...db.database,
  pool: Object.assign(Object.create(db.database.pool) as Database['pool'], {
    query: async () => ({ rows: [{ ms: String((await databaseNow()) + ms.value) }] }),
  }),
});

test('the clock shows the database’s time, not the machine’s', async () => {
  const day = { value: 86_400_000 };
  const clock = await databaseClock(shifted(day), silentLogger);
  const [before, shown, after] = [await databaseNow(), epochMs(clock.now()), await databaseNow()];
  expect(shown - day.value).toBeGreaterThan(before - 250);
  expect(shown - day.value).toBeLessThan(after + 250);
  clock.stop();
});

test('the clock follows when the database’s time moves on, and never runs backwards', async () => {
  const shift = { value: 0 };
  const clock = await databaseClock(shifted(shift), silentLogger);
  const first = clock.now();
  shift.value = 3_600_000;
  await clock.refresh();
  const second = clock.now();
  expect(epochMs(second) - epochMs(first)).toBeGreaterThan(3_590_000);
  shift.value = 0;
  await clock.refresh();
  expect(clock.now() >= second).toBe(true);
  clock.stop();
});
