import { Button } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import type { LogHeadReply } from '#contract/logs.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatCount, formatDateTime } from '../../data/format.ts';
import { refreshAll } from '../../data/queries.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { type LogsFilter, logsQuery } from '../../data/screen-queries.ts';
import { documentStates } from '../../components/badge.tsx';
import { ViewsMenu } from '../../components/list-views.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList, usePaging } from '../../components/paged-list.tsx';
import { EmptyState } from '../../components/states.tsx';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { filterNames, newestFirst, nextSort, noFilters, readFilter, sortingOf } from './filters.ts';
import { columnsFor } from './columns.tsx';
import { FilterRow } from './filter-row.tsx';
import { LogPanel } from './log-panel.tsx';
import { LogExport } from './log-export.tsx';

/** History state of an entry that was opened from the list. */
const openedHere = 'opened from the list';

/** Lists every attempt to sync a document. The address contains the filters and the open entry. */
export function Component() {
  const { psa } = useEnvironment();
  const [query] = useSearchParams();
  const { change, place, paging } = usePaging('logs');
  const filter = readFilter(query, place.page_size);
  const page = useQuery(logsQuery(filter));
  const { openKey, open, close } = useOpenEntry();
  const timeZone = useTimeZone();
  const tabs = useTabs(filter);
  const isFiltered = filterNames.some((name) => query.has(name));
  const clear = () => change(noFilters);

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

/** The entry that is open in the panel. */
function useOpenEntry() {
  const [query, setQuery] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const openKey = query.get('key');
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
  return { openKey, open, close };
}

const parts = [
  { key: 'all', label: 'All' },
  { key: 'false', label: 'Failed or on hold' },
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

const resultOf = (log: LogHeadReply): string => {
  if (log.awaits_approval) return documentStates.awaits_approval.toLowerCase();
  if (log.on_hold) return documentStates.held.toLowerCase();
  return log.success ? 'succeeded' : 'failed';
};

const labelIn =
  (timeZone: string) =>
  (log: LogHeadReply): string =>
    `${log.type.replace('_', ' ')} ${log.entityid}, ${log.test ? 'test' : 'live'}, ${resultOf(log)}, ${formatDateTime(log.LastModified, timeZone)}${log.party === null ? '' : `, ${log.party}`}`;

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
