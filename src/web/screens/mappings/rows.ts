import type { DataOf } from '#contract/define.ts';
import type { MappingRowReply, readMappingUsage } from '#contract/mappings.ts';
import { compare, decimal, type Decimal, divide, sum, times, zero } from '#core/values/decimal.ts';

export type Usage = DataOf<typeof readMappingUsage>['usage'];

/** Suggestions of at least so much are as good as certain: same number, or same name. */
export const sure = 95;

/** The amount that went over a row in the last 90 days; zero when nothing did. */
export const amountOf = (row: MappingRowReply, usage: Usage | undefined) =>
  decimal(usage?.[row.source_value]?.amount ?? '0');

/** Rows that the search wants. */
export function matching(
  rows: readonly MappingRowReply[],
  wanted: { readonly text: string; readonly isActiveOnly: boolean; readonly group: string | null },
): readonly MappingRowReply[] {
  const text = wanted.text.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (!wanted.isActiveOnly || row.is_active) &&
      (wanted.group === null || row.group === wanted.group) &&
      (text === '' || row.label.toLowerCase().includes(text) || (row.number ?? '').toLowerCase().includes(text)),
  );
}

/** True when a sync goes through with the row's mapping. */
const isMapped = ({ state }: MappingRowReply): boolean => state === 'ok' || state === 'renamed';

/** The money on documents that wait for a mapping of the row; zero when none does. */
export const heldUpBy = (row: MappingRowReply, usage: Usage | undefined): Decimal =>
  isMapped(row) ? zero : decimal(usage?.[row.source_value]?.waiting ?? '0');

/**
 * The rows to map first, by their ids: by the money that they hold up, then by what went over them. Those that nothing
 * went over are not among them.
 */
export function firstToMap(rows: readonly MappingRowReply[], usage: Usage | undefined): readonly string[] {
  const open = rows.filter((row) => usage?.[row.source_value] !== undefined && !isMapped(row));
  return open
    .map((row) => ({ id: row.source_value, held: heldUpBy(row, usage), amount: amountOf(row, usage) }))
    .toSorted((a, b) => compare(b.held, a.held) || compare(b.amount, a.amount))
    .map(({ id }) => id);
}

/** The rows with these in front, in their order; the others keep theirs. */
export function inFront(rows: readonly MappingRowReply[], first: readonly string[]): readonly MappingRowReply[] {
  if (first.length === 0) return rows;
  const byId = new Map(rows.map((row) => [row.source_value, row]));
  const front = new Set(first);
  return [...first.flatMap((id) => byId.get(id) ?? []), ...rows.filter(({ source_value: value }) => !front.has(value))];
}

/** The group that is remembered, while the list has it; otherwise that of all: it may be another client's. */
export const rememberedGroup = (
  remembered: string,
  groups: readonly { readonly value: string }[] | undefined,
): string => (groups === undefined || groups.some(({ value }) => value === remembered) ? remembered : '');

/** How far mapping has come. */
export interface Coverage {
  readonly mapped: number;
  readonly total: number;
  /** Whole percent of the money; null when there was none. */
  readonly percent: string | null;
}

/** How many active records are mapped to something that can be used, and how much of the money that is. */
export function coverageOf(rows: readonly MappingRowReply[], usage: Usage | undefined): Coverage {
  const active = rows.filter(({ is_active: isActive }) => isActive);
  // Few of thousands of rows have had any money.
  const moved = usage === undefined ? [] : rows.filter(({ source_value: value }) => usage[value] !== undefined);
  const money = (some: readonly MappingRowReply[]) => sum(some.map((row) => amountOf(row, usage)));
  const total = money(moved);
  return {
    mapped: active.filter(isMapped).length,
    total: active.length,
    percent: compare(total, zero) === 0 ? null : percentOf(money(moved.filter(isMapped)), total),
  };
}

/** Returns the whole percent that a part is of a total; 100 only where nothing is left. */
function percentOf(part: Decimal, total: Decimal): Decimal {
  const percent = divide(times(part, decimal(100)), total, 0);
  return percent === '100' && compare(part, total) < 0 ? decimal(99) : percent;
}

/**
 * Places of the rows under each column, by what a row is called: comparing two of thousands of names or amounts anew
 * with every click takes longer than a person waits.
 */
export interface Places {
  readonly source: ReadonlyMap<string, number>;
  readonly target: ReadonlyMap<string, number>;
  readonly amount: ReadonlyMap<string, number>;
}

/** The place of each row in each order; rows that are equal there have the same place. */
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

/** The name of a row's target; empty while there is none. */
export const targetOf = (row: MappingRowReply): string => row.target_label ?? row.xref?.target_value_label ?? '';
