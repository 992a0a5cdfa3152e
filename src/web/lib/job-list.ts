import { hasEnded, type JobReply } from '#contract/jobs.ts';

/** Puts a job at its place among the known ones, newest first. */
export const withJob = (jobs: readonly JobReply[] | undefined, job: JobReply): JobReply[] => {
  const known = jobs ?? [];
  return known.some(({ id }) => id === job.id) ? known.map((one) => (one.id === job.id ? job : one)) : [job, ...known];
};

/**
 * Listed jobs with the results that are known of them: a list has counters alone, and what stands on a screen stays.
 */
export const withResults = (known: readonly JobReply[] | undefined, listed: readonly JobReply[]): JobReply[] =>
  listed.map((job) => {
    const results = known?.find(({ id }) => id === job.id)?.results ?? [];
    return job.results.length < results.length ? { ...job, results } : job;
  });

/** Whether nothing more will be heard of a job: it has ended, and its results are here. */
export const isWhole = (job: Pick<JobReply, 'status' | 'done' | 'results'>): boolean =>
  hasEnded(job) && job.results.length >= job.done;
