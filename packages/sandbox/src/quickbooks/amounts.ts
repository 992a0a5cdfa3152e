import { Decimal } from 'decimal.js';
import type { Doc } from './doc.ts';

/** Exact decimals with enough digits for 15-digit amounts times prices; rounds halves away from zero. */
export const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP });
export type Exact = Decimal;

export const zero = new Exact(0);

/** Returns a member as an exact decimal; undefined when it is missing or no number. */
export function amountAt(doc: Doc | undefined, member: string): Exact | undefined {
  const value = doc?.[member];
  if (typeof value === 'number' && Number.isFinite(value)) return new Exact(value);
  if (typeof value === 'string' && /^[+-]?\d+(\.\d+)?$/.test(value)) return new Exact(value);
  return undefined;
}

/** Rounds to whole cents, half away from zero. */
export function cents(value: Exact): Exact {
  return value.toDecimalPlaces(2);
}

/** Returns the sum of exact decimals; zero for an empty list. */
export function sum(values: Iterable<Exact>): Exact {
  let total: Exact = zero;
  for (const value of values) total = total.plus(value);
  return total;
}

/** Converts to a JSON number; negative zero becomes zero. */
export function toNumber(value: Exact): number {
  return value.isZero() ? 0 : value.toNumber();
}
