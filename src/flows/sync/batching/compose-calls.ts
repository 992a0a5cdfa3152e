import { nextCommand } from '#core/attempt.ts';
import type { Ready } from '../run.ts';

/** Number of documents up to which more calls are made than necessary, side by side: the first answers come sooner. */
const fewDocuments = 100;
/** Calls for few documents. */
const callsForFew = 10;

/** Documents of which the books take no more in a minute: the PSA is told of these before a longer job is through. */
const longJob = 450;

/**
 * Documents of the first calls of a job that somebody waits for, so that the books have its first ones at once and the
 * PSA is told of them while the larger calls are under way: the PSA takes twelve documents a second, and a call of ten
 * takes three seconds. The second hundred is read and sent while the PSA is told of the first, so it begins with calls that
 * are through before that ends. Where the PSA need not be busy from the beginning, each call is twice as large as the one
 * before.
 */
const firstSizes = {
  sideBySide: [2, 2, 3, 4, 5, 4, 5, 7, 9, 12, 16, 20, 11, 14, 17, 20, 23, 26],
  doubled: [2, 4, 8, 16],
} as const;

/**
 * Composes calls of commands that are ready. Commands that were sent together once stay together under their name, so
 * that the books may know it again; one that changes a record travels alone, because the record was read right before.
 *
 * @param rules.total documents of the whole job: few of them travel in small batches, many in full ones.
 * @param rules.isSingleFile one call after another, in the order of the PSA ids: the fewest calls.
 * @param rules.sent calls that count as made already: the first ones of a job are small.
 * @returns calls in the order in which they are to leave.
 */
export function composeCalls<T extends { readonly ready: Ready }>(
  waiting: readonly T[],
  rules: { readonly total: number; readonly isSingleFile: boolean; readonly most: number; readonly sent: number },
): readonly (readonly T[])[] {
  const inOrder = waiting.toSorted((a, b) => a.ready.from.psaId - b.ready.from.psaId);
  const alone = inOrder.filter(({ ready }) => ['void', 'update'].includes(nextCommand(ready.to).do));
  const others = inOrder.filter((one) => !alone.includes(one));
  const again = Map.groupBy(
    others.filter(({ ready }) => placeOf(ready) !== null),
    ({ ready }) => placeOf(ready)?.id,
  );
  const first = others.filter(({ ready }) => placeOf(ready) === null);
  const size = rules.isSingleFile ? rules.most : sizeFor(Math.max(rules.total, first.length), rules.most);
  const isLong = Math.max(rules.total, first.length) > longJob;
  const small = firstSizes[rules.isSingleFile || isLong ? 'doubled' : 'sideBySide'].slice(rules.sent);
  return [...again.values(), ...inCalls(first, small, size), ...alone.map((one) => [one])]
    .filter((call) => call.length > 0)
    .toSorted((a, b) => (rules.isSingleFile ? lowestOf(a) - lowestOf(b) : 0));
}

/** The first calls of these sizes, but none larger than `most`; the others as even as they can be. */
function inCalls<T>(all: readonly T[], small: readonly number[], most: number): readonly (readonly T[])[] {
  const calls: (readonly T[])[] = [];
  let from = 0;
  for (const size of small) {
    if (size >= most || from >= all.length) break;
    calls.push(all.slice(from, from + size));
    from += size;
  }
  const rest = all.slice(from);
  const even = Math.ceil(rest.length / Math.max(1, Math.ceil(rest.length / most)));
  for (let at = 0; at < rest.length; at += even) calls.push(rest.slice(at, at + even));
  return calls;
}

/** Commands that travel in one call, for a job of so many documents (reliability reference 3.2). */
export const sizeFor = (total: number, most: number): number =>
  total > fewDocuments ? most : Math.max(1, Math.min(most, Math.ceil(total / callsForFew)));

const lowestOf = (call: readonly { readonly ready: Ready }[]): number =>
  Math.min(...call.map(({ ready }) => ready.from.psaId));

const placeOf = ({ to }: Ready) => to.batch ?? null;
