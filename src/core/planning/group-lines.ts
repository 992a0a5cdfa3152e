import type { CalendarDate } from '../values/dates.ts';
import { sum, type Decimal } from '../values/decimal.ts';
import type { Reference } from './plan.ts';

/** A line with everything decided but its price. */
export interface DecidedLine {
  /** Rounded to cents. */
  readonly amount: Decimal;
  readonly quantity: Decimal;
  /** The PSA's price of one, in the currency of the amount. */
  readonly rate: Decimal;
  readonly description: string;
  readonly groupDescription: string | null;
  readonly item: Reference;
  readonly itemName: string;
  readonly servedOn: CalendarDate | null;
  readonly classId: string | null;
  readonly taxCode: string | null;
  /** A contract pays for it: charged nothing although it has a price. */
  readonly isCovered: boolean;
  /** How many billing items it stands for. */
  readonly entries: number;
  /** The company that the work was done for, which stands before the text; null or absent: the customer itself. */
  readonly workOf?: string | null;
}

/** Suffix of a covered line's text, so that the client sees why it costs nothing. */
export const coveredSuffix = ' (covered by contract)';

/**
 * Puts the billing items of one printed row together (domain reference 6.6). A row is a group description, else a
 * price; within it items, tax codes, classes and companies stay apart, so that revenue, tax and labels land where they
 * would have without grouping. Covered work is never mixed with charged work.
 *
 * Invariant: subtotal, totals per tax code and totals per item stay what they were.
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
