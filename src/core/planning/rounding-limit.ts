import { compare, decimal, times, type Decimal } from '../values/decimal.ts';

const halfCent = decimal('0.005');
/** Difference that counts as rounding however few lines there are (domain reference 6.12). */
const leastLimit = decimal('0.05');

/** Largest difference that rounding each of so many amounts to cents can make: half a cent for each. */
export const roundingOf = (count: number): Decimal => times(halfCent, decimal(count));

/** Largest difference between the header and its lines, or between both services, that counts as rounding. */
export function roundingLimit(count: number): Decimal {
  const grown = roundingOf(count);
  return compare(grown, leastLimit) > 0 ? grown : leastLimit;
}
