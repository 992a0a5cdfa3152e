import type * as mappingsRoutes from '#contract/mappings.ts';
import type { DataOf } from '#contract/define.ts';
import type { MappingRowReply } from '#contract/mappings.ts';
import { compare, decimal, type Decimal, divide, sum, times, zero } from '#core/values/decimal.ts';
import { formatCount } from '../../data/format.ts';

export type Usage = DataOf<typeof mappingsRoutes.readMappingUsage>['usage'];

/** Suggestions with at least this score have the same number or name and can be accepted together. */
export const minCertainScore = 95;

/** Returns the amount of a row's documents in the last 90 days. */
export const amountOf = (row: MappingRowReply, usage: Usage | undefined) =>
  decimal(usage?.[row.source_value]?.amount ?? '0');

/** Returns the rows that match a search. */
export function matching(
  rows: readonly MappingRowReply[],
  filter: { readonly text: string; readonly isActiveOnly: boolean; readonly group: string | null },
): readonly MappingRowReply[] {
  const text = filter.text.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (!filter.isActiveOnly || row.is_active) &&
      (filter.group === null || row.group === filter.group) &&
      (text === '' || row.label.toLowerCase().includes(text) || (row.number ?? '').toLowerCase().includes(text)),
  );
}

/** Returns true if a sync can use the row's mapping. */
const isMapped = ({ state }: MappingRowReply): boolean => state === 'ok' || state === 'renamed';

/** Returns the amount of documents that are not synced because the row has no valid mapping. */
export const heldUpBy = (row: MappingRowReply, usage: Usage | undefined): Decimal =>
  isMapped(row) ? zero : decimal(usage?.[row.source_value]?.waiting ?? '0');

/**
 * Returns the ids of the rows to map first, by unsynced amount, then by amount of the last 90 days. Rows without documents
 * are left out.
 */
export function firstToMap(rows: readonly MappingRowReply[], usage: Usage | undefined): readonly string[] {
  const open = rows.filter((row) => usage?.[row.source_value] !== undefined && !isMapped(row));
  return open
    .map((row) => ({ id: row.source_value, held: heldUpBy(row, usage), amount: amountOf(row, usage) }))
    .toSorted((a, b) => compare(b.held, a.held) || compare(b.amount, a.amount))
    .map(({ id }) => id);
}

/** Returns the rows with these ids first. The order of the other rows does not change. */
export function inFront(rows: readonly MappingRowReply[], first: readonly string[]): readonly MappingRowReply[] {
  if (first.length === 0) return rows;
  const byId = new Map(rows.map((row) => [row.source_value, row]));
  const front = new Set(first);
  return [...first.flatMap((id) => byId.get(id) ?? []), ...rows.filter(({ source_value: value }) => !front.has(value))];
}

/** Returns the remembered group, or '' for all if the list lacks it. It may have been stored for another client. */
export const rememberedGroup = (
  remembered: string,
  groups: readonly { readonly value: string }[] | undefined,
): string => (groups === undefined || groups.some(({ value }) => value === remembered) ? remembered : '');

/** How many records are mapped. */
export interface Coverage {
  readonly mapped: number;
  readonly total: number;
  /** Whole percent of the amount; null without any documents. */
  readonly percent: string | null;
}

/** Returns how many active records have a valid mapping, and their share of the amount. */
export function coverageOf(rows: readonly MappingRowReply[], usage: Usage | undefined): Coverage {
  const active = rows.filter(({ is_active: isActive }) => isActive);
  // Only a few of thousands of rows have documents.
  const moved = usage === undefined ? [] : rows.filter(({ source_value: value }) => usage[value] !== undefined);
  const money = (some: readonly MappingRowReply[]) => sum(some.map((row) => amountOf(row, usage)));
  const total = money(moved);
  return {
    mapped: active.filter(isMapped).length,
    total: active.length,
    percent: compare(total, zero) === 0 ? null : percentOf(money(moved.filter(isMapped)), total),
  };
}

/** Returns the whole percent of a total; 100 only if nothing is left. */
function percentOf(part: Decimal, total: Decimal): Decimal {
  const percent = divide(times(part, decimal(100)), total, 0);
  return percent === '100' && compare(part, total) < 0 ? decimal(99) : percent;
}

/** Rank of each row in each column, by row id. Comparing thousands of names again on every click would be slow. */
export interface Places {
  readonly source: ReadonlyMap<string, number>;
  readonly target: ReadonlyMap<string, number>;
  readonly amount: ReadonlyMap<string, number>;
}

/** Returns the rank of each row in each column; equal rows have the same rank. */
export function placesOf(rows: readonly MappingRowReply[], usage: Usage | undefined): Places {
  const places = <Key>(keyOf: (row: MappingRowReply) => Key, inOrder: (a: Key, b: Key) => number) => {
    const keys = new Map(rows.map((row) => [row.source_value, keyOf(row)]));
    const sorted = [...new Set(keys.values())].sort(inOrder);
    let place = 0;
    const placed = new Map<Key, number>();
    for (const [at, key] of sorted.entries()) {
      const before = sorted[at - 1];
      if (before !== undefined && inOrder(before, key) !== 0) place += 1;
      placed.set(key, place);
    }
    return new Map([...keys].map(([value, key]) => [value, placed.get(key) ?? 0]));
  };
  return {
    source: places(({ label }) => label, collator.compare),
    target: places(targetOf, collator.compare),
    amount: places(({ source_value: value }) => decimal(usage?.[value]?.amount ?? '0'), compare),
  };
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Returns the name of a row's target, or ''. */
export const targetOf = (row: MappingRowReply): string => row.target_label ?? row.xref?.target_value_label ?? '';

/** Maximum of names in a confirmation (specification 2, section 9). */
const maxNames = 3;

/** Returns the names that a confirmation lists, and the count of the others, e.g. “and 2 other companies”, or null. */
export function summaryOf<Name>(
  names: readonly Name[],
  { one, many }: { readonly one: string; readonly many: string },
): { readonly shown: readonly Name[]; readonly others: string | null } {
  const rest = names.length - maxNames;
  return {
    shown: names.slice(0, maxNames),
    others: rest <= 0 ? null : `and ${formatCount(rest)} other ${rest === 1 ? one : many}`,
  };
}
