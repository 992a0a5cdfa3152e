import { absolute, equals, format, isNegative, minus, type Decimal } from '../values/decimal.ts';

/** A line of a PSA document, as users know it. */
export interface NamedLine {
  readonly name: string | null;
  readonly amount: Decimal;
}

/**
 * Returns the lines of a document that changed since it was posted, for a bookkeeper who compares both sides. Lines
 * with the same amount count as the same line. One removed and one added line count as a changed line.
 *
 * @param posted amounts of the lines that were sent, without tax
 * @param lines current lines in the PSA; negative for a credit memo, as in the PSA
 * @returns one text per change, such as `“Onsite”: 100.00 → 150.00 (+50.00)`; none if the amounts are the same
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
    ...gone.map((amount) => `A line of ${format(amount)} was removed`),
    ...added.map((line) => `${nameOf(line)}, ${format(absolute(line.amount))}, is new`),
  ];
}

const nameOf = ({ name }: NamedLine): string => (name === null || name === '' ? 'A line without a name' : `“${name}”`);
const signed = (amount: Decimal): string =>
  isNegative(amount) ? `-${format(absolute(amount))}` : `+${format(amount)}`;
