import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasEnded } from '#contract/jobs.ts';
import { jobsQuery } from '../../lib/queries.ts';
import { JobPanel } from './job-panel.tsx';

/**
 * The jobs that are under way, and those that ended while the person was looking, until they are put away. After a
 * reload the running ones are found again.
 *
 * @param submitted ids of jobs that were started from this screen.
 */
export function RecentJobs({ submitted }: { submitted: readonly string[] }) {
  const { data: jobs } = useQuery(jobsQuery());
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [away, setAway] = useState<ReadonlySet<string>>(new Set());
  const running = (jobs ?? []).filter((job) => !hasEnded(job)).map(({ id }) => id);
  if (running.some((id) => !seen.has(id))) setSeen(new Set([...seen, ...running]));

  return (jobs ?? [])
    .filter((job) => !hasEnded(job) || ((seen.has(job.id) || submitted.includes(job.id)) && !away.has(job.id)))
    .map((job) => <JobPanel key={job.id} job={job} onPutAway={() => setAway(new Set([...away, job.id]))} />);
}
