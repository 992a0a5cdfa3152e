import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { hasEnded } from '#contract/calls/jobs.ts';
import { jobsQuery, queryClient, type QueryName, refreshAll } from './queries.ts';

/** Lists that a finished live job changes. */
const changedByJobs: readonly QueryName[] = [
  'psa',
  'subscription',
  'logs',
  'attention',
  'month',
  'money',
  'drafts',
  'mappings',
  'documents',
];

/** The headline of the Overview, to which a user returns after a run. */
const headline: readonly QueryName[] = ['month', 'money'];

/**
 * Refreshes lists when a live job ends, even if another screen, another tab or the schedule started it. Synced
 * documents then show their date and number on all screens.
 *
 * @param isActive whether the session has a client with jobs.
 */
export function useEndedJobs(isActive: boolean): void {
  const { data } = useQuery({ ...jobsQuery(), enabled: isActive });
  const known = useRef<ReadonlySet<string> | null>(null);
  const ended = (data ?? []).filter((job) => job.mode === 'live' && hasEnded(job)).map(({ id }) => id);
  const key = data === undefined ? null : ended.join(' ');
  useEffect(() => {
    if (key === null) return;
    const now = new Set(key.split(' '));
    const before = known.current;
    known.current = now;
    if (before === null || [...now].every((id) => before.has(id))) return;
    void refreshAll(...changedByJobs);
    const isManual = queryClient
      .getQueryData(jobsQuery().queryKey)
      ?.some(({ id, trigger }) => trigger === 'manual' && now.has(id) && !before.has(id));
    if (isManual === true)
      void queryClient.refetchQueries({
        type: 'inactive',
        predicate: ({ queryKey }) => headline.some((name) => queryKey[2] === name),
      });
  }, [key]);
}
