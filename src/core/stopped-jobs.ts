import type { Kind } from './kinds.ts';
import type { Job } from './records/jobs.ts';
import type { SyncState } from './tenant.ts';
import { addSeconds, type Instant } from './values/dates.ts';

/** How long a stopped run counts as recent. */
const recentSeconds = 86_400;

/** Whether a whole job was stopped within the last day. */
export const isRecentStop = ({ status, finishedAt }: Job, now: Instant): boolean =>
  status === 'failed' && finishedAt !== null && finishedAt > addSeconds(now, -recentSeconds);

/**
 * Returns jobs that were stopped as a whole within the last day and whose reason may remain: no later job of the kind
 * exists. A later successful run of the schedule clears an automatic job, but not a manual one.
 *
 * @param newest the newest job of each kind
 * @param states last search of each kind
 */
export const stillStopped = (
  newest: readonly Job[],
  states: Readonly<Partial<Record<Kind, Pick<SyncState, 'polledAt'>>>>,
  now: Instant,
): readonly Job[] =>
  newest.filter((job) => {
    const polledAt = states[job.kind]?.polledAt ?? null;
    const hasContinued = job.trigger === 'automatic' && polledAt !== null && polledAt > (job.finishedAt ?? now);
    return isRecentStop(job, now) && !hasContinued;
  });
