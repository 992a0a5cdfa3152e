import { formatSums, sumsByCurrency } from '../../data/format.ts';
import type { PsaDocument } from './documents.ts';

/** The amount of a row; the currency is null while it loads. */
export type Summed = Pick<PsaDocument, 'total'> & { readonly currency: string | null };

/**
 * Returns the sum of rows per currency: “$1,200.00 and CAD 1,620.00”. Empty if no row has an amount, or if a currency is
 * unknown.
 */
export function sumOfRows(rows: readonly Summed[]): string {
  const amounts = rows.flatMap(({ total, currency }) => (total === null ? [] : [{ amount: total, currency }]));
  return amounts.some(({ currency }) => currency === null) ? '' : formatSums(sumsByCurrency(amounts));
}
