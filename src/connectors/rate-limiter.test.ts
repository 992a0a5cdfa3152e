import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import { unlimitedRateLimits } from '#test/support/fake-ports.ts';
import { withRetry } from './retry.ts';
import { callsEnded, createRateLimiter, type CallLimits } from './rate-limiter.ts';

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

describe('parallel calls', () => {
  test('never exceed the limit of their name, also across connectors with shared rate limits', async () => {
    const rateLimits = unlimitedRateLimits();
    const [one, other] = [createRateLimiter(rateLimits), createRateLimiter(rateLimits)];
    let running = 0;
    let max = 0;
    const call = async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, (_, turn) => (turn % 2 ? one : other).run(limits, call, refuse)));
    expect(max).toBe(3);
  });

  test('hold their slot while they run and release it once', async () => {
    const calls: string[] = [];
    const rateLimits = {
      ...unlimitedRateLimits(),
      renew: async () => void calls.push('keep'),
      release: async () => void calls.push('give back'),
    };
    vi.useFakeTimers();
    try {
      let end: (value: string) => void = () => undefined;
      const running = createRateLimiter(rateLimits).run(
        limits,
        () => new Promise<string>((done) => (end = done)),
        refuse,
      );
      await vi.advanceTimersByTimeAsync(9_000);
      expect(calls).toEqual(['keep', 'keep']);
      end('done');
      expect(await running).toBe('done');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(calls).toEqual(['keep', 'keep', 'give back']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('report how long ago an answered call was counted, and no time for a failed one', async () => {
    const time = { now: 5_000 };
    const ends: unknown[] = [];
    const rateLimits = {
      ...unlimitedRateLimits(),
      release: async (...[, answered]: Parameters<ReturnType<typeof unlimitedRateLimits>['release']>) =>
        void ends.push(answered),
    };
    const limiter = createRateLimiter(rateLimits, noSleep, () => time.now);
    await limiter.run(limits, async () => void (time.now += 150), refuse);
    await expect(limiter.run(limits, () => Promise.reject(failure({})), refuse)).rejects.toThrow();
    expect(ends).toEqual([{ windows: limits.windows, countedMsAgo: 150 }, undefined]);
  });

  test('release the slot of a failed call', async () => {
    const limiter = createRateLimiter(unlimitedRateLimits());
    for (let turn = 0; turn < 5; turn += 1)
      await expect(limiter.run(limits, () => Promise.reject(failure({})), refuse)).rejects.toThrow();
    expect(await limiter.run(limits, async () => 'ok', refuse)).toBe('ok');
  });
});

test('start in the order of their requests under the same limits', async () => {
  const requested: string[] = [];
  let isFull = true;
  const rateLimits = {
    ...unlimitedRateLimits(),
    // There is no room at first; a second request would find some.
    acquire: async () => (isFull ? ((isFull = false), 50) : 0),
  };
  const limiter = createRateLimiter(rateLimits, () => new Promise((go) => setImmediate(go)));
  await Promise.all(
    ['first', 'second', 'third'].map((name) => limiter.run(limits, async () => void requested.push(name), refuse)),
  );
  expect(requested).toEqual(['first', 'second', 'third']);
});

describe('calls in quick succession', () => {
  const close: CallLimits = { ...limits, together: 10 };
  /** Rate limits that record their requests, and a clock that calls advance. */
  const recording = () => {
    const seen: string[] = [];
    const time = { now: 0 };
    const free = unlimitedRateLimits();
    const rateLimits = {
      ...free,
      acquire: async (...[windows, permit]: Parameters<typeof free.acquire>) => {
        const calls = windows.map(({ weight = 1 }) => weight);
        seen.push(`${calls.join()}${permit === undefined ? '' : ' permit'}`);
        return 0;
      },
      release: async () => void seen.push('give back'),
    };
    return { seen, time, limiter: createRateLimiter(rateLimits, noSleep, () => time.now) };
  };
  const callsOf = (seen: readonly string[]) => seen.reduce((sum, one) => sum + (Number.parseInt(one, 10) || 0), 0);

  test('are counted together and reuse their permit, which is released after the last call', async () => {
    vi.useFakeTimers();
    try {
      const { seen, time, limiter } = recording();
      let left = 0;
      for (let turn = 0; turn < 30; turn += 1) await limiter.run(close, async () => void (left += 1), refuse);
      expect(left).toBe(30);
      expect(seen).toEqual(['1 permit', '2', '4', '8', '10', '10']);
      await vi.advanceTimersByTimeAsync(99);
      expect(seen).not.toContain('give back');
      await vi.advanceTimersByTimeAsync(1);
      expect(seen.at(-1)).toBe('give back');
      time.now += 1_000;
      await limiter.run(close, async () => undefined, refuse);
      expect(seen.slice(-1)).toEqual(['1 permit']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('release their permit after three seconds, so another process gets a turn', async () => {
    const { seen, time, limiter } = recording();
    for (let turn = 0; turn < 40; turn += 1) await limiter.run(close, async () => void (time.now += 250), refuse);
    expect(seen.filter((one) => one === 'give back')).toHaveLength(3);
    expect(seen.filter((one) => one.endsWith('permit'))).toHaveLength(4);
  });

  test('never exceed the counted calls or the number of permits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 40 }), async (lengths) => {
        const { seen, time, limiter } = recording();
        let [running, left] = [0, 0];
        await Promise.all(
          lengths.map((length) =>
            limiter.run(
              close,
              async () => {
                running += 1;
                left += 1;
                expect(running).toBeLessThanOrEqual(close.permits);
                expect(callsOf(seen)).toBeGreaterThanOrEqual(left);
                await new Promise((go) => setImmediate(go));
                time.now += length;
                running -= 1;
              },
              refuse,
            ),
          ),
        );
        expect(left).toBe(lengths.length);
      }),
      { seed: 15 },
    );
  });

  test('are requested one by one when there is no room for several', async () => {
    const seen: number[] = [];
    const rateLimits = {
      ...unlimitedRateLimits(),
      acquire: async (windows: CallLimits['windows'] | readonly []) => {
        const weight = windows[0]?.weight ?? 1;
        seen.push(weight);
        return weight > 1 ? 60_000 : 0;
      },
    };
    const limiter = createRateLimiter(rateLimits, noSleep, () => 0);
    for (let turn = 0; turn < 3; turn += 1) await limiter.run(close, async () => undefined, refuse);
    expect(seen).toEqual([1, 2, 1, 2, 1]);
  });

  test('are not counted in advance across a pause', async () => {
    const { seen, limiter } = recording();
    for (let turn = 0; turn < 2; turn += 1) await limiter.run(close, async () => undefined, refuse);
    await limiter.pause(close, 1_000);
    await limiter.run(close, async () => undefined, refuse);
    expect(seen).toEqual(['1 permit', '2', '1']);
  });
});

describe('a limit', () => {
  test('delays a call for the requested time', async () => {
    const waits = [400, 250, 0];
    const slept: number[] = [];
    const rateLimits = { ...unlimitedRateLimits(), acquire: async () => waits.shift() ?? 0 };
    const limiter = createRateLimiter(rateLimits, async (ms) => slept.push(ms));
    expect(await limiter.run(limits, async () => 'left', refuse)).toBe('left');
    expect(slept).toEqual([400, 250]);
  });

  test('rejects a call unsent when the wait exceeds a minute', async () => {
    const rateLimits = { ...unlimitedRateLimits(), acquire: async () => 3_600_000 };
    let isSent = false;
    const call = async () => {
      isSent = true;
    };
    const refused = createRateLimiter(rateLimits, noSleep).run(limits, call, refuse);
    await expect(refused).rejects.toMatchObject({ about: { outcome: 'not_applied', waitMs: 3_600_000 } });
    expect(isSent).toBe(false);
  });

  test('pauses the key that all calls share', async () => {
    const rateLimits = unlimitedRateLimits();
    await createRateLimiter(rateLimits).pause(limits, 60_000);
    expect(rateLimits.pauses).toEqual([{ key: 'hour', milliseconds: 60_000 }]);
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

describe('waiting for running calls', () => {
  const turns = (...seen: readonly (readonly string[])[]) => {
    let requested = 0;
    return { holders: async () => seen[Math.min(requested++, seen.length - 1)] ?? [], requestCount: () => requested };
  };

  test('ends when all calls running at the start have ended', async () => {
    const rateLimits = turns(['a', 'b'], ['b', 'c'], ['c', 'd'], ['d']);
    await callsEnded(rateLimits, 'Invoices', noSleep);
    expect(rateLimits.requestCount()).toBe(3);
  });

  test('ends at once when none is running', async () => {
    const rateLimits = turns([], ['late']);
    await callsEnded(rateLimits, 'Invoices', noSleep);
    expect(rateLimits.requestCount()).toBe(1);
  });

  test('ends after a timeout when one does not end', async () => {
    const rateLimits = turns(['stuck']);
    let slept = 0;
    await callsEnded(rateLimits, 'Invoices', async (ms) => void (slept += ms));
    expect(slept).toBe(5_000);
  });
});

describe('call starts', () => {
  /** Returns a virtual clock that advances during sleep. */
  const virtual = () => {
    const time = { now: 0 };
    const rateLimits = unlimitedRateLimits();
    const sleep = async (ms: number) => void (time.now += ms);
    return { time, limiter: () => createRateLimiter(rateLimits, sleep, () => time.now) };
  };
  const limit = { key: 'a realm', calls: 10, perMs: 1_333, msAfterAnswer: 1_000 };

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
          const departure = await limiters[turn % 2]?.depart(limit);
          expect(departure?.hasWaited).toBe(time.now > before);
          left.push(time.now);
        }
        for (const [turn, at] of left.entries())
          expect(at - (left[turn - limit.calls] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(limit.perMs);
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
            const departure = await limiter().depart(limit);
            const call = { leftMs: time.now, answeredMs: Number.POSITIVE_INFINITY };
            const counting = seen.filter(
              ({ leftMs, answeredMs }) =>
                leftMs + limit.perMs > time.now && answeredMs + limit.msAfterAnswer > time.now,
            );
            expect(counting.length).toBeLessThan(limit.calls);
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
    const { time, limiter } = virtual();
    for (let turn = 0; turn < limit.calls; turn += 1) {
      const departure = await limiter().depart(limit);
      time.now = 150;
      departure.answered();
      time.now = 0;
    }
    time.now = 800;
    expect((await limiter().depart(limit)).hasWaited).toBe(true);
    expect(time.now).toBe(1_150);
  });

  test('are never delayed when the windows allow them', async () => {
    const { time, limiter } = virtual();
    for (let burst = 0; burst < 6; burst += 1) {
      time.now = burst * 750;
      for (let turn = 0; turn < 5; turn += 1) expect((await limiter().depart(limit)).hasWaited).toBe(false);
    }
  });

  test("wait at most the limit's period when the clock is set back", async () => {
    const { time, limiter } = virtual();
    for (let turn = 0; turn < limit.calls; turn += 1) await limiter().depart(limit);
    time.now -= 600_000;
    const before = time.now;
    await limiter().depart(limit);
    expect(time.now - before).toBeLessThanOrEqual(limit.perMs);
  });

  test('do not delay calls with another name', async () => {
    const { limiter } = virtual();
    for (let turn = 0; turn < limit.calls; turn += 1) await limiter().depart(limit);
    expect((await limiter().depart({ ...limit, key: 'another realm' })).hasWaited).toBe(false);
    expect((await limiter().depart(limit)).hasWaited).toBe(true);
  });
});
