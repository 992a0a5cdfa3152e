import { expect, test } from 'vitest';
import { toggleSort } from './toggle-sort.ts';

test('clicking the same header reverses the order, another one starts ascending', () => {
  expect(toggleSort(undefined, 'id')).toEqual({ by: 'id', descending: false });
  expect(toggleSort({ by: 'id', descending: false }, 'id')).toEqual({ by: 'id', descending: true });
  expect(toggleSort({ by: 'id', descending: true }, 'total')).toEqual({ by: 'total', descending: false });
});
