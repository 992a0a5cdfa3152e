import type { Kind } from '#core/kinds.ts';
import type { Actor } from '#core/records/audit.ts';
import type { Job, RunFilter, RunPage } from '#core/records/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import type { TenantContext } from '../context.ts';

/** Maximum jobs on one page of the Overview. */
const maxJobs = 50;

/** Returns the newest jobs, newest first. */
export const listJobs = ({ store }: TenantContext): Promise<readonly Job[]> => store.listJobs(maxJobs);

/** Returns a page of all jobs, newest first. */
export const listRuns = ({ store }: TenantContext, filter: RunFilter): Promise<RunPage> => store.listRuns(filter);

/** @throws Refusal `not_found` (404). */
export const readJob = async ({ store }: TenantContext, id: string): Promise<Job> => existing(await store.readJob(id));

/**
 * Requests that a job ends after its current documents. The audit trail shows the user who requested it first.
 *
 * @throws Refusal `not_found` (404).
 */
export async function cancelJob({ store, clock }: TenantContext, id: string, actor: Actor): Promise<Job> {
  const before = existing(await store.readJob(id));
  const job = existing(await store.cancelJob(id, clock.now()));
  if (before.cancelRequestedAt === null && job.cancelRequestedAt !== null)
    await store.addAudit({
      at: clock.now(),
      actor,
      action: 'job.cancelled',
      subject: job.id,
      before: null,
      after: { done: job.done, total: job.total },
    });
  return job;
}

function existing(job: Job | null): Job {
  if (job === null) throw new Refusal('not_found', 'not_found', 'Job not found.');
  return job;
}

/** Returns the PSA ids of documents of a kind that any job is syncing live now. */
export const listUnderWay = ({ store }: TenantContext, kind: Kind): Promise<readonly number[]> => store.listBusy(kind);
