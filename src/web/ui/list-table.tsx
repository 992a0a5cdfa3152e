import { type ReactNode, useMemo, useState } from 'react';
import { Pager } from './pager.tsx';
import { type Column, DataTable, type Selection, type Sorting, type TotalsRow } from './table.tsx';
import { useIsPrinting } from './use-is-printing.ts';

/** Rows on one page of a list (specification 2, section 9). */
export const pageSize = 10;

/**
 * A list that is here as a whole: it sorts itself by the columns that can `compare`, shows ten rows at a time, and what
 * is chosen may stand on any page; on paper it is whole. Another `listKey` (a new search) begins on the first page.
 *
 * @param place the page, where the address of the screen holds it; the list holds it by default.
 * @param chosen keys of the chosen rows; without it rows have no boxes.
 * @param name what a row is called, e.g. “Invoice 48213”.
 * @param sorted the order to begin with; the order of the rows unless told.
 */
export function ListTable<Row>({
  listKey,
  place: given,
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
  ghosts = pageSize,
}: {
  listKey: string;
  place?: { readonly page: number; readonly onPage: (page: number) => void };
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
  ghosts?: number;
}): ReactNode {
  const [sorting, setSorting] = useState<Sorting | undefined>(sorted);
  const [place, setPlace] = useState({ listKey, page: 1 });
  const isPrinting = useIsPrinting();
  const list = useMemo(
    () => (rows === undefined ? undefined : inOrder(rows, columns, sorting)),
    [rows, columns, sorting],
  );
  // The same function for the same rows is asked of callers only in that its answer is the same.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
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
        ghosts={ghosts}
        {...(sorting !== undefined && { sorting })}
        {...(!isPrinting && { onSort: (by: string) => setSorting((now) => turned(now, by)) })}
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

/** The same head turns the order round; another one begins with the smallest. */
export const turned = (now: Sorting | undefined, by: string): Sorting => ({
  by,
  descending: now?.by === by ? !now.descending : false,
});

/** Rows in the order that is asked for; rows that are equal there keep their places. */
export function inOrder<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const compare = columns.find(({ sort }) => sort !== undefined && sort === sorting?.by)?.compare;
  if (compare === undefined || sorting === undefined) return rows;
  return rows.toSorted((a, b) => (sorting.descending ? compare(b, a) : compare(a, b)));
}
