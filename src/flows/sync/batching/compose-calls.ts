import { nextCommand } from '#core/attempt.ts';
import type { Ready } from '../run.ts';

/**
 * Up to this number of documents, a job uses more parallel calls than necessary, so that the first results come sooner.
 */
const fewDocuments = 100;
/** Number of calls for few documents. */
const callsForFew = 10;

/** Maximum documents that QuickBooks accepts per minute. Their write-backs finish before a longer job does. */
const longJob = 450;

/**
 * Sizes of the first calls of a job that a user waits for. The first documents are posted quickly, and their
 * write-backs run while the larger calls are in progress. The PSA accepts twelve documents per second, and a call of
 * ten takes three seconds. The second hundred is read and sent during the write-backs of the first, so it begins with
 * calls that end before those do. If write-backs need not start early, each call is twice as large as the previous one.
 */
const firstSizes = {
  sideBySide: [2, 2, 3, 4, 5, 4, 5, 7, 9, 12, 16, 20, 11, 14, 17, 20, 23, 26],
  doubled: [2, 4, 8, 16],
} as const;

/**
 * Composes calls from commands that are ready. Commands that were already sent together stay together under their batch
 * id, so that QuickBooks recognizes the call. A command that changes a record is sent alone, because the record was
 * read right before.
 *
 * @param rules.total documents of the whole job: a small job uses small batches, a large one full batches.
 * @param rules.isOrdered one call after another in the order of the PSA ids, in as few calls as possible.
 * @param rules.sent calls already sent; the first calls of a job are small.
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
  const size = rules.isOrdered ? rules.max : sizeFor(Math.max(rules.total, first.length), rules.max);
  const isLong = Math.max(rules.total, first.length) > longJob;
  const small = firstSizes[rules.isOrdered || isLong ? 'doubled' : 'sideBySide'].slice(rules.sent);
  return [...again.values(), ...inCalls(first, small, size), ...alone.map((one) => [one])]
    .filter((call) => call.length > 0)
    .toSorted((a, b) => (rules.isOrdered ? lowestOf(a) - lowestOf(b) : 0));
}

/** Splits into calls of the `small` sizes, none larger than `max`, then into calls of equal size. */
function inCalls<T>(all: readonly T[], small: readonly number[], max: number): readonly (readonly T[])[] {
  const calls: (readonly T[])[] = [];
  let from = 0;
  for (const size of small) {
    if (size >= max || from >= all.length) break;
    calls.push(all.slice(from, from + size));
    from += size;
  }
  const rest = all.slice(from);
  const even = Math.ceil(rest.length / Math.max(1, Math.ceil(rest.length / max)));
  for (let at = 0; at < rest.length; at += even) calls.push(rest.slice(at, at + even));
  return calls;
}

/** Returns the number of commands per call for a job of this many documents (reliability reference 3.2). */
export const sizeFor = (total: number, max: number): number =>
  total > fewDocuments ? max : Math.max(1, Math.min(max, Math.ceil(total / callsForFew)));

const lowestOf = (call: readonly { readonly ready: Ready }[]): number =>
  Math.min(...call.map(({ ready }) => ready.from.psaId));

const placeOf = ({ to }: Ready) => to.batch ?? null;
