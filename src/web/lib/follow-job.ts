import { useEffect } from 'react';
import { hasEnded, type JobReply, watchJob } from '#contract/jobs.ts';
import { CallError, follow } from './call.ts';
import { jobsQuery, queryClient, refreshAll } from './queries.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 15_000;

/** Puts a job at its place among the known ones, newest first. */
export const withJob = (jobs: readonly JobReply[] | undefined, job: JobReply): JobReply[] => {
  const known = jobs ?? [];
  return known.some(({ id }) => id === job.id) ? known.map((one) => (one.id === job.id ? job : one)) : [job, ...known];
};

/** Remembers a job as the server last told it. */
export function noteJob(job: JobReply): void {
  queryClient.setQueryData(jobsQuery().queryKey, (jobs) => withJob(jobs, job));
}

/**
 * Keeps a job that is under way up to date while the caller is on the screen; what depends on its outcome is asked
 * again at its end. A connection that is cut is made again, after longer and longer waits.
 */
export function useFollowedJob({ id, status }: Pick<JobReply, 'id' | 'status'>): void {
  const isOver = hasEnded({ status });
  useEffect(() => {
    if (isOver) return undefined;
    const stop = new AbortController();
    void followUntilEnd(id, stop.signal);
    return () => stop.abort();
  }, [id, isOver]);
}

async function followUntilEnd(id: string, signal: AbortSignal): Promise<void> {
  let waitMs = firstWaitMs;
  while (!signal.aborted) {
    try {
      for await (const { data } of follow(watchJob, { params: { id } }, signal)) {
        const job: JobReply = JSON.parse(data);
        waitMs = firstWaitMs;
        noteJob(job);
        if (hasEnded(job)) {
          await Promise.all((['subscription', 'logs', 'attention', 'month', 'drafts'] as const).map(refreshAll));
          return;
        }
      }
    } catch (error) {
      // A job that is gone stays gone; everything else is worth another try.
      if (signal.aborted || (error instanceof CallError && error.status >= 400 && error.status < 500)) return;
    }
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
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
