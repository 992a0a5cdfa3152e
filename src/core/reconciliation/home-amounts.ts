import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import { absolute, compare, isZero, minus, plus, round2, sum, times, type Decimal } from '../values/decimal.ts';

/** Returns an amount of a document in the home currency, rounded to cents. */
export const homeAmount = ({ exchangeRate }: AccountingDocument, amount: Decimal): Decimal =>
  round2(times(amount, exchangeRate));

/**
 * Returns the lines of a document with their ledger amounts in the home currency. QuickBooks converts the total and
 * each line separately. The largest line absorbs the rounding difference [Q71].
 *
 * @returns lines in their order, with `amount` in the home currency; with the converted tax, they add up to the
 * converted total
 */
export function homeLines(document: AccountingDocument): readonly AccountingLine[] {
  const { lines, total, tax } = document;
  const converted = lines.map((line) => ({ ...line, amount: homeAmount(document, line.amount) }));
  const [first] = lines;
  // If the lines do not add up to the total, as in a journal entry or with tax included, there is no rounding
  // difference to assign.
  if (first === undefined || !isZero(minus(total, plus(tax, sum(lines.map(({ amount }) => amount)))))) return converted;
  const whole = minus(homeAmount(document, total), homeAmount(document, tax));
  const left = minus(whole, sum(converted.map(({ amount }) => amount)));
  const largest = lines.reduce(
    (best, line) => (compare(absolute(line.amount), absolute(best.amount)) > 0 ? line : best),
    first,
  );
  const at = lines.indexOf(largest);
  return converted.map((line, index) => (index === at ? { ...line, amount: plus(line.amount, left) } : line));
}
