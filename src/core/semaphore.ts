/** Runs a call once a permit is free, and gives the permit back when the call has ended. */
export type Semaphore = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * Limits how many calls run side by side; the others wait, first come first served.
 *
 * @param permits calls that may run at once, at least 1.
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
