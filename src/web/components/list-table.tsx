import { type ReactNode, useMemo, useState } from 'react';
import { Pager } from './pager.tsx';
import { type Column, DataTable, type Selection, type Sorting, type TotalsRow } from './table.tsx';
import { useIsPrinting } from './use-is-printing.ts';

/** Rows per page of a list (specification 2, section 9). */
export const pageSize = 10;

/**
 * A completely loaded list. It sorts itself by the columns with `compare` and shows ten rows per page; the selection
 * covers all pages, and printing shows all rows. A new `listKey` (a new search) starts on the first page.
 *
 * @param pagination the page, if the URL of the screen stores it; by default the list stores it.
 * @param chosen keys of the selected rows; without it rows have no checkboxes.
 * @param name the name of a row, e.g. “Invoice 48213”.
 * @param sorted the initial order; default: the order of the rows.
 */
export function ListTable<Row>({
  listKey,
  pagination: given,
  label,
  columns,
  rows,
  rowKey,
  name,
  sorted,
  chosen,
  onChoose,
  isDisabled = false,
  onOpen,
  totals,
  isStale = false,
  placeholderRows = pageSize,
}: {
  listKey: string;
  pagination?: { readonly page: number; readonly onPage: (page: number) => void };
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  name: (row: Row) => string;
  sorted?: Sorting;
  chosen?: ReadonlySet<string>;
  onChoose?: (chosen: ReadonlySet<string>) => void;
  isDisabled?: boolean;
  onOpen?: (row: Row) => void;
  totals?: readonly TotalsRow[];
  isStale?: boolean;
  placeholderRows?: number;
}): ReactNode {
  const [sorting, setSorting] = useState<Sorting | undefined>(sorted);
  const [place, setPlace] = useState({ listKey, page: 1 });
  const isPrinting = useIsPrinting();
  const list = useMemo(
    () => (rows === undefined ? undefined : sortRows(rows, columns, sorting)),
    [rows, columns, sorting],
  );
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- `rowKey` is a new function on each render
  const all = useMemo(() => (list ?? []).map(rowKey), [list]);
  const pages = Math.max(1, Math.ceil((list?.length ?? 0) / pageSize));
  const page =
    given !== undefined ? Math.min(given.page, pages) : place.listKey === listKey ? Math.min(place.page, pages) : 1;
  const selection: Selection<Row> | undefined =
    chosen === undefined || onChoose === undefined
      ? undefined
      : { chosen, onChange: onChoose, all, rowName: name, isDisabled };
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        rows={isPrinting ? list : list?.slice((page - 1) * pageSize, page * pageSize)}
        rowKey={rowKey}
        rowLabel={name}
        placeholderRows={placeholderRows}
        {...(sorting !== undefined && { sorting })}
        {...(!isPrinting && { onSort: (by: string) => setSorting((now) => toggleSort(now, by)) })}
        {...(onOpen !== undefined && { onOpen })}
        {...(selection !== undefined && { selection })}
        {...(totals !== undefined && { totals })}
        isStale={isStale}
      />
      {list !== undefined && !isPrinting && (
        <Pager
          page={page}
          pageSize={pageSize}
          total={list.length}
          onPage={given?.onPage ?? ((to) => setPlace({ listKey, page: to }))}
        />
      )}
    </>
  );
}

/** A second click on the same header reverses the order; another header starts with ascending order. */
export const toggleSort = (now: Sorting | undefined, by: string): Sorting => ({
  by,
  descending: now?.by === by ? !now.descending : false,
});

/** Sorts rows; the sort is stable. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const compare = columns.find(({ sort }) => sort !== undefined && sort === sorting?.by)?.compare;
  if (compare === undefined || sorting === undefined) return rows;
  return rows.toSorted((a, b) => (sorting.descending ? compare(b, a) : compare(a, b)));
}
