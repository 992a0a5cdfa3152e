import { absolute, equals, format, isNegative, minus, type Decimal } from '../values/decimal.ts';

/** A line of a document in the PSA, as a person knows it. */
export interface NamedLine {
  readonly name: string | null;
  readonly amount: Decimal;
}

/**
 * Lines of a document that have changed since it was posted, for the bookkeeper who has to compare both: lines of the
 * same amount are the same line. A line that is gone and a line that is new are one that has changed.
 *
 * @param posted amounts of the lines that were sent, without tax
 * @param lines of the PSA as they are now; of a credit memo below zero, as the PSA has them
 * @returns a sentence for each, e.g. `“Onsite”: 100.00 → 150.00 (+50.00)`; none when the amounts are the same
 */
export function lineChanges(posted: readonly Decimal[], lines: readonly NamedLine[]): readonly string[] {
  const gone = posted.map((amount) => absolute(amount));
  const added = lines.filter(({ amount }) => {
    const index = gone.findIndex((one) => equals(one, absolute(amount)));
    if (index >= 0) gone.splice(index, 1);
    return index < 0;
  });
  const [was] = gone;
  const [is] = added;
  if (was !== undefined && is !== undefined && gone.length === 1 && added.length === 1) {
    const now = absolute(is.amount);
    return [`${nameOf(is)}: ${format(was)} → ${format(now)} (${signed(minus(now, was))})`];
  }
  return [
    ...gone.map((amount) => `A line of ${format(amount)} is gone`),
    ...added.map((line) => `${nameOf(line)}, ${format(absolute(line.amount))}, is new`),
  ];
}

const nameOf = ({ name }: NamedLine): string => (name === null || name === '' ? 'A line without a name' : `“${name}”`);
const signed = (amount: Decimal): string =>
  isNegative(amount) ? `-${format(absolute(amount))}` : `+${format(amount)}`;
