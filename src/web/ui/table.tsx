import { type KeyboardEvent, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { Icon } from './icons.tsx';
import { Skeleton } from './states.tsx';
import styles from './table.module.css';

/** One column of a table. */
export interface Column<Row> {
  readonly key: string;
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Sorting is offered under this name. */
  readonly sort?: string;
  readonly align?: 'end' | 'center';
  /** Any CSS width; without it the column takes what is left. */
  readonly width?: string;
  /** Width of the text while it is still coming. */
  readonly ghost: number;
  /**
   * Where the cell stands when the screen is too narrow for columns: first line left (`title` takes all the room that is
   * left there) or right, a line of its own, or nowhere. `line` unless told.
   */
  readonly narrow?: 'lead' | 'title' | 'trail' | 'line' | 'hide';
  /** In a line of its own the head stands before the value. */
  readonly narrowLabel?: boolean;
}

export interface Sorting {
  readonly by: string;
  readonly descending: boolean;
}

/**
 * Rows under sortable heads. With `onOpen`, rows can be walked with the arrow keys and opened with Enter or a click.
 * While `rows` is undefined, as many rows as `ghosts` show the shape of what is coming.
 *
 * @param isStale dims rows that are about to be replaced.
 * @param label names the table for screen readers.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowLabel,
  ghosts = 3,
  sorting,
  onSort,
  onOpen,
  isStale = false,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** What a row is called when it can be opened. */
  rowLabel?: (row: Row) => string;
  ghosts?: number;
  sorting?: Sorting;
  onSort?: (by: string) => void;
  onOpen?: (row: Row) => void;
  isStale?: boolean;
}) {
  const [focused, setFocused] = useState(0);
  const body = useRef<HTMLTableSectionElement>(null);
  const reachable = Math.min(focused, Math.max(0, (rows?.length ?? 0) - 1));

  const walk = (event: KeyboardEvent<HTMLTableRowElement>, index: number, row: Row) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onOpen?.(row);
      return;
    }
    const last = (rows?.length ?? 1) - 1;
    const next = { ArrowDown: Math.min(index + 1, last), ArrowUp: Math.max(index - 1, 0), Home: 0, End: last }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    setFocused(next);
    const target = body.current?.rows[next];
    target?.focus();
    target?.scrollIntoView({ block: 'nearest' });
  };
  const open = (event: MouseEvent<HTMLTableRowElement>, row: Row) => {
    const isControl = event.target instanceof Element && event.target.closest('a, button, input, label') !== null;
    if (!isControl && window.getSelection()?.isCollapsed !== false) onOpen?.(row);
  };

  return (
    <div className={styles.frame}>
      <table className={styles.table} aria-label={label} aria-busy={rows === undefined || isStale} data-stale={isStale}>
        <colgroup>
          {columns.map(({ key, width }) => (
            <col key={key} style={width === undefined ? {} : { width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head
                key={column.key}
                head={column.head}
                align={column.align}
                direction={column.sort !== undefined && sorting?.by === column.sort ? directionOf(sorting) : undefined}
                onSort={column.sort === undefined || onSort === undefined ? undefined : () => onSort(column.sort ?? '')}
              />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows === undefined &&
            Array.from({ length: ghosts }, (_, index) => (
              <tr key={index}>
                {columns.map((column) => (
                  <td key={column.key} data-align={column.align} data-narrow={column.narrow ?? 'line'}>
                    {column.ghost > 0 && <Skeleton width={column.ghost * (1 - ((index * 3) % 5) / 16)} />}
                  </td>
                ))}
              </tr>
            ))}
          {rows?.map((row, index) => (
            // A row is a table row first; walking and opening it by key is announced by its label and is doubled by a button in it.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
            <tr
              key={rowKey(row)}
              {...(onOpen !== undefined && {
                tabIndex: index === reachable ? 0 : -1,
                'aria-label': rowLabel?.(row),
                onFocus: () => setFocused(index),
                onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) => walk(event, index, row),
                onClick: (event: MouseEvent<HTMLTableRowElement>) => open(event, row),
                'data-open': true,
              })}
            >
              {columns.map((column) => (
                <td
                  key={column.key}
                  data-align={column.align}
                  data-narrow={column.narrow ?? 'line'}
                  data-label={column.narrowLabel === true ? column.head : undefined}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const directionOf = ({ descending }: Sorting) => (descending ? 'descending' : 'ascending');

function Head({
  head,
  align,
  direction,
  onSort,
}: {
  head: string;
  align: 'end' | 'center' | undefined;
  direction: 'ascending' | 'descending' | undefined;
  onSort: (() => void) | undefined;
}) {
  if (head === '') return <td />;
  return (
    <th scope="col" data-align={align} aria-sort={onSort === undefined ? undefined : (direction ?? 'none')}>
      {onSort === undefined ? (
        head
      ) : (
        <button type="button" className={styles.sort} onClick={onSort}>
          {head}
          <span className={styles.arrow} data-shown={direction !== undefined}>
            <Icon name={direction === 'ascending' ? 'up' : 'down'} size={14} />
          </span>
        </button>
      )}
    </th>
  );
}
