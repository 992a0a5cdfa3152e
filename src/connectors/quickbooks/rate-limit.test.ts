import { addSeconds, epochMs, instant, secondsBetween } from '#core/values/dates.ts';
import { describe, expect, test } from 'vitest';
import { createRateLimiter, RateLimits } from '../rate-limiter.ts';
import { limitReached } from './errors.ts';
import { withRateLimit } from './rate-limit.ts';

const realmId = '9341000000000001';
const began = instant('2025-03-03T15:00:00Z');

/** A process that sends calls without waiting, until one would have to wait. */
function processOf(rateLimits: RateLimits) {
  const limiter = createRateLimiter(rateLimits, { nowMs: () => epochMs(began) });
  const send = withRateLimit({ realmId, rateLimits, limiter, stopping: undefined }, async () => ({}));
  const call = { operation: 'post', method: 'POST', path: 'batch', query: {}, timeoutMs: 1_000 } as const;
  return async (items?: number): Promise<number> => {
    for (let sent = 0; ; sent += 1) {
      const error = await send({ ...call, ...(items !== undefined && { items }), leavesBefore: 0 }).catch(
        (caught: unknown) => caught,
      );
      if (error instanceof Error) {
        expect(error).toMatchObject({ about: { code: limitReached('', 0).about.code } });
        return sent;
      }
    }
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
  test('of a worker and a server together stay below 500, and their batches at 40', async () => {
    const processes = () => [processOf(new RateLimits()), processOf(new RateLimits({ isApi: true }))];
    const sent = async (items?: number) => {
      let sum = 0;
      for (const send of processes()) sum += await send(items);
      return sum;
    };
    expect(await sent()).toBe(490);
    expect(await sent(1)).toBe(40);
  });

  test('count from when they leave, so that late ones do not meet those of the next minute', async () => {
    const rateLimits = new RateLimits();
    let now = began;
    let lateSeconds = 2;
    const arrived: { readonly at: number; readonly items: number }[] = [];
    const limiter = createRateLimiter(rateLimits, {
      nowMs: () => epochMs(now),
      sleep: async (ms) => void (now = addSeconds(now, ms / 1_000)),
    });
    const send = withRateLimit(
      { realmId, rateLimits, limiter, stopping: undefined },
      async ({ onLeave, items = 1 }) => {
        now = addSeconds(now, lateSeconds);
        onLeave();
        arrived.push({ at: secondsBetween(began, now), items });
        return {};
      },
    );
    const batch = { operation: 'post', method: 'POST', path: 'batch', query: {}, timeoutMs: 1_000, items: 30 } as const;
    for (let turn = 0; turn < 40; turn += 1) {
      await send(batch);
      if (turn === 14) lateSeconds = 0;
    }
    for (const { at } of arrived) {
      const inMinute = arrived.filter((one) => one.at >= at && one.at < at + 60);
      expect(inMinute.reduce((sum, { items }) => sum + items, 0)).toBeLessThanOrEqual(450);
    }
  });
});
