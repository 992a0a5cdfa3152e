import { LeaseLost } from '#core/records/leases.ts';
import type { CycleResult, TenantSession } from '#core/records/tenant-sessions.ts';
import { paidRecords } from '#core/documents/accounting-change.ts';
import { inParallel } from '#core/in-parallel.ts';
import { Refusal } from '#core/refusal.ts';
import { isAutomatic } from '#core/schedule.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { messageOf } from '#core/values/text.ts';
import type { TenantContext } from '../../context.ts';
import { cycleEnd, runCycle, runNotifiedChanges } from './cycle.ts';
import { notifiedChangesAtOnce } from '../sync-cdc.ts';
import { runQueued } from './run-job.ts';
import { deferUnfinished, resumeUnfinished } from './unfinished.ts';
import type { Run } from '../run.ts';
import { createRun, type HeldLease, keepLease, leaseSeconds } from './create-run.ts';
import { isDefect, isStop, noteConnection } from '../stop.ts';

/** Seconds for which notifications are deferred after a service could not be used. */
const inboxDeferSeconds = 300;

/**
 * Does all waiting work of one tenant: unfinished attempts of an earlier worker, then queued jobs, then a scheduled
 * cycle if it is due. Returns immediately if another worker holds the tenant.
 *
 * @param owner names this worker, for example by host and process id.
 * @param stop aborted when the process is asked to end: the calls in progress are finished, and no others are sent.
 */
export async function runTenantSession(context: TenantContext, owner: string, stop: AbortSignal): Promise<void> {
  try {
    await runSession(context, owner, stop);
  } catch (error) {
    // Recorded as long as every session fails, because the client is stalled and an operator must know.
    if (isDefect(error))
      await context.store.noteSessionFailure(messageOf(error), context.clock.now()).catch((failure: unknown) => {
        context.logger.warn({ error: failure }, 'that a session failed could not be noted');
      });
    throw error;
  }
}

async function runSession(context: TenantContext, owner: string, stop: AbortSignal): Promise<void> {
  const { store, clock, logger } = context;
  const openedAt = clock.now();
  const session = await store.openSession(owner, leaseSeconds, openedAt);
  if (session === null) return;
  const { lease } = session;
  const held = keepLease(context, lease, openedAt);
  let cycle: CycleResult | null = null;
  try {
    cycle = await work(context, session, AbortSignal.any([stop, held.lost]), { ...held, openedAt });
    if (session.hasFailedBefore) await store.endStall();
  } catch (error) {
    if (error instanceof LeaseLost) logger.warn({}, 'another worker has taken over this tenant');
    else if (!stop.aborted && !held.lost.aborted) {
      // A cycle that failed because of a bug is not repeated immediately.
      if (session.isCycleDue) cycle = cycleEnd(context, [], session.consecutiveFailures);
      throw error;
    }
  } finally {
    held.stopRenewing();
    await store.closeSession(lease, cycle, { isHandedOver: stop.aborted });
  }
}

async function work(
  context: TenantContext,
  session: TenantSession,
  signal: AbortSignal,
  { proveHeld, isHeld, openedAt }: HeldLease & { readonly openedAt: Instant },
): Promise<CycleResult | null> {
  const { store, clock, logger } = context;
  const { lease, tenant } = session;
  let run: Run;
  try {
    const { credentials } = session;
    const [psa, accounting] = await inParallel([
      context.psa({ known: { credentials: credentials.psa, timeZone: tenant.timeZone }, mayWrite: isHeld }),
      context.accounting({ known: { credentials: credentials.accounting }, mayWrite: isHeld }),
    ]);
    const stoppedKinds: Run['stoppedKinds'] = new Map();
    // Whatever the session calls uses these connectors, which need no transaction for the credentials of each call.
    const inSession: TenantContext = { ...context, psa: async () => psa, accounting: async () => accounting };
    run = createRun({
      context: inSession,
      tenant,
      psa,
      accounting,
      lease,
      session,
      openedAt,
      signal,
      proveHeld,
      stoppedKinds,
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Without both services no job can run, so queued jobs fail instead of waiting forever.
    for (let job = await store.takeJob(lease, clock.now()); job !== null; job = await store.takeJob(lease, clock.now()))
      await store.finishJob(lease, job.id, { status: 'failed', message: error.message }, clock.now());
    await deferUnfinished({ context, lease });
    if (session.hasNotifications) await store.deferToCdc();
    return session.isCycleDue ? cycleEnd(context, [], session.consecutiveFailures + 1) : null;
  }
  const defects: unknown[] = [];
  /**
   * Runs a part of the work. A bug in one part must not stop the others, so its error is thrown after they are done.
   */
  const guarded = async (part: () => Promise<unknown>): Promise<void> => {
    try {
      await part();
    } catch (error) {
      if (!isDefect(error) || signal.aborted) throw error;
      logger.error({ error }, 'a defect stopped a part of the work for a tenant');
      defects.push(error);
    }
  };
  let cycle = session.isCycleDue ? cycleEnd(context, [], session.consecutiveFailures + 1) : null;
  if (session.areConnected) await guarded(() => adoptLost(run));
  if (session.hasUnfinished) await guarded(() => resumeOrDefer(run));
  if (session.hasJobs) await guarded(() => runQueued(run));
  if (session.isCycleDue && session.areConnected) await guarded(async () => (cycle = await runCycle(run, runQueued)));
  else if (session.hasNotifications) await guarded(() => followNotifications(run));
  if (defects.length > 0) throw defects[0];
  return cycle;
}

/** Searches for documents lost in a restore. If that fails, only the work that depends on it waits. */
async function adoptLost(run: Run): Promise<void> {
  try {
    await run.afterAdoption();
  } catch (error) {
    if (!isStop(error)) throw error;
    run.context.logger.info({ error: error.message }, 'documents unknown to the ledger could not be searched');
  }
}

async function resumeOrDefer(run: Run): Promise<void> {
  try {
    await resumeUnfinished(run);
  } catch (error) {
    if (!isStop(error)) throw error;
    run.context.logger.info({}, 'unfinished attempts wait');
    await noteConnection(run, error);
    await deferUnfinished(run);
  }
}

/** Handles notifications about invoices or payments without waiting for the next cycle. */
async function followNotifications(run: Run): Promise<void> {
  const { context, session } = run;
  const { store, clock, schedule } = context;
  if (
    session.tenant.status !== 'active' ||
    !session.areConnected ||
    !isAutomatic('payment', session.settings, schedule)
  )
    return store.deferToCdc();
  const failure = await runNotifiedChanges(run, runQueued);
  if (failure !== null)
    await store.postponeInbox(
      await store.listInbox(paidRecords, notifiedChangesAtOnce),
      addSeconds(clock.now(), inboxDeferSeconds),
    );
}
