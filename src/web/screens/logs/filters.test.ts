import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { listLogs } from '#contract/logs.ts';
import { withChanges } from '../../components/use-address.ts';
import { countFilters, filterNames, nextSort, noFilters, readFilter } from './filters.ts';

const read = (query: string) => readFilter(new URLSearchParams(query), 10);

test('a URL without parameters requests the latest entries', () => {
  expect(read('')).toEqual({ sort: '-LastModified', page: 1, page_size: 10 });
});

test('reads every filter in a URL', () => {
  expect(
    read(
      'q=%2048213%20&type=invoice&mode=live&manual=false&success=true&after=2025-03-01&before=2025-03-31&sort=entityid&page=3',
    ),
  ).toEqual({
    q: '48213',
    type: 'invoice',
    mode: 'live',
    manual: false,
    success: true,
    after: '2025-03-01',
    before: '2025-03-31',
    sort: 'entityid',
    page: 3,
    page_size: 10,
  });
});

test('the server accepts the request for any URL', () => {
  const names = [...filterNames, 'sort', 'page'];
  const values = fc.oneof(
    fc.string(),
    fc.constantFrom('invoice', 'live', 'true', '2025-02-30', '2025-13-45', '-1', '1e9', 'type', '-type'),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), values), (query) => {
      const sent = Object.entries(readFilter(new URLSearchParams(query), 10)).map(([name, value]) => [
        name,
        String(value),
      ]);
      expect(listLogs.query.safeParse(Object.fromEntries(sent)).error).toBeUndefined();
    }),
    { seed: 20_250_303 },
  );
});

test('clearing removes every filter but keeps the sort order and open entry', () => {
  const query = new URLSearchParams('q=x&type=invoice&before=2025-01-01&sort=type&page=2&key=k');
  expect(countFilters(query)).toBe(2);
  expect(withChanges(query, noFilters).toString()).toBe('sort=type&key=k');
});

test('clicking a header again reverses the order; numbers and times start with the highest', () => {
  expect(nextSort('-LastModified', 'LastModified')).toBe('LastModified');
  expect(nextSort('LastModified', 'LastModified')).toBe('-LastModified');
  expect(nextSort('-LastModified', 'type')).toBe('type');
  expect(nextSort('type', 'entityid')).toBe('-entityid');
});
