import type { AccountingLists, Customer, TaxCode } from '../documents/reference-data.ts';
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
  type Decimal,
} from '../values/decimal.ts';
import type { TaxRegime } from './tax.ts';

/** The values of a line that determine its tax: the amount, and `TAX`, `NON` or the id of a tax code. */
export interface TaxedLine {
  readonly amount: Decimal;
  readonly taxCode: string | null;
}

const hundredth = decimal('0.01');

/** Tax of one rate; the rate is null where only the sum of a code's rates is known. */
export interface TaxOfRate {
  readonly rateId: string | null;
  readonly amount: Decimal;
}

/**
 * Returns the tax by rate that QuickBooks will charge (quickbooks reference 6): each rate applies to the sum of its
 * lines, rounded to cents per rate. Signs are kept, so a credit memo has the tax of its negative invoice.
 *
 * @param documentCode tax code of the whole document, US without automated tax
 * @returns null if only QuickBooks knows the tax: automated sales tax, or a code with unknown rates
 */
export function forecastTaxes(
  lines: readonly TaxedLine[],
  regime: TaxRegime,
  documentCode: string | null,
  { preferences, taxCodes }: Pick<AccountingLists, 'preferences' | 'taxCodes'>,
): readonly TaxOfRate[] | null {
  if (regime === 'us_automated') return null;
  if (regime === 'us_manual' && !preferences.usesSalesTax) return [];
  const codes =
    regime === 'us_manual'
      ? [{ code: documentCode, lines: lines.filter(({ taxCode }) => taxCode === 'TAX') }]
      : [...Map.groupBy(lines, ({ taxCode }) => taxCode)].map(([code, of]) => ({ code, lines: of }));
  const taxes = codes.map(({ code, lines: of }): readonly TaxOfRate[] | null => {
    if (of.length === 0) return [];
    const rates = ratesOf(taxCodes.find(({ id }) => id === code));
    const net = sum(of.map(({ amount }) => amount));
    return (
      rates?.map(({ id, percent }) => ({ rateId: id, amount: round2(times(times(net, percent), hundredth)) })) ?? null
    );
  });
  const known = taxes.filter((tax) => tax !== null);
  return known.length === taxes.length ? known.flat() : null;
}

/** Returns the sum of {@link forecastTaxes}. */
export function forecastTax(...of: Parameters<typeof forecastTaxes>): Decimal | null {
  const taxes = forecastTaxes(...of);
  return taxes === null ? null : sum(taxes.map(({ amount }) => amount));
}

/** Codes stored by an earlier version have only the sum of their rates. */
function ratesOf(
  code: TaxCode | undefined,
): readonly { readonly id: string | null; readonly percent: Decimal }[] | null {
  if (code?.salesRates !== undefined) return code.salesRates;
  const { salesRate = null } = code ?? {};
  return salesRate === null ? null : [{ id: null, percent: salesRate }];
}

export interface TaxCheckFacts {
  /** Tax that the PSA billed, with the sign of the invoice. */
  readonly billed: Decimal;
  /** Tax from {@link forecastTax}; null: only QuickBooks knows. */
  readonly forecast: Decimal | null;
  readonly company: { readonly name: string; readonly isTaxExempt: boolean };
  /** The QuickBooks customer; null if it does not exist yet. */
  readonly customer: Pick<Customer, 'displayName' | 'isTaxable'> | null;
  readonly regime: TaxRegime;
  readonly settings: Pick<Settings, 'tax_hold_over'>;
  /** Largest tax difference from rounding: the PSA rounds per line, QuickBooks per document. */
  readonly rounding: Decimal;
  readonly psaLabel: string;
}

/**
 * Returns problems with the tax before anything is sent: the services disagree whether the client is taxable, or the
 * difference is above the tenant's limit.
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
