import { Box, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import type { LogHeadReply } from '#contract/logs.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatCount, formatDate, formatDateTime, formatMoney, zoneName } from '../../data/format.ts';
import { refreshAll } from '../../data/queries.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { type LogsFilter, logsQuery } from '../../data/screen-queries.ts';
import { documentStates, KindBadge, ModeBadge, StateIcon } from '../../components/badge.tsx';
import { Icon } from '../../components/icons.tsx';
import { ViewsMenu } from '../../components/list-views.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList, usePaging } from '../../components/paged-list.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { DateTime } from '../../components/time.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { filterNames, newestFirst, nextSort, noFilters, readFilter, sortingOf } from './filters.ts';
import { FilterRow } from './filter-row.tsx';
import { LogPanel } from './log-panel.tsx';
import { LogExport } from './log-export.tsx';

/** History state of an entry that was opened from the list. */
const openedHere = 'opened from the list';

/** Lists every attempt to sync a document. The address contains the filters and the open entry. */
export function Component() {
  const { psa } = useEnvironment();
  const [query, setQuery] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const { change, place, paging } = usePaging('logs');
  const filter = readFilter(query, place.page_size);
  const page = useQuery(logsQuery(filter));
  const openKey = query.get('key');
  const timeZone = useTimeZone();
  const tabs = useTabs(filter);
  const isFiltered = filterNames.some((name) => query.has(name));
  const clear = () => change(noFilters);

  // Another entry replaces the open one, so that Back closes the panel.
  const open = (key: string) => {
    const next = new URLSearchParams(query);
    next.set('key', key);
    const isOpen = openKey !== null;
    setQuery(next, { preventScrollReset: true, replace: isOpen, state: isOpen ? location.state : openedHere });
  };
  // An entry opened from the list goes back in the history; the list replaces an entry opened by its address.
  const close = () => {
    if (location.state === openedHere) {
      void navigate(-1);
      return;
    }
    const next = new URLSearchParams(query);
    next.delete('key');
    setQuery(next, { preventScrollReset: true, replace: true });
  };
  const total = page.data?.total ?? 0;
  return (
    <Page
      title="Logs"
      lead="Every attempt to sync a document, with its result and transcript."
      actions={
        <>
          <ViewsMenu list="logs" />
          <LogExport filter={filter} total={total} />
          <RefreshButton isDisabled={page.isFetching} onPress={() => void refreshAll('logs')} />
        </>
      }
    >
      <Panel flush>
        <Tabs
          label="Parts of the log"
          tabs={tabs}
          open={tabOf(filter)}
          onOpen={(key) => change({ success: key === 'all' ? '' : key })}
        >
          <FilterRow
            query={query}
            filter={filter}
            onChange={(name, value) => change({ [name]: value })}
            onClear={clear}
          />
          <PagedList
            what="The log entries"
            found={page}
            {...paging}
            total={total}
            more={page.data?.more === true}
            empty={<EmptyLog isFiltered={isFiltered} onClear={clear} />}
            label="Log entries"
            columns={columnsFor(psa.label, timeZone, open)}
            rows={page.data?.logs}
            rowKey={({ Key }) => Key}
            rowLabel={labelIn(timeZone)}
            sorting={sortingOf(filter.sort ?? '')}
            onSort={(by) => {
              const sort = nextSort(filter.sort ?? '', by);
              change({ sort: sort === newestFirst ? '' : sort });
            }}
            onOpen={({ Key }) => open(Key)}
            current={openKey}
            isFixed
          />
        </Tabs>
      </Panel>
      <LogPanel logKey={openKey} keys={(page.data?.logs ?? []).map(({ Key }) => Key)} onOpen={open} onClose={close} />
    </Page>
  );
}

const parts = [
  { key: 'all', label: 'All' },
  { key: 'false', label: 'Failed' },
  { key: 'true', label: 'Succeeded' },
] as const;

const tabOf = ({ success }: LogsFilter) => (success === undefined ? 'all' : success ? 'true' : 'false');

/** The tabs with the number of their entries. A search is slow, so its parts are not counted. */
function useTabs({ success: _success, sort: _sort, ...others }: LogsFilter) {
  const isCounted = others.q === undefined;
  const counts = useQueries({
    queries: parts.map(({ key }) => ({
      ...logsQuery({ ...others, ...(key !== 'all' && { success: key === 'true' }), page: 1, page_size: 1 }),
      enabled: isCounted,
    })),
  });
  return parts.map(({ key, label }, index) => {
    const data = isCounted ? counts[index]?.data : undefined;
    return { key, label: data === undefined ? label : `${label} ${formatCount(data.total)}${data.more ? '+' : ''}` };
  });
}

const labelIn =
  (timeZone: string) =>
  (log: LogHeadReply): string =>
    `${log.type.replace('_', ' ')} ${log.entityid}, ${log.test ? 'test' : 'live'}, ${log.awaits_approval ? documentStates.awaits_approval.toLowerCase() : log.success ? 'succeeded' : 'failed'}, ${formatDateTime(log.LastModified, timeZone)}${log.party === null ? '' : `, ${log.party}`}`;

const columnsFor = (psa: string, timeZone: string, open: (key: string) => void): readonly Column<LogHeadReply>[] => [
  {
    key: 'type',
    head: 'Type',
    sort: 'type',
    cell: ({ type }) => <KindBadge kind={type} />,
    width: '120px',
    narrow: 'lead',
    from: 900,
  },
  {
    key: 'entityid',
    head: `${psa} ID`,
    sort: 'entityid',
    cell: ({ entityid }) => (
      <Box component="span" fw={500}>
        {entityid}
      </Box>
    ),
    align: 'end',
    width: '80px',
    narrow: 'lead',
  },
  {
    key: 'document',
    head: 'Document',
    cell: ({ party, number, date, what, type }) => (
      <Box component="span" display="block" miw={0}>
        <Text component="bdi" inherit display="block" fw={500} truncate title={party ?? undefined}>
          {party ?? number}
        </Text>
        <Group component="span" gap="sm" wrap="nowrap" c="dimmed" title={number ?? undefined}>
          {(party !== null || (what === 'Credit memo' && type !== 'payment')) && (
            <Text span inherit truncate>
              {party !== null && number}
              {what === 'Credit memo' && type !== 'payment' && ' credit memo'}
            </Text>
          )}
          {date !== null && <span style={{ whiteSpace: 'nowrap' }}>{formatDate(date)}</span>}
        </Group>
      </Box>
    ),
    hasTwoLines: true,
    width: '17%',
    narrow: 'line',
  },
  {
    key: 'message',
    head: 'Message',
    cell: ({ message, success }) => (
      <Text
        span
        inherit
        lineClamp={2}
        c={success ? 'soft' : 'red'}
        style={{ overflowWrap: 'anywhere' }}
        title={message}
      >
        {message}
      </Text>
    ),
    from: 900,
  },
  {
    key: 'amount',
    head: 'Amount',
    cell: ({ amount, currency }) =>
      amount !== null && (
        <Box component="span" style={{ whiteSpace: 'nowrap' }}>
          {formatMoney(amount, currency)}
        </Box>
      ),
    align: 'end',
    width: '100px',
    narrow: 'trail',
  },
  {
    key: 'test',
    head: 'Test/Live',
    sort: 'test',
    cell: ({ test }) => <ModeBadge mode={test ? 'test' : 'live'} />,
    width: '82px',
    narrow: 'trail',
  },
  {
    key: 'manual',
    head: 'Manually Synced',
    sort: 'manual',
    cell: ({ manual }) => (manual ? 'yes' : ''),
    width: '84px',
    narrow: 'hide',
    from: 1440,
  },
  {
    key: 'success',
    head: 'Success',
    sort: 'success',
    cell: ({ success, awaits_approval: awaitsApproval }) =>
      awaitsApproval ? (
        <span title={documentStates.awaits_approval}>
          <StateIcon state="awaits_approval" />
          <VisuallyHidden>{documentStates.awaits_approval}</VisuallyHidden>
        </span>
      ) : (
        <Text span inherit c={success ? 'ok' : 'red'}>
          <Icon name={success ? 'check' : 'cross'} />
          <VisuallyHidden>{success ? 'yes' : 'no'}</VisuallyHidden>
        </Text>
      ),
    align: 'center',
    width: '82px',
    narrow: 'trail',
  },
  {
    key: 'at',
    head: `Date and Time (${zoneName(timeZone)})`,
    sort: 'LastModified',
    cell: ({ LastModified }) => <DateTime at={LastModified} />,
    width: '112px',
  },
  {
    key: 'details',
    head: '',
    cell: ({ Key }) => (
      <Button variant="subtle" size="compact-sm" tabIndex={-1} onClick={() => open(Key)}>
        Details
      </Button>
    ),
    align: 'end',
    width: '72px',
    narrow: 'hide',
    from: 1440,
  },
];

function EmptyLog({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered)
    return (
      <EmptyState
        icon="search"
        action={
          <Button variant="default" onClick={onClear}>
            Clear filters
          </Button>
        }
      >
        No matches.
      </EmptyState>
    );
  return (
    <EmptyState icon="logs">
      Log entries will appear here once you’ve synced invoice, purchase order or expense data to QuickBooks Online.
    </EmptyState>
  );
}
