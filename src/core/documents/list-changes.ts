import type { Instant } from '../values/dates.ts';
import type { ListRecord } from './accounting-change.ts';
import type { AccountingLists } from './reference-data.ts';

/** The list that contains each type of record. */
export const listOf = {
  account: 'accounts',
  class: 'classes',
  term: 'terms',
  customer: 'customers',
  vendor: 'vendors',
  item: 'items',
} as const satisfies Record<ListRecord, keyof AccountingLists>;

type ListName = (typeof listOf)[ListRecord];

/** A record as it was read, with the list that contains it. */
export type ListRow = {
  readonly [Name in ListRecord]: {
    readonly list: Name;
    readonly row: AccountingLists[(typeof listOf)[Name]][number];
    /** Time of the last change according to QuickBooks; null when it returns none. */
    readonly changedAt: Instant | null;
  };
}[ListRecord];

/** Changes of list records: current versions of changed records, and deleted records. */
export interface ListChanges {
  readonly found: readonly ListRow[];
  readonly gone: readonly { readonly list: ListRecord; readonly id: string; readonly changedAt: Instant | null }[];
}

/** The cached lists, with the change times of records that were read individually. */
export interface CachedLists {
  readonly lists: AccountingLists;
  /**
   * Times of the last change, by {@link ListRecord} and id; records that were read with their whole list have no entry.
   */
  readonly changedAt: Readonly<Record<string, Instant>>;
}

/**
 * Applies changes to the lists. A change older than the cached record is ignored, because changes may arrive late,
 * twice and in any order.
 */
export function withChanges({ lists, changedAt }: CachedLists, changes: ListChanges): CachedLists {
  const times: Record<string, Instant> = { ...changedAt };
  const isNewer = (list: ListRecord, id: string, at: Instant | null): boolean => {
    const key = `${list} ${id}`;
    const known = times[key];
    if (known !== undefined && at !== null && at < known) return false;
    if (at !== null) times[key] = at;
    return true;
  };
  const rows = new Map<ListName, Map<string, { readonly id: string }>>();
  const rowsOf = (list: ListRecord) => {
    const name = listOf[list];
    const known = rows.get(name) ?? new Map(lists[name].map((row) => [row.id, row]));
    rows.set(name, known);
    return known;
  };
  for (const { list, row, changedAt: at } of changes.found)
    if (isNewer(list, row.id, at)) rowsOf(list).set(row.id, row);
  for (const { list, id, changedAt: at } of changes.gone) if (isNewer(list, id, at)) rowsOf(list).delete(id);
  const changed = Object.fromEntries([...rows].map(([name, byId]) => [name, [...byId.values()]]));
  return { lists: { ...lists, ...changed }, changedAt: times };
}
