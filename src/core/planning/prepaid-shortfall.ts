import type { BooksDocument } from '../documents/books-document.ts';
import type { LedgerEntry } from '../documents/books-report.ts';
import type { BooksReferenceData } from '../documents/reference-data.ts';
import {
  absolute,
  isNegative,
  isPositive,
  minus,
  negate,
  plus,
  round2,
  sum,
  times,
  zero,
  type Decimal,
} from '../values/decimal.ts';
import { documentCommand, lastCommand, type Plan } from './plan.ts';
import { indexBooks } from './reference-index.ts';

/** An entry of the account for prepaid money, in the home currency; a positive amount increases the liability. */
type Entry = Pick<LedgerEntry, 'type' | 'id' | 'partyName' | 'amount'>;

/**
 * Returns by how much the prepaid balance of a customer would fall below 0 if a document that sold prepaid work were
 * voided or credited, in the home currency; 0 if it would not.
 *
 * @param entries all entries of the account for prepaid money
 * @param documentId QuickBooks id of the invoice
 */
export function shortfallWithout(entries: readonly Entry[], documentId: string): Decimal {
  const own = sum(ownOf(entries, documentId).map(({ amount }) => amount));
  return isPositive(own) ? shortfallAfter(entries, documentId, negate(own)) : zero;
}

/**
 * Returns the same if a change lowered what the customer paid in advance.
 *
 * @param change by how much the liability changes; 0 is returned unless it is negative
 */
export function shortfallAfter(entries: readonly Entry[], documentId: string, change: Decimal): Decimal {
  const [own] = ownOf(entries, documentId);
  if (own === undefined || !isNegative(change)) return zero;
  const balance = sum(entries.flatMap(({ partyName, amount }) => (partyName === own.partyName ? [amount] : [])));
  const left = plus(balance, change);
  return isNegative(left) ? absolute(left) : zero;
}

const ownOf = (entries: readonly Entry[], documentId: string): readonly Entry[] =>
  entries.filter(({ type, id }) => type === 'Invoice' && id === documentId);

/**
 * Returns by how much a plan changes the liability for prepaid money, in the home currency: an update by its new lines
 * less the posted ones, a difference by its lines.
 *
 * @param standing the posted invoice; its exchange rate applies to all amounts
 * @param accountId the account for prepaid money
 */
export function prepaidChange(
  plan: Plan,
  standing: BooksDocument,
  accountId: string,
  books: BooksReferenceData,
): Decimal {
  const made = documentCommand(plan);
  if (made.do !== 'create_invoice' && made.do !== 'create_credit_memo') return zero;
  const { itemsById } = indexBooks(books);
  const isPrepaid = (id: string | null) => id !== null && itemsById.get(id)?.incomeAccountId === accountId;
  const isNewPrepaid = (command: number) => {
    const item = plan.commands[command];
    return item?.do === 'create_item' && item.item.incomeAccountId === accountId;
  };
  const planned = sum(
    made.document.lines.flatMap(({ item, amount }) =>
      ('id' in item ? isPrepaid(item.id) : isNewPrepaid(item.fromCommand)) ? [amount] : [],
    ),
  );
  const signed = made.do === 'create_credit_memo' ? negate(planned) : planned;
  const posted = sum(standing.lines.flatMap(({ itemId, amount }) => (isPrepaid(itemId) ? [amount] : [])));
  const change = lastCommand(plan).do === 'update' ? minus(signed, posted) : signed;
  return round2(times(change, standing.exchangeRate));
}
