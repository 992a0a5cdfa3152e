import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';
import { formatCount } from '../data/format.ts';
import { jobsQuery } from '../data/queries.ts';
import { Link } from 'react-router';
import styles from './shell.module.css';

/** The progress of the run in progress, on every screen, with a link to it. Nothing while no run is in progress. */
export function RunPill() {
  const open = useQuery(jobsQuery()).data?.filter((job) => !hasEnded(job)) ?? [];
  const job = open.find(({ status }) => status === 'running') ?? open.at(-1);
  if (job === undefined) return null;
  return (
    <Button
      component={Link}
      to={`/runs/${job.id}`}
      size="compact-sm"
      radius="xl"
      fz="xs"
      variant={job.mode === 'test' ? 'outline' : 'light'}
      color={job.mode === 'test' ? 'test' : 'accent'}
      aria-label={`Open run: ${textOf(job)}`}
    >
      <span className={styles.runText}>{`${textOf(job)}\u00a0\u00a0`}</span>
      {percentOf(job)}
    </Button>
  );
}

function textOf({ mode, status, done, total }: JobReply): string {
  const verb = mode === 'test' ? 'TEST' : 'Posting';
  if (status === 'queued') return `${verb}: waiting to start`;
  return total === null ? `${verb}: looking for documents` : `${verb} ${formatCount(done)} of ${formatCount(total)}`;
}

const percentOf = ({ done, total }: JobReply): string =>
  total === null || total === 0 ? '…' : `${Math.floor((100 * done) / total)}%`;
