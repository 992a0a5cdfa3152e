import type { RateLimits } from '#core/ports/rate-limits.ts';
import { secondsBetween, type Instant } from '#core/values/dates.ts';

/**
 * Answers that all connectors of one process remember together, for a while. They are bound to the rateLimits, which those
 * connectors share, and end with it: nothing is global, tests do not meet.
 */
export interface SharedCache<T> {
  /** The remembered answer while it is fresh, otherwise a new one; the same question is not asked twice at once. */
  get(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T>;
  /** Asks again, whatever is remembered. */
  refresh(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T>;
}

/** Makes a memory whose answers are fresh for so many seconds. */
export function createSharedCache<T>(keptSeconds: number): SharedCache<T> {
  const answers = new WeakMap<RateLimits, Map<string, { readonly value: T; readonly at: Instant }>>();
  const questions = new WeakMap<RateLimits, Map<string, Promise<T>>>();
  const of = <V>(all: WeakMap<RateLimits, Map<string, V>>, rateLimits: RateLimits): Map<string, V> => {
    const own = all.get(rateLimits) ?? new Map<string, V>();
    all.set(rateLimits, own);
    return own;
  };

  function refresh(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T> {
    const asking = of(questions, rateLimits);
    const asked = asking.get(key);
    if (asked !== undefined) return asked;
    const question = read()
      .then((value) => {
        of(answers, rateLimits).set(key, { value, at: now() });
        return value;
      })
      .finally(() => asking.delete(key));
    asking.set(key, question);
    return question;
  }

  return {
    refresh,
    async get(rateLimits, key, now, read) {
      const known = of(answers, rateLimits).get(key);
      const isFresh = known !== undefined && Math.abs(secondsBetween(known.at, now())) < keptSeconds;
      return isFresh ? known.value : refresh(rateLimits, key, now, read);
    },
  };
}
