import type { DataOf } from '#contract/define.ts';
import type { MappingRowReply, readMappingUsage } from '#contract/mappings.ts';
import { compare, decimal, divide, sum, times, zero } from '#core/values/decimal.ts';

export type Usage = DataOf<typeof readMappingUsage>['usage'];

/** What went over a row in the last 90 days; `0` when nothing did. */
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
      (!wanted.isActiveOnly || row.is_active || row.xref !== null) &&
      (wanted.group === null || row.group === wanted.group) &&
      (text === '' || row.label.toLowerCase().includes(text) || (row.number ?? '').toLowerCase().includes(text)),
  );
}

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
  const isMapped = ({ state }: MappingRowReply) => state === 'ok' || state === 'renamed';
  const money = (some: readonly MappingRowReply[]) => sum(some.map((row) => amountOf(row, usage)));
  const total = money(rows);
  return {
    mapped: active.filter(isMapped).length,
    total: active.length,
    percent:
      usage === undefined || compare(total, zero) === 0
        ? null
        : divide(times(money(rows.filter(isMapped)), decimal(100)), total, 0),
  };
}
