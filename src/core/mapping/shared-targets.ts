import type { PartyNamespace } from './mapping.ts';
import { distinctionOf, type MappingRow } from './table.ts';

const nouns: Readonly<Record<PartyNamespace, readonly [sources: string, target: string]>> = {
  Customer: ['companies', 'customer'],
  Vendor: ['companies', 'vendor'],
  Employee: ['employees', 'vendor'],
};

/** Whether two rows point to the same customer or vendor. */
export const hasSharedTargets = (rows: readonly MappingRow[]): boolean => {
  const targets = rows.flatMap(({ mapping }) => (mapping === null ? [] : [mapping.targetValue]));
  return new Set(targets).size < targets.length;
};

/**
 * Adds a warning to companies that post to one customer or vendor although no user decided so: an earlier version may
 * have linked them by name. Saving a mapping again confirms it.
 *
 * @param confirmed ids of the records whose mapping a user saved
 */
export function withSharedWarnings(
  namespace: PartyNamespace,
  rows: readonly MappingRow[],
  confirmed: ReadonlySet<string>,
): readonly MappingRow[] {
  const byTarget = Map.groupBy(
    rows.filter(({ mapping }) => mapping !== null),
    ({ mapping }) => mapping?.targetValue ?? '',
  );
  const [sources, target] = nouns[namespace];
  return rows.map((row) => {
    const sharing = row.mapping === null ? [] : (byTarget.get(row.mapping.targetValue) ?? []);
    // One unconfirmed mapping is fine: it may be the first one, which was found by name.
    if (row.stateText !== null || sharing.filter(({ value }) => !confirmed.has(value)).length < 2) return row;
    const named = sharing.map((one) => `${one.name} (${distinctionOf(one)})`).join('; ');
    const stateText = `${sharing.length} ${sources} post to this ${target}: ${named}. Map each to its own ${target}, or save the mapping again to confirm it.`;
    return { ...row, stateText };
  });
}
