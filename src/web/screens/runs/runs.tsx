import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { hasEnded } from '#contract/calls/jobs.ts';
import type { RunReply } from '#contract/jobs.ts';
import { kindNames, kinds } from '#core/kinds.ts';
import { countOf, formatCount, formatMoney, sumsByCurrency, zoneName } from '../../data/format.ts';
import { runsQuery, type RunsFilter } from '../../data/screen-queries.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { ModeBadge, StateBadge } from '../../components/badge.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { ViewsMenu } from '../../components/list-views.tsx';
import { FilterBar, Page, Panel } from '../../components/page.tsx';
import { PagedList, usePaging } from '../../components/paged-list.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { oneOf } from '../../components/use-address.ts';
import { headingOf, progressOf } from '../jobs/describe-job.ts';
import { Run } from './run.tsx';
import { RunsExport } from './runs-export.tsx';
import { Dim } from '../../components/note.tsx';

/** The history of syncs and tests, or one of them. */
export function Component() {
  const { id } = useParams();
  return id === undefined ? <History /> : <Run key={id} id={id} />;
}

const countColumns: readonly Column<RunReply>[] = [
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
];

const columnsIn = (zone: string): readonly Column<RunReply>[] => [
  {
    key: 'run',
    head: 'Run',
    cell: (job) => (
      <Group component="span" gap="sm" wrap="nowrap" fw={500}>
        <ModeBadge mode={job.mode} />
        <span>{headingOf(job)}</span>
      </Group>
    ),
    narrow: 'title',
  },
  ...countColumns,
  {
    key: 'amount',
    head: 'Amount',
    cell: ({ sums, mode }) => (
      <Stack component="span" gap={0} align="flex-end" display="inline-flex">
        {sumsByCurrency(sums).map(({ amount, currency }) => (
          <Text span inherit key={currency} style={{ whiteSpace: 'nowrap' }} {...(mode === 'test' && { c: 'dimmed' })}>
            {formatMoney(amount, currency)}
          </Text>
        ))}
      </Stack>
    ),
    align: 'end',
    width: 'clamp(134px, 10vw, 180px)',
    narrowLabel: true,
  },
  {
    key: 'progress',
    head: 'Progress',
    cell: (job) =>
      hasEnded(job) ? (
        <Dim>{job.done === job.total && job.done > 0 ? countOf(job.done, 'document') : progressOf(job)}</Dim>
      ) : (
        <StateBadge state="syncing" label={progressOf(job) === '' ? 'Waiting to start' : progressOf(job)} />
      ),
    width: 'clamp(124px, 10vw, 180px)',
    from: 900,
  },
  {
    key: 'by',
    head: 'Started by',
    cell: ({ trigger, submitted_by: by }) =>
      trigger === 'automatic' ? (
        'Automatic'
      ) : (
        <Text inherit truncate title={by ?? undefined}>
          {by}
        </Text>
      ),
    width: 'clamp(170px, 14vw, 280px)',
    from: 1440,
  },
  {
    key: 'at',
    head: `Started (${zone})`,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
    width: 'clamp(120px, 10vw, 170px)',
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

const modeLabels = { test: 'Test', live: 'Live' } as const;
const kindLabels = Object.fromEntries(kindNames.map((kind) => [kind, kinds[kind].plural]));

const tabs = [
  { key: 'all', label: 'All' },
  { key: 'failed', label: 'With failures' },
  { key: 'held', label: 'On hold' },
] as const;

/** All runs, newest first. */
function History() {
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const { query, change, place, paging } = usePaging('runs', 25);
  const type = oneOf(query, 'type', kindNames);
  const mode = oneOf(query, 'mode', ['test', 'live']);
  const outcome = oneOf(query, 'tab', ['failed', 'held']);
  const filter: RunsFilter = {
    ...(type !== undefined && { type }),
    ...(mode !== undefined && { mode }),
    ...(outcome !== undefined && { outcome }),
    ...place,
  };
  const runs = useQuery(runsQuery(filter));
  const counts = runs.data?.counts;
  const isFiltered = type !== undefined || mode !== undefined || outcome !== undefined;
  return (
    <Page
      title="Runs"
      lead="All syncs and tests. Open a run to see its documents, failures first."
      actions={
        <>
          <ViewsMenu list="runs" />
          <RunsExport filter={filter} total={counts?.[outcome ?? 'all'] ?? 0} />
        </>
      }
    >
      <Panel flush>
        <Tabs
          label="Parts of runs"
          tabs={tabs.map(({ key, label }) => ({
            key,
            label: counts === undefined ? label : `${label} ${formatCount(counts[key])}`,
          }))}
          open={outcome ?? 'all'}
          onOpen={(key) => change({ tab: key === 'all' ? '' : key })}
        >
          <FilterBar label="Filter runs" columns="repeat(2, minmax(0, 200px))">
            <FilterSelect
              label="Document type"
              labels={kindLabels}
              value={type}
              onChange={(to) => change({ type: to })}
            />
            <FilterSelect label="Test/Live" labels={modeLabels} value={mode} onChange={(to) => change({ mode: to })} />
            <FilterChips
              chips={[
                ...(type === undefined ? [] : [{ name: 'type', label: `Document type ${kinds[type].plural}` }]),
                ...(mode === undefined ? [] : [{ name: 'mode', label: modeLabels[mode] }]),
              ]}
              onRemove={(name) => change({ [name]: '' })}
              onClear={() => change({ type: '', mode: '' })}
            />
          </FilterBar>
          <PagedList
            what="The runs"
            found={runs}
            {...paging}
            total={counts?.[outcome ?? 'all'] ?? 0}
            empty={
              <EmptyState icon="refresh">
                {isFiltered ? 'No runs match.' : 'Syncs and tests appear here once you start one.'}
              </EmptyState>
            }
            label="Runs"
            columns={columnsIn(zoneName(timeZone))}
            rows={runs.data?.runs}
            rowKey={({ id }) => id}
            rowLabel={headingOf}
            onOpen={({ id }) => void navigate(`/runs/${id}`)}
            isFixed
          />
        </Tabs>
      </Panel>
    </Page>
  );
}
