import { setSums, sumsByCurrency } from '../../lib/format.ts';
import type { PsaDocument } from './documents.ts';

/** The amount of a row; the currency is null until the server has said it. */
export type Summed = Pick<PsaDocument, 'total'> & { readonly currency: string | null };

/**
 * The sum of rows, each currency by itself: “$1,200.00 and CAD 1,620.00”. Empty where no row says an amount, and while
 * the currency of one is not known: a sum across currencies would be wrong.
 */
export function sumOfRows(rows: readonly Summed[]): string {
  const amounts = rows.flatMap(({ total, currency }) => (total === null ? [] : [{ amount: total, currency }]));
  return amounts.some(({ currency }) => currency === null) ? '' : setSums(sumsByCurrency(amounts));
}
