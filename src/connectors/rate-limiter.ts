import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AnsweredCall, ConcurrencyPermit, RateLimits, RateWindow } from '#core/ports/rate-limits.ts';
import { createSemaphore, type Semaphore } from '#core/semaphore.ts';
import type { ServiceError } from '#core/service-error.ts';

/** The limits that apply to one call. */
export interface CallLimits {
  /** Shared by all processes. A pause applies to the key of the first window. */
  readonly windows: readonly [RateWindow, ...RateWindow[]];
  /** Calls with this key share the number of `permits`, in all processes together. */
  readonly permitKey: string;
  readonly permits: number;
  /**
   * Maximum number of calls in quick succession that are counted together; their permit passes from one call to the
   * next without a database request. Absent: each call makes a separate request. Only for windows much longer than
   * {@link countedMs}, because a call may leave that much later than it was counted.
   */
  readonly together?: number;
  /** Aborted when the process stops: waiting calls are neither counted nor sent. */
  readonly stopping?: AbortSignal | undefined;
}

/** Maximum calls with one key that leave this process within any period of `perMs`. */
export interface DepartureLimit {
  readonly key: string;
  readonly calls: number;
  readonly perMs: number;
  /** Milliseconds after its answer when a call no longer counts, if that is earlier. */
  readonly msAfterAnswer: number;
}

/** A call that may leave this process now. */
export interface Departure {
  readonly hasWaited: boolean;
  /** Records that the call has its answer. */
  answered(): void;
}

/** Applies the limits of the services: concurrent calls, and calls per window, counted over all processes. */
export interface RateLimiter {
  /**
   * Waits for a permit and for room in every window, then calls.
   *
   * @param maxWaitMs how long the windows may delay the call; default a little more than a minute.
   * @throws the result of `refuse`, if the windows would delay the call longer.
   */
  run<T>(
    limits: CallLimits,
    call: () => Promise<T>,
    refuse: (waitMs: number) => ServiceError,
    maxWaitMs?: number,
  ): Promise<T>;
  /**
   * Waits until a call may leave this process, and counts it. Windows count a call when it gets its permit, but the
   * reads before it is sent may take so long that calls of several windows would leave together. Call this right before
   * the first byte.
   */
  depart(limit: DepartureLimit): Promise<Departure>;
  /** Stops all calls under these limits, in every process, for this time. */
  pause(limits: CallLimits, milliseconds: number): Promise<void>;
}

/** Lifetime of a permit; a dead process's permits become free quickly, so that its successor does not wait. */
const permitMs = 12_000;
/** A call that takes longer renews its permit. */
const renewEveryMs = 4_000;
/**
 * Maximum time for which a permit passes from call to call. Then it is released, so that a waiting process gets its
 * turn.
 */
const maxHeldMs = 3_000;
/** Milliseconds that a permit waits for the next call before it is released. */
const lingerMs = 100;
/** Calls counted in advance that have not left within this time still count as made. */
const countedMs = 1_000;
/** Long enough to wait for a one-minute limit; a longer wait is reported to the caller. */
export const defaultMaxWaitMs = 65_000;

/** A permit that was taken for the first of several calls. */
interface HeldPermit {
  readonly permit: ConcurrencyPermit;
  readonly takenMs: number;
  /** When the windows counted the call that it was taken for. */
  readonly countedMs: number;
  /** Releases it if no next call arrives. */
  timer?: NodeJS.Timeout;
}

/** Calls that were counted at once and have not left. */
interface CountedCalls {
  left: number;
  readonly size: number;
  readonly untilMs: number;
}

/** State shared by all connectors of a process that share rate limits. */
interface Local {
  /** Queues by name, with the number of calls in each. */
  readonly lines: Map<string, { readonly semaphore: Semaphore; users: number }>;
  /** Permits that wait for the next call, by key. */
  readonly held: Map<string, HeldPermit[]>;
  /** Calls that were counted in their windows and have not left, by the names of the windows. */
  readonly counted: Map<string, CountedCalls>;
  /** Calls that have left and still count, by name. */
  readonly departures: Map<string, readonly { untilMs: number }[]>;
}
const locals = new WeakMap<RateLimits, Local>();
/** Beyond this number of names, those that were not used recently are dropped. */
const maxNames = 1_000;

/**
 * Creates a limiter for the services' limits, which all processes share. Within a process, calls wait in a queue: no
 * call asks the database for a permit that another call of the process holds, and calls under the same limits leave in
 * the order of arrival.
 *
 * @param sleep waits for a pause.
 * @param nowMs the clock for departures, in milliseconds; it advances during `sleep`.
 */
export function createRateLimiter(
  rateLimits: RateLimits,
  sleep: (ms: number) => Promise<unknown> = delay,
  nowMs: () => number = () => performance.now(),
): RateLimiter {
  const local: Local = locals.get(rateLimits) ?? {
    lines: new Map(),
    held: new Map(),
    counted: new Map(),
    departures: new Map(),
  };
  locals.set(rateLimits, local);
  const { departures } = local;

  async function inLine<T>(name: string, permits: number, call: () => Promise<T>): Promise<T> {
    const entry = local.lines.get(name) ?? { semaphore: createSemaphore(permits), users: 0 };
    local.lines.set(name, entry);
    entry.users += 1;
    try {
      return await entry.semaphore(call);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) local.lines.delete(name);
    }
  }

  /** Returns a permit that another call no longer needs. */
  function takeHeld({ permitKey }: CallLimits): HeldPermit | undefined {
    const waiting = local.held.get(permitKey) ?? [];
    const held = waiting.pop();
    if (waiting.length === 0) local.held.delete(permitKey);
    clearTimeout(held?.timer);
    return held;
  }

  /** Returns the calls that are counted and may leave. */
  function countedOf({ windows }: CallLimits): CountedCalls | undefined {
    const counted = local.counted.get(nameOf(windows));
    return counted !== undefined && nowMs() < counted.untilMs ? counted : undefined;
  }

  /** Counts `calls` calls, with a permit unless one is held. @returns the wait; 0 if all are counted. */
  async function count(limits: CallLimits, calls: number, permit: ConcurrencyPermit | undefined): Promise<number> {
    const windows = limits.windows.map((one) => (calls === 1 ? one : { ...one, weight: (one.weight ?? 1) * calls }));
    const waitMs = await rateLimits.acquire(windows, permit);
    if (waitMs > 0) return calls === 1 ? waitMs : count(limits, 1, permit);
    if (limits.together !== undefined)
      local.counted.set(nameOf(limits.windows), { left: calls - 1, size: calls, untilMs: nowMs() + countedMs });
    return 0;
  }

  /** Waits until there is room in every window, and for a permit. */
  async function acquire(
    limits: CallLimits,
    refuse: (waitMs: number) => ServiceError,
    maxWaitMs: number,
  ): Promise<HeldPermit> {
    const { permitKey: key, permits, together = 1 } = limits;
    const permit = { key, most: permits, holder: randomUUID(), forMs: permitMs };
    for (let waited = 0; ;) {
      limits.stopping?.throwIfAborted();
      const countedMs = nowMs();
      const held = takeHeld(limits);
      const counted = countedOf(limits);
      const isCounted = counted !== undefined && counted.left > 0;
      const neededPermit = held === undefined ? permit : undefined;
      // A batch that was used up in time is followed by more calls, so the next batch is twice as large.
      const waitMs = isCounted
        ? neededPermit === undefined
          ? 0
          : await rateLimits.acquire([], neededPermit)
        : await count(limits, counted === undefined ? 1 : Math.min(together, 2 * counted.size), neededPermit);
      if (waitMs <= 0) {
        if (isCounted) counted.left -= 1;
        return held ?? { permit, takenMs: nowMs(), countedMs };
      }
      // The call does not hold a permit while it waits for room.
      if (held !== undefined) await giveBack(held);
      if (waited + waitMs > maxWaitMs) throw refuse(waitMs);
      await sleep(waitMs);
      waited += waitMs;
    }
  }

  /** A permit that cannot be released expires; the result of the call matters more. */
  const giveBack = ({ permit }: HeldPermit, answered?: AnsweredCall): Promise<void> =>
    rateLimits.release(permit, answered).catch(() => undefined);

  /** Keeps a permit for the next call, or releases it to all processes. */
  async function passOn({ permitKey, windows, together = 1 }: CallLimits, held: HeldPermit, isAnswered: boolean) {
    if (together === 1)
      return giveBack(held, isAnswered ? { windows, countedMsAgo: nowMs() - held.countedMs } : undefined);
    if (nowMs() - held.takenMs >= maxHeldMs) return giveBack(held);
    held.timer = setTimeout(() => {
      const others = (local.held.get(permitKey) ?? []).filter((one) => one !== held);
      if (others.length === 0) local.held.delete(permitKey);
      else local.held.set(permitKey, others);
      void giveBack(held);
    }, lingerMs);
    held.timer.unref();
    local.held.set(permitKey, [...(local.held.get(permitKey) ?? []), held]);
  }

  return {
    run: (limits, call, refuse, maxWaitMs = defaultMaxWaitMs) =>
      inLine(limits.permitKey, limits.permits, async () => {
        const held = await inLine(`windows ${nameOf(limits.windows)}`, 1, () => acquire(limits, refuse, maxWaitMs));
        const renewing = setInterval(() => {
          rateLimits.renew(held.permit).catch(() => undefined);
        }, renewEveryMs);
        let isAnswered = false;
        try {
          const answer = await call();
          isAnswered = true;
          return answer;
        } finally {
          clearInterval(renewing);
          await passOn(limits, held, isAnswered);
        }
      }),
    depart: ({ key, calls, perMs, msAfterAnswer }) =>
      inLine(`departures ${key}`, 1, async () => {
        const count = (departures.get(key) ?? []).toSorted((a, b) => a.untilMs - b.untilMs).slice(-calls);
        const first = count.length < calls ? undefined : count[0];
        // Limits the wait, because a clock that was set back would delay calls until it has caught up.
        const waitMs = first === undefined ? 0 : Math.min(Math.ceil(first.untilMs - nowMs()), perMs);
        if (waitMs > 0) await sleep(waitMs);
        const left = { untilMs: nowMs() + perMs };
        departures.set(key, [...count, left]);
        if (departures.size > maxNames)
          for (const [name, others] of departures)
            if (others.every(({ untilMs }) => untilMs <= nowMs())) departures.delete(name);
        return {
          hasWaited: waitMs > 0,
          answered() {
            left.untilMs = Math.min(left.untilMs, nowMs() + msAfterAnswer);
          },
        };
      }),
    pause: (limits, milliseconds) => {
      local.counted.delete(nameOf(limits.windows));
      return rateLimits.pause(limits.windows[0].key, milliseconds);
    },
  };
}

/** Releases the permits that this process holds for its next calls, so that other processes need not wait. */
export async function releasePermits(rateLimits: RateLimits): Promise<void> {
  const held = [...(locals.get(rateLimits)?.held.values() ?? [])].flat();
  locals.get(rateLimits)?.held.clear();
  await Promise.all(
    held.map(({ permit, timer }) => {
      clearTimeout(timer);
      return rateLimits.release(permit);
    }),
  );
}

const nameOf = (windows: readonly RateWindow[]): string => windows.map(({ key }) => key).join(' ');

/** Interval and maximum number of checks whether calls have ended. */
const checkEveryMs = 50;
const maxChecks = 100;

/**
 * Waits until the calls that now hold a permit of this key have ended, in all processes, for at most about five
 * seconds. Does not wait for calls that begin later.
 */
export async function callsEnded(
  rateLimits: Pick<RateLimits, 'holders'>,
  permitKey: string,
  sleep: (ms: number) => Promise<unknown> = delay,
): Promise<void> {
  let underWay = await rateLimits.holders(permitKey);
  for (let checks = 0; underWay.length > 0 && checks < maxChecks; checks += 1) {
    await sleep(checkEveryMs);
    const now = new Set(await rateLimits.holders(permitKey));
    underWay = underWay.filter((holder) => now.has(holder));
  }
}
