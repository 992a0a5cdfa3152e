/**
 * Waits for calls that were begun together, like `Promise.all`, but until every one of them has ended: whoever is told
 * of a failure knows that nothing of it is still under way, and may let go of a lease or of an access.
 *
 * @returns what each answered, in the order given.
 * @throws what the first call to fail threw, once all have ended.
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
