import { useMediaQuery } from '@mantine/hooks';
import {
  type ColumnDef,
  createPaginatedRowModel,
  createSortedRowModel,
  rowPaginationFeature,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { Group } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { findRows } from '../data/find-rows.ts';
import { formatSums, formatCount, sumsByCurrency, type Amount } from '../data/format.ts';
import { useListDisplay } from './list-display.tsx';
import { type ExportColumn, RowsExport } from './list-export.tsx';
import { ViewsMenu } from './list-views.tsx';
import styles from './list-table.module.css';
import { PagedList } from './paged-list.tsx';
import { SearchField } from './search-field.tsx';
import { EmptyState } from './states.tsx';
import type { Column, Selection, Sorting, TotalsRow } from './table.tsx';
import { toggleSort } from './toggle-sort.ts';
import { Tabs } from './tabs.tsx';
import { pageOf, withChanges } from './use-address.ts';

/** A part of a list, e.g. the documents with one status. */
export interface ListTab<Row> {
  readonly key: string;
  readonly label: string;
  readonly has: (row: Row) => boolean;
}

const features = tableFeatures({
  rowPaginationFeature,
  rowSortingFeature,
  paginatedRowModel: createPaginatedRowModel(),
  sortedRowModel: createSortedRowModel(),
});
/** The tab with all rows. */
const allTab = 'all';
const noRows: readonly never[] = [];

interface ListTableProps<Row> {
  screen?: string;
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  name: (row: Row) => string;
  sorted?: Sorting;
  tabs?: readonly ListTab<Row>[];
  amount?: (row: Row) => Amount | null;
  search?: { readonly placeholder: string; readonly text: (row: Row) => string };
  chosen?: ReadonlySet<string>;
  onChoose?: (chosen: ReadonlySet<string>) => void;
  isDisabled?: boolean;
  onOpen?: (row: Row) => void;
  totals?: (shown: readonly Row[]) => readonly TotalsRow[];
  foot?: ReactNode;
  isStale?: boolean;
  /** More rows are still loading: the list shows no totals, and rows in another order are about to be replaced. */
  isPartial?: boolean;
  isFixed?: boolean;
  exported?: { readonly name: string; readonly columns: readonly ExportColumn<Row>[] };
}

/**
 * A completely loaded list: sorting by columns, pages, selection over all pages, tabs, and search. Printing shows all
 * rows.
 *
 * @param screen the name of a screen’s main list, e.g. “invoices”: the URL stores its tab, search, order and page, and the user
 *   chooses columns, row height and page size. Absent for a list inside a dialog or a form.
 * @param sorted the initial order; default: the order of the rows.
 * @param tabs parts of the list; an empty part has no tab.
 * @param amount the money of a row, summed in the tabs.
 * @param search the text that the search field looks in.
 * @param chosen keys of the selected rows; without it rows have no checkboxes.
 * @param totals returns the rows at the foot of the table, for the rows of the open tab and search.
 * @param name the name of a row, e.g. “Invoice 48213”.
 * @param isFixed the columns have fixed widths, and the first one takes the rest.
 * @param exported name and columns of the file with the rows of the open tab and search, in their order.
 * @param foot shown under the list and at the foot of the window while the list is longer, e.g. the actions for the
 *   selected rows.
 */
export function ListTable<Row extends RowData>({
  screen,
  label,
  columns,
  rows,
  rowKey,
  name,
  sorted,
  tabs,
  amount,
  search,
  chosen,
  onChoose,
  isDisabled = false,
  onOpen,
  totals,
  foot,
  isStale = false,
  isPartial = false,
  isFixed = false,
  exported,
}: ListTableProps<Row>): ReactNode {
  const [display, changeDisplay] = useListDisplay(screen);
  const place = usePlace(screen !== undefined, sorted);
  const sorting = columns.some(({ sort }) => sort !== undefined && sort === place.sorting?.by) ? place.sorting : sorted;
  // Paper has no paging, so it shows all rows.
  const isPrinting = useMediaQuery('print', false, { getInitialValueInEffect: false });

  const tab = tabs?.find(({ key }) => key === place.tab);
  const searched = useMemo(() => findRows(rows, place.find, search?.text), [rows, place.find, search?.text]);
  const shown = useMemo(() => (tab === undefined ? searched : searched?.filter(tab.has)), [searched, tab]);
  const { page, inOrder, onPage } = usePageOf({ rows: shown, columns, rowKey, sorting, page: place.page, ...display });
  const selection: Selection<Row> | undefined =
    chosen === undefined || onChoose === undefined
      ? undefined
      : { chosen, onChange: onChoose, all: inOrder.map(({ id }) => id), rowName: name, isDisabled };
  const list = (
    <div className={styles.list}>
      {search !== undefined && (
        <Tools {...{ screen, label, place, isPartial, exported }} placeholder={search.placeholder} rows={inOrder} />
      )}
      <PagedList
        what={`The ${label.toLowerCase()}`}
        page={page}
        pageSize={display.pageSize}
        total={shown?.length ?? 0}
        more={isPartial}
        onPage={place.onPage}
        isPaged={shown !== undefined && !isPrinting}
        display={screen === undefined ? undefined : [display, changeDisplay]}
        empty={<EmptyState icon="search">No row matches your search.</EmptyState>}
        label={label}
        columns={columns}
        rows={shown === undefined ? undefined : (isPrinting ? inOrder : onPage).map(({ original }) => original)}
        rowKey={rowKey}
        rowLabel={name}
        {...(sorting !== undefined && { sorting })}
        {...(!isPrinting && { onSort: place.onSort })}
        {...(onOpen !== undefined && { onOpen })}
        {...(selection !== undefined && { selection })}
        {...(totals !== undefined && shown !== undefined && { totals: totals(shown) })}
        isFixed={isFixed}
        isStale={isStale || (isPartial && (sorting !== undefined || shown !== rows))}
      />
      {foot !== undefined && <div className={styles.foot}>{foot}</div>}
    </div>
  );
  if (tabs === undefined) return list;
  const all = [{ key: allTab, label: 'All', has: () => true }, ...tabs];
  return (
    <Tabs
      label={`Parts of ${label.toLowerCase()}`}
      tabs={shownTabs({ tabs: all, rows: searched, open: place.tab, amount, isPartial })}
      open={tab?.key ?? allTab}
      onOpen={place.onTab}
    >
      {list}
    </Tabs>
  );
}

interface ToolsProps<Row> {
  screen: string | undefined;
  label: string;
  exported: ListTableProps<Row>['exported'];
  placeholder: string;
  place: { readonly find: string; readonly onFind: (find: string) => void };
  rows: readonly { readonly original: Row }[];
  isPartial: boolean;
}

function Tools<Row>({ screen, label, placeholder, place, exported, rows, isPartial }: ToolsProps<Row>) {
  return (
    <Group gap="sm" px="md" py="sm">
      <SearchField
        className={styles.search ?? ''}
        label={`Find ${label.toLowerCase()}`}
        value={place.find}
        placeholder={placeholder}
        onChange={place.onFind}
      />
      {screen !== undefined && <ViewsMenu list={screen} />}
      {exported !== undefined && (
        <RowsExport {...exported} rows={rows.map(({ original }) => original)} isDisabled={isPartial} />
      )}
    </Group>
  );
}

/** Sorts the rows and returns those of one page; a page after the last one is the last one. */
function usePageOf<Row extends RowData>({
  rows = noRows,
  columns,
  rowKey,
  sorting,
  page: wanted,
  pageSize,
}: {
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  sorting: Sorting | undefined;
  page: number;
  pageSize: number;
}) {
  const page = Math.min(wanted, Math.max(1, Math.ceil(rows.length / pageSize)));
  const table = useTable({
    features,
    data: rows,
    columns: useMemo(() => columns.map(toTableColumn), [columns]),
    getRowId: rowKey,
    state: {
      sorting: sorting === undefined ? [] : [{ id: keyOfSort(columns, sorting.by), desc: sorting.descending }],
      pagination: { pageIndex: page - 1, pageSize },
    },
  });
  return { page, inOrder: table.getSortedRowModel().rows, onPage: table.getRowModel().rows };
}

/** Returns the tabs with their number of rows and their sum; an empty part has none, unless it is open. */
const shownTabs = <Row,>({
  tabs,
  rows,
  open,
  amount,
  isPartial,
}: {
  tabs: readonly ListTab<Row>[];
  rows: readonly Row[] | undefined;
  open: string;
  amount: ((row: Row) => Amount | null) | undefined;
  isPartial: boolean;
}) =>
  tabs.flatMap(({ key, label, has }) => {
    const part = rows?.filter(has) ?? [];
    if (part.length === 0 && key !== allTab && key !== open) return [];
    return [
      {
        key,
        label: rows === undefined || isPartial ? label : `${label} ${formatCount(part.length)}`,
        detail: isPartial ? undefined : sumOf(part, amount),
      },
    ];
  });

/** The tab, search, order and page of a list: in the URL, or only in the list. */
function usePlace(isInUrl: boolean, sorted: Sorting | undefined) {
  const [query, setQuery] = useSearchParams();
  const [own, setOwn] = useState(new URLSearchParams());
  const place = isInUrl ? query : own;
  const change = useCallback(
    (changes: Readonly<Record<string, string>>) => {
      const update = (now: URLSearchParams) => withChanges(now, changes);
      if (isInUrl) setQuery(update, { replace: true, preventScrollReset: true });
      else setOwn(update);
    },
    [isInUrl, setQuery],
  );
  const page = pageOf(place);
  const sort = place.get('sort');
  const sorting = sort === null ? sorted : { by: sort.replace(/^-/, ''), descending: sort.startsWith('-') };
  return {
    sorting,
    onSort: (by: string) => {
      const next = toggleSort(sorting, by);
      change({ sort: `${next.descending ? '-' : ''}${next.by}`, page: String(page) });
    },
    tab: place.get('tab') ?? allTab,
    find: place.get('find') ?? '',
    page,
    onTab: (tab: string) => change({ tab: tab === allTab ? '' : tab }),
    onFind: useCallback((find: string) => change({ find }), [change]),
    onPage: (to: number) => change({ page: String(to) }),
  };
}

function sumOf<Row>(rows: readonly Row[], amount: ((row: Row) => Amount | null) | undefined): string | undefined {
  const amounts = rows.flatMap((row) => amount?.(row) ?? []);
  return amounts.length === 0 || amounts.some(({ currency }) => currency === null)
    ? undefined
    : formatSums(sumsByCurrency(amounts));
}

const toTableColumn = <Row extends RowData>({ key, compare }: Column<Row>): ColumnDef<typeof features, Row> => ({
  id: key,
  accessorFn: (row) => row,
  sortFn: (a, b) => compare?.(a.original, b.original) ?? 0,
});

const keyOfSort = <Row,>(columns: readonly Column<Row>[], by: string): string =>
  columns.find(({ sort }) => sort === by)?.key ?? by;
