import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { InvoiceLine } from '../documents/invoice.ts';
import type { Address, Company } from '../documents/party.ts';
import type { AccountingLists, Customer, SalesRate, TaxCode } from '../documents/reference-data.ts';
import { untaxedSource } from '../mapping/mapping.ts';
import { problem, type Problem } from '../problems.ts';
import { defaultSettings, type Settings } from '../settings/definitions.ts';
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
  smaller,
  sum,
  times,
} from '../values/decimal.ts';
import type { CalendarDate } from '../values/dates.ts';
import { normalized, textOrNull } from '../values/text.ts';
import type { PsaMenus } from '../ports/psa.ts';
import { presentAddress } from './choose-party.ts';
import type { DecisionLog } from './decision.ts';
import { type AccountingIndex, indexAccounting, type MappingIndex, type PsaIndex } from './reference-index.ts';

/**
 * How QuickBooks taxes a sale (domain reference 6.7): from addresses, by the document's code, or by each line's code.
 */
export type TaxRegime = 'us_automated' | 'us_manual' | 'elsewhere';

export const taxRegimeOf = (accounting: AccountingLists): TaxRegime => {
  if (normalized(accounting.company.country) !== 'us') return 'elsewhere';
  return accounting.preferences.automatedSalesTax ? 'us_automated' : 'us_manual';
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

/**
 * Returns the percentage of a rate on a day: the latest one that had begun. Null if the rate had not begun, or had
 * ended without another one: then only QuickBooks knows what it charges.
 */
export function percentOn({ percent, periods = [] }: SalesRate, on: CalendarDate): Decimal | null {
  if (periods.length === 0) return percent;
  const current = periods.filter(({ from }) => from === null || from <= on).at(-1);
  if (current === undefined || (current.through !== null && on > current.through)) return null;
  return current.percent;
}

/** Returns the sum of a code's sales rates in percent on a day; null if unknown. */
function codePercentOn(code: TaxCode, on: CalendarDate): Decimal | null {
  const rates = ratesOn(code, on);
  return rates === null ? null : sum(rates.map(({ percent }) => percent));
}

/** Returns whether a code charges nothing on a day. A code without rates, such as a pseudo code, charges nothing. */
const isFree = (code: TaxCode, on: CalendarDate): boolean => {
  const percent = codePercentOn(code, on);
  return percent === null ? code.salesRate === null : isZero(percent);
};

/** What decides the tax codes of a document's lines. */
export interface LineTaxFacts {
  readonly regime: TaxRegime;
  /** Tax region of the document in the PSA; null: none. */
  readonly regionName: string | null;
  /** Date of the document in QuickBooks. */
  readonly on: CalendarDate;
  readonly accounting: AccountingLists;
  readonly mappings: MappingIndex;
}

/** Tax codes for the lines of one document, and problems with missing codes. */
interface LineTaxCodes {
  readonly taxable: string | null;
  readonly untaxed: string | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Names of zero-rate tax codes outside the US, best first. */
const untaxedNames = [/\bexempt\b/i, /\bzero\b/i, /\bout of scope\b/i, /\bno vat\b/i];

/** @param uses which of the two codes the lines need; a code that no line needs may be missing */
export function lineTaxCodes(
  facts: LineTaxFacts,
  uses: { readonly taxable: boolean; readonly untaxed: boolean },
): LineTaxCodes {
  if (facts.regime !== 'elsewhere') return { taxable: 'TAX', untaxed: 'NON', problems: [], warnings: [] };
  const region = textOrNull(facts.regionName);
  const index = indexAccounting(facts.accounting);
  const taxable = codeOfRegion(region, index, facts.mappings);
  const untaxed = uses.untaxed ? untaxedCode(region, facts) : { id: null, problems: [], warnings: [] };
  return {
    taxable,
    untaxed: untaxed.id,
    problems: [
      ...(uses.taxable && taxable === null
        ? [problem('TAX_CODE_REQUIRED', { of: 'taxed', region, ...inactiveCodeOf(region, index, facts.mappings) })]
        : []),
      ...untaxed.problems,
    ],
    warnings: untaxed.warnings,
  };
}

/** Returns the tax code of a line without tax, such as a rounding difference; reports a missing or guessed code. */
export function untaxedLineCode(facts: LineTaxFacts, log: DecisionLog): string | null {
  const codes = lineTaxCodes(facts, { taxable: false, untaxed: true });
  log.refuse(...codes.problems);
  log.warn(...codes.warnings);
  return codes.untaxed;
}

/** The code of lines without tax. */
interface UntaxedCode {
  readonly id: string | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Returns the code of lines without tax: the region's code, if it charges nothing, else the code mapped for all lines
 * without tax. Zero-rated, exempt and reverse charge are different boxes of the tax return, so a code that is only
 * guessed by its name has a warning, and a mapped code that is inactive is not replaced by a guess.
 */
function untaxedCode(region: string | null, { on, accounting, mappings }: LineTaxFacts): UntaxedCode {
  const free = accounting.taxCodes.filter((code) => isFree(code, on));
  const mappedTo = (source: string | null) => {
    const target = source === null ? undefined : mappings.TaxRegion?.get(source)?.targetValue;
    return free.find(({ id }) => id === target);
  };
  const mapped = mappedTo(region) ?? freeNamesake(region, free) ?? mappedTo(untaxedSource);
  if (mapped !== undefined)
    return mapped.isActive
      ? { id: mapped.id, problems: [], warnings: [] }
      : { id: null, problems: [untaxedRequired(mapped, free, on)], warnings: [] };
  const named = untaxedNames.flatMap((pattern) => free.filter(({ name }) => pattern.test(name)));
  const guessed = named.find(({ isActive }) => isActive);
  if (guessed === undefined) return { id: null, problems: [untaxedRequired(named[0], free, on)], warnings: [] };
  return { id: guessed.id, problems: [], warnings: [problem('TAX_CODE_GUESSED', { name: guessed.name, region })] };
}

/** Returns the active code that charges nothing and has the region's name. */
const freeNamesake = (region: string | null, free: readonly TaxCode[]): TaxCode | undefined =>
  region === null ? undefined : free.find(({ name, isActive }) => isActive && normalized(name) === normalized(region));

/**
 * Returns the problem that untaxed lines have no tax code. It names the inactive code, or an active 0 % code with
 * another name.
 */
function untaxedRequired(inactive: TaxCode | undefined, free: readonly TaxCode[], on: CalendarDate): Problem {
  if (inactive !== undefined)
    return problem('TAX_CODE_REQUIRED', { of: 'untaxed', unusable: { name: inactive.name, because: 'inactive' } });
  // Pseudo codes have no known rate and cannot be renamed.
  const other = free.find((code) => code.isActive && codePercentOn(code, on) !== null);
  return problem('TAX_CODE_REQUIRED', {
    of: 'untaxed',
    ...(other !== undefined && { unusable: { name: other.name, because: 'name' } }),
  });
}

/**
 * Returns the tax code of a region: its mapping, else the active code with its name. The PSA has no id for a region. A
 * mapping to a code that no longer exists is ignored; one to an inactive code must be changed by a user.
 */
export function codeOfRegion(regionName: string | null, index: AccountingIndex, mappings: MappingIndex): string | null {
  const region = textOrNull(regionName);
  if (region === null) return null;
  const mapped = mappings.TaxRegion?.get(region)?.targetValue;
  if (mapped === undefined || !isKnown(mapped, index)) return index.taxCodeIds.get(normalized(region)) ?? null;
  return index.activeTaxCodeIds.has(mapped) ? mapped : null;
}

const isKnown = (id: string, { activeTaxCodeIds, inactiveTaxCodes }: AccountingIndex): boolean =>
  activeTaxCodeIds.has(id) || inactiveTaxCodes.has(id);

/** Returns the name of a region's tax code if it is inactive: the mapped one, else the one with the region's name. */
function inactiveCodeOf(
  region: string | null,
  { inactiveTaxCodes: inactive }: AccountingIndex,
  mappings: MappingIndex,
): { readonly inactive?: string } {
  if (region === null) return {};
  const mapped = mappings.TaxRegion?.get(region)?.targetValue;
  const namesake = [...inactive.values()].find((name) => normalized(name) === normalized(region));
  const name = (mapped === undefined ? undefined : inactive.get(mapped)) ?? namesake;
  return name === undefined ? {} : { inactive: name };
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
  const region = textOrNull(regionName);
  return id === null
    ? {
        id: null,
        problems: [problem('TAX_REGION_NOT_MATCHED', { region, ...inactiveCodeOf(region, index, mappings) })],
      }
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
  /** Rounded to cents. */
  readonly amount: Decimal;
  /** Before rounding. */
  readonly exact: Decimal;
  readonly percent: Decimal;
  readonly lines: readonly TaxedLine[];
}

/** What the tax of a document depends on. */
interface TaxBasis {
  readonly lines: readonly TaxedLine[];
  readonly regime: TaxRegime;
  /** Tax code of the whole document, US without automated tax. */
  readonly documentCode: string | null;
  /** Date of the document in QuickBooks: the rates of this day apply. */
  readonly on: CalendarDate;
  readonly accounting: Pick<AccountingLists, 'preferences' | 'taxCodes'>;
}

/**
 * Returns the tax by rate that QuickBooks will charge (quickbooks reference 6): each rate applies to the sum of its
 * lines, rounded to cents per rate. Signs are kept, so a credit memo has the tax of its negative invoice.
 *
 * @returns null if only QuickBooks knows the tax: automated sales tax, or a code with unknown rates
 */
function forecastTaxes({ lines, regime, documentCode, on, accounting }: TaxBasis): readonly TaxOfRate[] | null {
  if (regime === 'us_automated') return null;
  if (regime === 'us_manual' && !accounting.preferences.usesSalesTax) return [];
  const codes =
    regime === 'us_manual'
      ? [{ code: documentCode, lines: lines.filter(({ taxCode }) => taxCode === 'TAX') }]
      : [...Map.groupBy(lines, ({ taxCode }) => taxCode)].map(([code, of]) => ({ code, lines: of }));
  const taxes = codes.map(({ code, lines: of }): readonly TaxOfRate[] | null => {
    if (of.length === 0) return [];
    const known = accounting.taxCodes.find(({ id }) => id === code);
    const rates = known === undefined ? null : ratesOn(known, on);
    const net = sum(of.map(({ amount }) => amount));
    return (
      rates?.map(({ id, percent }) => {
        const exact = taxAt(net, percent);
        return { rateId: id, amount: round2(exact), exact, percent, lines: of };
      }) ?? null
    );
  });
  const known = taxes.filter((tax) => tax !== null);
  return known.length === taxes.length ? known.flat() : null;
}

const taxAt = (amount: Decimal, percent: Decimal): Decimal => times(times(amount, percent), hundredth);

/** Returns the sum of {@link forecastTaxes}. */
export function forecastTax(basis: TaxBasis): Decimal | null {
  const taxes = forecastTaxes(basis);
  return taxes === null ? null : sum(taxes.map(({ amount }) => amount));
}

/** Returns the rates of a code on a day; null if one is unknown. Old lists have only the sum of the code's rates. */
function ratesOn(
  { salesRate, salesRates }: TaxCode,
  on: CalendarDate,
): readonly { readonly id: string | null; readonly percent: Decimal }[] | null {
  if (salesRates === undefined) return salesRate === null ? null : [{ id: null, percent: salesRate }];
  const known = salesRates.flatMap((rate) => {
    const percent = percentOn(rate, on);
    return percent === null ? [] : [{ id: rate.id, percent }];
  });
  return known.length === salesRates.length ? known : null;
}

/**
 * Returns the largest tax difference that rounding each line, instead of the whole document, can cause: what each line
 * gains or loses by it, for each rate. Half a cent per taxed line if only QuickBooks knows the rates.
 *
 * @param basis lines as the PSA taxes them, so before grouping
 */
export function taxRounding(basis: TaxBasis, taxedLines: number): Decimal {
  const taxes = forecastTaxes(basis);
  if (taxes === null) return times(decimal('0.005'), decimal(taxedLines));
  const lost = (exact: Decimal) => absolute(minus(exact, round2(exact)));
  return round2(
    sum(
      taxes.flatMap(({ exact, percent, lines }) =>
        [exact, ...lines.map(({ amount }) => taxAt(amount, percent))].map(lost),
      ),
    ),
  );
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
  readonly psaMenus: PsaMenus;
}

/**
 * Returns problems with the tax before anything is sent: the services disagree whether the client is taxable, or the
 * difference is above the tenant's limit.
 */
export function checkTax(facts: TaxCheckFacts): readonly Problem[] {
  const { billed, forecast, company, customer, settings, psaLabel: psa, psaMenus: menus } = facts;
  const of = { psa, menus, company: company.name, tax: format(billed) };
  if (!isZero(billed) && company.isTaxExempt) return [problem('TAX_EXEMPT_CONFLICT', { ...of, exemptIn: psa })];
  if (!isZero(billed) && customer?.isTaxable === false)
    return [problem('TAX_EXEMPT_CONFLICT', { ...of, exemptIn: 'QuickBooks' })];
  if (forecast === null) return [];
  const difference = minus(forecast, billed);
  const isOver = (limit: Decimal) => compare(absolute(difference), limit) > 0;
  return isOver(settings.tax_hold_over) && isOver(roundingWithin(facts.rounding, settings))
    ? [
        problem('TAX_WOULD_DIFFER', {
          psa,
          menus,
          accounting: format(forecast),
          ours: format(billed),
          difference: signed(difference),
          ...(!isOver(facts.rounding) && { isRounding: true }),
        }),
      ]
    : [];
}

/**
 * Returns the tax difference that is accepted as rounding: at most the tenant's limit, if the tenant chose one. The
 * default limit is for differences that rounding does not explain.
 */
export const roundingWithin = (rounding: Decimal, { tax_hold_over: limit }: Pick<Settings, 'tax_hold_over'>): Decimal =>
  equals(limit, defaultSettings.tax_hold_over) ? rounding : smaller(rounding, limit);

/** Tax difference that needs no warning. */
export const taxTolerance = decimal('0.01');

/**
 * Returns the problem that a credit memo would not reverse the invoice's tax, in total or of each agency, because a
 * rate has changed since. QuickBooks computes the tax itself, so nothing is posted. Null if the tax is the same, or only
 * QuickBooks knows it.
 *
 * @param on date of the credit memo, whose rates QuickBooks uses
 */
export function taxOfCreditDiffers(
  accounting: AccountingLists,
  number: string,
  of: AccountingDocument,
  on: CalendarDate,
): Problem | null {
  const { lines, taxCodeId = null } = of;
  const computed = forecastTaxes({ lines, regime: taxRegimeOf(accounting), documentCode: taxCodeId, on, accounting });
  if (computed === null) return null;
  const total = sum(computed.map(({ amount }) => amount));
  const rates = new Map(
    accounting.taxCodes.flatMap(({ salesRates = [] }) => salesRates.map((rate) => [rate.id, rate])),
  );
  const agencies = isOver(total, of.tax) ? '' : differentAgencies(computed, of, rates);
  if (!isOver(total, of.tax) && agencies === '') return null;
  return problem('CREDIT_TAX_WOULD_DIFFER', {
    number,
    accounting: format(total),
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
  credited: readonly Pick<TaxOfRate, 'rateId' | 'amount'>[],
  invoice: Pick<AccountingDocument, 'tax' | 'taxes'>,
  rates: ReadonlyMap<string, SalesRate>,
): string {
  const { tax, taxes = [] } = invoice;
  // Without rates, or with an amount that belongs to no rate, agencies cannot be distinguished.
  if (!equals(sum(taxes.map(({ amount }) => amount)), tax) || credited.some(({ rateId }) => rateId === null)) return '';
  const agencyOf = ({ rateId }: Pick<TaxOfRate, 'rateId'>) => rates.get(rateId ?? '')?.agencyId ?? `rate ${rateId}`;
  const [ours, theirs] = [Map.groupBy(taxes, agencyOf), Map.groupBy(credited, agencyOf)];
  const amountOf = (of: readonly Pick<TaxOfRate, 'amount'>[] | undefined) =>
    sum((of ?? []).map(({ amount }) => amount));
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
