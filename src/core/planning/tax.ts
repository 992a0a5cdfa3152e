import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { InvoiceLine } from '../documents/invoice.ts';
import type { Address, Company } from '../documents/party.ts';
import type { AccountingLists, Customer, SalesRate, TaxCode } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import {
  absolute,
  compare,
  decimal,
  type Decimal,
  equals,
  format,
  isZero,
  minus,
  round2,
  signed,
  sum,
  times,
} from '../values/decimal.ts';
import { normalized, textOrNull } from '../values/text.ts';
import { presentAddress } from './choose-party.ts';
import type { AccountingIndex, MappingIndex, PsaIndex } from './reference-index.ts';

/**
 * How QuickBooks taxes a sale (domain reference 6.7): from addresses, by the document's code, or by each line's code.
 */
export type TaxRegime = 'us_automated' | 'us_manual' | 'elsewhere';

export const taxRegimeOf = (books: AccountingLists): TaxRegime => {
  if (normalized(books.company.country) !== 'us') return 'elsewhere';
  return books.preferences.automatedSalesTax ? 'us_automated' : 'us_manual';
};

export const taxRegimeNames: Readonly<Record<TaxRegime, string>> = {
  us_automated: 'QuickBooks from the address',
  us_manual: 'QuickBooks tax code by region',
  elsewhere: 'QuickBooks tax code per line',
};

/**
 * Returns whether the line's tax category is taxable anywhere. The line's own category wins over its billing code's.
 */
export function isCategoryTaxable(line: InvoiceLine, psa: PsaIndex): boolean {
  const code = line.billingCodeId === null ? undefined : psa.billingCodes.get(line.billingCodeId);
  const category = line.taxCategoryId ?? code?.taxCategoryId ?? null;
  return category !== null && psa.taxableCategoryIds.has(category);
}

/** Returns whether tax may be due on a line. With automated tax, this includes lines that the PSA did not tax. */
export function isLineTaxable(
  line: InvoiceLine,
  company: Pick<Company, 'isTaxExempt'>,
  regime: TaxRegime,
  psa: PsaIndex,
): boolean {
  if (company.isTaxExempt) return false;
  return !isZero(line.tax) || (regime === 'us_automated' && isCategoryTaxable(line, psa));
}

/** Tax codes for the lines of one document, and problems with missing codes. */
interface LineTaxCodes {
  readonly taxable: string | null;
  readonly untaxed: string | null;
  readonly problems: readonly Problem[];
}

/** Names of zero-rate tax codes outside the US, best first. */
const untaxedNames = [/\bexempt\b/i, /\bzero\b/i, /\bout of scope\b/i, /\bno vat\b/i];

/** @param uses which of the two codes the lines need; a code that no line needs may be missing */
export function lineTaxCodes(
  regime: TaxRegime,
  regionName: string | null,
  uses: { readonly taxable: boolean; readonly untaxed: boolean },
  books: AccountingLists,
  index: AccountingIndex,
  mappings: MappingIndex,
): LineTaxCodes {
  if (regime !== 'elsewhere') return { taxable: 'TAX', untaxed: 'NON', problems: [] };
  const region = textOrNull(regionName);
  const taxable = codeOfRegion(region, index, mappings);
  const free = books.taxCodes.filter(({ salesRate }) => salesRate === null || isZero(salesRate));
  const named = untaxedNames.flatMap((pattern) => free.filter(({ name }) => pattern.test(name)));
  const untaxed = named.find(({ isActive }) => isActive)?.id ?? null;
  const problems = [
    ...(uses.taxable && taxable === null ? [problem('TAX_CODE_REQUIRED', { of: 'taxed', region })] : []),
    ...(uses.untaxed && untaxed === null ? [untaxedRequired(named[0], free)] : []),
  ];
  return { taxable, untaxed, problems };
}

/**
 * Returns the problem that untaxed lines have no tax code. It names the inactive code, or an active 0 % code with
 * another name.
 */
function untaxedRequired(inactive: TaxCode | undefined, free: readonly TaxCode[]): Problem {
  if (inactive !== undefined)
    return problem('TAX_CODE_REQUIRED', { of: 'untaxed', unusable: { name: inactive.name, because: 'inactive' } });
  // Pseudo codes have no known rate and cannot be renamed.
  const other = free.find(({ isActive, salesRate }) => isActive && salesRate !== null);
  return problem('TAX_CODE_REQUIRED', {
    of: 'untaxed',
    ...(other !== undefined && { unusable: { name: other.name, because: 'name' } }),
  });
}

/**
 * Returns the tax code of a region: its mapping, else the active code with its name. The PSA has no id for a region. A
 * mapping to a code that no longer exists is ignored.
 */
export function codeOfRegion(regionName: string | null, index: AccountingIndex, mappings: MappingIndex): string | null {
  const region = textOrNull(regionName);
  if (region === null) return null;
  const mapped = mappings.TaxRegion?.get(region)?.targetValue;
  if (mapped !== undefined && index.activeTaxCodeIds.has(mapped)) return mapped;
  return index.taxCodeIds.get(normalized(region)) ?? null;
}

/**
 * Returns the tax code of a whole document, US without automated tax. Without a code, QuickBooks could charge the tax
 * of another region.
 */
export function documentTaxCode(
  regime: TaxRegime,
  regionName: string | null,
  hasTaxableLine: boolean,
  index: AccountingIndex,
  mappings: MappingIndex,
): { readonly id: string | null; readonly problems: readonly Problem[] } {
  if (regime !== 'us_manual' || !hasTaxableLine) return { id: null, problems: [] };
  const id = codeOfRegion(regionName, index, mappings);
  return id === null
    ? { id: null, problems: [problem('TAX_REGION_NOT_MATCHED', { region: textOrNull(regionName) })] }
    : { id, problems: [] };
}

/**
 * Returns the address that automated tax is computed from. Without one, QuickBooks uses the MSP's own address, which is
 * wrong for remote clients. So an incomplete address is refused if any line may be taxed.
 */
export function taxAddress(
  regime: TaxRegime,
  option: Settings['inv_ast_shipping_address'],
  hasTaxableLine: boolean,
  company: Company,
  customer: Customer | null,
  psaLabel: string,
): { readonly address: Address | null; readonly problems: readonly Problem[] } {
  if (regime !== 'us_automated') return { address: null, problems: [] };
  if (option === 'qbo_customer' && presentAddress(customer?.shippingAddress ?? null) !== null)
    return { address: null, problems: [] };
  const address = option === 'psa_bill_to' ? company.billingAddress : company.address;
  if (textOrNull(address.postalCode) !== null && textOrNull(address.state) !== null) return { address, problems: [] };
  if (!hasTaxableLine) return { address: null, problems: [] };
  return {
    address: null,
    problems: [problem('TAX_ADDRESS_INCOMPLETE', { psa: psaLabel, company: company.name })],
  };
}

/** The values of a line that determine its tax: the amount, and `TAX`, `NON` or the id of a tax code. */
interface TaxedLine {
  readonly amount: Decimal;
  readonly taxCode: string | null;
}

const hundredth = decimal('0.01');

/** Tax of one rate; the rate is null where only the sum of a code's rates is known. */
interface TaxOfRate {
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
function forecastTaxes(
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

interface TaxCheckFacts {
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
 * @param rates known rates; a rate without an agency counts as its own agency
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
