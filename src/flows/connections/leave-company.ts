import type { Attempt } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import { LeaseLost, type Lease } from '#core/ports/leases.ts';
import { problem, type Problem } from '#core/problems.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import { fixed, sum } from '#core/values/decimal.ts';
import type { App, TenantContext } from '../context.ts';
import { base, end, failedFor, problemNotes, save } from '../sync/document/save.ts';
import { savesUnder } from '../sync/job/create-run.ts';
import type { Run } from '../sync/run.ts';

/** Longer than any attempt waits, so that every unfinished one is listed. */
const everSeconds = 10 * 365 * 86_400;
/** Closing what is unfinished takes far less. */
const leaseSeconds = 60;

/** Change from the connected company to another one, as an administrator has confirmed. */
export interface Change {
  readonly service: Service;
  readonly before: string;
  readonly after: string;
}

/** Jobs and drafts of the company before that were stopped, as the audit trail keeps them. */
export interface Stopped {
  /** Jobs that were queued or under way. */
  readonly jobs: number;
  /** Drafts that waited for approval or were approved; `sum` has two decimals. */
  readonly drafts: readonly {
    readonly kind: Kind;
    readonly currency: string;
    readonly count: number;
    readonly sum: string;
  }[];
}

/**
 * Takes the tenant away from whoever works for it and closes what is unfinished, so that nothing that was meant for the
 * company before reaches the one after (fault row A9): what the books before may hold is never sent to the books after
 * by itself, and what was read from the PSA before is never written to the PSA after. Jobs end and drafts are closed:
 * they were asked for and prepared under the settings of the company before.
 *
 * @param connect makes the new connection, and is told what was stopped; no worker begins before it ends.
 */
export async function leaveCompany(
  app: App,
  context: TenantContext,
  change: Change,
  connect: (stopped: Stopped) => Promise<void>,
): Promise<void> {
  const { store, clock } = context;
  await store.breakLease(clock.now());
  const lease = await store.takeLease(`connecting ${app.randomToken(16)}`, leaseSeconds, clock.now());
  // Another worker was quicker than we by a moment: what it knows is still the company before.
  if (lease === null) throw new LeaseLost(context.tenantId);
  try {
    for (const attempt of await store.listUnfinished(addSeconds(clock.now(), everSeconds)))
      await close({ context, ...savesUnder(context, lease) }, attempt, change);
    await connect(await stopWaiting(context, lease, change));
    // Somebody may have asked for more while the connection was made.
    await stopWaiting(context, lease, change);
  } finally {
    await store.releaseLease(lease);
  }
}

async function stopWaiting({ store, clock }: TenantContext, lease: Lease, { after }: Change): Promise<Stopped> {
  const message = `Another company was connected, “${after}”: nothing more of this is posted. Ask for it again if it belongs there.`;
  let jobs = 0;
  for (let job = await store.takeJob(lease, clock.now()); job !== null; job = await store.takeJob(lease, clock.now())) {
    await store.finishJob(lease, job.id, { status: 'cancelled', message }, clock.now());
    jobs += 1;
  }
  // After the jobs: one that ends gives back the drafts that it was to post.
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

async function close(run: Pick<Run, 'context' | 'advance'>, attempt: Attempt, change: Change): Promise<void> {
  const isBooks = change.service === 'accounting';
  // Nothing of it has reached the books; it is about to tell the PSA what a person must do.
  if (isBooks && attempt.state === 'refusing') return;
  const found: Problem = problem('COMPANY_CHANGED', { ...change, isSent: wasSent(attempt) });
  const notes = problemNotes([found]);
  const mark = isBooks ? markOf(attempt) : null;
  if (mark !== null) {
    const to: Attempt = { ...base(attempt), state: 'refusing', problems: [found], mark, notBefore: null };
    await save(run, attempt, to, { notes });
  } else await end(run, { from: attempt, state: 'refused', ended: failedFor([found], found.message) });
}

/** Whether a command of it may have reached the books. */
const wasSent = (attempt: Attempt): boolean =>
  'sentAt' in attempt && (attempt.sentAt !== null || attempt.posted.length > 0);

/**
 * Text for the PSA's status field: to wait for a person once something may exist, otherwise what stood there before the
 * run.
 */
function markOf(attempt: Attempt): string | null {
  if (!('plan' in attempt)) return null;
  return wasSent(attempt) ? attempt.mark : (attempt.running?.before ?? null);
}
