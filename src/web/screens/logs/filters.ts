import { kindNames } from '#core/kinds.ts';
import { isCalendarDate } from '#core/values/dates.ts';
import type { LogSortKey } from '#contract/logs.ts';
import type { LogsFilter } from '../../data/screen-queries.ts';
import type { Sorting } from '../../components/table.tsx';
import { oneOf, pageOf, textOf } from '../../components/use-address.ts';

const sortKeys: readonly LogSortKey[] = ['LastModified', 'type', 'entityid', 'test', 'manual', 'success'];
export const newestFirst = '-LastModified';

/** Filter parameters of the address, besides `sort`, `page` and `key`. */
export const filterNames = ['q', 'type', 'mode', 'manual', 'success', 'after', 'before'] as const;

/** Reads the filter from an address and ignores invalid values. */
export function readFilter(query: URLSearchParams, pageSize: number): LogsFilter {
  const text = textOf(query, 'q');
  const type = oneOf(query, 'type', kindNames);
  const mode = oneOf(query, 'mode', ['test', 'live']);
  const manual = yesOrNo(query.get('manual'));
  const success = yesOrNo(query.get('success'));
  const after = day(query.get('after'));
  const before = day(query.get('before'));
  return {
    ...(text !== '' && { q: text }),
    ...(type !== undefined && { type }),
    ...(mode !== undefined && { mode }),
    ...(manual !== undefined && { manual }),
    ...(success !== undefined && { success }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    sort: readSort(query.get('sort')),
    page: pageOf(query),
    page_size: pageSize,
  };
}

/** Changes that remove all filters. */
export const noFilters = Object.fromEntries(filterNames.map((name) => [name, '']));

/** Returns the number of set filters, not counting the search. */
export const countFilters = (query: URLSearchParams): number =>
  filterNames.filter((name) => name !== 'q' && query.has(name)).length;

/** Parses a `sort` value: a column name, with a leading `-` for descending order. */
export const sortingOf = (sort: string): Sorting =>
  sort.startsWith('-') ? { by: sort.slice(1), descending: true } : { by: sort, descending: false };

/** Returns the order after a click on a column head. A second click reverses it; times and ids start descending. */
export function nextSort(current: string, by: string): string {
  const now = sortingOf(current);
  if (now.by === by) return now.descending ? by : `-${by}`;
  return by === 'LastModified' || by === 'entityid' ? `-${by}` : by;
}

type Sort = NonNullable<LogsFilter['sort']>;

function readSort(text: string | null): Sort {
  const known = sortKeys.flatMap((key): Sort[] => [key, `-${key}`]);
  return known.find((one) => one === text) ?? newestFirst;
}

const yesOrNo = (text: string | null): boolean | undefined =>
  text === 'true' ? true : text === 'false' ? false : undefined;

const day = (text: string | null): string | undefined => (text !== null && isCalendarDate(text) ? text : undefined);
