import { expect, test } from 'vitest';
import { viewOf, withView } from './list-views.tsx';

const view = (query: string) => viewOf(new URLSearchParams(query));

test('a view is the tab, search, filters and order of a list, without the page and the open row', () => {
  expect(view('type=invoice&mode=live&page=3&key=k')).toBe('mode=live&type=invoice');
  expect(view('mode=live&type=invoice')).toBe(view('type=invoice&mode=live'));
});

test('a view replaces one of the same name, and the oldest beyond 20', () => {
  const one = { name: 'A', query: 'q=1' };
  expect(withView([one, { name: 'B', query: '' }], { name: 'A', query: 'q=2' })).toEqual([
    { name: 'B', query: '' },
    { name: 'A', query: 'q=2' },
  ]);
  const many = Array.from({ length: 20 }, (_, at) => ({ name: String(at), query: '' }));
  expect(withView(many, one)).toEqual([...many.slice(1), one]);
});
