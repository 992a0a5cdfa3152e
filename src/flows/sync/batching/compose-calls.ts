import { nextCommand } from '#core/attempt.ts';
import type { Ready } from '../run.ts';

/** Calls that write to QuickBooks at once. The connector reserves one of its nine permits for reading. */
export const callsAtOnce = 8;
/** How often each of these is used at least. */
const timesUsed = 3;

/**
 * Composes calls from commands that are ready. Commands that were already sent together stay together under their batch
 * id, so that QuickBooks recognizes the call. A command that changes a record is sent alone, because the record was
 * read right before.
 *
 * The others follow one rule: calls of 2, 4, 8, ... commands, so that the first documents are posted early, up to the
 * largest call, which is QuickBooks' limit or, in a small job, what lets each parallel call be used three times: smaller
 * calls are answered sooner, so that the write-backs to the PSA, which take longest, never wait for documents.
 *
 * @param rules.total documents of the whole job.
 * @param rules.isOrdered one call after another in the order of the PSA ids.
 * @param rules.max commands that QuickBooks accepts in one call.
 * @param rules.sent calls already sent.
 * @returns calls in the order to send them.
 */
export function composeCalls<T extends { readonly ready: Ready }>(
  waiting: readonly T[],
  rules: { readonly total: number; readonly isOrdered: boolean; readonly max: number; readonly sent: number },
): readonly (readonly T[])[] {
  const inOrder = waiting.toSorted((a, b) => a.ready.from.psaId - b.ready.from.psaId);
  const alone = inOrder.filter(({ ready }) => ['void', 'update'].includes(nextCommand(ready.to).do));
  const others = inOrder.filter((one) => !alone.includes(one));
  const again = Map.groupBy(
    others.filter(({ ready }) => placeOf(ready) !== null),
    ({ ready }) => placeOf(ready)?.id,
  );
  const first = others.filter(({ ready }) => placeOf(ready) === null);
  const largest = rules.isOrdered ? rules.max : Math.min(rules.max, Math.ceil(rules.total / (timesUsed * callsAtOnce)));
  return [...again.values(), ...doubling(first, rules.sent, largest), ...alone.map((one) => [one])].toSorted((a, b) =>
    rules.isOrdered ? lowestOf(a) - lowestOf(b) : 0,
  );
}

/** Splits into calls of 2, 4, 8, ... up to `largest`, as if `sent` calls had been sent before. */
function doubling<T>(all: readonly T[], sent: number, largest: number): readonly (readonly T[])[] {
  const calls: (readonly T[])[] = [];
  for (let from = 0; from < all.length;) {
    const size = Math.max(1, Math.min(largest, 2 ** (sent + calls.length + 1)));
    calls.push(all.slice(from, from + size));
    from += size;
  }
  return calls;
}

const lowestOf = (call: readonly { readonly ready: Ready }[]): number =>
  Math.min(...call.map(({ ready }) => ready.from.psaId));

const placeOf = ({ to }: Ready) => to.batch ?? null;
