import type { SubmittableKind } from '#core/kinds.ts';
import { hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';

/** The state of a document in its newest job. */
export interface LiveState {
  readonly isTest: boolean;
  readonly outcome: 'waiting' | JobReply['results'][number]['outcome'];
  readonly message: string;
  readonly logKey: string | null;
  readonly awaitsApproval: boolean;
}

/**
 * Returns the states of documents in running jobs and in jobs that ended while the screen was open, by PSA id.
 *
 * @param jobs newest first, all of one kind.
 */
export function liveStates(
  jobs: readonly (Pick<JobReply, 'status' | 'mode' | 'ids' | 'results'> & {
    readonly type: JobReply['type'] | SubmittableKind;
  })[],
): ReadonlyMap<number, LiveState> {
  const states = new Map<number, LiveState>();
  for (const job of jobs) {
    const isTest = job.mode === 'test';
    for (const { entityid, outcome, message, log_key: logKey, awaits_approval: awaitsApproval } of job.results)
      if (!states.has(entityid)) states.set(entityid, { isTest, outcome, message, logKey, awaitsApproval });
    if (hasEnded(job)) continue;
    for (const id of job.ids ?? [])
      if (!states.has(id))
        states.set(id, { isTest, outcome: 'waiting', message: '', logKey: null, awaitsApproval: false });
  }
  return states;
}
