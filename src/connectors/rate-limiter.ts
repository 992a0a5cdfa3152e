import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AnsweredCall, ConcurrencyPermit, RateLimits, RateWindow } from '#core/ports/rate-limits.ts';
import { createSemaphore, type Semaphore } from '#core/semaphore.ts';
import type { ServiceError } from '#core/service-error.ts';

/** The limits that one call must keep. */
export interface CallLimits {
  /** Shared by all processes. The first one's key is what a pause stops. */
  readonly windows: readonly [RateWindow, ...RateWindow[]];
  /** Calls of this name share so many permits, in all processes together. */
  readonly permitKey: string;
  readonly permits: number;
  /**
   * Calls that follow each other closely are counted together, so many at most, and a permit goes from one call to the
   * next without the database being asked; absent: each call asks by itself. Only for windows that are long beside
   * {@link countedMs}, because a call leaves that much later than it was counted.
   */
  readonly together?: number;
}

/** Most calls of one name that leave this process within a stretch of time, wherever it begins. */
export interface DepartureLimit {
  readonly key: string;
  readonly calls: number;
  readonly perMs: number;
  /** So long after its answer a call no longer counts, if that is sooner. */
  readonly msAfterAnswer: number;
}

/** A call that leaves this process now. */
export interface Departure {
  readonly hasWaited: boolean;
  /** Notes that the call has its answer. */
  answered(): void;
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
   */
  depart(limit: DepartureLimit): Promise<Departure>;
  /** Nothing leaves under these limits, in any process, before so many milliseconds have passed. */
  pause(limits: CallLimits, milliseconds: number): Promise<void>;
}

/** The permits of a process that died are free again so soon that its successor is not kept waiting. */
const permitMs = 12_000;
/** A call that takes longer renews its permit. */
const renewEveryMs = 4_000;
/**
 * A permit goes from one call to the next for no longer than this: then it is given back, and another process that waits
 * for one has its turn.
 */
const longestHeldMs = 3_000;
/** A permit waits so long for the next call before it is given back. */
const lingerMs = 100;
/** Calls that were counted ahead and have not left by then are not made up for: they count as made. */
const countedMs = 1_000;
/** A minute-long limit may be sat out; anything longer is told to the caller. */
export const longestWaitMs = 65_000;

/** A permit that was taken for the first of several calls. */
interface HeldPermit {
  readonly permit: ConcurrencyPermit;
  readonly takenMs: number;
  /** When the windows were asked to count the call that it was taken for. */
  readonly countedMs: number;
  /** Gives it back, while it waits for the next call. */
  timer?: NodeJS.Timeout;
}

/** Calls that were counted at once and have not left. */
interface CountedCalls {
  left: number;
  readonly size: number;
  readonly untilMs: number;
}

/** Everything that the connectors of a process share when they share rate limits. */
interface Local {
  /** Lines by name, with how many calls stand in them. */
  readonly lines: Map<string, { readonly semaphore: Semaphore; users: number }>;
  /** Permits that wait for the next call, by their key. */
  readonly held: Map<string, HeldPermit[]>;
  /** Calls that are counted in their windows and have not left, by the names of the windows. */
  readonly counted: Map<string, CountedCalls>;
  /** Calls that have left and still count, by name. */
  readonly departures: Map<string, readonly { untilMs: number }[]>;
}
const locals = new WeakMap<RateLimits, Local>();
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

  /** A permit that another call has done with. */
  function takeHeld({ permitKey }: CallLimits): HeldPermit | undefined {
    const waiting = local.held.get(permitKey) ?? [];
    const held = waiting.pop();
    if (waiting.length === 0) local.held.delete(permitKey);
    clearTimeout(held?.timer);
    return held;
  }

  /** Calls that are counted and may leave. */
  function countedOf({ windows }: CallLimits): CountedCalls | undefined {
    const counted = local.counted.get(nameOf(windows));
    return counted !== undefined && nowMs() < counted.untilMs ? counted : undefined;
  }

  /** Counts so many calls, with a permit unless one is held. @returns how long to wait; 0: all are counted. */
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
    mostMs: number,
  ): Promise<HeldPermit> {
    const { permitKey: key, permits: most, together = 1 } = limits;
    const permit = { key, most, holder: randomUUID(), forMs: permitMs };
    for (let waited = 0; ;) {
      const countedMs = nowMs();
      const held = takeHeld(limits);
      const counted = countedOf(limits);
      const isCounted = counted !== undefined && counted.left > 0;
      const asked = held === undefined ? permit : undefined;
      // Calls that were used up within their time are followed by others: twice as many are counted then.
      const waitMs = isCounted
        ? asked === undefined
          ? 0
          : await rateLimits.acquire([], asked)
        : await count(limits, counted === undefined ? 1 : Math.min(together, 2 * counted.size), asked);
      if (waitMs <= 0) {
        if (isCounted) counted.left -= 1;
        return held ?? { permit, takenMs: nowMs(), countedMs };
      }
      // Room is waited for without a permit.
      if (held !== undefined) await giveBack(held);
      if (waited + waitMs > mostMs) throw refuse(waitMs);
      await sleep(waitMs);
      waited += waitMs;
    }
  }

  /** A permit that cannot be released ends by itself; the result of the call counts more. */
  const giveBack = ({ permit }: HeldPermit, answered?: AnsweredCall): Promise<void> =>
    rateLimits.release(permit, answered).catch(() => undefined);

  /** Keeps a permit for the next call, or gives it back to everybody. */
  async function passOn({ permitKey, windows, together = 1 }: CallLimits, held: HeldPermit, isAnswered: boolean) {
    if (together === 1)
      return giveBack(held, isAnswered ? { windows, countedMsAgo: nowMs() - held.countedMs } : undefined);
    if (nowMs() - held.takenMs >= longestHeldMs) return giveBack(held);
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
    run: (limits, call, refuse, mostMs = longestWaitMs) =>
      inLine(limits.permitKey, limits.permits, async () => {
        const held = await inLine(`windows ${nameOf(limits.windows)}`, 1, () => acquire(limits, refuse, mostMs));
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
        // A clock that was set back would make calls wait until it has caught up.
        const waitMs = first === undefined ? 0 : Math.min(Math.ceil(first.untilMs - nowMs()), perMs);
        if (waitMs > 0) await sleep(waitMs);
        const left = { untilMs: nowMs() + perMs };
        departures.set(key, [...count, left]);
        if (departures.size > mostNames)
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

const nameOf = (windows: readonly RateWindow[]): string => windows.map(({ key }) => key).join(' ');

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
