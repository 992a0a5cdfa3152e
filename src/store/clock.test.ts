import { afterEach, beforeEach, expect, test } from 'vitest';
import { epochMs } from '#core/values/dates.ts';
import { asOwner, newDatabase, type TestDatabase } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { databaseClock, type DatabaseClock } from './clock.ts';

let db: TestDatabase;
let started: DatabaseClock[] = [];
beforeEach(async () => {
  db = await newDatabase();
});
afterEach(async () => {
  for (const clock of started) clock.stop();
  started = [];
  await db.close();
});

const start = async (): Promise<DatabaseClock> => {
  const clock = await databaseClock(db.database, silentLogger);
  started.push(clock);
  return clock;
};

/** Sets the wall clock of the database this far from the true time, while all processes keep running. */
const setWallClock = (byMs: number) =>
  asOwner(db.url, (owner) =>
    owner.query(`create or replace function wall_clock_ms() returns bigint language sql volatile
      as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint + ${byMs} $$`),
  );

const events = async () => (await db.store.listDeploymentEvents(10)).map(({ action, detail }) => ({ action, detail }));

const minutes = 60_000;
/** Returns the whole seconds between a clock and this machine's clock, which the database shares. */
const offSeconds = (clock: DatabaseClock) => Math.round((epochMs(clock.now()) - Date.now()) / 1_000) || 0;

test("uses the database's time instead of the machine's", async () => {
  await setWallClock(24 * 60 * minutes);
  const clock = await start();
  expect(offSeconds(clock)).toBe(24 * 60 * 60);
  expect(clock.aheadSeconds()).toBe(0);
});

test('advances evenly after the clock is set back by ten minutes, also in new processes, and logs it once', async () => {
  const [first, second] = [await start(), await start()];
  const before = first.now();
  await setWallClock(-10 * minutes);
  await first.refresh();
  await second.refresh();
  const third = await start();
  expect([first, second, third].map(offSeconds)).toEqual([0, 0, 0]);
  expect(first.now() > before).toBe(true);
  expect(Math.round(third.aheadSeconds())).toBe(600);
  expect(await events()).toEqual([{ action: 'clock.stepped', detail: { seconds: -600 } }]);
});

test('continues from the last time when the clock was set back while nothing ran', async () => {
  const clock = await start();
  await clock.refresh();
  clock.stop();
  await setWallClock(-10 * minutes);
  expect(Math.abs(offSeconds(await start()))).toBeLessThanOrEqual(2);
  expect(await events()).toMatchObject([{ action: 'clock.stepped' }]);
});

test('does not follow a clock that is set forward at once, and ignores it when it is corrected', async () => {
  const [first, second] = [await start(), await start()];
  await setWallClock(10 * minutes);
  await first.refresh();
  await second.refresh();
  expect([first, second, await start()].map(offSeconds)).toEqual([0, 0, 0]);
  expect(Math.round(first.aheadSeconds())).toBe(-600);
  await setWallClock(0);
  await first.refresh();
  expect([offSeconds(first), offSeconds(await start()), Math.round(first.aheadSeconds())]).toEqual([0, 0, 0]);
  expect(await events()).toEqual([
    { action: 'clock.stepped', detail: { seconds: -600 } },
    { action: 'clock.stepped', detail: { seconds: 600 } },
  ]);
});

test('catches up with a process that started after the clock was set forward', async () => {
  const first = await start();
  await setWallClock(10 * minutes);
  const second = await start();
  await first.refresh();
  await second.refresh();
  expect([first, second].map(offSeconds)).toEqual([600, 600]);
  expect(await events()).toEqual([]);
});

test('removes a remaining offset at a tenth of the elapsed time', async () => {
  const clock = await start();
  await setWallClock(-10 * minutes);
  await clock.refresh();
  // Fifty minutes later both clocks have advanced by fifty minutes.
  await asOwner(db.url, (owner) => owner.query('update deployment_clock set wall_ms = wall_ms - $1', [50 * minutes]));
  expect(Math.round((await start()).aheadSeconds())).toBe(300);
});

test('never runs backward within a process', async () => {
  const clock = await start();
  let last = clock.now();
  for (const byMs of [-1_500, 500, -5 * minutes, 0]) {
    await setWallClock(byMs);
    await clock.refresh();
    const now = clock.now();
    expect(now >= last).toBe(true);
    last = now;
  }
});

const gaps = () =>
  asOwner(db.url, async (owner) => Number((await owner.query('select gaps from deployment_clock')).rows[0]?.gaps));

test('does not take a time without records for a restore', async () => {
  const before = await gaps();
  await asOwner(db.url, (owner) => owner.query('update deployment_clock set wall_ms = wall_ms - $1', [60 * minutes]));
  await (await start()).refresh();
  expect(await gaps()).toBe(before);
});
