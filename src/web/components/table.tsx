import { Box, Checkbox } from '@mantine/core';
import { type FocusEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useMemo, useState } from 'react';
import { stateOfAll, toggleAll } from './choose-all.ts';
import { Icon } from './icons.tsx';
import { Skeleton } from './states.tsx';
import styles from './table.module.css';

/** One column of a table. */
export interface Column<Row> {
  readonly key: string;
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Makes the column sortable under this name. */
  readonly sort?: string;
  readonly align?: 'end' | 'center';
  /** Compares two rows by this column, for lists that sort themselves (`list-table.tsx`). */
  readonly compare?: (a: Row, b: Row) => number;
  /** Any CSS width; without it the column takes the remaining space. */
  readonly width?: string;
  /** The cells have a second line, also while they load. */
  readonly hasTwoLines?: boolean;
  /**
   * Place of the cell on a narrow screen: in the first line on the left (`title` takes the remaining space) or on the
   * right, in a separate line, or hidden. Default `line`.
   */
  readonly narrow?: 'lead' | 'title' | 'trail' | 'line' | 'hide';
  /** In a separate line, the header is shown before the value. */
  readonly narrowLabel?: boolean;
  /** Minimum width of the window for the column, in pixels; cards on a phone always show it. */
  readonly from?: 900 | 1024 | 1440;
}

export interface Sorting {
  readonly by: string;
  readonly descending: boolean;
}

/** Selected rows, by key. */
export interface Selection<Row> {
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  /** Keys of all rows on all pages, which the checkbox in the header selects. */
  readonly all: readonly string[];
  /** The name of a row's checkbox, e.g. “Invoice 48213”. */
  readonly rowName: (row: Row) => string;
  /** Nothing can be selected now. */
  readonly isDisabled?: boolean;
}

/** A line under the rows, e.g. with totals; cells by the key of their column. */
export interface TotalsRow {
  readonly key: string;
  readonly label: string;
  readonly cells: Readonly<Record<string, ReactNode>>;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** The name of a row that can be opened, for screen readers. */
  rowLabel?: (row: Row) => string;
  placeholderRows?: number;
  sorting?: Sorting;
  onSort?: (by: string) => void;
  onOpen?: (row: Row) => void;
  current?: string | null | undefined;
  selection?: Selection<Row>;
  /** Shown under the rows; stays visible while a long list scrolls. */
  totals?: readonly TotalsRow[];
  isStale?: boolean;
  /** Columns have fixed widths, so that the table is never wider than its panel. */
  isFixed?: boolean;
  density?: 'comfortable' | 'compact';
  /** The headers stay visible while a long list scrolls. */
  isHeadSticky?: boolean;
}

/**
 * Rows under sortable headers. With `selection`, each row has a checkbox, which the space bar toggles too. With
 * `onOpen`, the arrow keys move between rows, and Enter or a click opens one. While `rows` is undefined, `placeholderRows`
 * placeholder rows are shown.
 *
 * @param current the key of the row whose details are open.
 * @param isStale dims rows that are about to be replaced.
 * @param label names the table for screen readers.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowLabel,
  placeholderRows = 3,
  sorting,
  onSort,
  onOpen,
  current,
  selection,
  totals = [],
  isStale = false,
  isFixed = false,
  density = 'comfortable',
  isHeadSticky = false,
}: DataTableProps<Row>) {
  const hasKeyboard = onOpen !== undefined || selection !== undefined;
  const { tabbable, onClick, ...keyboard } = useRowEvents({ rows, rowKey, onOpen, selection });

  return (
    <div className={styles.frame} data-sticky={totals.length > 0 || isHeadSticky} data-density={density}>
      <table
        className={styles.table}
        aria-label={label}
        aria-busy={rows === undefined || isStale}
        data-stale={isStale}
        data-fixed={isFixed}
        data-sticky-head={isHeadSticky}
      >
        {!isFixed && (
          <colgroup>
            {selection !== undefined && <col className={styles.boxColumn} />}
            {columns.map(({ key, width }) => (
              <col key={key} style={width === undefined ? {} : { width }} />
            ))}
          </colgroup>
        )}
        <HeadRow {...{ label, columns, sorting, onSort, selection, isFixed }} />
        {/* Rows stay table rows for screen readers; each action is also available as a button in the row. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions */}
        <tbody {...(hasKeyboard && keyboard)} {...(onOpen !== undefined && { onClick })}>
          {rows === undefined &&
            Array.from({ length: placeholderRows }, (_, index) => (
              <PlaceholderRow key={index} index={index} columns={columns} hasBox={selection !== undefined} />
            ))}
          {rows?.map((row, index) => (
            <BodyRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              label={hasKeyboard ? rowLabel?.(row) : undefined}
              tabIndex={hasKeyboard ? (index === tabbable ? 0 : -1) : undefined}
              canOpen={onOpen !== undefined}
              isCurrent={current === rowKey(row)}
              isChosen={selection?.chosen.has(rowKey(row))}
              box={selection !== undefined && <SelectRow selection={selection} row={row} rowKey={rowKey(row)} />}
            />
          ))}
        </tbody>
        {totals.length > 0 && (
          <tfoot>
            {totals.map((one) => (
              <Totals key={one.key} row={one} columns={columns} hasBoxes={selection !== undefined} />
            ))}
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** The table body handles the events of all its rows, so that rows need no new props on a render. */
function useRowEvents<Row>({
  rows,
  rowKey,
  onOpen,
  selection,
}: {
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  onOpen: ((row: Row) => void) | undefined;
  selection: Selection<Row> | undefined;
}) {
  const [focused, setFocused] = useState(0);
  const tabbable = Math.min(focused, Math.max(0, (rows?.length ?? 0) - 1));

  const onKeyDown = (event: KeyboardEvent<HTMLTableSectionElement>) => {
    const index = rowAt(event);
    const row = rows?.[index];
    if (row === undefined || event.target !== event.currentTarget.rows[index]) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (selection !== undefined && (event.key === ' ' || onOpen === undefined)) toggle(selection, rowKey(row));
      else onOpen?.(row);
      return;
    }
    const last = (rows?.length ?? 1) - 1;
    const next = { ArrowDown: Math.min(index + 1, last), ArrowUp: Math.max(index - 1, 0), Home: 0, End: last }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    setFocused(next);
    const target = event.currentTarget.rows[next];
    target?.focus();
    target?.scrollIntoView({ block: 'nearest' });
  };
  const onClick = (event: MouseEvent<HTMLTableSectionElement>) => {
    const row = rows?.[rowAt(event)];
    const isControl = event.target instanceof Element && event.target.closest('a, button, input, label') !== null;
    if (row !== undefined && !isControl && window.getSelection()?.isCollapsed !== false) onOpen?.(row);
  };
  const onFocus = (event: FocusEvent<HTMLTableSectionElement>) => {
    const index = rowAt(event);
    if (index >= 0) setFocused(index);
  };
  return { tabbable, onKeyDown, onClick, onFocus };
}

/**
 * Returns the index of the row that an event comes from; -1 for an event from elsewhere, e.g. from a menu that a row
 * opened.
 */
function rowAt({ target, currentTarget }: { target: EventTarget; currentTarget: HTMLTableSectionElement }): number {
  const row = target instanceof Element ? target.closest('tr') : null;
  return row !== null && row.parentElement === currentTarget ? row.sectionRowIndex : -1;
}

interface BodyRowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  label: string | undefined;
  tabIndex: 0 | -1 | undefined;
  canOpen: boolean;
  isCurrent: boolean;
  isChosen: boolean | undefined;
  /** False if rows cannot be selected. */
  box: ReactNode;
}

/** One row. Its cells rerender only for another row or other columns, not when it is selected. */
function BodyRow<Row>({ row, columns, label, tabIndex, canOpen, isCurrent, isChosen, box }: BodyRowProps<Row>) {
  const cells = useMemo(
    () =>
      columns.map((column) => (
        <td
          key={column.key}
          data-align={column.align}
          data-narrow={column.narrow ?? 'line'}
          data-label={column.narrowLabel === true ? column.head : undefined}
          data-from={column.from}
        >
          {column.cell(row)}
        </td>
      )),
    [row, columns],
  );
  return (
    <tr
      aria-label={label}
      aria-current={isCurrent || undefined}
      tabIndex={tabIndex}
      data-open={canOpen || undefined}
      data-chosen={isCurrent || isChosen}
    >
      {box !== false && <td data-narrow="lead">{box}</td>}
      {cells}
    </tr>
  );
}

const placeholderWidth = 90;

/** Returns the relative length of a placeholder in this row. */
const shareOf = (index: number): number => 1 - ((index * 3) % 5) / 16;

interface PlaceholderRowProps<Row> {
  index: number;
  columns: readonly Column<Row>[];
  hasBox: boolean;
}

/** A decorative placeholder row; consecutive rows have different lengths. */
function PlaceholderRow<Row>({ index, columns, hasBox }: PlaceholderRowProps<Row>) {
  return (
    <tr aria-hidden="true">
      {hasBox && <td data-narrow="lead" />}
      {columns.map((column) => (
        <td key={column.key} data-align={column.align} data-narrow={column.narrow ?? 'line'} data-from={column.from}>
          {column.head !== '' && <Skeleton width={placeholderWidth * shareOf(index)} />}
          {column.hasTwoLines === true && (
            <Box component="span" display="block" mih={18}>
              <Skeleton width={placeholderWidth * shareOf(index + 1)} />
            </Box>
          )}
        </td>
      ))}
    </tr>
  );
}

function toggle<Row>({ chosen, onChange, isDisabled }: Selection<Row>, key: string): void {
  if (isDisabled === true) return;
  const next = new Set(chosen);
  if (!next.delete(key)) next.add(key);
  onChange(next);
}

function SelectRow<Row>({ selection, row, rowKey }: { selection: Selection<Row>; row: Row; rowKey: string }) {
  return (
    <Checkbox
      aria-label={`Select ${selection.rowName(row)}`}
      checked={selection.chosen.has(rowKey)}
      disabled={selection.isDisabled ?? false}
      onChange={() => toggle(selection, rowKey)}
    />
  );
}

/** Selects all rows on all pages, or none. */
function SelectAll<Row>({ selection, label }: { selection: Selection<Row>; label: string }) {
  const { chosen, all, onChange, isDisabled = false } = selection;
  const state = stateOfAll(chosen, all);
  return (
    <Checkbox
      aria-label={`Select all ${label.toLowerCase()}`}
      checked={state === 'all'}
      indeterminate={state === 'some'}
      disabled={isDisabled || all.length === 0}
      onChange={() => onChange(toggleAll(chosen, all))}
    />
  );
}

interface TotalsProps<Row> {
  row: TotalsRow;
  columns: readonly Column<Row>[];
  hasBoxes: boolean;
}

/** The label spans the columns before the first column with a total, unless a narrow window hides one of them. */
function Totals<Row>({ row, columns, hasBoxes }: TotalsProps<Row>) {
  const first = Math.max(
    0,
    columns.findIndex(({ key }) => row.cells[key] !== undefined),
  );
  const own = columns.slice(0, first).some(({ from }) => from !== undefined) ? 1 : first;
  return (
    <tr>
      <th scope="row" colSpan={Math.max(1, own + (hasBoxes ? 1 : 0))} className={own < first ? styles.line : undefined}>
        {row.label}
      </th>
      {columns.slice(own).map((column) => (
        <td
          key={column.key}
          data-align={column.align}
          data-from={column.from}
          data-narrow={row.cells[column.key] === undefined ? 'hide' : 'trail'}
        >
          {row.cells[column.key]}
        </td>
      ))}
    </tr>
  );
}

interface HeadRowProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  sorting: Sorting | undefined;
  onSort: ((by: string) => void) | undefined;
  selection: Selection<Row> | undefined;
  isFixed: boolean;
}

function HeadRow<Row>({ label, columns, sorting, onSort, selection, isFixed }: HeadRowProps<Row>) {
  return (
    <thead>
      <tr>
        {selection !== undefined && (
          <td className={isFixed ? styles.boxColumn : undefined}>
            <SelectAll selection={selection} label={label} />
          </td>
        )}
        {columns.map((column) => (
          <Head
            key={column.key}
            head={column.head}
            align={column.align}
            from={column.from}
            width={isFixed ? column.width : undefined}
            direction={column.sort !== undefined && sorting?.by === column.sort ? directionOf(sorting) : undefined}
            onSort={column.sort === undefined || onSort === undefined ? undefined : () => onSort(column.sort ?? '')}
          />
        ))}
      </tr>
    </thead>
  );
}

const directionOf = ({ descending }: Sorting) => (descending ? 'descending' : 'ascending');

interface HeadProps {
  head: string;
  align: 'end' | 'center' | undefined;
  from: number | undefined;
  /** In a fixed table the headers set the widths, because hidden columns have no cells. */
  width: string | undefined;
  direction: 'ascending' | 'descending' | undefined;
  onSort: (() => void) | undefined;
}

function Head({ head, align, from, width, direction, onSort }: HeadProps) {
  const style = width === undefined ? {} : { width };
  if (head === '') return <td data-from={from} style={style} />;
  return (
    <th
      scope="col"
      data-align={align}
      data-from={from}
      style={style}
      aria-sort={onSort === undefined ? undefined : (direction ?? 'none')}
    >
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
