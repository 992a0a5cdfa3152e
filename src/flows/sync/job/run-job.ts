import { inParallel } from '#core/in-parallel.ts';
import type { Job } from '#core/records/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addSeconds } from '#core/values/dates.ts';
import { type BatchRules, chunkSize } from '../chunk/rows.ts';
import { batchRules, type ChunkResult, startChunk, type StartedChunk } from '../chunk/run-chunk.ts';
import { flowOf } from '../kinds/registry.ts';
import { findAll, type KindFlow, needsFresh } from '../kinds/kind.ts';
import type { WorkItem } from '../document/context.ts';
import type { Run, Stop } from '../run.ts';
import { isDefect, isStop, noteConnection, stopCode, stopSentence } from '../stop.ts';
import { loadShared } from './load-shared.ts';
import { openAttempts, syncedBefore, type JobWork } from './open-attempts.ts';
import { isEveryOutcomeKnown, needsLedger } from './unfinished.ts';

/** Chunks of a job in progress: one is read and sent while the documents of the one before are written back. */
const chunksAtOnce = 2;
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
async function runDocuments(job: JobWork, psaIds: readonly number[]): Promise<JobEnd> {
  const { run, flow, shared } = job;
  const waited = psaIds.length > 1 ? new Set<number>() : undefined;
  const rules = batchRules(run, flow, shared.settings, { total: psaIds.length, jobId: job.job.id, mode: job.job.mode });
  // Facts that may change meanwhile are read right before the document's turn.
  const size = needsFresh(flow) ? 1 : chunkSize;
  const isOneByOne = rules.isOrdered || needsFresh(flow);
  let open = psaIds;
  const waiting: number[] = [];
  const going: Promise<ChunkResult>[] = [];
  let started: Promise<StartedChunk> | null = null;
  /** Awaits chunks until at most `count` are going. Documents that could not be sent come next; waiting ones last. */
  const awaitAllBut = async (count: number) => {
    while (going.length > count) {
      const result = await going[0];
      void going.shift();
      open = [...(result?.deferred ?? []), ...open];
      waiting.push(...(result?.waiting ?? []));
    }
  };
  try {
    for (let begun = 0; ; begun += size) {
      await awaitAllBut(open.length === 0 || isOneByOne || rules.progress.isHalted ? 0 : chunksAtOnce - 1);
      if (open.length === 0) open = waiting.splice(0);
      if (open.length === 0) return 'finished';
      run.signal.throwIfAborted();
      if (await run.context.store.isCancelRequested(job.job.id)) return 'canceled';
      if (rules.isOrdered && !(await isEveryOutcomeKnown(run, flow, job.job))) return 'canceled';
      if (begun >= chunkSize && (await isAnotherWaiting(job, rules))) {
        await awaitAllBut(0);
        return await giveWay(job, rules);
      }
      const psaIdsOfChunk = open.slice(0, size);
      open = open.slice(size);
      const items = await read(job, psaIdsOfChunk);
      // The chunk before must have its records, because this one is planned with them. Its errors come with its end.
      await Promise.allSettled([started]);
      started = start(job, rules, items, waited);
      const end = ended(job, started);
      // Awaited later; this prevents an unhandled rejection until then.
      end.catch(() => undefined);
      going.push(end);
    }
  } finally {
    await Promise.allSettled(going);
  }
}

const read = ({ run, flow, ...work }: JobWork, psaIds: readonly number[]): Promise<readonly WorkItem[]> =>
  run.context.withLogContext({ kind: flow.kind, psaIds }, () => openAttempts({ run, flow, ...work }, psaIds));

const start = (
  { run, flow }: JobWork,
  rules: BatchRules,
  items: readonly WorkItem[],
  waited: Set<number> | undefined,
): Promise<StartedChunk> => {
  const psaIds = items.map(({ attempt }) => attempt.psaId);
  return run.context.withLogContext({ kind: flow.kind, psaIds }, () => startChunk(run, items, rules, waited));
};

/** Awaits a chunk. Pending results are recorded in this job, because an attempt of an earlier job reports to that one. */
async function ended({ run, job }: JobWork, started: Promise<StartedChunk>): Promise<ChunkResult> {
  const { end } = await started;
  const result = await end;
  for (const one of result.results)
    if (one.outcome === 'pending') await run.context.store.saveJobResult(run.lease, job.id, one);
  return result;
}

const isAnotherWaiting = ({ run, job }: JobWork, { isOrdered }: BatchRules): Promise<boolean> =>
  run.context.store.isAnotherWaiting(run.lease, job, isOrdered);

async function giveWay({ run, job }: JobWork, { isOrdered }: BatchRules): Promise<'gave_way'> {
  await run.context.store.giveWay(run.lease, job.id, isOrdered, run.context.clock.now());
  return 'gave_way';
}
