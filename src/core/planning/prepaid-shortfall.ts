import type { LedgerEntry } from '../documents/books-report.ts';
import { absolute, isNegative, isPositive, sum, zero, type Decimal } from '../values/decimal.ts';

/**
 * Returns by how much the prepaid balance of a customer would fall below 0 if a document that sold prepaid work were
 * voided or credited, in the home currency; 0 if it would not.
 *
 * @param entries all entries of the account for prepaid money; a positive amount increases the liability
 * @param documentId QuickBooks id of the invoice
 */
export function prepaidShortfall(
  entries: readonly Pick<LedgerEntry, 'type' | 'id' | 'partyName' | 'amount'>[],
  documentId: string,
): Decimal {
  const isOwn = ({ type, id }: Pick<LedgerEntry, 'type' | 'id'>) => type === 'Invoice' && id === documentId;
  const own = entries.filter((entry) => isOwn(entry));
  if (!isPositive(sum(own.map(({ amount }) => amount)))) return zero;
  const others = entries.filter((entry) => !isOwn(entry) && entry.partyName === own[0]?.partyName);
  const left = sum(others.map(({ amount }) => amount));
  return isNegative(left) ? absolute(left) : zero;
}
