import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import { withRetry } from './http-client.ts';
import { type CallLimits, createRateLimiter, RateLimits } from './rate-limiter.ts';

const limits: CallLimits = {
  windows: [{ key: 'hour', calls: 10, perSeconds: 3_600 }],
  permitKey: 'Invoices',
  permits: 3,
};
const failure = (more: Partial<ServiceFailure>) =>
  new ServiceError({
    service: 'psa',
    operation: 'try',
    outcome: 'unknown',
    next: 'try_again',
    code: 'PSA_UNAVAILABLE',
    detail: '',
    ...more,
  });
const refuse = (waitMs: number) => failure({ outcome: 'not_applied', code: 'PSA_LIMIT', waitMs });
const noSleep = async () => undefined;

/** Limiters of one process on a clock that advances during sleep. */
function virtual(rateLimits = new RateLimits()) {
  const time = { now: 0 };
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    time.now += ms;
  };
  const limiter = (more: { readonly endsPause?: boolean } = {}) =>
    createRateLimiter(rateLimits, { nowMs: () => time.now, sleep, ...more });
  return { time, slept, rateLimits, limiter };
}

describe('parallel calls', () => {
  test('never exceed the limit of their name, also across connectors with shared rate limits', async () => {
    const { limiter } = virtual();
    const [one, other] = [limiter(), limiter()];
    let running = 0;
    let max = 0;
    const call = async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, (_, turn) => (turn % 2 ? one : other).run(limits, call, refuse)));
    expect(max).toBe(3);
  });

  test('release the slot of a failed call', async () => {
    const limiter = virtual().limiter();
    for (let turn = 0; turn < 5; turn += 1)
      await expect(limiter.run(limits, () => Promise.reject(failure({})), refuse)).rejects.toThrow();
    expect(await limiter.run(limits, async () => 'ok', refuse)).toBe('ok');
  });

  test('start in the order of their requests', async () => {
    const { limiter } = virtual();
    const started: string[] = [];
    const one = { ...limits, windows: [{ key: 'second', calls: 1, perSeconds: 1 }] } as const;
    await Promise.all(
      ['first', 'second', 'third'].map((name) => limiter().run(one, async () => void started.push(name), refuse)),
    );
    expect(started).toEqual(['first', 'second', 'third']);
  });
});

describe('a window', () => {
  test('allows at most its calls in any period of its length, and uses them fully', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 90 }),
        fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 10, maxLength: 25 }),
        (calls, perSeconds, steps) => {
          const rateLimits = new RateLimits();
          const window = { key: 'one', calls, perSeconds };
          const left: number[] = [];
          let now = 1_000_000;
          for (const step of steps) {
            now += step;
            if (rateLimits.waitMs([window], now) === 0) {
              rateLimits.count(window, now);
              left.push(now);
            } else {
              const recent = left.filter((at) => at > now - perSeconds * 1_000 * (1 + 1 / 60) - 1);
              expect(recent.length).toBeGreaterThanOrEqual(calls);
            }
          }
          for (const at of left)
            expect(left.filter((one) => one >= at && one < at + perSeconds * 1_000).length).toBeLessThanOrEqual(calls);
        },
      ),
      { seed: 20250303 },
    );
  });

  test('counts a call by its number of requests, and all windows must have room', () => {
    const rateLimits = new RateLimits();
    const [minute, batches] = [
      { key: 'minute', calls: 90, perSeconds: 60 },
      { key: 'batches', calls: 4, perSeconds: 60 },
    ];
    const batch = [{ ...minute, weight: 30 }, batches];
    for (let turn = 0; turn < 2; turn += 1) {
      expect(rateLimits.waitMs(batch, 0)).toBe(0);
      for (const window of batch) rateLimits.count(window, 0);
    }
    rateLimits.count(minute, 0);
    // 61 are taken: there is room for 29 more, but not for 30.
    expect(rateLimits.waitMs(batch, 0)).toBe(60_000);
    expect(rateLimits.waitMs([{ ...minute, weight: 29 }, batches], 0)).toBe(0);
    expect(rateLimits.waitMs(batch, 60_000)).toBe(0);
  });

  test('lets a call through that counts for more than the whole window', () => {
    const rateLimits = new RateLimits();
    const window = { key: 'one', calls: 10, perSeconds: 60, weight: 30 };
    expect(rateLimits.waitMs([window], 0)).toBe(0);
    rateLimits.count(window, 0);
    expect(rateLimits.waitMs([window], 0)).toBe(60_000);
  });

  test('delays a call, and rejects it unsent when the wait exceeds a minute', async () => {
    const { slept, limiter } = virtual();
    const sent: number[] = [];
    const run = (perSeconds: number) =>
      limiter().run(
        { ...limits, windows: [{ key: `${perSeconds}`, calls: 1, perSeconds }] },
        async () => sent.push(perSeconds),
        refuse,
      );
    await run(30);
    await run(30);
    expect(slept).toEqual([30_000]);
    await run(90);
    await expect(run(90)).rejects.toMatchObject({ about: { outcome: 'not_applied', waitMs: 90_000 } });
    expect(sent).toEqual([30, 30, 90]);
  });

  test('delays at most its period when the clock is set back', () => {
    const rateLimits = new RateLimits();
    const window = { key: 'one', calls: 1, perSeconds: 1 };
    rateLimits.count(window, 1_000_000);
    expect(rateLimits.waitMs([window], 0)).toBe(1_000);
  });

  test('is forgotten after its period', () => {
    const rateLimits = new RateLimits();
    for (let key = 0; key < 100; key += 1) rateLimits.count({ key: `${key}`, calls: 1, perSeconds: 60 }, 100_000);
    expect(rateLimits.size).toBe(100);
    rateLimits.count({ key: 'later', calls: 1, perSeconds: 60 }, 200_000);
    expect(rateLimits.size).toBe(1);
  });
});

describe('a pause', () => {
  test('stops all calls for the requested time, and a shorter one does not shorten it', async () => {
    const { slept, limiter } = virtual();
    limiter().pause(limits, 30_000);
    limiter().pause(limits, 5_000);
    await limiter().run(limits, async () => undefined, refuse);
    expect(slept).toEqual([30_000]);
  });

  test('ends when a user asks for a call', async () => {
    const { slept, limiter } = virtual();
    limiter().pause(limits, 30_000);
    await limiter({ endsPause: true }).run(limits, async () => undefined, refuse);
    await limiter().run(limits, async () => undefined, refuse);
    expect(slept).toEqual([]);
  });
});

describe('a retry', () => {
  const failing = (error: unknown, times: number) => {
    let turns = 0;
    return {
      get turns() {
        return turns;
      },
      call: async () => {
        turns += 1;
        if (turns <= times) throw error;
        return 'done';
      },
    };
  };

  test('succeeds after two transient failures', async () => {
    const work = failing(failure({}), 2);
    expect(await withRetry(noSleep, work.call)(undefined)).toBe('done');
    expect(work.turns).toBe(3);
  });

  test('stops after three attempts', async () => {
    const work = failing(failure({}), 9);
    await expect(withRetry(noSleep, work.call)(undefined)).rejects.toBeInstanceOf(ServiceError);
    expect(work.turns).toBe(3);
  });

  test.each(['refuse', 'reconnect', 'stop_run'] as const)(
    'does not repeat a failure that requires %s',
    async (next) => {
      const work = failing(failure({ next }), 9);
      await expect(withRetry(noSleep, work.call)(undefined)).rejects.toBeInstanceOf(ServiceError);
      expect(work.turns).toBe(1);
    },
  );

  test('does not wait an hour', async () => {
    const work = failing(failure({ waitMs: 3_600_000 }), 9);
    await expect(withRetry(noSleep, work.call)(undefined)).rejects.toBeInstanceOf(ServiceError);
    expect(work.turns).toBe(1);
  });
});

describe('call starts', () => {
  const window = { key: 'a realm', calls: 10, perSeconds: 1.333, secondsAfterAnswer: 1 };
  const perMs = window.perSeconds * 1_000;

  test('never exceed the limit within its period, regardless of earlier delays', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 60 }), async (pauses) => {
        const { time, limiter } = virtual();
        // Connectors of one process are counted together.
        const limiters = [limiter(), limiter()];
        const left: number[] = [];
        for (const [turn, pause] of pauses.entries()) {
          time.now += pause < 600 ? 0 : pause;
          const before = time.now;
          const departure = await limiters[turn % 2]?.depart(window);
          expect(departure?.hasWaited).toBe(time.now > before);
          left.push(time.now);
        }
        for (const [turn, at] of left.entries())
          expect(at - (left[turn - window.calls] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(perMs);
      }),
      { seed: 1 },
    );
  });

  test('make room one second after answered calls, never sooner', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ pause: fc.integer({ min: 0, max: 300 }), takes: fc.integer({ min: 10, max: 3_000 }) }), {
          maxLength: 80,
        }),
        async (calls) => {
          const { time, limiter } = virtual();
          /** The service counts a call at some time between these two. */
          const seen: { readonly leftMs: number; answeredMs: number }[] = [];
          const answers: { readonly atMs: number; readonly hear: () => void }[] = [];
          const hearUntil = (untilMs: number) => {
            const later = time.now;
            for (const { atMs, hear } of answers.splice(0).toSorted((a, b) => a.atMs - b.atMs)) {
              if (atMs > untilMs) answers.push({ atMs, hear });
              else {
                time.now = atMs;
                hear();
              }
            }
            time.now = later;
          };
          for (const { pause, takes } of calls) {
            time.now += pause;
            hearUntil(time.now);
            const departure = await limiter().depart(window);
            const call = { leftMs: time.now, answeredMs: Number.POSITIVE_INFINITY };
            const counting = seen.filter(
              ({ leftMs, answeredMs }) => leftMs + perMs > time.now && answeredMs + 1_000 > time.now,
            );
            expect(counting.length).toBeLessThan(window.calls);
            seen.push(call);
            answers.push({
              atMs: call.leftMs + takes,
              hear() {
                call.answeredMs = call.leftMs + takes;
                departure.answered();
              },
            });
          }
        },
      ),
      { seed: 7 },
    );
  });

  test('do not delay calls with another name', async () => {
    const { limiter } = virtual();
    for (let turn = 0; turn < window.calls; turn += 1) await limiter().depart(window);
    expect((await limiter().depart({ ...window, key: 'another realm' })).hasWaited).toBe(false);
    expect((await limiter().depart(window)).hasWaited).toBe(true);
  });
});
