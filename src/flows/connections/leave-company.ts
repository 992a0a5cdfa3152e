import type { Attempt } from '#core/attempt.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { problem, type Problem } from '#core/problems.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { App, TenantContext } from '../context.ts';
import { base, end, failedFor, problemNotes, save } from '../sync/document/save.ts';
import { savesUnder } from '../sync/job/create-run.ts';
import type { Run } from '../sync/run.ts';

/** Whatever waits, waits for less than that. */
const everSeconds = 10 * 365 * 86_400;
/** Closing what is unfinished takes far less. */
const leaseSeconds = 60;

/** Another company takes the place of the one that was connected, as an administrator has confirmed. */
export interface Change {
  readonly service: Service;
  readonly before: string;
  readonly after: string;
}

/**
 * Takes the tenant away from whoever works for it and closes what is unfinished, so that nothing that was meant for the
 * company before reaches the one after (fault row A9): what the books before may hold is never sent to the books after
 * by itself, and what was read from the PSA before is never written to the PSA after.
 *
 * @param connect makes the new connection; no worker begins before it ends.
 */
export async function leaveCompany(
  app: App,
  context: TenantContext,
  change: Change,
  connect: () => Promise<void>,
): Promise<void> {
  const { store, clock } = context;
  await store.breakLease(clock.now());
  const lease = await store.takeLease(`connecting ${app.randomToken(16)}`, leaseSeconds, clock.now());
  // Another worker was quicker than we by a moment: what it knows is still the company before.
  if (lease === null) throw new LeaseLost(context.tenantId);
  try {
    for (const attempt of await store.listUnfinished(addSeconds(clock.now(), everSeconds)))
      await close({ context, ...savesUnder(context, lease) }, attempt, change);
    await connect();
  } finally {
    await store.releaseLease(lease);
  }
}

async function close(run: Pick<Run, 'context' | 'advance'>, attempt: Attempt, change: Change): Promise<void> {
  const isBooks = change.service === 'accounting';
  // Nothing of these has reached the books; they are decided anew, or are about to tell the PSA what a person must do.
  if (isBooks && (attempt.state === 'planning' || attempt.state === 'refusing')) return;
  const found: Problem = problem('COMPANY_CHANGED', { ...change, isSent: wasSent(attempt) });
  const notes = problemNotes([found]);
  const mark = isBooks ? markOf(attempt) : null;
  if (mark !== null) {
    const to: Attempt = { ...base(attempt), state: 'refusing', problems: [found], mark, notBefore: null };
    await save(run, attempt, to, { notes });
  } else await end(run, attempt, 'refused', failedFor([found], found.message));
}

/** Whether a command of it may have reached the books. */
const wasSent = (attempt: Attempt): boolean =>
  'sentAt' in attempt && (attempt.sentAt !== null || attempt.posted.length > 0);

/** What the PSA gets told: to wait for a person once something may exist, otherwise what stood there before the run. */
function markOf(attempt: Attempt): string | null {
  if (!('plan' in attempt)) return null;
  return wasSent(attempt) ? attempt.mark : (attempt.running?.before ?? null);
}
