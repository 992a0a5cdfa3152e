import { useEffect } from 'react';
import { hasEnded, watchJob } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';
import { CallError, follow } from './call.ts';
import { isWhole, withJob } from './job-list.ts';
import { jobsQuery, queryClient, refreshAll, runKey } from './queries.ts';

const firstWaitMs = 1_000;
const maxWaitMs = 15_000;

/** Caches the newest state of a job, for the lists and for its page. */
export function cacheJob(job: JobReply): void {
  // A list requested before the job existed would remove it again. The filter spares the page of a run.
  void queryClient.cancelQueries({ queryKey: jobsQuery().queryKey, exact: true });
  queryClient.setQueryData(jobsQuery().queryKey, (jobs) => withJob(jobs, job));
  if (job.results.length >= job.done) queryClient.setQueryData(runKey(job.id), { job });
}

/** Caches the end of a job that its page saw before the event stream, and refreshes dependent data. */
export function cacheEnd(job: JobReply): void {
  const known = queryClient.getQueryData(jobsQuery().queryKey)?.find(({ id }) => id === job.id);
  if (known === undefined || isWhole(known)) return;
  cacheJob(job);
  if (!hasEnded(known) && job.mode === 'test') void refreshAll('logs', 'attention');
}

/**
 * Keeps a job and its results up to date while the component is mounted. Refreshes dependent data when the job ends. If
 * the list reports the end first, the results are still loaded. Reconnects with increasing delays.
 *
 * @param needsNothing whether all of the job is known; by default, whether it has ended and all its results are loaded
 */
export function useFollowedJob(job: JobReply, needsNothing = isWhole(job)): void {
  const { id } = job;
  useEffect(() => {
    if (needsNothing) return undefined;
    const stop = new AbortController();
    void followUntilEnd(id, stop.signal);
    return () => stop.abort();
  }, [id, needsNothing]);
}

async function followUntilEnd(id: string, signal: AbortSignal): Promise<void> {
  let waitMs = firstWaitMs;
  const before = queryClient.getQueryData(jobsQuery().queryKey)?.find((one) => one.id === id);
  const hadEnded = before !== undefined && hasEnded(before);
  while (!signal.aborted) {
    try {
      for await (const { data } of follow(watchJob, { params: { id } }, signal)) {
        const job: JobReply = JSON.parse(data);
        waitMs = firstWaitMs;
        cacheJob(job);
        if (hasEnded(job)) {
          if (!hadEnded && job.mode === 'test') await refreshAll('logs', 'attention');
          return;
        }
      }
    } catch (error) {
      // A deleted job does not return; all other errors are retried.
      if (signal.aborted || (error instanceof CallError && error.status >= 400 && error.status < 500)) return;
    }
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, maxWaitMs);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
