import type { BooksDocument, BooksLine } from '../documents/books-document.ts';
import { absolute, compare, isZero, minus, plus, round2, sum, times, type Decimal } from '../values/decimal.ts';

/** An amount of a document in the home currency, to the cent. */
export const homeAmount = ({ exchangeRate }: BooksDocument, amount: Decimal): Decimal =>
  round2(times(amount, exchangeRate));

/**
 * The lines of a document with what the ledger shows of them in the home currency. The books convert the whole document
 * and its lines each for themselves; the cent by which their sum then differs goes to the largest line [Q71].
 *
 * @returns lines in their order, `amount` in the home currency; their sum and the converted tax are the converted total.
 */
export function homeLines(document: BooksDocument): readonly BooksLine[] {
  const { lines, total, tax } = document;
  const converted = lines.map((line) => ({ ...line, amount: homeAmount(document, line.amount) }));
  const [first] = lines;
  // Lines that are not the whole document, such as those of a journal entry or with the tax inside, leave nothing to share.
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
