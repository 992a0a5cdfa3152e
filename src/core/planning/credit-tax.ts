import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { AccountingLists, SalesRate } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import { absolute, compare, decimal, equals, format, minus, signed, sum, type Decimal } from '../values/decimal.ts';
import { forecastTaxes, type TaxOfRate } from './tax-forecast.ts';
import { taxRegimeOf } from './tax.ts';

/** Tax difference that needs no warning. */
export const taxTolerance = decimal('0.01');

/**
 * Returns the problem that a credit memo dated today would not reverse the invoice's tax, in total or of each agency,
 * because a rate has changed. QuickBooks computes the tax itself, so nothing is posted. Null if the tax is the same, or
 * only QuickBooks knows it.
 */
export function taxOfCreditDiffers(books: AccountingLists, number: string, of: AccountingDocument): Problem | null {
  const computed = forecastTaxes(of.lines, taxRegimeOf(books), of.taxCodeId ?? null, books);
  if (computed === null) return null;
  const total = sum(computed.map(({ amount }) => amount));
  const rates = new Map(books.taxCodes.flatMap(({ salesRates = [] }) => salesRates.map((rate) => [rate.id, rate])));
  const agencies = isOver(total, of.tax) ? '' : differentAgencies(computed, of, rates);
  if (!isOver(total, of.tax) && agencies === '') return null;
  return problem('CREDIT_TAX_WOULD_DIFFER', {
    number,
    books: format(total),
    ours: format(of.tax),
    difference: signed(minus(total, of.tax)),
    agencies,
  });
}

/**
 * Returns the agencies for which the tax of a credit memo differs from that of its invoice, by the names of their
 * rates: `“Travis County”: 10.00, not 8.00`. Empty if none does, or either side does not tell its rates.
 *
 * @param rates known rates; a rate without an agency stands for itself
 */
export function differentAgencies(
  credited: readonly TaxOfRate[],
  invoice: Pick<AccountingDocument, 'tax' | 'taxes'>,
  rates: ReadonlyMap<string, SalesRate>,
): string {
  const { tax, taxes = [] } = invoice;
  // Without rates, or with an amount that belongs to no rate, agencies cannot be distinguished.
  if (!equals(sum(taxes.map(({ amount }) => amount)), tax) || credited.some(({ rateId }) => rateId === null)) return '';
  const agencyOf = ({ rateId }: TaxOfRate) => rates.get(rateId ?? '')?.agencyId ?? `rate ${rateId}`;
  const [ours, theirs] = [Map.groupBy(taxes, agencyOf), Map.groupBy(credited, agencyOf)];
  const amountOf = (of: readonly TaxOfRate[] | undefined) => sum((of ?? []).map(({ amount }) => amount));
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .flatMap((agency) => {
      const [has, credits] = [amountOf(ours.get(agency)), amountOf(theirs.get(agency))];
      if (!isOver(credits, has)) return [];
      const ids = new Set(
        [...(ours.get(agency) ?? []), ...(theirs.get(agency) ?? [])].map(({ rateId }) => rateId ?? ''),
      );
      const names = [...ids].map((id) => rates.get(id)?.name ?? `rate ${id}`);
      return [`“${names.join(', ')}”: ${format(credits)}, not ${format(has)}`];
    })
    .join('; ');
}

const isOver = (one: Decimal, other: Decimal): boolean => compare(absolute(minus(one, other)), taxTolerance) > 0;
