import type { JournalEntry } from '#test/support/world.ts';

/** A call to either service with its start and duration, in milliseconds since the start of the job. */
export interface TimedCall extends JournalEntry {
  readonly at: number;
}

/** Calls before this time (milliseconds) and batches are printed one by one. */
const listedUntilMs = 8_000;

/** Returns whether a call writes a document's status back to the PSA. */
export const isWriteBack = ({ method }: TimedCall): boolean => method === 'PATCH';

/** Returns whether a call posts several documents to QuickBooks. */
export const isBatch = ({ path, request_body: body }: TimedCall): boolean =>
  path.endsWith('/batch') && !body.includes('"Query"');

/** Returns the time at which a call was answered. */
export const endOf = ({ at, duration_ms: lasted }: TimedCall): number => at + lasted;

/**
 * Returns the total duration of all calls within a period, in milliseconds.
 *
 * @param from milliseconds; @param until milliseconds.
 */
export const busyMs = (calls: readonly TimedCall[], from: number, until: number): number =>
  calls.reduce((sum, call) => sum + Math.max(0, Math.min(until, endOf(call)) - Math.max(from, call.at)), 0);

/**
 * Prints the calls of the first seconds one by one, then how many calls of each kind ran in parallel, and their totals.
 */
export function printTimeline(calls: readonly TimedCall[]): void {
  const inOrder = calls.toSorted((a, b) => a.at - b.at);
  for (const call of inOrder) {
    if (isWriteBack(call) || (call.at > listedUntilMs && !isBatch(call))) continue;
    const items = isBatch(call) ? ` ${String((call.request_body.match(/"bId"/g) ?? []).length)} documents` : '';
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
