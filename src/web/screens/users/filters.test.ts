import { expect, test } from 'vitest';
import { readFilter, withChange } from './filters.ts';

const read = (text: string) => readFilter(new URLSearchParams(text));
const change = (text: string, ...one: [name: 'q' | 'state' | 'page', value: string]) =>
  withChange(new URLSearchParams(text), ...one).toString();

test('reads the filter from the URL and ignores invalid values', () => {
  expect(read('')).toEqual({ page: 1, page_size: 20 });
  expect(read('q=+ada+&state=invited&page=3')).toEqual({ page: 3, page_size: 20, q: 'ada', state: 'invited' });
  for (const invalid of ['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=1e9', 'state=gone', 'state=', 'q=++'])
    expect([invalid, read(invalid)]).toEqual([invalid, { page: 1, page_size: 20 }]);
  expect(read(`q=${'x'.repeat(300)}`).q).toHaveLength(200);
});

test('a new search starts on the first page; a new page changes nothing else', () => {
  expect(change('q=ada&page=4', 'state', 'active')).toBe('q=ada&state=active');
  expect(change('q=ada&state=active&page=4', 'q', '')).toBe('state=active');
  expect(change('q=ada', 'page', '2')).toBe('q=ada&page=2');
  expect(change('q=ada&page=2', 'page', '1')).toBe('q=ada');
});
