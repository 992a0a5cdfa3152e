import type { Kind } from './kinds.ts';
import type { Job } from './ports/jobs.ts';
import type { SyncState } from './tenant.ts';
import { addSeconds, type Instant } from './values/dates.ts';

/** How long a stopped run counts as recent. */
const recentSeconds = 86_400;

/** Whether a job was stopped as a whole, within the last day. */
export const isRecentStop = ({ status, finishedAt }: Job, now: Instant): boolean =>
  status === 'failed' && finishedAt !== null && finishedAt > addSeconds(now, -recentSeconds);

/**
 * Jobs that were stopped as a whole, and whose reason may still stand: within the last day, and nothing of the kind was
 * run since. A look of the schedule that succeeds later shows that the schedule goes on; of what a person wanted it
 * shows nothing.
 *
 * @param newest the newest job of each kind
 * @param states when each kind was looked for last
 */
export const stillStopped = (
  newest: readonly Job[],
  states: Readonly<Partial<Record<Kind, Pick<SyncState, 'polledAt'>>>>,
  now: Instant,
): readonly Job[] =>
  newest.filter((job) => {
    const polledAt = states[job.kind]?.polledAt ?? null;
    const hasGoneOn = job.trigger === 'automatic' && polledAt !== null && polledAt > (job.finishedAt ?? now);
    return isRecentStop(job, now) && !hasGoneOn;
  });
