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
