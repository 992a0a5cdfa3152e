import type { CalendarDate } from '../values/dates.ts';
import { sum, type Decimal } from '../values/decimal.ts';
import type { Reference } from './plan.ts';

/** A line with everything decided except its price. */
export interface DecidedLine {
  /** Rounded to cents. */
  readonly amount: Decimal;
  readonly quantity: Decimal;
  /** The unit price in the PSA, in the currency of the amount. */
  readonly rate: Decimal;
  readonly description: string;
  readonly groupDescription: string | null;
  readonly item: Reference;
  readonly itemName: string;
  readonly servedOn: CalendarDate | null;
  readonly classId: string | null;
  readonly taxCode: string | null;
  /** A contract pays for the line: it is charged at zero although it has a price. */
  readonly isCovered: boolean;
  /** Number of billing items that the line combines. */
  readonly entries: number;
  /** The company that the work was done for, printed before the text; null or absent: the customer itself. */
  readonly workOf?: string | null;
}

/** Suffix of a covered line's text. It shows the client why the line costs nothing. */
export const coveredSuffix = ' (covered by contract)';

/**
 * Combines the billing items of one printed row (domain reference 6.6).
 *
 * A row is a group description, else a price. Different items, tax codes, classes and companies stay on separate lines,
 * so revenue, tax and labels are the same as without grouping. Covered work is never combined with charged work.
 *
 * Invariant: the subtotal and the totals per tax code and per item do not change.
 */
export function groupLines(lines: readonly DecidedLine[]): readonly DecidedLine[] {
  const groups = new Map<string, DecidedLine[]>();
  for (const line of lines) {
    const row = line.groupDescription === null ? ['price', line.rate] : ['row', line.groupDescription];
    const key = JSON.stringify([...row, keyOf(line.item), line.taxCode, line.classId, line.isCovered, line.workOf]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  return [...groups.values()].map(merged);
}

const keyOf = (item: Reference): string => ('id' in item ? `id ${item.id}` : `command ${item.fromCommand}`);

function merged(group: readonly DecidedLine[]): DecidedLine {
  const [first, ...others] = group;
  if (first === undefined) throw new Error('Impossible: a group without lines');
  const suffix = first.isCovered ? coveredSuffix : '';
  if (others.length === 0)
    return first.groupDescription === null ? first : { ...first, description: `${first.groupDescription}${suffix}` };
  const dates = group.flatMap(({ servedOn }) => (servedOn === null ? [] : [servedOn]));
  return {
    ...first,
    amount: sum(group.map(({ amount }) => amount)),
    quantity: sum(group.map(({ quantity }) => quantity)),
    description: `${first.groupDescription ?? `${first.itemName} (${group.length} entries)`}${suffix}`,
    servedOn: dates.sort().at(-1) ?? null,
    entries: group.length,
  };
}
