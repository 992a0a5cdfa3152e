import { Group, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';
import { formatCount, zoneName } from '../../data/format.ts';
import { jobsQuery } from '../../data/queries.ts';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { ModeBadge, StateBadge } from '../../components/badge.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { EmptyState, FailedState } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { headingOf, progressOf } from '../jobs/describe-job.ts';
import { Run } from './run.tsx';
import { Dim } from '../../components/note.tsx';

/** The history of syncs and tests, or one of them. */
export function Component() {
  const { id } = useParams();
  return id === undefined ? <History /> : <Run key={id} id={id} />;
}

const filters = {
  all: { label: 'All', has: () => true },
  failed: { label: 'With failures', has: ({ failed, status }: JobReply) => failed > 0 || status === 'failed' },
  live: { label: 'Live', has: ({ mode }: JobReply) => mode === 'live' },
  test: { label: 'Test', has: ({ mode }: JobReply) => mode === 'test' },
} as const;
type Filter = keyof typeof filters;

const isFilter = (text: string | null): text is Filter => text !== null && Object.hasOwn(filters, text);

const columnsIn = (zone: string): readonly Column<JobReply>[] => [
  {
    key: 'run',
    head: 'Run',
    cell: (job) => (
      <Group component="span" gap="sm" wrap="nowrap" display="inline-flex" fw={500}>
        <ModeBadge mode={job.mode} />
        {headingOf(job)}
      </Group>
    ),
    narrow: 'title',
  },
  {
    key: 'failed',
    head: 'Failed',
    cell: ({ failed }) => <Count count={failed} isBad />,
    align: 'end',
    width: '66px',
    narrowLabel: true,
  },
  {
    key: 'held',
    head: 'On hold',
    cell: ({ held }) => <Count count={held} />,
    align: 'end',
    width: '66px',
    narrowLabel: true,
  },
  {
    key: 'synced',
    head: 'Synced',
    cell: ({ succeeded }) => <Count count={succeeded} />,
    align: 'end',
    width: '66px',
    narrowLabel: true,
  },
  {
    key: 'skipped',
    head: 'Skipped',
    cell: ({ skipped }) => <Count count={skipped} />,
    align: 'end',
    width: '66px',
    narrow: 'hide',
    from: 900,
  },
  {
    key: 'progress',
    head: 'Progress',
    cell: (job) =>
      hasEnded(job) ? (
        <Dim>{progressOf(job)}</Dim>
      ) : (
        <StateBadge state="syncing" label={progressOf(job) === '' ? 'Waiting to start' : progressOf(job)} />
      ),
    width: '124px',
  },
  {
    key: 'by',
    head: 'Started by',
    cell: ({ trigger, submitted_by: by }) => (trigger === 'automatic' ? 'Automatic' : by),
    width: '19%',
    from: 900,
  },
  {
    key: 'at',
    head: `Started (${zone})`,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
    width: '112px',
    narrow: 'trail',
  },
];

function Count({ count, isBad = false }: { count: number; isBad?: boolean }) {
  return count === 0 ? (
    <Dim>0</Dim>
  ) : (
    <Text span inherit fw={600} {...(isBad && { c: 'red' })}>
      {formatCount(count)}
    </Text>
  );
}

/** The newest 50 runs, those in progress first. */
function History() {
  const jobs = useQuery(jobsQuery());
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const [query, setQuery] = useSearchParams();
  const shown = query.get('show');
  const filter = isFilter(shown) ? shown : 'all';
  const found = jobs.data?.filter(filters[filter].has);
  const rows = found?.toSorted((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)));
  return (
    <Page title="Runs" lead="The newest 50 syncs and tests. Open a run to see its documents, failures first.">
      <SegmentedControl
        maw="100%"
        style={{ alignSelf: 'flex-start' }}
        aria-label="Show"
        value={filter}
        data={Object.entries(filters).map(([value, { label, has }]) => ({
          value,
          label: jobs.data === undefined ? label : `${label} ${formatCount(jobs.data.filter(has).length)}`,
        }))}
        onChange={(value) => setQuery(value === 'all' ? {} : { show: value }, { replace: true })}
      />
      <Panel flush>
        {jobs.isError && jobs.data === undefined ? (
          <FailedState what="The runs" of={jobs} />
        ) : rows?.length === 0 ? (
          <EmptyState icon="refresh">
            {filter === 'all' ? 'Syncs and tests appear here once you start one.' : 'No runs match.'}
          </EmptyState>
        ) : (
          <DataTable
            label="Runs"
            columns={columnsIn(zoneName(timeZone))}
            rows={rows}
            rowKey={({ id }) => id}
            rowLabel={headingOf}
            placeholderRows={8}
            isStale={jobs.isError}
            onOpen={({ id }) => void navigate(`/runs/${id}`)}
          />
        )}
      </Panel>
    </Page>
  );
}
