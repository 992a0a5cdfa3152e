import { LeaseLost } from '#core/ports/store.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { TenantContext } from '../context.ts';
import { noteConnection, restUnfinished, resumeUnfinished, runJob } from './run-job.ts';
import type { Run } from './run.ts';

/** A worker that dies is replaced once its lease has ended (promise: within 20 seconds). */
export const leaseSeconds = 12;
const renewEveryMs = 3_000;

/**
 * Does everything that waits for one tenant: first what an earlier worker left unfinished, then the queued jobs.
 * Leaves at once when another worker holds the tenant.
 *
 * @param owner names this worker, e.g. host and process id.
 * @param stop aborted when the process is asked to end: the document under way is finished, the next is not begun.
 */
export async function runTenant(context: TenantContext, owner: string, stop: AbortSignal): Promise<void> {
  const { store, clock, logger } = context;
  const lease = await store.takeLease(owner, leaseSeconds, clock.now());
  if (lease === null) return;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    store.renewLease(lease, leaseSeconds, clock.now()).then(
      (isHeld) => {
        if (!isHeld) lost.abort(new LeaseLost(context.tenantId));
      },
      (error: unknown) => logger.warn({ error }, 'the lease could not be renewed'),
    );
  }, renewEveryMs);
  try {
    const signal = AbortSignal.any([stop, lost.signal]);
    await work(context, { lease, signal });
  } catch (error) {
    if (error instanceof LeaseLost) logger.warn({}, 'another worker has taken over this tenant');
    else if (!stop.aborted && !lost.signal.aborted) throw error;
  } finally {
    clearInterval(renewal);
    await store.releaseLease(lease);
  }
}

async function work(context: TenantContext, held: Pick<Run, 'lease' | 'signal'>): Promise<void> {
  const { store, clock, logger } = context;
  let run: Run;
  try {
    const [tenant, psa, accounting] = await Promise.all([store.readTenant(), context.psa(), context.accounting()]);
    run = { context, tenant, psa, accounting, ...held };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Nothing can run without both services: queued jobs say so instead of waiting for ever.
    for (
      let job = await store.takeJob(held.lease, clock.now());
      job !== null;
      job = await store.takeJob(held.lease, clock.now())
    )
      await store.finishJob(held.lease, job.id, { status: 'failed', message: error.message }, clock.now());
    await restUnfinished({ context, lease: held.lease });
    return;
  }
  try {
    await resumeUnfinished(run);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    logger.warn({ ...error.about }, 'unfinished attempts wait for the service');
    await noteConnection(run, error);
    await restUnfinished(run);
  }
  for (
    let job = await store.takeJob(run.lease, clock.now());
    job !== null;
    job = await store.takeJob(run.lease, clock.now())
  ) {
    run.signal.throwIfAborted();
    await runJob(run, job);
  }
}
