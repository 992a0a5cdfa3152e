import { setTimeout as delay } from 'node:timers/promises';
import { createSemaphore, type Semaphore } from '#core/in-parallel.ts';
import type { ServiceError } from '#core/service-error.ts';
import { type Instant, secondsBetween } from '#core/values/dates.ts';
import { oncePer } from '#core/values/once-per.ts';

/**
 * Cache of answers shared by all connectors of one process. Its lifetime is that of the rateLimits object, which those
 * connectors share: nothing is global, so tests do not affect each other.
 */
interface SharedCache<T> {
  /** Returns the cached answer while it is fresh, otherwise reads it; concurrent requests for a key share one read. */
  get(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T>;
  /** Forgets the cached answers whose keys begin with a text. */
  forget(rateLimits: RateLimits, prefix: string): void;
  /** Reads the answer again, even if one is cached. */
  refresh(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T>;
}

/** Creates a cache whose answers are fresh for `keptSeconds`. */
export function createSharedCache<T>(cacheSeconds: number): SharedCache<T> {
  const answersOf = oncePer<RateLimits, Map<string, { readonly value: T; readonly at: Instant }>>(() => new Map());
  const questionsOf = oncePer<RateLimits, Map<string, Promise<T>>>(() => new Map());

  function refresh(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T> {
    const running = questionsOf(rateLimits);
    const pending = running.get(key);
    if (pending !== undefined) return pending;
    const question = read()
      .then((value) => {
        answersOf(rateLimits).set(key, { value, at: now() });
        return value;
      })
      .finally(() => running.delete(key));
    running.set(key, question);
    return question;
  }

  return {
    refresh,
    forget(rateLimits, prefix) {
      const known = answersOf(rateLimits);
      for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key);
    },
    async get(rateLimits, key, now, read) {
      const known = answersOf(rateLimits).get(key);
      const isFresh = known !== undefined && Math.abs(secondsBetween(known.at, now())) < cacheSeconds;
      return isFresh ? known.value : refresh(rateLimits, key, now, read);
    },
  };
}

/** At most `calls` calls within any period of `perSeconds`. */
export interface RateWindow {
  /** E.g. `qbo:minute:9341…`. */
  readonly key: string;
  readonly calls: number;
  readonly perSeconds: number;
  /** Number of calls in the window that this one counts for; default 1. */
  readonly weight?: number;
  /**
   * Seconds after its response when a call no longer counts, if earlier than `perSeconds`. The service has counted it
   * by then, so this may equal the service's own window. `perSeconds` has to be longer, because a call may arrive late.
   */
  readonly secondsAfterAnswer?: number;
}

/** The limits that apply to one call. */
export interface CallLimits {
  /** A pause applies to the key of the first window. */
  readonly windows: readonly [RateWindow, ...RateWindow[]];
  /** At most `permits` calls with this key run at the same time. */
  readonly permitKey: string;
  readonly permits: number;
  /** Aborted when the process stops: waiting calls are neither counted nor sent. */
  readonly stopping?: AbortSignal | undefined;
}

/** A call that may leave this process now. */
interface Departure {
  readonly hasWaited: boolean;
  /** Records that the call has its answer. */
  answered(): void;
}

/** Calls that are counted together. */
interface CountedCalls {
  /** When the first of these calls no longer counts, and when the last one does not. */
  readonly fromMs: number;
  untilMs: number;
  weight: number;
}

/** Calls within this part of a window's length are counted together, so a window has few entries. */
const mergedPart = 1 / 60;
const cleanUpEveryMs = 60_000;

/**
 * Counts the calls of this process against the services' published limits. Work for a client runs under its lease, so
 * nearly all calls to its services come from one worker; the processes that serve users have a small share of each
 * limit. If calls of several processes exceed a limit together, the service refuses one, and it is sent again later.
 */
export class RateLimits {
  /** Whether this process only serves users. */
  readonly isApi: boolean;
  readonly #counted = new Map<string, CountedCalls[]>();
  readonly #pausedUntil = new Map<string, number>();
  readonly #queues = new Map<string, { readonly semaphore: Semaphore; users: number }>();
  #cleanedAtMs = 0;

  constructor(options: { readonly isApi?: boolean } = {}) {
    this.isApi = options.isApi === true;
  }

  /** Number of windows with calls that count. */
  get size(): number {
    return this.#counted.size;
  }

  /** Returns the milliseconds until every window has room for the call and no pause blocks it; 0: now. */
  waitMs(windows: readonly RateWindow[], nowMs: number): number {
    return Math.ceil(
      Math.max(
        0,
        ...windows.map(({ key }) => (this.#pausedUntil.get(key) ?? nowMs) - nowMs),
        ...windows.map((window) => this.#untilRoomMs(window, nowMs)),
      ),
    );
  }

  /** Whether the service asked us to wait. */
  isPaused(windows: readonly RateWindow[], nowMs: number): boolean {
    return windows.some(({ key }) => (this.#pausedUntil.get(key) ?? nowMs) > nowMs);
  }

  /** Counts a call in a window. @returns its entry, which other calls may share unless they end with their answers. */
  count(window: RateWindow, nowMs: number): CountedCalls {
    this.#cleanUp(nowMs);
    const { key, perSeconds, weight = 1, secondsAfterAnswer } = window;
    const untilMs = nowMs + perSeconds * 1_000;
    const counted = this.#counted.get(key) ?? [];
    this.#counted.set(key, counted);
    const last = counted.at(-1);
    const isNear = last !== undefined && untilMs - last.fromMs <= perSeconds * 1_000 * mergedPart;
    if (isNear && untilMs >= last.untilMs && secondsAfterAnswer === undefined) {
      last.untilMs = untilMs;
      last.weight += weight;
      return last;
    }
    const call = { fromMs: untilMs, untilMs, weight };
    counted.push(call);
    return call;
  }

  /** Blocks calls of this key (the service asked us to wait). A shorter pause does not shorten a longer one. */
  pause(key: string, untilMs: number): void {
    this.#pausedUntil.set(key, Math.max(untilMs, this.#pausedUntil.get(key) ?? 0));
  }

  resume(key: string): void {
    this.#pausedUntil.delete(key);
  }

  /** Runs at most `permits` calls of a name at the same time; the others wait in the order of arrival. */
  async inLine<T>(name: string, permits: number, call: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(name) ?? { semaphore: createSemaphore(permits), users: 0 };
    this.#queues.set(name, queue);
    queue.users += 1;
    try {
      return await queue.semaphore(call);
    } finally {
      queue.users -= 1;
      if (queue.users === 0) this.#queues.delete(name);
    }
  }

  #untilRoomMs({ key, calls, perSeconds, weight = 1 }: RateWindow, nowMs: number): number {
    const counted = (this.#counted.get(key) ?? []).filter(({ untilMs }) => untilMs > nowMs);
    if (counted.length === 0) {
      this.#counted.delete(key);
      return 0;
    }
    this.#counted.set(key, counted);
    let excess = counted.reduce((sum, one) => sum + one.weight, 0) + Math.min(weight, calls) - calls;
    if (excess <= 0) return 0;
    const last = counted
      .toSorted((a, b) => a.untilMs - b.untilMs)
      .find((one) => {
        excess -= one.weight;
        return excess <= 0;
      });
    // Limits the wait, because a clock that was set back would delay calls until it has caught up.
    return Math.min((last?.untilMs ?? nowMs) - nowMs, perSeconds * 1_000);
  }

  #cleanUp(nowMs: number): void {
    if (Math.abs(nowMs - this.#cleanedAtMs) < cleanUpEveryMs) return;
    this.#cleanedAtMs = nowMs;
    for (const [key, counted] of this.#counted)
      if (counted.every(({ untilMs }) => untilMs <= nowMs)) this.#counted.delete(key);
    for (const [key, untilMs] of this.#pausedUntil) if (untilMs <= nowMs) this.#pausedUntil.delete(key);
  }
}

/** Returns the error of a call that would wait too long. @param isPaused because the service asked us to wait. */
type Refuse = (waitMs: number, isPaused: boolean) => ServiceError;

/** Applies the limits of the services: concurrent calls, and calls per window. */
export interface RateLimiter {
  /**
   * Waits for a permit and for room in every window, then calls. The call counts from then, or from when it says that
   * it leaves.
   *
   * @param maxWaitMs how long the windows may delay the call; default a little more than a minute.
   * @throws the result of `refuse`, if the windows would delay the call longer.
   */
  run<T>(limits: CallLimits, call: (onLeave: () => void) => Promise<T>, refuse: Refuse, maxWaitMs?: number): Promise<T>;
  /** Waits until a call may leave this process, and counts it. For short windows; call this right before the first byte. */
  depart(window: RateWindow): Promise<Departure>;
  /** Stops all calls under these limits for this time. */
  pause(limits: CallLimits, milliseconds: number): void;
}

/** Long enough to wait for a one-minute limit; a longer wait is reported to the caller. */
export const defaultMaxWaitMs = 65_000;

/**
 * Creates the limiter of one connector. Calls under the same limits leave in the order of arrival, also across the
 * connectors that share `rateLimits`.
 */
export function createRateLimiter(
  rateLimits: RateLimits,
  options: {
    readonly nowMs: () => number;
    /** Waits for a pause. */
    readonly sleep?: ((ms: number) => Promise<unknown>) | undefined;
    /** Calls end a pause that the service requested, because a user asked for them. */
    readonly endsPause?: boolean | undefined;
  },
): RateLimiter {
  const { nowMs, sleep = delay, endsPause = false } = options;

  /** Waits until there is room in every window, and counts the call. @returns a handler for the time at which it leaves. */
  async function acquire({ windows, stopping }: CallLimits, refuse: Refuse, maxWaitMs: number): Promise<() => void> {
    for (let waited = 0; ;) {
      stopping?.throwIfAborted();
      if (endsPause) rateLimits.resume(windows[0].key);
      const waitMs = rateLimits.waitMs(windows, nowMs());
      if (waitMs === 0) break;
      if (waited + waitMs > maxWaitMs) throw refuse(waitMs, rateLimits.isPaused(windows, nowMs()));
      await sleep(waitMs);
      waited += waitMs;
    }
    const counted = windows.map((window) => ({ window, calls: rateLimits.count(window, nowMs()) }));
    return () => {
      for (const { window, calls } of counted)
        calls.untilMs = Math.max(calls.untilMs, nowMs() + window.perSeconds * 1_000);
    };
  }

  return {
    run: (limits, call, refuse, maxWaitMs = defaultMaxWaitMs) =>
      rateLimits.inLine(limits.permitKey, limits.permits, async () => {
        const windows = `windows ${limits.windows.map(({ key }) => key).join(' ')}`;
        return call(await rateLimits.inLine(windows, 1, () => acquire(limits, refuse, maxWaitMs)));
      }),
    depart: (window) =>
      rateLimits.inLine(`departures ${window.key}`, 1, async () => {
        const waitMs = rateLimits.waitMs([window], nowMs());
        if (waitMs > 0) await sleep(waitMs);
        const call = rateLimits.count(window, nowMs());
        return {
          hasWaited: waitMs > 0,
          answered() {
            const { perSeconds, secondsAfterAnswer = perSeconds } = window;
            call.untilMs = Math.min(call.untilMs, nowMs() + secondsAfterAnswer * 1_000);
          },
        };
      }),
    pause: ({ windows }, milliseconds) => rateLimits.pause(windows[0].key, nowMs() + milliseconds),
  };
}
