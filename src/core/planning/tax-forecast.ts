import type { BooksReferenceData, Customer, TaxCode } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import {
  absolute,
  compare,
  decimal,
  format,
  isZero,
  minus,
  round2,
  signed,
  sum,
  times,
  zero,
  type Decimal,
} from '../values/decimal.ts';
import type { TaxRegime } from './tax.ts';

/** A line as tax sees it: its amount, and `TAX`, `NON` or the id of a tax code. */
export interface TaxedLine {
  readonly amount: Decimal;
  readonly taxCode: string | null;
}

const hundredth = decimal('0.01');

/**
 * The tax that QuickBooks will charge (quickbooks reference 6): each rate on the sum of its lines, rounded to cents per
 * rate. Signs are kept, so a credit memo is told as the negative invoice that it stands for.
 *
 * @param documentCode tax code of the whole document, US without automated tax
 * @returns null where only QuickBooks knows: automated sales tax, or a code whose rates are not known
 */
export function forecastTax(
  lines: readonly TaxedLine[],
  regime: TaxRegime,
  documentCode: string | null,
  { preferences, taxCodes }: Pick<BooksReferenceData, 'preferences' | 'taxCodes'>,
): Decimal | null {
  if (regime === 'us_automated') return null;
  if (regime === 'us_manual' && !preferences.usesSalesTax) return zero;
  const codes =
    regime === 'us_manual'
      ? [{ code: documentCode, lines: lines.filter(({ taxCode }) => taxCode === 'TAX') }]
      : [...Map.groupBy(lines, ({ taxCode }) => taxCode)].map(([code, of]) => ({ code, lines: of }));
  const taxes = codes.map(({ code, lines: of }) => {
    if (of.length === 0) return zero;
    const rates = ratesOf(taxCodes.find(({ id }) => id === code));
    const net = sum(of.map(({ amount }) => amount));
    return rates === null ? null : sum(rates.map((rate) => round2(times(times(net, rate), hundredth))));
  });
  const known = taxes.filter((tax) => tax !== null);
  return known.length === taxes.length ? sum(known) : null;
}

/** Codes that were kept by an earlier version know their sum only. */
const ratesOf = (code: TaxCode | undefined): readonly Decimal[] | null =>
  code?.rates ?? (code?.salesRate === null || code?.salesRate === undefined ? null : [code.salesRate]);

export interface TaxCheckFacts {
  /** Tax as the PSA billed it, in the sign of the invoice. */
  readonly billed: Decimal;
  /** Tax from {@link forecastTax}; null: only QuickBooks knows. */
  readonly forecast: Decimal | null;
  readonly company: { readonly name: string; readonly isTaxExempt: boolean };
  /** The customer of the books; null while it is still to be made. */
  readonly customer: Pick<Customer, 'displayName' | 'isTaxable'> | null;
  readonly regime: TaxRegime;
  readonly settings: Pick<Settings, 'tax_hold_over'>;
  /** Difference up to which the PSA rounds the tax of each line and QuickBooks that of the document. */
  readonly rounding: Decimal;
  readonly psaLabel: string;
}

/**
 * Problems with the tax before anything is sent: two masters who disagree whether the client is taxed at all, or a
 * difference above the limit of the tenant.
 */
export function checkTax(facts: TaxCheckFacts): readonly Problem[] {
  const { billed, forecast, company, customer, settings, psaLabel: psa } = facts;
  const of = { psa, company: company.name, tax: format(billed) };
  if (!isZero(billed) && company.isTaxExempt) return [problem('TAX_EXEMPT_CONFLICT', { ...of, exemptIn: psa })];
  if (!isZero(billed) && customer?.isTaxable === false)
    return [problem('TAX_EXEMPT_CONFLICT', { ...of, exemptIn: 'QuickBooks' })];
  if (forecast === null) return [];
  const difference = minus(forecast, billed);
  const isOver = (limit: Decimal) => compare(absolute(difference), limit) > 0;
  return isOver(settings.tax_hold_over) && isOver(facts.rounding)
    ? [
        problem('TAX_WOULD_DIFFER', {
          psa,
          books: format(forecast),
          ours: format(billed),
          difference: signed(difference),
        }),
      ]
    : [];
}
