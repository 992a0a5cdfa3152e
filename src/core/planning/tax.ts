import type { InvoiceLine } from '../documents/invoice.ts';
import type { Address, Company } from '../documents/party.ts';
import type { AccountingLists, Customer, TaxCode } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import { isZero } from '../values/decimal.ts';
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
export interface LineTaxCodes {
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
