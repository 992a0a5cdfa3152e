import type { Attempt } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { syncedBefore } from './synced-before.ts';
import { flowOf } from '../kinds/registry.ts';
import type { KindFlow } from '../kinds/kind.ts';
import { preflight } from '../batching/preflight.ts';
import { loadShared } from './load-shared.ts';
import { currentPosting } from './current-posting.ts';
import { chunkSize, runChunk, type WorkItem } from './run-chunk.ts';
import type { Run, Shared } from '../run.ts';

/** How long unfinished work rests after a service could not be used. */
const restSeconds = 60;

/**
 * Takes up what a dead worker, a cut connection or a deaf PSA left behind.
 *
 * @param only documents of this kind alone.
 */
export async function resumeUnfinished(run: Run, only?: Kind): Promise<void> {
  const { store, clock, logger } = run.context;
  const unfinished = await store.listUnfinished(clock.now());
  let shared: Promise<Shared> | undefined;
  const once = () => (shared ??= loadShared(run, 'automatic'));
  for (const [kind, left] of Map.groupBy(unfinished, (one) => one.kind)) {
    if (only !== undefined && kind !== only) continue;
    run.signal.throwIfAborted();
    logger.info({ kind, attempts: left.length }, 'taking up unfinished attempts');
    const flow = flowOf(kind);
    // What may have changed meanwhile is read right before its turn.
    const size = flow.needsFresh === true ? 1 : chunkSize;
    for (let start = 0; start < left.length; start += size) {
      const items = await unfinishedItems(run, once, flow, left.slice(start, start + size));
      await runChunk(run, items, {
        kind,
        total: left.length,
        isOrdered: async () => flow.isNumberedByBooks?.((await once()).settings) === true,
        isCancelled: () => Promise.resolve(false),
        preflight: preflight(run, flow, async () => (await once()).settings),
      }).ended;
    }
  }
}

async function unfinishedItems(
  run: Run,
  shared: () => Promise<Shared>,
  flow: KindFlow<unknown>,
  left: readonly Attempt[],
): Promise<readonly WorkItem[]> {
  const { store } = run.context;
  let facts: Promise<ReadonlyMap<number, unknown>> | undefined;
  const ids = left.map(({ psaId }) => psaId);
  const factsOnce = async () => (facts ??= flow.gather(run, await shared(), ids));
  const newest = new Map((await store.listPostings(flow.kind, ids)).map((posting) => [posting.psaId, posting]));
  const jobs = new Map<string | null, JsonObject[]>();
  const items: WorkItem[] = [];
  for (const one of left) {
    const isUnsent = one.state === 'planning';
    const known = newest.get(one.psaId) ?? null;
    const posting = isUnsent ? await currentPosting(run, flow, known, one) : known;
    // Of an attempt that has sent nothing, the generation follows what the ledger says by now.
    const attempt = isUnsent ? (await store.openAttempt(run.lease, one)).attempt : one;
    let handled = jobs.get(one.jobId);
    if (handled === undefined) {
      const job = one.jobId === null ? null : await store.readJob(one.jobId);
      jobs.set(one.jobId, (handled = job?.status === 'running' ? await syncedBefore(run, flow, job) : []));
    }
    const doc = {
      flow,
      shared,
      facts: async (isFresh = false) =>
        (isFresh ? await flow.gather(run, await shared(), [one.psaId]) : await factsOnce()).get(one.psaId),
      posting,
      handled,
    };
    items.push({ attempt, doc });
  }
  return items;
}

/** Lets every unfinished attempt rest for a while: the services cannot be used now. */
export async function restUnfinished({ context, lease }: Pick<Run, 'context' | 'lease'>): Promise<void> {
  const { store, clock } = context;
  const notBefore = addSeconds(clock.now(), restSeconds);
  for (const attempt of await store.listUnfinished(clock.now()))
    await store.advance(lease, attempt, { ...attempt, notBefore });
}
