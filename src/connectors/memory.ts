import type { Budget } from '#core/ports/budget.ts';
import { secondsBetween, type Instant } from '#core/values/dates.ts';

/**
 * Answers that all connectors of one process remember together, for a while. They are bound to the budget, which those
 * connectors share, and end with it: nothing is global, tests do not meet.
 */
export interface Memory<T> {
  /** The remembered answer while it is fresh, otherwise a new one; the same question is not asked twice at once. */
  recall(budget: Budget, key: string, now: () => Instant, read: () => Promise<T>): Promise<T>;
  /** Asks again, whatever is remembered. */
  renew(budget: Budget, key: string, now: () => Instant, read: () => Promise<T>): Promise<T>;
}

/** Makes a memory whose answers are fresh for so many seconds. */
export function createMemory<T>(keptSeconds: number): Memory<T> {
  const answers = new WeakMap<Budget, Map<string, { readonly value: T; readonly at: Instant }>>();
  const questions = new WeakMap<Budget, Map<string, Promise<T>>>();
  const of = <V>(all: WeakMap<Budget, Map<string, V>>, budget: Budget): Map<string, V> => {
    const own = all.get(budget) ?? new Map<string, V>();
    all.set(budget, own);
    return own;
  };

  function renew(budget: Budget, key: string, now: () => Instant, read: () => Promise<T>): Promise<T> {
    const asking = of(questions, budget);
    const asked = asking.get(key);
    if (asked !== undefined) return asked;
    const question = read()
      .then((value) => {
        of(answers, budget).set(key, { value, at: now() });
        return value;
      })
      .finally(() => asking.delete(key));
    asking.set(key, question);
    return question;
  }

  return {
    renew,
    async recall(budget, key, now, read) {
      const known = of(answers, budget).get(key);
      const isFresh = known !== undefined && Math.abs(secondsBetween(known.at, now())) < keptSeconds;
      return isFresh ? known.value : renew(budget, key, now, read);
    },
  };
}
