import type { CalendarDate } from '../values/dates.ts';
import {
  decimal,
  type Decimal,
  divide,
  equals,
  format,
  isZero,
  round,
  round2,
  sum,
  times,
  zero,
} from '../values/decimal.ts';
import type { Reference } from './plan.ts';

/** Quantity and unit price of a line; `round2(quantity × unitPrice)` equals its amount. */
interface Price {
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  /** Text before the description: quantity and rate, if the line itself cannot show them. Usually empty. */
  readonly prefix: string;
}

const one = decimal(1);
/** Decimals that QuickBooks stores (domain reference 6.5, 18 point 6). */
export const pricePlaces = 5;
/** Decimals of PSA prices. */
const exactPlaces = 7;

/**
 * Finds the price that yields an amount (domain reference 5.6).
 *
 * The PSA's rate is printed if it yields the amount. QuickBooks rejects a line whose amount is not quantity × price
 * after rounding, so otherwise another price is computed. If no price with 5 decimals yields the amount, the line
 * becomes 1 × the amount.
 *
 * Invariant: `round2(quantity × unitPrice)` equals the amount.
 *
 * @param amount already rounded to cents
 * @param rate the unit price in the PSA
 */
export function priceOf(quantity: Decimal, amount: Decimal, rate: Decimal): Price {
  const sent = round(quantity, pricePlaces);
  const printed = round(rate, pricePlaces);
  if (!isZero(sent) && !isZero(printed) && equals(round2(times(sent, printed)), amount))
    return { quantity: sent, unitPrice: printed, prefix: '' };
  if (isZero(sent)) return isZero(amount) ? { quantity: zero, unitPrice: zero, prefix: '' } : single(amount, '');
  const unitPrice = divide(amount, sent, pricePlaces);
  if (equals(round2(times(sent, unitPrice)), amount)) return { quantity: sent, unitPrice, prefix: '' };
  return single(amount, `${format(quantity, 0)} × ${format(divide(amount, quantity, exactPlaces))} – `);
}

/**
 * Returns the amount of a cost and the price to send. The price is the unit cost if it yields the amount, so QuickBooks
 * shows the vendor's price (domain reference 9.3).
 *
 * Invariant: `round2(quantity × unitPrice)` equals the amount.
 */
export function costOf(quantity: Decimal, unitCost: Decimal): Price & { readonly amount: Decimal } {
  const amount = round2(times(quantity, unitCost));
  const [sent, unitPrice] = [round(quantity, pricePlaces), round(unitCost, pricePlaces)];
  return equals(round2(times(sent, unitPrice)), amount)
    ? { amount, quantity: sent, unitPrice, prefix: '' }
    : { amount, ...priceOf(quantity, amount, unitCost) };
}

const single = (amount: Decimal, prefix: string): Price => ({ quantity: one, unitPrice: amount, prefix });

/** Column of the transcript where the amounts of a line begin. */
const amountsColumn = 72;

interface LineAmounts {
  readonly amount: Decimal;
  /** Absent on lines by account, which have only an amount. */
  readonly quantity?: Decimal;
  readonly unitPrice?: Decimal;
}

/**
 * `Line 1  Hardware (charge) -> item 30 Hardware (name)    2 x 250.00 =   500.00 TAX`: aligns the amounts in columns.
 */
export function withAmounts(subject: string, { amount, quantity, unitPrice }: LineAmounts, after = ''): string {
  const product = quantity === undefined || unitPrice === undefined ? '' : `${quantity} x ${format(unitPrice)} = `;
  return `${subject.padEnd(amountsColumn - 2)}  ${product}${format(amount).padStart(8)} ${after}`.trimEnd();
}

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
  /** The company that the work was done for, printed before the text. Null or undefined means the customer itself. */
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
