import { batchRules, type BatchRules } from '../batching/gate.ts';
import { openAttempts, type JobWork } from './open-attempts.ts';
import { chunkSize, finishChunk, prepareChunk, type ChunkResult, type PreparedChunk } from './run-chunk.ts';
import { isEveryOutcomeKnown } from './unfinished.ts';

/** How a job's turn ended; after `gave_way` it continues when the other waiting jobs have had theirs. */
export type JobEnd = 'finished' | 'canceled' | 'gave_way';

/**
 * Processes the documents of a job, in chunks of {@link chunkSize}. A failed document does not stop the others.
 *
 * @param psaIds ascending.
 * @throws ServiceError, RunStopped, or LeaseLost: what stopped the job.
 */
export function runDocuments(work: JobWork, psaIds: readonly number[]): Promise<JobEnd> {
  const { run, flow, job, shared } = work;
  const rules = batchRules(run, flow, shared.settings, { total: psaIds.length, jobId: job.id, mode: job.mode });
  return rules.isOrdered || flow.needsFresh === true
    ? oneAfterTheOther(work, rules, psaIds)
    : sideBySide(work, rules, psaIds);
}

/**
 * Processes one chunk after the other: documents that QuickBooks numbers in the order of their ids, and kinds whose
 * documents are read right before their turn. Documents that could not be sent come first in the next chunk.
 */
async function oneAfterTheOther(work: JobWork, rules: BatchRules, psaIds: readonly number[]): Promise<JobEnd> {
  const { run, flow, job } = work;
  const size = flow.needsFresh === true ? 1 : chunkSize;
  let open = psaIds;
  for (let done = 0; open.length > 0; done += size) {
    run.signal.throwIfAborted();
    if (await run.context.store.isCancelRequested(job.id)) return 'canceled';
    if (rules.isOrdered && !(await isEveryOutcomeKnown(run, flow, job))) return 'canceled';
    if (done >= chunkSize && (await isAnotherWaiting(work, rules))) return giveWay(work, rules);
    const { deferred } = await finish(work, await prepare(work, rules, open.slice(0, size)));
    open = [...deferred, ...open.slice(size)];
  }
  return 'finished';
}

/** Processes two chunks at a time: the next one is read and sent during the write-backs of the one before. */
async function sideBySide(work: JobWork, rules: BatchRules, psaIds: readonly number[]): Promise<JobEnd> {
  const { run, job } = work;
  let before: Promise<ChunkResult> = Promise.resolve({ results: [], deferred: [] });
  let current = before;
  let hasDeferred = false;
  try {
    for (let start = 0; start < psaIds.length; start += chunkSize) {
      run.signal.throwIfAborted();
      if (await run.context.store.isCancelRequested(job.id)) return 'canceled';
      if (start > 0 && (await isAnotherWaiting(work, rules))) {
        await current;
        return await giveWay(work, rules);
      }
      current = finish(work, await prepare(work, rules, psaIds.slice(start, start + chunkSize)));
      // Awaited in the next round; this prevents an unhandled rejection until then.
      current.catch(() => undefined);
      hasDeferred ||= (await before).deferred.length > 0;
      before = current;
    }
    hasDeferred ||= (await before).deferred.length > 0;
    run.signal.throwIfAborted();
    return hasDeferred ? 'canceled' : 'finished';
  } finally {
    await Promise.allSettled([before, current]);
  }
}

const prepare = (
  { run, flow, ...work }: JobWork,
  rules: BatchRules,
  psaIds: readonly number[],
): Promise<PreparedChunk> =>
  run.context.withLogContext({ kind: flow.kind, psaIds }, async () =>
    prepareChunk(run, await openAttempts({ run, flow, ...work }, psaIds), rules),
  );

/** Finishes a chunk. Pending results are recorded in this job, because an attempt of an earlier job reports to that one. */
async function finish({ run, job }: JobWork, chunk: PreparedChunk): Promise<ChunkResult> {
  const end = await finishChunk(chunk);
  for (const result of end.results)
    if (result.outcome === 'pending') await run.context.store.saveJobResult(run.lease, job.id, result);
  return end;
}

const isAnotherWaiting = ({ run, job }: JobWork, { isOrdered }: BatchRules): Promise<boolean> =>
  run.context.store.isAnotherWaiting(run.lease, job, isOrdered);

async function giveWay({ run, job }: JobWork, { isOrdered }: BatchRules): Promise<'gave_way'> {
  await run.context.store.giveWay(run.lease, job.id, isOrdered, run.context.clock.now());
  return 'gave_way';
}
