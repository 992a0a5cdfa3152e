import { inParallel } from '#core/in-parallel.ts';

/** Messages of one client that are sent at once, so that a slow receiver does not delay the client's others. */
const lanesOfClient = 4;
/** Seconds after which a client gives its place to another one. */
const turnSeconds = 30;

/**
 * Sends the messages of one client to systems outside, for one turn. Several workers share the messages.
 *
 * @param take returns the next message that is due, for this caller alone; null when none is.
 * @param send returns true if the message was delivered.
 * @param signal ends it between two messages.
 * @param lanes messages that are sent at once
 * @returns the number of delivered messages.
 */
export async function sendInLanes<T>(
  take: () => Promise<T | null>,
  send: (taken: T) => Promise<boolean>,
  signal?: AbortSignal,
  lanes = lanesOfClient,
): Promise<number> {
  const endsAt = performance.now() + turnSeconds * 1_000;
  const next = async (): Promise<T | null> => (signal?.aborted === true || performance.now() >= endsAt ? null : take());
  const lane = async (first: T | null): Promise<number> => {
    let delivered = 0;
    for (let taken = first; taken !== null; taken = await next()) if (await send(taken)) delivered += 1;
    return delivered;
  };
  const first = await next();
  if (first === null) return 0;
  const others = Array.from({ length: lanes - 1 }, async () => lane(await next()));
  const counts = await inParallel([lane(first), ...others]);
  return counts.reduce((all, count) => all + count, 0);
}
