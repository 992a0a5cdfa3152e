import { absolute, equals, sum, type Decimal } from '../values/decimal.ts';
import { exceptionsOf, obstaclesOf, type ChangedSince, type Obstacle, type Proof } from './close.ts';

/** A decision applies only to the amount of the difference when it was made. */
interface Decision {
  readonly key: string;
  readonly amount: Decimal;
}

/** Returns all differences of a proof that a user must settle, accept or carry. */
export const differencesOf = (proof: Pick<Proof, 'rows'>): readonly ChangedSince[] =>
  exceptionsOf(proof).map(({ key, currency, amount }) => ({ key, currency, amount }));

/** Undecided differences of one currency. Amounts are added without their signs, so they cannot cancel out. */
export interface Undecided {
  readonly currency: string;
  readonly count: number;
  readonly amount: Decimal;
}

/**
 * Counts the differences without a decision, by currency.
 *
 * @param decisions the newest decision of each key
 */
export function undecidedOf(proof: Pick<Proof, 'rows'>, decisions: Iterable<Decision>): readonly Undecided[] {
  const decided = new Map([...decisions].map(({ key, amount }) => [key, amount]));
  const open = differencesOf(proof).filter(({ key, amount }) => {
    const about = decided.get(key);
    return about === undefined || !equals(about, amount);
  });
  return [...Map.groupBy(open, ({ currency }) => currency)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => ({
      currency,
      count: own.length,
      amount: sum(own.map(({ amount }) => absolute(amount))),
    }));
}

/** Returns everything for which a signature needs a reason: amounts that must be 0.00, and undecided differences. */
export const openPointsOf = (proof: Proof, decisions: Iterable<Decision>): readonly Obstacle[] => [
  ...obstaclesOf(proof),
  ...undecidedOf(proof, decisions).map(({ currency, count, amount }) => ({
    label: `${count} undecided difference${count === 1 ? '' : 's'}`,
    currency,
    amount,
  })),
];
