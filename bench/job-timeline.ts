import type { JournalEntry } from '#test/support/world.ts';

/** A call of either service, and when it came and how long it took, in milliseconds from the beginning of the job. */
export interface TimedCall extends JournalEntry {
  readonly at: number;
}

/** Calls that are listed one by one: those that come before this, in milliseconds, and batches. */
const listedUntilMs = 8_000;

/** Whether a call tells the PSA of a document. */
export const isWriteBack = ({ method }: TimedCall): boolean => method === 'PATCH';

/** Whether a call writes several documents to the books. */
export const isBatch = ({ path, request_body: body }: TimedCall): boolean =>
  path.endsWith('/batch') && body?.includes('"Query"') !== true;

/** When a call has its answer. */
export const endOf = ({ at, duration_ms: lasted }: TimedCall): number => at + lasted;

/**
 * Milliseconds of a stretch in which calls were under way, added up over the calls.
 *
 * @param from milliseconds; @param until milliseconds.
 */
export const busyMs = (calls: readonly TimedCall[], from: number, until: number): number =>
  calls.reduce((sum, call) => sum + Math.max(0, Math.min(until, endOf(call)) - Math.max(from, call.at)), 0);

/** Prints what left when, the first seconds call by call, then how many calls of each kind were under way, and how many there were. */
export function printTimeline(calls: readonly TimedCall[]): void {
  const inOrder = calls.toSorted((a, b) => a.at - b.at);
  for (const call of inOrder) {
    if (isWriteBack(call) || (call.at > listedUntilMs && !isBatch(call))) continue;
    const items = isBatch(call) ? ` ${String((call.request_body?.match(/"bId"/g) ?? []).length)} documents` : '';
    const query = call.query === undefined ? '' : ` ${decodeURIComponent(call.query).slice(0, 90)}`;
    console.log(
      `${String(call.at).padStart(6)} +${String(Math.round(call.duration_ms)).padStart(5)} ms ${call.method} ${call.path.slice(-40)}${items}${query}`,
    );
  }
  const last = Math.max(...inOrder.map(endOf));
  for (let from = 0; from < last; from += 1_000) {
    const share = (some: readonly TimedCall[]) => (busyMs(some, from, from + 1_000) / 1_000).toFixed(2);
    const [writeBacks, batches] = [inOrder.filter(isWriteBack), inOrder.filter(isBatch)];
    console.log(
      `second ${String(from / 1_000).padStart(3)}: write-backs ${share(writeBacks)}, batches ${share(batches)}, others ${share(inOrder.filter((call) => !isWriteBack(call) && !isBatch(call)))}`,
    );
  }
  const byCall = Map.groupBy(inOrder, ({ method, path, query }) =>
    [method, path.split('/').slice(-2).join('/'), /FROM \w+/.exec(decodeURIComponent(query ?? ''))?.[0]].join(' '),
  );
  for (const [name, some] of [...byCall].toSorted(([, a], [, b]) => b.length - a.length))
    console.log(`${String(some.length).padStart(6)} ${name}`);
}
