import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RateLimits, RateWindow } from '#core/ports/rate-limits.ts';
import { createSemaphore, type Semaphore } from '#core/semaphore.ts';
import type { ServiceError } from '#core/service-error.ts';

/** The limits that one call must keep. */
export interface CallLimits {
  /** Shared by all processes. The first one's key is what a pause stops. */
  readonly windows: readonly [RateWindow, ...RateWindow[]];
  /** Calls of this name share so many permits, in all processes together. */
  readonly permitKey: string;
  readonly permits: number;
}

/** Most calls of one name that leave this process within a stretch of time, wherever it begins. */
export interface DepartureLimit {
  readonly key: string;
  readonly calls: number;
  readonly perMs: number;
}

/** Keeps the limits of the services: calls at once, and calls per window, counted over all processes. */
export interface RateLimiter {
  /**
   * Waits for a permit and for room in every window, then calls.
   *
   * @param longestWaitMs how long the windows may keep it waiting; default a little more than a minute.
   * @throws what `refuse` makes of the wait, when the windows would keep it waiting too long.
   */
  run<T>(
    limits: CallLimits,
    call: () => Promise<T>,
    refuse: (waitMs: number) => ServiceError,
    longestWaitMs?: number,
  ): Promise<T>;
  /**
   * Waits until a call may leave this process, and counts it. Windows count a call when it gets its permit; what it still
   * has to read before it leaves may take long enough that calls of several windows leave together. To be asked right
   * before the first byte.
   *
   * @returns whether it had to wait.
   */
  depart(limit: DepartureLimit): Promise<boolean>;
  /** Nothing leaves under these limits, in any process, before so many milliseconds have passed. */
  pause(limits: CallLimits, milliseconds: number): Promise<void>;
}

/** The permits of a process that died are free again so soon that its successor is not kept waiting. */
const permitMs = 12_000;
/** A call that takes longer renews its permit. */
const renewEveryMs = 4_000;
/** A minute-long limit may be sat out; anything longer is told to the caller. */
export const longestWaitMs = 65_000;

/** Lines of this process by name, with how many calls stand in them. */
type LocalLines = Map<string, { readonly semaphore: Semaphore; users: number }>;
/** All connectors of a process that share rate limits share its lines. */
const localLines = new WeakMap<RateLimits, LocalLines>();

/** The newest departures of this process by name, in milliseconds, earliest first. */
type Departures = Map<string, readonly number[]>;
const localDepartures = new WeakMap<RateLimits, Departures>();
/** With more names than this, those that have not been used lately are forgotten. */
const mostNames = 1_000;

/**
 * Makes calls keep the services' limits, which all processes share. Within a process calls wait in line, so that nobody
 * asks the database for a permit that a neighbour holds, and calls under the same limits leave in the order in which they
 * came.
 *
 * @param sleep how pauses are waited out.
 * @param nowMs the clock by which departures are counted, in milliseconds; it goes on while `sleep` waits.
 */
export function createRateLimiter(
  rateLimits: RateLimits,
  sleep: (ms: number) => Promise<unknown> = delay,
  nowMs: () => number = () => performance.now(),
): RateLimiter {
  const local: LocalLines = localLines.get(rateLimits) ?? new Map();
  localLines.set(rateLimits, local);
  const departures: Departures = localDepartures.get(rateLimits) ?? new Map();
  localDepartures.set(rateLimits, departures);

  async function inLine<T>(name: string, permits: number, call: () => Promise<T>): Promise<T> {
    const entry = local.get(name) ?? { semaphore: createSemaphore(permits), users: 0 };
    local.set(name, entry);
    entry.users += 1;
    try {
      return await entry.semaphore(call);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) local.delete(name);
    }
  }

  /** Waits until there is room in every window. */
  async function acquire(
    { windows }: CallLimits,
    permit: Parameters<RateLimits['acquire']>[1],
    refuse: (waitMs: number) => ServiceError,
    mostMs: number,
  ): Promise<void> {
    for (let waited = 0; ;) {
      const waitMs = await rateLimits.acquire(windows, permit);
      if (waitMs <= 0) return;
      if (waited + waitMs > mostMs) throw refuse(waitMs);
      await sleep(waitMs);
      waited += waitMs;
    }
  }

  return {
    run: (limits, call, refuse, mostMs = longestWaitMs) =>
      inLine(limits.permitKey, limits.permits, async () => {
        const permit = { key: limits.permitKey, most: limits.permits, holder: randomUUID(), forMs: permitMs };
        const windows = limits.windows.map(({ key }) => key).join(' ');
        await inLine(`windows ${windows}`, 1, () => acquire(limits, permit, refuse, mostMs));
        const renewing = setInterval(() => {
          rateLimits.renew(permit).catch(() => undefined);
        }, renewEveryMs);
        try {
          return await call();
        } finally {
          clearInterval(renewing);
          // A permit that cannot be released ends by itself; the result of the call counts more.
          await rateLimits.release(permit).catch(() => undefined);
        }
      }),
    depart: ({ key, calls, perMs }) =>
      inLine(`departures ${key}`, 1, async () => {
        const left = departures.get(key) ?? [];
        const first = left.length < calls ? undefined : left.at(-calls);
        // A clock that was set back would make calls wait until it has caught up.
        const waitMs = first === undefined ? 0 : Math.min(Math.ceil(first + perMs - nowMs()), perMs);
        if (waitMs > 0) await sleep(waitMs);
        const now = nowMs();
        departures.set(key, [...left.slice(-calls), now]);
        if (departures.size > mostNames)
          for (const [name, times] of departures) if (now - (times.at(-1) ?? now) > perMs) departures.delete(name);
        return waitMs > 0;
      }),
    pause: (limits, milliseconds) => rateLimits.pause(limits.windows[0].key, milliseconds),
  };
}

/** How often, and how many times, is asked whether calls have ended. */
const askEveryMs = 50;
const mostAsked = 100;

/**
 * Waits until the calls that hold a permit of this key now have ended, in all processes, or for about five seconds: what
 * began later is not waited for.
 */
export async function callsEnded(
  rateLimits: Pick<RateLimits, 'holders'>,
  permitKey: string,
  sleep: (ms: number) => Promise<unknown> = delay,
): Promise<void> {
  let underWay = await rateLimits.holders(permitKey);
  for (let asked = 0; underWay.length > 0 && asked < mostAsked; asked += 1) {
    await sleep(askEveryMs);
    const now = new Set(await rateLimits.holders(permitKey));
    underWay = underWay.filter((holder) => now.has(holder));
  }
}
