/** Runs a call when a permit is free and releases the permit afterward. */
export type Semaphore = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * Limits how many calls run concurrently; the others wait in order.
 *
 * @param permits maximum number of concurrent calls, at least 1.
 */
export function createSemaphore(permits: number): Semaphore {
  let free = permits;
  const waiting: (() => void)[] = [];
  return async (call) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
