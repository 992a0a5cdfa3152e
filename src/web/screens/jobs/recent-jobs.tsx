import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Kind } from '#core/kinds.ts';
import { hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';
import { jobsQuery } from '../../data/queries.ts';
import { JobPanel } from './job-panel.tsx';

interface RecentJobsProps {
  stopped: readonly JobReply[];
  kind?: Kind;
  only?: 'stopped' | 'others';
}

/**
 * Shows the running jobs of all users, jobs that ended during this visit, and stopped jobs, until they are dismissed.
 *
 * @param kind shows only jobs of this kind
 * @param stopped jobs that stopped before their end, from the subscription
 * @param only shows only jobs that stopped before this visit, or only the others
 */
export function RecentJobs({ stopped, kind, only }: RecentJobsProps) {
  const { data } = useQuery(jobsQuery());
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const jobs = (data ?? []).filter(({ type }) => kind === undefined || type === kind);
  const running = jobs.filter((job) => !hasEnded(job)).map(({ id }) => id);
  if (running.some((id) => !seen.has(id))) setSeen(new Set([...seen, ...running]));

  // Jobs are listed newest first, so a newer job of the same kind replaces one that ended.
  const isReplaced = ({ type }: JobReply, index: number) => jobs.slice(0, index).some((job) => job.type === type);
  const stoppedIds = new Set(stopped.map(({ id }) => id));
  const isShown = ({ id }: JobReply) => (seen.has(id) || stoppedIds.has(id)) && !dismissed.has(id);
  const isOld = ({ id }: JobReply) => stoppedIds.has(id) && !seen.has(id);
  return jobs
    .filter((job, index) => !hasEnded(job) || (isShown(job) && !isReplaced(job, index)))
    .filter((job) => only === undefined || isOld(job) === (only === 'stopped'))
    .map((job) => <JobPanel key={job.id} job={job} onDismiss={() => setDismissed(new Set([...dismissed, job.id]))} />);
}
