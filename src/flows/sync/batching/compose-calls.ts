import { nextCommand } from '#core/attempt.ts';
import type { Ready } from '../run.ts';

/** Up to so many documents, more calls are made than necessary, side by side: the first answers come sooner. */
const fewDocuments = 100;
/** So many calls for few documents. */
const callsForFew = 10;

/**
 * Composes calls of commands that are ready. What was sent together once stays together under its name, so that the
 * books may know it again; what changes a record travels alone, because it was read right before.
 *
 * @param rules.total documents of the whole job: few of them travel in small batches, many in full ones.
 * @param rules.isSingleFile one call after another, in the order of the PSA ids: the fewest calls.
 * @returns calls in the order in which they are to leave.
 */
export function composeCalls<T extends { readonly ready: Ready }>(
  waiting: readonly T[],
  rules: { readonly total: number; readonly isSingleFile: boolean; readonly most: number },
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
  const calls = Math.ceil(first.length / size);
  const even = Math.ceil(first.length / Math.max(1, calls));
  return [
    ...again.values(),
    ...Array.from({ length: calls }, (_, index) => first.slice(index * even, (index + 1) * even)),
    ...alone.map((one) => [one]),
  ]
    .filter((call) => call.length > 0)
    .toSorted((a, b) => (rules.isSingleFile ? lowestOf(a) - lowestOf(b) : 0));
}

/** Of so many documents, how many travel in one call (reliability reference 3.2). */
export const sizeFor = (total: number, most: number): number =>
  total > fewDocuments ? most : Math.max(1, Math.min(most, Math.ceil(total / callsForFew)));

const lowestOf = (call: readonly { readonly ready: Ready }[]): number =>
  Math.min(...call.map(({ ready }) => ready.from.psaId));

const placeOf = ({ to }: Ready) => to.batch ?? null;
