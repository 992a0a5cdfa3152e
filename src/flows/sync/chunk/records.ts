import { inParallel } from '#core/in-parallel.ts';
import { nextCommand } from '#core/attempt.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import { plan, type Planned } from './plan.ts';
import type { Chunk, Row } from './rows.ts';
import { callsAtOnce, composeCalls, readyAmong, sendAndSave } from './calls.ts';
import { prepareRecords } from './steps.ts';

/**
 * Creates the customers, vendors and items that rows need, in as few calls as possible. Each is created by one row; the
 * others are decided again with it. If that fails, the next row that needs it tries.
 *
 * @param goOn gets each row as soon as it waits for no record; absent: the rows go on together, once all records exist.
 */
export async function createRecords(
  chunk: Chunk,
  planned: readonly Planned[],
  waited: Set<number> | undefined,
  goOn?: (rows: readonly Row[]) => void,
): Promise<void> {
  for (let open = planned; ;) {
    const creators = chooseCreators(open);
    if (creators.length === 0) {
      goOn?.(open.map(({ row }) => row));
      return;
    }
    await createTheirs(chunk, creators);
    const others = await plan(
      open.flatMap(({ row }) => (creators.includes(row) ? [] : [row])),
      waited,
    );
    const ready = others.filter(({ keys }) => keys.length === 0);
    goOn?.([...creators, ...ready.map(({ row }) => row)]);
    open = goOn === undefined ? others : others.filter((one) => !ready.includes(one));
  }
}

/**
 * Returns rows that need no record in common. Those that need the fewest come first: a row creates its records one after
 * another, so most records exist after the first call.
 */
export function chooseCreators(planned: readonly Planned[]): readonly Row[] {
  const taken = new Set<string>();
  return planned
    .toSorted((a, b) => a.keys.length - b.keys.length)
    .flatMap(({ row, keys }) => {
      if (keys.length === 0 || keys.some((key) => taken.has(key))) return [];
      for (const key of keys) taken.add(key);
      return [row];
    });
}

/**
 * Sends the commands of rows that create shared records, one level after another: a parent before its child. In a small
 * job the calls are small, because rows wait for them.
 */
async function createTheirs(chunk: Chunk, creators: readonly Row[]): Promise<void> {
  const { total, isOrdered, permits } = chunk.rules;
  const max = chunk.run.accounting.maxPerBatch;
  for (;;) {
    await prepareRecords(chunk, creators);
    const ready = readyAmong(creators, ({ to }) => sharedRecordOf(nextCommand(to)) !== null);
    if (ready.length === 0) return;
    const calls = composeCalls(ready, {
      total: total / callsAtOnce.records,
      isOrdered,
      max,
      sent: Number.POSITIVE_INFINITY,
    });
    await inParallel(calls.map((call) => sendAndSave(chunk, call, permits.records)));
  }
}
