import type { RateLimits } from './rate-limiter.ts';
import { secondsBetween, type Instant } from '#core/values/dates.ts';

/**
 * Cache of answers shared by all connectors of one process. Its lifetime is that of the rateLimits object, which those
 * connectors share: nothing is global, so tests do not affect each other.
 */
export interface SharedCache<T> {
  /** Returns the cached answer while it is fresh, otherwise reads it; concurrent requests for a key share one read. */
  get(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T>;
  /** Reads the answer again, even if one is cached. */
  refresh(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T>;
}

/** Creates a cache whose answers are fresh for `keptSeconds`. */
export function createSharedCache<T>(cacheSeconds: number): SharedCache<T> {
  const answers = new WeakMap<RateLimits, Map<string, { readonly value: T; readonly at: Instant }>>();
  const questions = new WeakMap<RateLimits, Map<string, Promise<T>>>();
  const of = <V>(all: WeakMap<RateLimits, Map<string, V>>, rateLimits: RateLimits): Map<string, V> => {
    const own = all.get(rateLimits) ?? new Map<string, V>();
    all.set(rateLimits, own);
    return own;
  };

  function refresh(rateLimits: RateLimits, key: string, now: () => Instant, read: () => Promise<T>): Promise<T> {
    const running = of(questions, rateLimits);
    const pending = running.get(key);
    if (pending !== undefined) return pending;
    const question = read()
      .then((value) => {
        of(answers, rateLimits).set(key, { value, at: now() });
        return value;
      })
      .finally(() => running.delete(key));
    running.set(key, question);
    return question;
  }

  return {
    refresh,
    async get(rateLimits, key, now, read) {
      const known = of(answers, rateLimits).get(key);
      const isFresh = known !== undefined && Math.abs(secondsBetween(known.at, now())) < cacheSeconds;
      return isFresh ? known.value : refresh(rateLimits, key, now, read);
    },
  };
}
