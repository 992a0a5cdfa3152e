import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import { DisplayMenu, useListDisplay } from './list-display.tsx';
import { Pager } from './pager.tsx';
import { EmptyState, FailedState } from './states.tsx';
import { DataTable } from './table.tsx';
import { useAddress } from './use-address.ts';

/**
 * The filters, page and page size of a list of the server, from the address and from how the user wants to see it.
 *
 * @returns `place`: the page for the request; `paging`: props of the {@link PagedList}.
 */
export function usePaging(list: string, defaultSize?: number) {
  const { query, page, change } = useAddress();
  const display = useListDisplay(list, defaultSize);
  const { pageSize } = display[0];
  const onPage = (to: number) => change({ page: String(to) });
  return { query, change, place: { page, page_size: pageSize }, paging: { page, pageSize, onPage, display } };
}

/**
 * One page of a list: the table, the other pages and the display options. Instead of an empty table it shows why there
 * are no rows.
 *
 * @param what names the list in an error, e.g. “The users”.
 * @param found the request for the page; absent for rows that are loaded.
 * @param total the number of rows on all pages.
 * @param isPaged false shows the table only, e.g. to print all rows.
 * @param more there are more rows than the total.
 * @param display how the user wants to see the list; undefined if there is nothing to choose.
 * @param empty shown instead of an empty table.
 */
export function PagedList<Row>({
  what,
  found,
  page,
  total,
  more = false,
  onPage,
  pageSize,
  display,
  isPaged = true,
  empty,
  ...table
}: ComponentProps<typeof DataTable<Row>> & {
  what: string;
  found?: Pick<UseQueryResult, 'data' | 'error' | 'isError' | 'isPlaceholderData' | 'refetch'>;
  page: number;
  total: number;
  more?: boolean;
  onPage: (page: number) => void;
  pageSize: number;
  display?: ReturnType<typeof useListDisplay> | undefined;
  isPaged?: boolean;
  empty: ReactNode;
}): ReactNode {
  const { label, columns, rows } = table;
  if (found?.isError === true && found.data === undefined) return <FailedState what={what} of={found} />;
  if (rows?.length === 0)
    return total === 0 ? (
      empty
    ) : (
      <EmptyState
        icon="search"
        action={
          <Button variant="default" onClick={() => onPage(1)}>
            Go to first page
          </Button>
        }
      >
        This page does not exist. The list has fewer pages.
      </EmptyState>
    );
  return (
    <>
      <DataTable
        placeholderRows={pageSize}
        isHeadSticky
        {...table}
        columns={columns.filter(({ key }) => display?.[0].hidden.includes(key) !== true)}
        density={display?.[0].density ?? 'comfortable'}
        isStale={found === undefined ? table.isStale === true : found.isPlaceholderData || found.isError}
      />
      {isPaged && (
        <Pager page={page} pageSize={pageSize} total={total} more={more} onPage={onPage}>
          {display !== undefined && (
            <DisplayMenu
              label={label}
              columns={columns.filter(({ key, head }) => head !== '' && key !== columns[0]?.key)}
              display={display[0]}
              onChange={display[1]}
            />
          )}
        </Pager>
      )}
    </>
  );
}
