import { kindNames } from '#core/kinds.ts';
import { isCalendarDate } from '#core/values/dates.ts';
import type { LogSortKey } from '#contract/logs.ts';
import type { LogsFilter } from '../../data/screen-queries.ts';
import type { Sorting } from '../../components/table.tsx';

export const pageSize = 10;

const sortKeys: readonly LogSortKey[] = ['LastModified', 'type', 'entityid', 'test', 'manual', 'success'];
const newestFirst = '-LastModified';

/** Filter parameters of the address, besides `sort`, `page` and `key`. */
export const filterNames = ['q', 'type', 'mode', 'manual', 'success', 'after', 'before'] as const;
export type FilterName = (typeof filterNames)[number];

/** Reads the filter from an address and ignores invalid values. */
export function readFilter(query: URLSearchParams): LogsFilter {
  const text = query.get('q')?.trim().slice(0, 200) ?? '';
  const type = kindNames.find((kind) => kind === query.get('type'));
  const mode = (['test', 'live'] as const).find((one) => one === query.get('mode'));
  const manual = yesOrNo(query.get('manual'));
  const success = yesOrNo(query.get('success'));
  const after = day(query.get('after'));
  const before = day(query.get('before'));
  const page = Number(query.get('page'));
  return {
    ...(text !== '' && { q: text }),
    ...(type !== undefined && { type }),
    ...(mode !== undefined && { mode }),
    ...(manual !== undefined && { manual }),
    ...(success !== undefined && { success }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    sort: readSort(query.get('sort')),
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
    page_size: pageSize,
  };
}

/** Returns the address with one change. An empty value removes a parameter; all changes except `page` open page 1. */
export function changed(query: URLSearchParams, name: FilterName | 'sort' | 'page', value: string): URLSearchParams {
  const next = new URLSearchParams(query);
  if (name !== 'page') next.delete('page');
  const isDefault = value === '' || (name === 'page' && value === '1') || (name === 'sort' && value === newestFirst);
  if (isDefault) next.delete(name);
  else next.set(name, value);
  return next;
}

/** Returns the address without filters, in the same order. */
export function withoutFilters(query: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const name of [...filterNames, 'page']) next.delete(name);
  return next;
}

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

const day = (text: string | null): string | undefined => (text !== null && isDay(text) ? text : undefined);

function isDay(text: string): boolean {
  try {
    return isCalendarDate(text);
  } catch {
    // The pattern also accepts impossible days, e.g. 45.
    return false;
  }
}
