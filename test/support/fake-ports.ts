import type { RateLimits, RateWindow } from '#core/ports/rate-limits.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import { addSeconds, instant, type Instant } from '#core/values/dates.ts';

export interface MovableClock extends Clock {
  advance(seconds: number): void;
}

/** A clock that only the test moves. */
export function clockAt(text: string): MovableClock {
  let at: Instant = instant(text);
  return {
    now: () => at,
    advance(seconds) {
      at = addSeconds(at, seconds);
    },
  };
}

/** A clock that starts at a time and then runs like the machine's clock. */
export function clockFrom(text: string): { now(): Instant } {
  const startedAt = performance.now();
  return { now: () => addSeconds(instant(text), (performance.now() - startedAt) / 1_000) };
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that stores every line. */
export function keepingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const bound = (own: object): Logger => {
    const at = (level: LogLine['level']) => (fields: object, message: string) => {
      lines.push({ level, message, fields: { ...own, ...fields } });
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => bound({ ...own, ...fields }),
    };
  };
  return { ...bound({}), lines };
}

export interface UnlimitedRateLimits extends RateLimits {
  readonly acquired: (readonly RateWindow[])[];
  readonly pauses: { readonly key: string; readonly milliseconds: number }[];
}

/** Stores quota shares in memory. */
export function keptShares(): Pick<RateLimits, 'saveQuotaShare' | 'readQuotaShare'> {
  const shares = new Map<string, { share: number; at: Instant }>();
  return {
    saveQuotaShare: async (key, share, at) => void shares.set(key, { share, at }),
    readQuotaShare: async (key) => shares.get(key) ?? null,
  };
}

/** Rate limits that allow every call and record the requests. */
export function unlimitedRateLimits(): UnlimitedRateLimits {
  const acquired: (readonly RateWindow[])[] = [];
  const pauses: { key: string; milliseconds: number }[] = [];
  return {
    acquired,
    pauses,
    async acquire(windows) {
      acquired.push(windows);
      return 0;
    },
    async pause(key, milliseconds) {
      pauses.push({ key, milliseconds });
    },
    resume: async () => undefined,
    renew: async () => undefined,
    release: async () => undefined,
    holders: async () => [],
    ...keptShares(),
  };
}

/** Time that passes only while code sleeps. */
export function sleepingTime(): { now(): number; sleep(ms: number): Promise<void> } {
  let at = 0;
  return {
    now: () => at,
    async sleep(ms) {
      at += ms;
    },
  };
}

/** Rate limits that count in memory and respect pauses. Default: the machine's clock. */
export function countingRateLimits(clock: () => number = () => performance.now()): RateLimits {
  const sent = new Map<string, number[]>();
  const pausedUntil = new Map<string, number>();
  return {
    async acquire(windows) {
      const now = clock();
      const waits = windows.map(({ key, calls, perSeconds, weight = 1 }) => {
        const recent = (sent.get(key) ?? []).filter((at) => at > now - perSeconds * 1_000);
        sent.set(key, recent);
        const oldest = recent.length + weight <= calls ? undefined : recent[recent.length + weight - 1 - calls];
        const untilFree = oldest === undefined ? 0 : oldest + perSeconds * 1_000 - now;
        return Math.max(untilFree, (pausedUntil.get(key) ?? 0) - now, 0);
      });
      const wait = Math.max(...waits);
      if (wait === 0)
        for (const { key, weight = 1 } of windows) sent.get(key)?.push(...Array.from({ length: weight }, () => now));
      return Math.ceil(wait);
    },
    async resume(key) {
      pausedUntil.delete(key);
    },
    async pause(key, milliseconds) {
      pausedUntil.set(key, Math.max(pausedUntil.get(key) ?? 0, clock() + milliseconds));
    },
    renew: async () => undefined,
    release: async () => undefined,
    holders: async () => [],
    ...keptShares(),
  };
}
