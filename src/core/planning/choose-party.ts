import type { Submitter } from '../documents/expense-report.ts';
import type { Address, Company } from '../documents/party.ts';
import type { Customer, Vendor } from '../documents/reference-data.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { problem, problemOfVendor, type Problem } from '../problems.ts';
import type { RepairCandidate } from '../problems/problem.ts';
import { cleanName, normalized, presence } from '../values/text.ts';
import type { NewCustomer, NewVendor, PartyMatch } from './plan.ts';
import type { BooksIndex, MappingIndex } from './reference-index.ts';

/** The customer of a document: one that exists, one to be made, or why there is none. */
export type CustomerChoice =
  | { readonly is: 'existing'; readonly customer: Customer; readonly by: 'mapping' | 'name' | 'company name' }
  | { readonly is: 'new'; readonly customer: NewCustomer }
  | { readonly is: 'refused'; readonly problem: Problem };

/** The vendor of a document: one that exists, one to be made, or why there is none. */
export type VendorChoice =
  | { readonly is: 'existing'; readonly vendor: Vendor; readonly by: 'mapping' | 'name' | 'company name' }
  | { readonly is: 'new'; readonly vendor: NewVendor }
  | { readonly is: 'refused'; readonly problem: Problem };

/** Terms of a new customer besides what the company tells. */
export interface NewCustomerTerms {
  readonly termId: string | null;
  /** ISO 4217, only when multi-currency is active on both sides. */
  readonly currency: string | null;
  /** Customers that are missing may be made. */
  readonly mayCreate: boolean;
}

/** Longest value that the books keep of each (quickbooks reference 5.0 and 5.7). */
const most = { companyName: 100, givenName: 100, familyName: 100, resaleNumber: 16, email: 100, phone: 30 } as const;

/**
 * Chooses the customer of a company: its mapping, else the active customer of that display name, else the only active
 * one of that company name, else a new one (domain reference 5.5). Names are compared exactly but for case and space.
 */
export function chooseCustomer(
  company: Company,
  books: BooksIndex,
  mappings: MappingIndex,
  terms: NewCustomerTerms,
): CustomerChoice {
  const displayName = displayNameOf(company);
  const found = findParty({ name: company.name, displayName }, mappings.Customer?.get(String(company.id)), {
    byId: books.customersById,
    byDisplayName: books.customersByDisplayName,
    activeByCompanyName: books.activeCustomersByCompanyName,
  });
  switch (found.is) {
    case 'found':
      return { is: 'existing', customer: found.party, by: found.by };
    case 'inactive':
      return { is: 'refused', problem: problem('CUSTOMER_INACTIVE', { name: found.name, company }) };
    case 'several':
      return {
        is: 'refused',
        problem: problem('CUSTOMER_AMBIGUOUS', {
          name: company.name,
          company,
          candidates: candidatesOf(found.parties),
        }),
      };
    default:
      return terms.mayCreate
        ? { is: 'new', customer: newCustomer(company, displayName, terms) }
        : { is: 'refused', problem: problem('CUSTOMER_NOT_MAPPED', { name: company.name, company }) };
  }
}

/** Match of a company and the customer that was chosen for it. */
export const customerMatch = (company: Company, customer: Customer): PartyMatch => ({
  as: 'Customer',
  companyId: company.id,
  companyName: company.name,
  targetId: customer.id,
  targetName: customer.displayName,
});

/**
 * Chooses the vendor of a purchase order by the same rules: the company's mapping, else by its names, else a new one.
 *
 * @param currency ISO code of a new vendor, only when multi-currency is active on both sides.
 */
export function chooseVendor(
  company: Company,
  books: BooksIndex,
  mappings: MappingIndex,
  currency: string | null,
  mayCreate = true,
): VendorChoice {
  const displayName = displayNameOf(company);
  const address = presentAddress(company.address);
  const mapping = mappings.Vendor?.get(String(company.id));
  return vendorChoice({ name: company.name, displayName }, mapping, books, mayCreate, {
    companyId: company.id,
    displayName,
    companyName: within(most.companyName, company.name),
    givenName: null,
    familyName: null,
    address: address ?? presentAddress(company.billingAddress),
    phone: within(most.phone, company.phone),
    email: emailOf(company.email),
    currency,
  });
}

/**
 * Chooses the vendor that stands for an employee: the one called `v-Last, First`, else a new one of that name. The
 * prefix keeps it apart from a customer or an employee of the same name (domain reference 5.5).
 *
 * @returns null when the employee has no name to look for.
 */
export function chooseEmployeeVendor(employee: Submitter, books: BooksIndex, mayCreate = true): VendorChoice | null {
  const [givenName, familyName] = [presence(employee.firstName), presence(employee.lastName)];
  const own = [familyName, givenName].filter((part) => part !== null).join(', ');
  if (own === '') return null;
  const displayName = cleanName(`v-${own}`);
  return vendorChoice({ name: `v-${own}`, displayName }, undefined, books, mayCreate, {
    companyId: null,
    displayName,
    companyName: null,
    givenName: within(most.givenName, givenName),
    familyName: within(most.familyName, familyName),
    address: null,
    phone: null,
    email: null,
    currency: null,
  });
}

function vendorChoice(
  named: PartyName,
  mapping: Mapping | undefined,
  books: BooksIndex,
  mayCreate: boolean,
  vendor: NewVendor,
): VendorChoice {
  const company = vendor.companyId === null ? null : { id: vendor.companyId, name: named.name };
  const found = findParty(named, mapping, {
    byId: books.vendorsById,
    byDisplayName: books.vendorsByDisplayName,
    activeByCompanyName: books.activeVendorsByCompanyName,
  });
  switch (found.is) {
    case 'found':
      return { is: 'existing', vendor: found.party, by: found.by };
    case 'inactive':
      return { is: 'refused', problem: problem('VENDOR_INACTIVE', { name: found.name, ...(company && { company }) }) };
    case 'several': {
      const message = `Several QuickBooks vendors are called "${named.name}".`;
      return {
        is: 'refused',
        problem: problemOfVendor('CUSTOMER_AMBIGUOUS', message, company, candidatesOf(found.parties)),
      };
    }
    default:
      return mayCreate
        ? { is: 'new', vendor }
        : { is: 'refused', problem: problem('VENDOR_NOT_MAPPED', { name: named.name, ...(company && { company }) }) };
  }
}

/** Parties of the books as candidates that a person may choose from. */
const candidatesOf = (parties: readonly Pick<Customer, 'id' | 'displayName'>[]): readonly RepairCandidate[] =>
  parties.map(({ id, displayName }) => ({ value: id, label: displayName }));

/** A party as the PSA names it, and the name under which the books could have it. */
interface PartyName {
  readonly name: string;
  readonly displayName: string;
}

interface Parties<Party> {
  readonly byId: ReadonlyMap<string, Party>;
  /** Inactive ones included. */
  readonly byDisplayName: ReadonlyMap<string, readonly Party[]>;
  readonly activeByCompanyName: ReadonlyMap<string, readonly Party[]>;
}

type Found<Party> =
  | { readonly is: 'found'; readonly party: Party; readonly by: 'mapping' | 'name' | 'company name' }
  | { readonly is: 'inactive'; readonly name: string }
  | { readonly is: 'several'; readonly parties: readonly Party[] }
  | { readonly is: 'none' };

/** Looks for a customer or a vendor (domain reference 5.5). */
function findParty<Party extends Pick<Customer & Vendor, 'id' | 'displayName' | 'isActive'>>(
  { name, displayName }: PartyName,
  mapping: Mapping | undefined,
  parties: Parties<Party>,
): Found<Party> {
  if (mapping !== undefined) {
    const party = parties.byId.get(mapping.targetValue);
    return party?.isActive === true
      ? { is: 'found', party, by: 'mapping' }
      : { is: 'inactive', name: party?.displayName ?? mapping.targetLabel ?? mapping.targetValue };
  }
  // A name with a colon can only exist in its cleaned form.
  const named = [name, displayName].flatMap((one) => parties.byDisplayName.get(normalized(one)) ?? []);
  const active = named.filter(({ isActive }) => isActive);
  const [byName, ...others] = [...new Map(active.map((party) => [party.id, party])).values()];
  if (byName !== undefined && others.length > 0) return { is: 'several', parties: [byName, ...others] };
  if (byName !== undefined) return { is: 'found', party: byName, by: 'name' };
  const [byCompany, ...more] = parties.activeByCompanyName.get(normalized(name)) ?? [];
  if (byCompany !== undefined && more.length > 0) return { is: 'several', parties: [byCompany, ...more] };
  if (byCompany !== undefined) return { is: 'found', party: byCompany, by: 'company name' };
  // An inactive one keeps its name: a second one of it would be refused.
  const [inactive] = named;
  return inactive === undefined ? { is: 'none' } : { is: 'inactive', name: inactive.displayName };
}

const displayNameOf = (company: Company): string => {
  const name = cleanName(company.name);
  return name === '' ? `Company ${company.id}` : name;
};

function newCustomer(company: Company, displayName: string, terms: NewCustomerTerms): NewCustomer {
  const address = presentAddress(company.address);
  return {
    companyId: company.id,
    displayName,
    companyName: within(most.companyName, company.name),
    billingAddress: presentAddress(company.billingAddress) ?? address,
    shippingAddress: address,
    phone: within(most.phone, company.phone),
    email: emailOf(company.email),
    isTaxable: !company.isTaxExempt,
    resaleNumber: within(most.resaleNumber, company.taxId),
    termId: terms.termId,
    currency: terms.currency,
  };
}

// A value that is cut is wrong, so what does not fit is left out; a name is told by the display name.
const within = (length: number, text: string | null): string | null => {
  const present = presence(text);
  return present !== null && present.length <= length ? present : null;
};

/** An email address that the books can hold, or null. */
export const emailOf = (address: string | null): string | null => within(most.email, address);

/** The address, or null when all its parts are absent. */
export function presentAddress(address: Address | null): Address | null {
  const parts = address === null ? [] : [address.line1, address.line2, address.city, address.state, address.postalCode];
  return parts.every((part) => presence(part) === null) ? null : address;
}

/** True when both say the same place; the country counts only where both name one. */
export function isSameAddress(a: Address, b: Address): boolean {
  const parts = ['line1', 'line2', 'city', 'state', 'postalCode'] as const;
  const same = (x: string | null, y: string | null) => normalized(x ?? '') === normalized(y ?? '');
  const countries = [presence(a.country), presence(b.country)];
  return parts.every((part) => same(a[part], b[part])) && (countries.includes(null) || same(a.country, b.country));
}
