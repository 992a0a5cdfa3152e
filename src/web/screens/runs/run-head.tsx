import { Group, Stack, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import { Link } from 'react-router';
import { hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';
import { submittableKinds } from '#core/kinds.ts';
import { formatCount, formatSums, sumsByCurrency } from '../../data/format.ts';
import { useFollowedJob } from '../../data/follow-job.ts';
import { jobsQuery } from '../../data/queries.ts';
import { runQuery } from '../../data/screen-queries.ts';
import { Notice } from '../../components/notice.tsx';
import { CurrentPauses } from '../connections/pause-notices.tsx';
import { headingOf, headlineOf, progressOf } from '../jobs/describe-job.ts';
import { Bar, Marked, OpenInAccounting } from '../jobs/job-panel.tsx';
import { useErrorMarks } from '../sync/use-error-marks.ts';
import { useOpenRun } from './open-run.ts';

/**
 * What a run did, or how far it is.
 *
 * @param area takes the focus after a user started the run
 * @param others ids of the runs that the user started together with this one
 */
export function RunHead({
  job,
  area,
  others,
}: {
  job: JobReply;
  area: RefObject<HTMLDivElement | null>;
  others: readonly string[];
}) {
  const isOver = hasEnded(job);
  return (
    <Stack gap="sm" ref={area} tabIndex={-1} role="group" aria-label="Result" style={{ outline: 'none' }}>
      <Headline job={job} text={isOver ? headlineOf(job, sumOf(job)) : null} />
      <Bar job={job} isOver={isOver} />
      {isOver && job.total === 0 ? (
        <NothingFound job={job} />
      ) : (
        <Text c="dimmed" size="sm" role="status">
          {progressOf(job)}
        </Text>
      )}
      {job.status === 'queued' && <WaitsFor job={job} />}
      {!isOver && <CurrentPauses isJobRunning />}
      {job.message !== null && <Notice tone={job.status === 'failed' ? 'bad' : 'info'}>{job.message}</Notice>}
      <Together ids={others} />
    </Stack>
  );
}

interface HeadlineProps {
  job: JobReply;
  /** Null hides the line. */
  text: string | null;
  /** Links after the line. */
  children?: ReactNode;
}

/** The result in one large line, or the name of a run in progress. Screen readers announce the line without its links. */
function Headline({ job, text, children }: HeadlineProps) {
  const isOver = hasEnded(job);
  return (
    <Group gap="4px 16px" align="baseline">
      <div role="status">
        {text !== null && (
          <Text
            component="strong"
            display="block"
            fw={600}
            {...(isOver && { fz: 28, lh: '36px', c: 'bright', lts: '-0.02em' })}
            style={{ fontVariantNumeric: 'tabular-nums' }}
          >
            {text}
          </Text>
        )}
      </div>
      {isOver && job.mode === 'live' && job.succeeded > 0 && <OpenInAccounting job={job} />}
      {children}
    </Group>
  );
}

/** A run within another screen: its progress or its result, the number of failures, and a link to it. */
export function RunSummary({ job }: { job: JobReply }) {
  const isOver = hasEnded(job);
  useFollowedJob(job, isOver);
  return (
    <Stack gap="sm" w="100%">
      <Headline job={job} text={(isOver ? headlineOf(job, sumOf(job)) : null) ?? headingOf(job)}>
        {isOver && (
          <Link to={`/runs/${job.id}`}>
            {job.failed === 0 ? 'Open run' : `${formatCount(job.failed)} failed: open run`}
          </Link>
        )}
      </Headline>
      {!isOver && (
        <>
          <Bar job={job} isOver={false} />
          <Text c="dimmed" size="sm" role="status">
            {progressOf(job)}
          </Text>
        </>
      )}
    </Stack>
  );
}

/** Returns the money of the synced documents, e.g. “$228.00 and CAD 1,620.00”. */
const sumOf = ({ results }: JobReply): string =>
  formatSums(sumsByCurrency(results.filter(({ outcome }) => outcome === 'succeeded')));

/** Names the run that a waiting run waits for. */
function WaitsFor({ job }: { job: JobReply }) {
  const jobs = useQuery(jobsQuery()).data ?? [];
  const first = jobs.find(({ id, status }) => id !== job.id && status === 'running');
  return (
    <Notice tone="info" {...(first !== undefined && { action: <Link to={`/runs/${first.id}`}>Open that run</Link> })}>
      {first === undefined ? 'Waiting to start.' : `Starts after the run in progress: ${headingOf(first)}.`}
    </Notice>
  );
}

/** A run without documents. Offers to clear the ERROR marks of earlier attempts, because a search skips these documents. */
function NothingFound({ job }: { job: JobReply }) {
  const kind = submittableKinds.find((one) => one === job.type);
  const open = useOpenRun();
  const marked = useErrorMarks(kind ?? 'invoice', kind !== undefined, ({ id }) => open([id]));
  if (kind !== undefined && marked.ids.length > 0) return <Marked kind={kind} marked={marked} />;
  return (
    <Text c="dimmed" size="sm">
      {progressOf(job)}
    </Text>
  );
}

/** The other runs that the user started together with this one, each in one line. */
function Together({ ids }: { ids: readonly string[] }) {
  const runs = useQueries({ queries: ids.map(runQuery) });
  return runs.map(
    ({ data: job }) =>
      job !== undefined && (
        <Notice
          key={job.id}
          tone={!hasEnded(job) ? 'info' : job.failed > 0 || job.status === 'failed' ? 'bad' : 'ok'}
          isCompact
          action={<Link to={`/runs/${job.id}`}>Open run</Link>}
        >
          {[
            headingOf(job),
            hasEnded(job) ? headlineOf(job, sumOf(job)) : progressOf(job),
            job.failed > 0 ? `${formatCount(job.failed)} failed` : null,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Notice>
      ),
  );
}
