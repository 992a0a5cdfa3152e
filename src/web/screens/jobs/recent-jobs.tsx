import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Kind } from '#core/kinds.ts';
import { hasEnded, type JobReply } from '#contract/jobs.ts';
import { lazyComponent, whenIdle } from '../../lib/lazy.tsx';
import { jobsQuery } from '../../lib/queries.ts';

const loadPanel = async () => (await import('./job-panel.tsx')).JobPanel;
const JobPanel = lazyComponent(loadPanel);

/**
 * The jobs that are under way, those that ended while the person was looking, and those that were stopped and whose
 * reason may still stand, whoever started them, until they are put away. After a reload the running and the stopped ones
 * are found again.
 *
 * @param submitted ids of jobs that were started from this screen.
 * @param focusOn id of a job whose panel takes the focus when it appears, e.g. of the documents that were just posted.
 * @param kind only jobs of this kind; of all kinds unless told.
 * @param stopped jobs that were stopped as a whole, from the subscription.
 * @param only those that were stopped before the person came, or all others; both unless told.
 */
export function RecentJobs({
  submitted,
  stopped,
  focusOn,
  kind,
  only,
}: {
  submitted: readonly string[];
  stopped: readonly JobReply[];
  focusOn?: string | null;
  kind?: Kind;
  only?: 'stopped' | 'others';
}) {
  const { data } = useQuery(jobsQuery());
  // A job that somebody starts is shown at once.
  useEffect(() => whenIdle(() => void loadPanel().catch(() => undefined)), []);
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [away, setAway] = useState<ReadonlySet<string>>(new Set());
  const jobs = (data ?? []).filter(({ type }) => kind === undefined || type === kind);
  const running = jobs.filter((job) => !hasEnded(job)).map(({ id }) => id);
  if (running.some((id) => !seen.has(id))) setSeen(new Set([...seen, ...running]));

  // The newest stand first: one that ended makes room as soon as the next of its kind is there.
  const isOutdone = ({ type }: JobReply, index: number) => jobs.slice(0, index).some((job) => job.type === type);
  const standing = new Set(stopped.map(({ id }) => id));
  const isShown = ({ id }: JobReply) => (seen.has(id) || submitted.includes(id) || standing.has(id)) && !away.has(id);
  const isOld = ({ id }: JobReply) => standing.has(id) && !seen.has(id) && !submitted.includes(id);
  return jobs
    .filter((job, index) => !hasEnded(job) || (isShown(job) && !isOutdone(job, index)))
    .filter((job) => only === undefined || isOld(job) === (only === 'stopped'))
    .map((job) => (
      <JobPanel
        key={job.id}
        job={job}
        hasFocus={job.id === focusOn}
        onPutAway={() => setAway(new Set([...away, job.id]))}
      />
    ));
}
