import { inParallel } from '#core/in-parallel.ts';
import type { Job } from '#core/ports/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addSeconds } from '#core/values/dates.ts';
import { isDefect } from '../document/defect.ts';
import { flowOf } from '../kinds/registry.ts';
import type { KindFlow } from '../kinds/kind.ts';
import type { Run } from '../run.ts';
import { isStop, noteConnection, stopCode, stopSentence, type Stop } from '../stop.ts';
import { findAll } from './find-all.ts';
import { loadShared } from './load-shared.ts';
import { syncedBefore } from './open-attempts.ts';
import { runDocuments } from './run-documents.ts';
import { needsLedger } from './unfinished.ts';

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
