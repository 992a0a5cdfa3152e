import { inParallel } from '#core/in-parallel.ts';
import type { Job } from '#core/records/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addSeconds } from '#core/values/dates.ts';
import { batchRules } from './batch-rules.ts';
import type { BatchRules } from '../batching/gate.ts';
import { isDefect } from '../document/defect.ts';
import { flowOf } from '../kinds/registry.ts';
import { type KindFlow, needsFresh } from '../kinds/kind.ts';
import type { Run } from '../run.ts';
import { isStop, noteConnection, stopCode, stopSentence, type Stop } from '../stop.ts';
import { findAll } from './find-all.ts';
import { loadShared } from './load-shared.ts';
import { openAttempts, syncedBefore, type JobWork } from './open-attempts.ts';
import { chunkSize, finishChunk, prepareChunk, type ChunkResult, type PreparedChunk } from './run-chunk.ts';
import { isEveryOutcomeKnown, needsLedger } from './unfinished.ts';

/** Seconds for which sessions retry a job that a bug stops. */
const maxTrySeconds = 300;

/**
 * Runs all waiting jobs. Jobs of one client take turns, so that a small one does not wait for a large one.
 *
 * @returns what stopped the last one; null if it finished.
 * @throws LeaseLost when another worker has taken over.
 */
export async function runQueued(run: Run): Promise<Stop | null> {
  const { store, clock } = run.context;
  let failure: Stop | null = null;
  const defects: unknown[] = [];
  for (
    let job = await store.takeJob(run.lease, clock.now());
    job !== null;
    job = await store.takeJob(run.lease, clock.now())
  ) {
    run.signal.throwIfAborted();
    try {
      failure = await runJob(run, job);
    } catch (error) {
      if (!isDefect(error) || run.signal.aborted) throw error;
      // The next session picks it up; the jobs after it continue now.
      defects.push(error);
    }
  }
  if (defects.length > 0) throw defects[0];
  return failure;
}

/**
 * Runs a job: finds eligible documents, processes each, continues after a failed one, and stops when a service cannot
 * be used.
 *
 * @returns what stopped it.
 */
async function runJob(run: Run, job: Job): Promise<Stop | null> {
  const { store, clock, logger } = run.context;
  const finish = (status: 'finished' | 'failed' | 'cancelled', message: string | null) =>
    store.finishJob(run.lease, job.id, { status, message }, clock.now());
  try {
    const flow = flowOf(job.kind);
    const stopped = run.stoppedKinds.get(job.kind);
    if (stopped !== undefined) throw stopped;
    if (needsLedger(job)) await run.afterAdoption();
    const settings = await store.readSettings();
    const [shared, open] = await inParallel([loadShared(run, job, settings), openDocuments(run, flow, job, settings)]);
    const end = await runDocuments({ run, flow, job, shared, handled: await syncedBefore(run, flow, job) }, open);
    if (end === 'gave_way') return null;
    if (end === 'canceled') {
      await finish('cancelled', null);
      return null;
    }
    // A job of chosen documents did not search; the schedule records its own searches.
    if (job.psaIds === null) await store.markPolled(job.kind, clock.now());
    await finish('finished', null);
    return null;
  } catch (error) {
    if (isStop(error)) {
      await noteConnection(run, error);
      // The schedule logs each cause once, identified by its stop code.
      const outcome = { status: 'failed', message: stopSentence(run, error), stopCode: stopCode(error) } as const;
      await store.finishJob(run.lease, job.id, outcome, clock.now());
      return error;
    }
    if (error instanceof Refusal) {
      await finish('failed', error.message);
      return null;
    }
    if (!isDefect(error) || run.signal.aborted) throw error;
    logger.error({ jobId: job.id, error }, 'a defect stopped a job');
    if (!isStale(run, job)) throw error;
    const isStarted = (await store.readJob(job.id))?.total !== null;
    await finish(
      'failed',
      `It could not be ${isStarted ? 'finished' : 'started'} because of a defect in Tallybridge. Try again; if it stops again, send support the job id ${job.id}.`,
    );
    return null;
  }
}

/** Returns the PSA ids, ascending, of the documents of a job that have no result yet. */
async function openDocuments(run: Run, flow: KindFlow<unknown>, job: Job, settings: Settings): Promise<number[]> {
  const found = job.psaIds ?? (await findAll(run, flow, settings, { force: job.force, startOn: null }));
  // The search may no longer find documents that another worker began and could not finish.
  const startedIds = job.total === null ? [] : await run.context.store.listStarted(job.id);
  const wanted = startedIds.length === 0 ? found : [...new Set([...found, ...startedIds])].sort((a, b) => a - b);
  // Documents that have a result were processed by another worker, or before this job gave way to another.
  const settled = new Set(job.results.map((result) => result.psaId));
  const open = wanted.filter((id) => !settled.has(id));
  await run.context.store.saveJobTotal(run.lease, job.id, settled.size + open.length);
  return open;
}

/** Returns true if sessions have retried the job for long enough. */
const isStale = ({ context }: Run, { startedAt }: Job): boolean =>
  startedAt !== null && context.clock.now() >= addSeconds(startedAt, maxTrySeconds);

/** How a job's turn ended; after `gave_way` it continues when the other waiting jobs have had theirs. */
type JobEnd = 'finished' | 'canceled' | 'gave_way';

/**
 * Processes the documents of a job, in chunks of {@link chunkSize}. A failed document does not stop the others.
 *
 * @param psaIds ascending.
 * @throws ServiceError, RunStopped, or LeaseLost: what stopped the job.
 */
function runDocuments(job: JobWork, psaIds: readonly number[]): Promise<JobEnd> {
  const work = { ...job, waited: psaIds.length > 1 ? new Set<number>() : undefined };
  const { run, flow, shared } = work;
  const of = { total: psaIds.length, jobId: work.job.id, mode: work.job.mode };
  const rules = batchRules(run, flow, shared.settings, of);
  return rules.isOrdered || needsFresh(flow) ? oneAfterTheOther(work, rules, psaIds) : sideBySide(work, rules, psaIds);
}

/** A job, and its documents that waited for another one. */
interface Work extends JobWork {
  /** Absent: none may wait. */
  readonly waited: Set<number> | undefined;
}

/**
 * Processes one chunk after the other: documents that QuickBooks numbers in the order of their ids, and kinds whose
 * documents are read right before their turn. Documents that could not be sent come first in the next chunk, and those
 * that wait for another document come last.
 */
async function oneAfterTheOther(work: Work, rules: BatchRules, psaIds: readonly number[]): Promise<JobEnd> {
  const { run, flow, job } = work;
  const size = needsFresh(flow) ? 1 : chunkSize;
  let open = psaIds;
  for (let done = 0; open.length > 0; done += size) {
    run.signal.throwIfAborted();
    if (await run.context.store.isCancelRequested(job.id)) return 'canceled';
    if (rules.isOrdered && !(await isEveryOutcomeKnown(run, flow, job))) return 'canceled';
    if (done >= chunkSize && (await isAnotherWaiting(work, rules))) return giveWay(work, rules);
    const { deferred, waiting } = await finish(work, await prepare(work, rules, open.slice(0, size)));
    open = [...deferred, ...open.slice(size), ...waiting];
  }
  return 'finished';
}

/** Processes two chunks at a time: the next one is read and sent during the write-backs of the one before. */
async function sideBySide(work: Work, rules: BatchRules, psaIds: readonly number[]): Promise<JobEnd> {
  const { run, job } = work;
  let before: Promise<ChunkResult> = Promise.resolve({ results: [], deferred: [], waiting: [] });
  let current = before;
  let hasDeferred = false;
  const waiting: number[] = [];
  const take = async (ended: Promise<ChunkResult>) => {
    const result = await ended;
    hasDeferred ||= result.deferred.length > 0;
    waiting.push(...result.waiting);
  };
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
      await take(before);
      before = current;
    }
    await take(before);
    run.signal.throwIfAborted();
    if (hasDeferred) return 'canceled';
    return waiting.length === 0 ? 'finished' : await oneAfterTheOther(work, rules, waiting);
  } finally {
    await Promise.allSettled([before, current]);
  }
}

const prepare = (
  { run, flow, waited, ...work }: Work,
  rules: BatchRules,
  psaIds: readonly number[],
): Promise<PreparedChunk> =>
  run.context.withLogContext({ kind: flow.kind, psaIds }, async () =>
    prepareChunk(run, await openAttempts({ run, flow, ...work }, psaIds), rules, waited),
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
