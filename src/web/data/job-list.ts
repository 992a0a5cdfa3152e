import { hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';

/** Inserts a job into the known ones, newest first. */
export const withJob = (jobs: readonly JobReply[] | undefined, job: JobReply): JobReply[] => {
  const known = jobs ?? [];
  return known.some(({ id }) => id === job.id) ? known.map((one) => (one.id === job.id ? job : one)) : [job, ...known];
};

/**
 * Adds known results to listed jobs, because a list has only counters and the results on the screen must not disappear.
 */
export const withResults = (known: readonly JobReply[] | undefined, listed: readonly JobReply[]): JobReply[] =>
  listed.map((job) => {
    const results = known?.find(({ id }) => id === job.id)?.results ?? [];
    return job.results.length < results.length ? { ...job, results } : job;
  });

/** Returns true if a job has ended and all its results are loaded. */
export const isWhole = (job: Pick<JobReply, 'status' | 'done' | 'results'>): boolean =>
  hasEnded(job) && job.results.length >= job.done;
