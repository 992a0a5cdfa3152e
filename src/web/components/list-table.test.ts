import { expect, test } from 'vitest';
import { byDecimal, byText } from '../data/compare.ts';
import { sortRows, toggleSort } from './list-table.tsx';
import type { Column } from './table.tsx';

interface Row {
  readonly id: string;
  readonly total: string | null;
}

const column = (key: 'id' | 'total', compare: (a: Row, b: Row) => number): Column<Row> => ({
  key,
  head: key,
  cell: () => null,
  sort: key,
  placeholderWidth: 0,
  compare,
});
const columns = [
  column(
    'id',
    byText(({ id }) => id),
  ),
  column(
    'total',
    byDecimal(({ total }) => total),
  ),
];
const rows: readonly Row[] = [
  { id: 'INV-10', total: '9.5' },
  { id: 'INV-9', total: '-100.25' },
  { id: 'inv-11', total: null },
  { id: 'INV-2', total: '10' },
];
const order = (by: string, descending = false) => sortRows(rows, columns, { by, descending }).map(({ id }) => id);

test('sorts numbers in texts numerically and ignores case', () => {
  expect(order('id')).toEqual(['INV-2', 'INV-9', 'INV-10', 'inv-11']);
});

test('sorts amounts by value with missing ones as the highest', () => {
  expect(order('total')).toEqual(['INV-9', 'INV-10', 'INV-2', 'inv-11']);
  expect(order('total', true)).toEqual(['inv-11', 'INV-2', 'INV-10', 'INV-9']);
});

test('a column without a comparison keeps the order', () => {
  expect(order('elsewhere')).toEqual(rows.map(({ id }) => id));
});

test('clicking the same header reverses the order, another one starts ascending', () => {
  expect(toggleSort(undefined, 'id')).toEqual({ by: 'id', descending: false });
  expect(toggleSort({ by: 'id', descending: false }, 'id')).toEqual({ by: 'id', descending: true });
  expect(toggleSort({ by: 'id', descending: true }, 'total')).toEqual({ by: 'total', descending: false });
});
