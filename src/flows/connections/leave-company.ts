import type { Attempt } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import { type Lease, LeaseLost } from '#core/records/leases.ts';
import { problem, type Problem } from '#core/problems.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import { fixed, sum } from '#core/values/decimal.ts';
import type { App, TenantContext } from '../context.ts';
import { base, ended, failedFor, problemNotes, saveRows } from '../sync/document/save.ts';
import type { Step } from '../sync/run.ts';

/** Longer than any attempt waits, so that all unfinished attempts are listed. */
const everSeconds = 10 * 365 * 86_400;
/** Much longer than closing the unfinished attempts takes. */
const leaseSeconds = 60;

/** A change to a different company, confirmed by an administrator. */
export interface Change {
  readonly service: Service;
  readonly before: string;
  readonly after: string;
}

/** Jobs and drafts of the former company that were stopped, for the audit trail. */
export interface Stopped {
  /** Number of jobs that were queued or running. */
  readonly jobs: number;
  /** Drafts that were waiting for approval or approved; `sum` has two decimals. */
  readonly drafts: readonly {
    readonly kind: Kind;
    readonly currency: string;
    readonly count: number;
    readonly sum: string;
  }[];
}

/**
 * Takes the tenant's lease from its worker and closes everything unfinished, so that nothing meant for the former
 * company reaches the new one (fault row A9). Unfinished documents are never sent to the new QuickBooks company, and
 * data read from the former PSA is never written to the new one. Jobs and drafts are closed because they were made with
 * the former company's settings.
 *
 * @param connect creates the new connection, given what was stopped. No worker begins before it ends.
 */
export async function leaveCompany(
  app: App,
  context: TenantContext,
  change: Change,
  connect: (stopped: Stopped) => Promise<void>,
): Promise<void> {
  const { store, clock } = context;
  await store.breakLease();
  const lease = await store.acquireLease(`connecting ${app.randomToken(16)}`, leaseSeconds);
  // Another worker took the lease first and still works for the former company.
  if (lease === null) throw new LeaseLost(context.tenantId);
  try {
    const unfinished = await store.listUnfinished(addSeconds(clock.now(), everSeconds));
    await saveRows(
      { context, lease },
      unfinished.flatMap((attempt) => closing(context, attempt, change)),
    );
    await connect(await stopWaiting(context, lease, change));
    // A user may have requested more while the connection was created.
    await stopWaiting(context, lease, change);
  } finally {
    await store.releaseLease(lease);
  }
}

async function stopWaiting({ store, clock }: TenantContext, lease: Lease, { after }: Change): Promise<Stopped> {
  const message = `Another company, “${after}”, was connected. This job posts nothing more. Start it again if its documents belong there.`;
  let jobs = 0;
  for (let job = await store.takeJob(lease, clock.now()); job !== null; job = await store.takeJob(lease, clock.now())) {
    await store.finishJob(lease, job.id, { status: 'cancelled', message }, clock.now());
    jobs += 1;
  }
  // Must follow the jobs: a job that ends returns its drafts to the waiting ones.
  const closed = await store.closeDrafts(message);
  const groups = Map.groupBy(closed, ({ kind, currency }) => `${kind} ${currency}`);
  const drafts = [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ kind, currency }) => ({
      kind,
      currency,
      count: group.length,
      sum: fixed(sum(group.flatMap(({ amount }) => amount ?? []))),
    })),
  );
  return { jobs, drafts };
}

/** Returns the step that closes an attempt; none if it may continue in the new company. */
function closing(context: TenantContext, attempt: Attempt, change: Change): readonly Step[] {
  const isAccounting = change.service === 'accounting';
  // Nothing reached QuickBooks. The attempt will only write the error status to the PSA.
  if (isAccounting && attempt.state === 'refusing') return [];
  const found: Problem = problem('COMPANY_CHANGED', { ...change, isSent: wasSent(attempt) });
  const notes = problemNotes([found]);
  const mark = isAccounting ? markOf(attempt) : null;
  if (mark !== null) {
    const to: Attempt = { ...base(attempt), state: 'refusing', problems: [found], mark, notBefore: null };
    return [{ from: attempt, to, notes }];
  }
  return [ended({ context }, { from: attempt, state: 'refused', ended: failedFor([found], found.message) })];
}

/** Returns whether a command of the attempt may have reached QuickBooks. */
const wasSent = (attempt: Attempt): boolean =>
  'sentAt' in attempt && (attempt.sentAt !== null || attempt.posted.length > 0);

/**
 * Returns the status text for the PSA: if QuickBooks may have a document, the one that waits for a person; otherwise
 * the one before the run.
 */
function markOf(attempt: Attempt): string | null {
  if (!('plan' in attempt)) return null;
  return wasSent(attempt) ? attempt.mark : (attempt.running?.before ?? null);
}
