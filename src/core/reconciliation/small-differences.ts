import { absolute, compare, isZero, type Decimal } from '../values/decimal.ts';

/** A difference that may be accepted together with others of its kind. */
interface Difference {
  readonly key: string;
  readonly class: string;
  readonly currency: string;
  readonly amount: Decimal;
}

/** Small differences of one class and currency. */
export interface SmallDifferences<One extends Difference> {
  readonly class: One['class'];
  readonly currency: string;
  readonly differences: readonly One[];
  /** Smallest and largest amount, without signs. */
  readonly least: Decimal;
  readonly most: Decimal;
}

/**
 * Groups the differences up to a limit that one decision can accept: several of one class and currency. Differences
 * without an amount are about other fields, and are never small.
 *
 * @param undecided differences without a decision
 * @param limit in the currency of each difference
 */
export function smallDifferences<One extends Difference>(
  undecided: readonly One[],
  limit: Decimal,
): readonly SmallDifferences<One>[] {
  const small = undecided.filter(({ amount }) => !isZero(amount) && compare(absolute(amount), limit) <= 0);
  const groups = Map.groupBy(small, (one) => `${one.class} ${one.currency}`);
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined || own.length < 2) return [];
    const sizes = own.map(({ amount }) => absolute(amount)).toSorted(compare);
    const [least = first.amount, most = least] = [sizes[0], sizes.at(-1)];
    return [{ class: first.class, currency: first.currency, differences: own, least, most }];
  });
}
