import type { Lease } from '#core/records/leases.ts';
import { addSeconds, epochMs, instant } from '#core/values/dates.ts';
import { describe, expect, test } from 'vitest';
import { createRateLimiter, RateLimits } from '../rate-limiter.ts';
import { limitReached } from './errors.ts';
import { callsUnder, departuresOf, takeOver, withRateLimit } from './rate-limit.ts';

const realmId = '9341000000000001';
const began = instant('2025-03-03T15:00:00Z');

const leaseOf = (fence: number): Lease => ({
  tenantId: 't',
  owner: 'w',
  fence,
  secondsSincePrevious: 0,
  callsBefore: null,
});

/** A process that sends batches of `items` objects without waiting, until one would have to wait. */
function processOf(rateLimits: RateLimits) {
  let now = began;
  const limiter = createRateLimiter(rateLimits, { nowMs: () => epochMs(now) });
  const send = withRateLimit({ realmId, rateLimits, limiter, stopping: undefined }, async () => ({}));
  const call = { operation: 'post', method: 'POST', path: 'batch', query: {}, timeoutMs: 1_000 } as const;
  return {
    rateLimits,
    at(seconds: number) {
      now = addSeconds(began, seconds);
    },
    takesOver: (
      fence: number,
      secondsSincePrevious: Lease['secondsSincePrevious'],
      callsBefore: Lease['callsBefore'] = null,
    ) => takeOver(rateLimits, realmId, { ...leaseOf(fence), secondsSincePrevious, callsBefore }, now),
    /** Calls that it hands over when it releases the lease. */
    released: (fence: number) => callsUnder(rateLimits, realmId, leaseOf(fence), now),
    async sent(most = Infinity, items?: number): Promise<number> {
      for (let sent = 0; ; sent += 1) {
        if (sent === most) return sent;
        const error = await send({ ...call, ...(items !== undefined && { items }), leavesBefore: 0 }).catch(
          (caught: unknown) => caught,
        );
        if (error instanceof Error) {
          expect(error).toMatchObject({ about: { code: limitReached('', 0).about.code } });
          return sent;
        }
      }
    },
  };
}

test('the parallel calls of a worker and a server together stay below ten per company', async () => {
  let [running, most] = [0, 0];
  const processes = [new RateLimits(), new RateLimits({ isApi: true })];
  await Promise.all(
    processes.map((rateLimits) => {
      const limiter = createRateLimiter(rateLimits, { nowMs: () => epochMs(began) });
      const send = withRateLimit({ realmId, rateLimits, limiter, stopping: undefined }, async () => {
        most = Math.max(most, (running += 1));
        await new Promise((go) => setTimeout(go, 5));
        running -= 1;
        return {};
      });
      const call = { operation: 'read', method: 'GET', path: 'query', query: {}, timeoutMs: 1_000 } as const;
      return Promise.all(Array.from({ length: 20 }, () => send(call)));
    }),
  );
  expect(most).toBe(9);
});

describe('the calls of a minute', () => {
  test('of all processes stay below 500 when a lease moves from one worker to another', async () => {
    const [before, after, api] = [
      processOf(new RateLimits()),
      processOf(new RateLimits()),
      processOf(new RateLimits({ isApi: true })),
    ];
    before.takesOver(1, null);
    const sent = (await before.sent()) + (await api.sent());
    after.at(20);
    after.takesOver(2, 10);
    expect(sent + (await after.sent())).toBe(500);
    // A minute after the end of the other lease, the worker uses the whole limit.
    after.at(90);
    expect(await after.sent()).toBe(400);
  });

  test('are not reduced when the same worker takes the next lease, or the last one ended a minute ago', async () => {
    const worker = processOf(new RateLimits());
    worker.takesOver(7, 60);
    worker.takesOver(8, 0);
    expect(await worker.sent()).toBe(400);
    const another = processOf(new RateLimits());
    another.takesOver(9, 0);
    expect(await another.sent()).toBe(60);
  });

  test('of a worker from before the other one’s lease are not counted twice', async () => {
    const worker = processOf(new RateLimits());
    worker.takesOver(1, null);
    const minute = { key: `qbo:minute:${realmId}`, calls: 400, perSeconds: 60, weight: 57 };
    worker.rateLimits.count(minute, epochMs(began));
    worker.at(20);
    worker.takesOver(3, 1);
    expect(await worker.sent()).toBe(60);
    const busy = processOf(new RateLimits());
    busy.takesOver(1, null);
    expect(await busy.sent()).toBe(400);
    busy.at(20);
    busy.takesOver(3, 1);
    expect(await busy.sent()).toBe(0);
  });
});

describe('a worker that released its lease hands over its calls', () => {
  test('so the next one makes the others at once, and more when those of the first no longer count', async () => {
    const [first, second] = [processOf(new RateLimits()), processOf(new RateLimits())];
    first.takesOver(1, null);
    expect(await first.sent(100)).toBe(100);
    first.at(10);
    expect(await first.sent(150)).toBe(150);
    first.at(20);
    second.at(22);
    second.takesOver(2, 2, first.released(1));
    expect(await second.sent()).toBe(150);
    second.at(54);
    expect(await second.sent()).toBe(0);
    second.at(61);
    expect(await second.sent()).toBe(100);
    second.at(71);
    expect(await second.sent()).toBe(150);
  });

  test('and the same worker counts them once when it is its own successor’s successor', async () => {
    const [one, other] = [processOf(new RateLimits()), processOf(new RateLimits())];
    one.takesOver(1, null);
    await one.sent(100);
    let [holder, next] = [one, other];
    for (let fence = 2; fence < 10; fence += 1) {
      next.at(fence);
      holder.at(fence);
      next.takesOver(fence, 0, holder.released(fence - 1));
      [holder, next] = [next, holder];
    }
    expect(await holder.sent()).toBe(300);
    next.takesOver(10, 0, holder.released(9));
    expect(await next.sent()).toBe(0);
  });

  test('of batches as well', async () => {
    const [first, second] = [processOf(new RateLimits()), processOf(new RateLimits())];
    first.takesOver(1, null);
    expect(await first.sent(20, 1)).toBe(20);
    second.takesOver(2, 0, first.released(1));
    expect(await second.sent(Infinity, 1)).toBe(16);
    const third = processOf(new RateLimits());
    third.takesOver(3, 0);
    expect(await third.sent(Infinity, 1)).toBe(2);
  });

  test('unless nothing was called under the lease', () => {
    const worker = processOf(new RateLimits());
    worker.takesOver(1, null);
    expect(worker.released(1)).toEqual([]);
    expect(worker.released(2)).toBeNull();
  });
});

test('a worker that takes over a company waits until calls of the other one no longer count in their second', () => {
  const worker = processOf(new RateLimits());
  const waitMs = (): number => {
    const { rateLimits } = worker;
    return rateLimits.waitMs([departuresOf(rateLimits, realmId)], epochMs(addSeconds(began, 1)));
  };
  worker.at(1);
  worker.takesOver(1, null);
  expect(waitMs()).toBe(0);
  worker.takesOver(3, 1);
  expect(waitMs()).toBe(333);
});
