import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { epochMs, instant, type Instant } from '#core/values/dates.ts';
import { newDatabase, type TestDatabase } from '#test/support/database.ts';
import { createRateLimits } from './rate-limits.ts';

let db: TestDatabase;
let nowMs = 0;
const clock = { now: (): Instant => instant(nowMs) };
beforeAll(async () => {
  db = await newDatabase();
});
afterAll(() => db.close());

let counter = 0;
/** Returns a window with a new key, so that tests do not share rate limits. */
const fresh = (calls: number, perSeconds: number) => ({ key: `k${(counter += 1)}`, calls, perSeconds });
const begin = () => {
  nowMs = epochMs(instant('2025-03-03T15:00:00.123Z'));
};

test('lists holders of permits until the permits are released or expire', async () => {
  begin();
  const rateLimits = createRateLimits({ database: db.database, clock });
  const { key } = fresh(1, 1);
  const permit = (holder: string, forMs: number) => ({ key, most: 3, holder, forMs });
  await rateLimits.acquire([fresh(9, 60)], permit('one', 1_000));
  await rateLimits.acquire([fresh(9, 60)], permit('two', 9_000));
  expect((await rateLimits.holders(key)).toSorted()).toEqual(['one', 'two']);
  nowMs += 1_000;
  expect(await rateLimits.holders(key)).toEqual(['two']);
  await rateLimits.release(permit('two', 9_000));
  expect(await rateLimits.holders(key)).toEqual([]);
});

test('gives the next permit to a rejected caller before earlier holders, and skips callers that stopped asking', async () => {
  begin();
  const rateLimits = createRateLimits({ database: db.database, clock });
  const { key } = fresh(1, 1);
  const permit = (holder: string) => ({ key, most: 2, holder, forMs: 60_000 });
  const ask = (holder: string) => rateLimits.acquire([], permit(holder));
  expect([await ask('one'), await ask('two'), await ask('three')]).toEqual([0, 0, 50]);
  await rateLimits.release(permit('one'));
  expect([await ask('one again'), await ask('three'), await ask('one again')]).toEqual([50, 0, 50]);
  // The holder has died: after half a second another caller gets its turn.
  await rateLimits.release(permit('two'));
  expect(await ask('late')).toBe(50);
  nowMs += 500;
  expect(await ask('late')).toBe(0);
});

test('counts an answered call until a second after its response, an unanswered one for the whole window', async () => {
  const permitOf = (holder: string) => ({ key: `permits ${holder}`, most: 99, holder, forMs: 60_000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          pause: fc.integer({ min: 0, max: 400 }),
          takes: fc.oneof(fc.integer({ min: 1, max: 1_800 }), fc.constant(null)),
        }),
        { minLength: 15, maxLength: 40 },
      ),
      async (steps) => {
        begin();
        const rateLimits = createRateLimits({ database: db.database, clock });
        const window = { ...fresh(4, 1.5), secondsAfterAnswer: 1 };
        const made: { readonly atMs: number; answeredMs: number; dueMs: number; readonly holder: string }[] = [];
        const answer = async () => {
          const later = nowMs;
          for (const one of made.filter(({ dueMs }) => dueMs <= later).toSorted((a, b) => a.dueMs - b.dueMs)) {
            nowMs = one.dueMs;
            await rateLimits.release(permitOf(one.holder), { windows: [window], countedMsAgo: nowMs - one.atMs });
            Object.assign(one, { answeredMs: one.dueMs, dueMs: Number.POSITIVE_INFINITY });
          }
          nowMs = later;
        };
        for (const [turn, { pause, takes }] of steps.entries()) {
          nowMs += pause;
          await answer();
          const holder = `${window.key} ${turn}`;
          const waitMs = await rateLimits.acquire([window], permitOf(holder));
          const counting = (slackMs: number) =>
            made.filter(
              ({ atMs, answeredMs }) => atMs + 1_500 + slackMs > nowMs && answeredMs + 1_000 + slackMs > nowMs,
            ).length;
          if (waitMs > 0) expect(counting(2 * 25)).toBeGreaterThanOrEqual(window.calls);
          else {
            expect(counting(0)).toBeLessThan(window.calls);
            made.push({
              atMs: nowMs,
              answeredMs: Number.POSITIVE_INFINITY,
              dueMs: takes === null ? Number.POSITIVE_INFINITY : nowMs + takes,
              holder,
            });
          }
        }
        for (const { holder, answeredMs } of made)
          if (Number.isFinite(answeredMs)) expect(await rateLimits.holders(permitOf(holder).key)).toEqual([]);
      },
    ),
    { seed: 20250304, numRuns: 25 },
  );
});

describe('rate limits', () => {
  test('allow at most the limit in any period of its length, and use it fully', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 90 }),
        fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 10, maxLength: 25 }),
        async (calls, perSeconds, steps) => {
          begin();
          const rateLimits = createRateLimits({ database: db.database, clock });
          const window = fresh(calls, perSeconds);
          const left: number[] = [];
          for (const step of steps) {
            nowMs += step;
            const waitMs = await rateLimits.acquire([window]);
            if (waitMs === 0) left.push(nowMs);
            else {
              const recent = left.filter((at) => at > nowMs - perSeconds * 1_000 * (1 + 2 / 60) - 2);
              expect(recent.length).toBeGreaterThanOrEqual(calls);
            }
          }
          for (const at of left)
            expect(left.filter((one) => one >= at && one < at + perSeconds * 1_000).length).toBeLessThanOrEqual(calls);
        },
      ),
      { seed: 20250303, numRuns: 25 },
    );
  });

  test('count a call by its number of requests in the windows that need it', async () => {
    begin();
    const rateLimits = createRateLimits({ database: db.database, clock });
    const [minute, batches] = [fresh(90, 60), fresh(4, 60)];
    const batch = [{ ...minute, weight: 30 }, batches];
    expect([await rateLimits.acquire(batch), await rateLimits.acquire(batch)]).toEqual([0, 0]);
    expect(await rateLimits.acquire([minute])).toBe(0);
    // 61 are taken: there is room for 29 more, but not for 30.
    expect(await rateLimits.acquire(batch)).toBeGreaterThan(50_000);
    expect(await rateLimits.acquire([{ ...minute, weight: 29 }, batches])).toBe(0);
    expect(await rateLimits.acquire([minute])).toBeGreaterThan(50_000);
    nowMs += 62_000;
    expect(await rateLimits.acquire(batch)).toBe(0);
  });

  test('return the wait and then allow the call', async () => {
    begin();
    const rateLimits = createRateLimits({ database: db.database, clock });
    const window = fresh(3, 60);
    expect([
      await rateLimits.acquire([window]),
      await rateLimits.acquire([window]),
      await rateLimits.acquire([window]),
    ]).toEqual([0, 0, 0]);
    const waitMs = await rateLimits.acquire([window]);
    expect(waitMs).toBeGreaterThan(59_000);
    expect(waitMs).toBeLessThanOrEqual(62_000);
    nowMs += waitMs - 1;
    expect(await rateLimits.acquire([window])).toBe(1);
    nowMs += 1;
    expect(await rateLimits.acquire([window])).toBe(0);
  });

  test('take from every window or from none', async () => {
    begin();
    const rateLimits = createRateLimits({ database: db.database, clock });
    const [narrow, wide] = [fresh(1, 10), fresh(2, 3_600)];
    expect(await rateLimits.acquire([narrow, wide])).toBe(0);
    expect(await rateLimits.acquire([wide, narrow])).toBeGreaterThan(0);
    expect(await rateLimits.acquire([wide])).toBe(0);
    expect(await rateLimits.acquire([wide])).toBeGreaterThan(0);
    expect(await rateLimits.acquire([])).toBe(0);
  });

  test('are shared exactly by parallel workers with windows in any order', async () => {
    begin();
    const worker = () => createRateLimits({ database: db.database, clock });
    const workers = [worker(), worker()] as const;
    const [minute, hour] = [fresh(20, 60), fresh(1_000, 3_600)];
    const waits = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 2 === 0 ? workers[0].acquire([minute, hour]) : workers[1].acquire([hour, minute]),
      ),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
  });

  test('pause as long as a service requested, and a shorter pause does not shorten that', async () => {
    begin();
    const rateLimits = createRateLimits({ database: db.database, clock });
    const window = fresh(100, 60);
    await rateLimits.pause(window.key, 30_000);
    await rateLimits.pause(window.key, 5_000);
    expect(await rateLimits.acquire([window])).toBe(30_000);
    nowMs += 29_999;
    expect(await rateLimits.acquire([window])).toBe(1);
    nowMs += 1;
    expect(await rateLimits.acquire([window])).toBe(0);
    await rateLimits.pause(window.key, 60_000);
    expect(await rateLimits.acquire([window])).toBe(60_000);
  });

  test('separate keys', async () => {
    begin();
    const rateLimits = createRateLimits({ database: db.database, clock });
    const [one, other] = [fresh(1, 60), fresh(1, 60)];
    expect(await rateLimits.acquire([one])).toBe(0);
    expect(await rateLimits.acquire([other])).toBe(0);
    await rateLimits.pause(one.key, 1_000_000);
    nowMs += 100_000;
    expect(await rateLimits.acquire([other])).toBe(0);
  });
});

describe('parallel calls', () => {
  const windows = () => [fresh(1_000, 60)];
  const permit = (key: string, holder: string) => ({ key, most: 3, holder, forMs: 45_000 });

  test('never exceed their limit across processes', async () => {
    begin();
    const processes = Array.from({ length: 4 }, () => createRateLimits({ database: db.database, clock }));
    const window = windows();
    const key = `place${(counter += 1)}`;
    const requests = processes.flatMap((rateLimits, one) =>
      Array.from({ length: 3 }, (_, two) => rateLimits.acquire(window, permit(key, `${one}-${two}`))),
    );
    const waits = await Promise.all(requests);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    expect(waits.every((wait) => wait === 0 || (wait > 0 && wait <= 1_000))).toBe(true);
  });

  test('use no window when the permit is refused, and no permit when a window is full', async () => {
    begin();
    const rateLimits = createRateLimits({ database: db.database, clock });
    const key = `place${(counter += 1)}`;
    const window = [fresh(4, 60)];
    for (const holder of ['a', 'b', 'c']) expect(await rateLimits.acquire(window, permit(key, holder))).toBe(0);
    for (let turn = 0; turn < 5; turn += 1)
      expect(await rateLimits.acquire(window, permit(key, 'd'))).toBeGreaterThan(0);
    await rateLimits.release(permit(key, 'a'));
    expect(await rateLimits.acquire(window, permit(key, 'd'))).toBe(0);
    await rateLimits.release(permit(key, 'b'));
    // The window is full: a call that must wait takes no permit.
    for (let turn = 0; turn < 5; turn += 1)
      expect(await rateLimits.acquire(window, permit(key, 'e'))).toBeGreaterThan(1_000);
    expect(await rateLimits.acquire([fresh(4, 60)], permit(key, 'f'))).toBe(0);
  });

  test('free a permit when it is released once, or when its process must be dead', async () => {
    begin();
    const rateLimits = createRateLimits({ database: db.database, clock });
    const key = `place${(counter += 1)}`;
    const window = windows();
    for (const holder of ['a', 'b', 'c']) expect(await rateLimits.acquire(window, permit(key, holder))).toBe(0);
    await rateLimits.release(permit(key, 'a'));
    await rateLimits.release(permit(key, 'a'));
    expect(await rateLimits.acquire(window, permit(key, 'd'))).toBe(0);
    expect(await rateLimits.acquire(window, permit(key, 'e'))).toBeGreaterThan(0);
    nowMs += 40_000;
    await rateLimits.renew(permit(key, 'b'));
    nowMs += 5_000;
    // Of the three permits, only the one that was renewed still exists.
    for (const holder of ['e', 'f']) expect(await rateLimits.acquire(window, permit(key, holder))).toBe(0);
    expect(await rateLimits.acquire(window, permit(key, 'g'))).toBeGreaterThan(0);
  });
});

test("shares a service's quota with every process, with the time of the response", async () => {
  begin();
  const key = `quota${(counter += 1)}`;
  const [here, elsewhere] = [
    createRateLimits({ database: db.database, clock }),
    createRateLimits({ database: db.database, clock }),
  ];
  await here?.acquire([{ key, calls: 1, perSeconds: 1 }]);
  expect(await elsewhere?.readQuotaShare(key)).toBeNull();
  await here?.saveQuotaShare(key, 0.5, clock.now());
  expect(await elsewhere?.readQuotaShare(key)).toEqual({ share: 0.5, at: clock.now() });
});
