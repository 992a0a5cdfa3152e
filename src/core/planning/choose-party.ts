import type { Address, Company } from '../documents/party.ts';
import type { Customer } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import { cleanName, normalized, presence } from '../values/text.ts';
import type { NewCustomer } from './plan.ts';
import type { BooksIndex, MappingIndex } from './reference-index.ts';

/** The customer of a document: one that exists, one to be made, or why there is none. */
export type CustomerChoice =
  | { readonly is: 'existing'; readonly customer: Customer; readonly by: 'mapping' | 'name' | 'company name' }
  | { readonly is: 'new'; readonly customer: NewCustomer }
  | { readonly is: 'refused'; readonly problem: Problem };

/** What a new customer gets besides what the company tells. */
export interface NewCustomerTerms {
  readonly termId: string | null;
  /** ISO 4217, only when multi-currency is active on both sides. */
  readonly currency: string | null;
}

/** Longest value that the books keep of each (quickbooks reference 5.0 and 5.7). */
const most = { resaleNumber: 16, email: 100, phone: 30 } as const;

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
  const mapping = mappings.Customer?.get(String(company.id));
  if (mapping !== undefined) {
    const customer = books.customersById.get(mapping.targetValue);
    return customer?.isActive === true
      ? { is: 'existing', customer, by: 'mapping' }
      : refused('CUSTOMER_INACTIVE', customer?.displayName ?? mapping.targetLabel ?? mapping.targetValue);
  }
  const displayName = displayNameOf(company);
  // A name with a colon can only exist in its cleaned form.
  const named = [company.name, displayName].flatMap((name) => books.customersByDisplayName.get(normalized(name)) ?? []);
  const byName = distinct(named.filter(({ isActive }) => isActive));
  if (byName.length > 1) return refused('CUSTOMER_AMBIGUOUS', company.name);
  if (byName[0] !== undefined) return { is: 'existing', customer: byName[0], by: 'name' };
  const byCompany = books.activeCustomersByCompanyName.get(normalized(company.name)) ?? [];
  if (byCompany.length > 1) return refused('CUSTOMER_AMBIGUOUS', company.name);
  if (byCompany[0] !== undefined) return { is: 'existing', customer: byCompany[0], by: 'company name' };
  // An inactive customer keeps its name: a second one of it would be refused.
  const inactive = named[0];
  if (inactive !== undefined) return refused('CUSTOMER_INACTIVE', inactive.displayName);
  return { is: 'new', customer: newCustomer(company, displayName, terms) };
}

const refused = (code: 'CUSTOMER_INACTIVE' | 'CUSTOMER_AMBIGUOUS', name: string): CustomerChoice => ({
  is: 'refused',
  problem: problem(code, { name }),
});

const distinct = (customers: readonly Customer[]): Customer[] => [
  ...new Map(customers.map((customer) => [customer.id, customer])).values(),
];

const displayNameOf = (company: Company): string => {
  const name = cleanName(company.name);
  return name === '' ? `Company ${company.id}` : name;
};

function newCustomer(company: Company, displayName: string, terms: NewCustomerTerms): NewCustomer {
  const address = presentAddress(company.address);
  return {
    companyId: company.id,
    displayName,
    companyName: company.name,
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

// A number or an address that is cut is wrong, so what does not fit is left out.
const within = (length: number, text: string | null): string | null => {
  const present = presence(text);
  return present !== null && present.length <= length ? present : null;
};

/** An e-mail address that the books can hold, or null. */
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
