import { compare, decimal, isDecimal } from '#core/values/decimal.ts';

/** Comparison functions for sorting lists. Missing values sort last. */

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

type Comparison<Row> = (a: Row, b: Row) => number;

/** Compares texts; numbers inside them compare as numbers. */
export const byText = <Row>(of: (row: Row) => string | null | undefined): Comparison<Row> =>
  byPart(of, (a, b) => collator.compare(a, b));

/** Compares numbers, e.g. ids. */
export const byNumber = <Row>(of: (row: Row) => number | null | undefined): Comparison<Row> =>
  byPart(of, (a, b) => a - b);

/** Compares amounts in decimal text. */
export const byDecimal = <Row>(of: (row: Row) => string | null | undefined): Comparison<Row> =>
  byPart(of, (a, b) => (isDecimal(a) && isDecimal(b) ? compare(decimal(a), decimal(b)) : collator.compare(a, b)));

function byPart<Row, Part>(
  of: (row: Row) => Part | null | undefined,
  order: (a: Part, b: Part) => number,
): Comparison<Row> {
  return (a, b) => {
    const [left, right] = [of(a) ?? null, of(b) ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return order(left, right);
  };
}
