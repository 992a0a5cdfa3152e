import { compare, decimal, times, type Decimal } from '../values/decimal.ts';

const halfCent = decimal('0.005');
/** Smallest rounding limit, even for a document with few lines (domain reference 6.12). */
const leastLimit = decimal('0.05');

/** Returns the largest difference from rounding this many amounts to cents: half a cent each. */
export const roundingOf = (count: number): Decimal => times(halfCent, decimal(count));

/** Returns the largest difference that counts as rounding, between a header and its lines or between both services. */
export function roundingLimit(count: number): Decimal {
  const grown = roundingOf(count);
  return compare(grown, leastLimit) > 0 ? grown : leastLimit;
}
