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

/**
 * Waits for concurrent calls like `Promise.all`, but until all of them have ended. After a failure no call is still
 * running, so the caller may safely release a lease or a connection.
 *
 * @returns the results, in the order given.
 * @throws the error of the first call that failed, after all have ended.
 */
export async function inParallel<const Calls extends readonly unknown[]>(
  calls: Calls,
): Promise<{ -readonly [At in keyof Calls]: Awaited<Calls[At]> }> {
  try {
    return await Promise.all(calls);
  } finally {
    await Promise.allSettled(calls);
  }
}

/**
 * Cuts a list into pieces of at most `size` rows, in the order given; an empty list has no piece.
 *
 * @param size at least 1.
 */
export function chunked<T>(rows: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}
