import { isBooksEmail } from '../email.ts';
import type { Submitter } from '../documents/expense-report.ts';
import type { Address, Company } from '../documents/party.ts';
import type { Customer, Vendor } from '../documents/reference-data.ts';
import { nameToCreate, type Mapping, type PartyNamespace } from '../mapping/mapping.ts';
import { sideOf, type Owner } from '../mapping/owners.ts';
import { isSimilar, sharesContact, type NamedParty } from '../mapping/similar-names.ts';
import { problem, problemOfVendor, type Problem } from '../problems.ts';
import type { Source } from '../problems/entry.ts';
import type { PartyChoices } from '../problems/parties.ts';
import type { RepairCandidate } from '../problems/problem.ts';
import { cleanName, cut, maxNameLength, normalized, presence } from '../values/text.ts';
import type { NewCustomer, NewVendor, PartyMatch } from './plan.ts';
import type { BooksIndex, MappingIndex } from './reference-index.ts';

/** Way in which a customer or vendor was found. */
export type FoundBy = 'mapping' | 'name' | 'company name';

/** The customer of a document: one that exists, one to be made, or why there is none. */
export type CustomerChoice =
  | { readonly is: 'existing'; readonly customer: Customer; readonly by: FoundBy }
  | { readonly is: 'new'; readonly customer: NewCustomer }
  | { readonly is: 'refused'; readonly problem: Problem };

/** The vendor of a document: one that exists, one to be made, or why there is none. */
export type VendorChoice =
  | { readonly is: 'existing'; readonly vendor: Vendor; readonly by: FoundBy }
  | { readonly is: 'new'; readonly vendor: NewVendor }
  | { readonly is: 'refused'; readonly problem: Problem };

/** When a customer or vendor that is missing is created. */
export interface CreationRules {
  readonly mayCreate: boolean;
  /** Asks first when the books have one of a similar name; true when absent. */
  readonly asksSimilar?: boolean;
}

/** Terms of a new customer besides what the company tells. */
export interface NewCustomerTerms extends CreationRules {
  readonly termId: string | null;
  /** ISO 4217, only when multi-currency is active on both sides. */
  readonly currency: string | null;
}

/** Longest value that the books keep of each (quickbooks reference 5.0 and 5.7). */
const most = { companyName: 100, givenName: 100, familyName: 100, resaleNumber: 16, phone: 30 } as const;

/**
 * Chooses the customer of a company: its mapping, else the active customer of that display name, else the only active
 * one of that company name, else a new one (domain reference 5.5). Names are compared exactly but for case and space. A
 * customer that belongs to another company is never taken by name.
 */
export function chooseCustomer(
  company: Company,
  books: BooksIndex,
  mappings: MappingIndex,
  terms: NewCustomerTerms,
): CustomerChoice {
  const wanted: Wanted = {
    namespace: 'Customer',
    source: company,
    name: company.name,
    displayName: displayNameOf(company),
    distinctions: [presence(company.address.city) ?? presence(company.billingAddress.city), String(company.id)],
    email: company.email,
    phone: company.phone,
  };
  const found = findParty(wanted, mappings, books, {
    byId: books.customersById,
    byDisplayName: books.customersByDisplayName,
    activeByCompanyName: books.activeCustomersByCompanyName,
  });
  switch (found.is) {
    case 'found':
      return { is: 'existing', customer: found.party, by: found.by };
    case 'inactive':
      return {
        is: 'refused',
        problem: problem('CUSTOMER_INACTIVE', { name: found.name, company, replaces: found.id }),
      };
    case 'ambiguous':
      return {
        is: 'refused',
        problem: problem('CUSTOMER_AMBIGUOUS', { name: company.name, company, ...found.choices }),
      };
    case 'to_create':
      return { is: 'new', customer: newCustomer(company, found.name, terms) };
    default: {
      const similar = similarTo(wanted, mappings, books.customersById);
      if (!terms.mayCreate)
        return {
          is: 'refused',
          problem: problem('CUSTOMER_NOT_MAPPED', { name: company.name, company, candidates: candidatesOf(similar) }),
        };
      if (similar.length > 0 && terms.asksSimilar !== false)
        return {
          is: 'refused',
          problem: problem('CUSTOMER_SIMILAR', {
            name: company.name,
            company,
            candidates: candidatesOf(similar),
            createAs: wanted.displayName,
          }),
        };
      return { is: 'new', customer: newCustomer(company, wanted.displayName, terms) };
    }
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
  rules: CreationRules = { mayCreate: true },
): VendorChoice {
  const address = presentAddress(company.address);
  const wanted: Wanted = {
    namespace: 'Vendor',
    source: company,
    name: company.name,
    displayName: displayNameOf(company),
    distinctions: [presence(company.address.city) ?? presence(company.billingAddress.city), String(company.id)],
    email: company.email,
    phone: company.phone,
  };
  return vendorChoice(wanted, mappings, books, rules, (displayName) => ({
    companyId: company.id,
    displayName,
    companyName: within(most.companyName, company.name),
    givenName: null,
    familyName: null,
    address: address ?? presentAddress(company.billingAddress),
    phone: within(most.phone, company.phone),
    email: emailOf(company.email),
    currency,
  }));
}

/** First and last name of an employee, as far as they are known. */
export const employeeNameOf = ({ firstName, lastName }: Submitter): string =>
  [firstName, lastName].flatMap((part) => presence(part) ?? []).join(' ');

/**
 * Chooses the vendor of an employee: the employee's mapping, else the vendor called `v-Last, First`, else a new one of
 * that name. The prefix separates it from a customer or an employee of the same name (domain reference 5.5). Employees of
 * one name are told apart by their resource id.
 *
 * @returns null when the employee has no name to look for, and no mapping.
 */
export function chooseEmployeeVendor(
  employee: Submitter,
  employeeId: number,
  books: BooksIndex,
  mappings: MappingIndex,
  rules: CreationRules = { mayCreate: true },
): VendorChoice | null {
  const [givenName, familyName] = [presence(employee.firstName), presence(employee.lastName)];
  const own = [familyName, givenName].filter((part) => part !== null).join(', ');
  if (own === '' && mappings.Employee?.has(String(employeeId)) !== true) return null;
  const name = employeeNameOf(employee);
  const wanted: Wanted = {
    namespace: 'Employee',
    source: { id: employeeId, name: name === '' ? String(employeeId) : name },
    name: `v-${own}`,
    displayName: cleanName(`v-${own}`),
    distinctions: [String(employeeId)],
  };
  return vendorChoice(wanted, mappings, books, rules, (displayName) => ({
    companyId: null,
    employee: { id: employeeId, name },
    displayName,
    companyName: null,
    givenName: within(most.givenName, givenName),
    familyName: within(most.familyName, familyName),
    address: null,
    phone: null,
    email: null,
    currency: null,
  }));
}

function vendorChoice(
  wanted: Wanted,
  mappings: MappingIndex,
  books: BooksIndex,
  rules: CreationRules,
  make: (displayName: string) => NewVendor,
): VendorChoice {
  const { name } = wanted;
  const namespace = wanted.namespace === 'Employee' ? 'Employee' : 'Vendor';
  const of = { name, namespace, company: wanted.source } as const;
  const found = findParty(wanted, mappings, books, {
    byId: books.vendorsById,
    byDisplayName: books.vendorsByDisplayName,
    activeByCompanyName: books.activeVendorsByCompanyName,
  });
  switch (found.is) {
    case 'found':
      return { is: 'existing', vendor: found.party, by: found.by };
    case 'inactive':
      return { is: 'refused', problem: problem('VENDOR_INACTIVE', { ...of, name: found.name, replaces: found.id }) };
    case 'ambiguous':
      return { is: 'refused', problem: problemOfVendor({ code: 'CUSTOMER_AMBIGUOUS', ...of, ...found.choices }) };
    case 'to_create':
      return { is: 'new', vendor: make(found.name) };
    default: {
      const similar = similarTo(wanted, mappings, books.vendorsById);
      const candidates = candidatesOf(similar);
      if (!rules.mayCreate) return { is: 'refused', problem: problem('VENDOR_NOT_MAPPED', { ...of, candidates }) };
      if (similar.length > 0 && rules.asksSimilar !== false)
        return {
          is: 'refused',
          problem: problem('VENDOR_SIMILAR', { ...of, candidates, createAs: wanted.displayName }),
        };
      return { is: 'new', vendor: make(wanted.displayName) };
    }
  }
}

/** Parties of the books as candidates that a person may choose from. */
const candidatesOf = (parties: readonly Pick<Customer, 'id' | 'displayName'>[]): readonly RepairCandidate[] =>
  parties.map(({ id, displayName }) => ({ value: id, label: displayName }));

/** A company or employee of the PSA, and the name under which the books could have it. */
interface Wanted {
  readonly namespace: PartyNamespace;
  readonly source: Source;
  /** Name as the books could have it, and how it reads as a display name. */
  readonly name: string;
  readonly displayName: string;
  /** Suffixes that distinguish it from another one of its name, best first. */
  readonly distinctions: readonly (string | null)[];
  readonly email?: string | null;
  readonly phone?: string | null;
}

type Party = Customer | Vendor;

interface Parties<Of> {
  readonly byId: ReadonlyMap<string, Of>;
  /** Inactive ones included. */
  readonly byDisplayName: ReadonlyMap<string, readonly Of[]>;
  readonly activeByCompanyName: ReadonlyMap<string, readonly Of[]>;
}

type Found<Of> =
  | { readonly is: 'found'; readonly party: Of; readonly by: FoundBy }
  | { readonly is: 'inactive'; readonly name: string; readonly id: string }
  | { readonly is: 'ambiguous'; readonly choices: PartyChoices }
  /** A person has chosen to create one of this name. */
  | { readonly is: 'to_create'; readonly name: string }
  | { readonly is: 'none' };

/** Looks for a customer or a vendor (domain reference 5.5). */
function findParty<Of extends Party>(
  wanted: Wanted,
  mappings: MappingIndex,
  books: BooksIndex,
  parties: Parties<Of>,
): Found<Of> {
  const mapping: Mapping | undefined = mappings[wanted.namespace]?.get(String(wanted.source.id));
  const createdName = mapping === undefined ? null : nameToCreate(mapping.targetValue);
  if (mapping !== undefined && createdName === null) {
    const party = parties.byId.get(mapping.targetValue);
    return party?.isActive === true
      ? { is: 'found', party, by: 'mapping' }
      : {
          is: 'inactive',
          name: party?.displayName ?? mapping.targetLabel ?? mapping.targetValue,
          id: mapping.targetValue,
        };
  }
  const found = findByName(
    wanted,
    // A name with a colon can only exist in its cleaned form.
    createdName === null ? [wanted.name, wanted.displayName] : [createdName],
    createdName === null ? wanted.name : null,
    mappings,
    parties,
  );
  if (found.is === 'none') return createdName === null ? found : { is: 'to_create', name: createdName };
  return found.is === 'ambiguous'
    ? { is: 'ambiguous', choices: { ...found.choices, createAs: distinctName(wanted, mappings, books) } }
    : found;
}

/**
 * Looks for a customer or vendor by its names.
 *
 * @param displayNames names that it may have in the books.
 * @param companyName null: company names do not count.
 */
function findByName<Of extends Party>(
  wanted: Wanted,
  displayNames: readonly string[],
  companyName: string | null,
  mappings: MappingIndex,
  parties: Parties<Of>,
): Found<Of> {
  const named = displayNames.flatMap((one) => parties.byDisplayName.get(normalized(one)) ?? []);
  const byName = [...new Map(named.flatMap((party) => (party.isActive ? [[party.id, party] as const] : []))).values()];
  const byCompany = companyName === null ? [] : (parties.activeByCompanyName.get(normalized(companyName)) ?? []);
  const own = [...byName, ...byCompany].find(({ id }) => ownersOf(id, wanted, mappings).some(({ isOwn }) => isOwn));
  if (own !== undefined) return { is: 'found', party: own, by: byName.includes(own) ? 'name' : 'company name' };
  const [hits, by] = byName.length > 0 ? ([byName, 'name'] as const) : ([byCompany, 'company name'] as const);
  const [hit, ...others] = hits;
  const takenBy = (party: Of | undefined): Owner | undefined =>
    party === undefined ? undefined : ownersOf(party.id, wanted, mappings)[0]?.owner;
  if (hit !== undefined && others.length > 0) return { is: 'ambiguous', choices: { candidates: candidatesOf(hits) } };
  const owner = takenBy(hit);
  if (hit !== undefined)
    return owner === undefined
      ? { is: 'found', party: hit, by }
      : {
          is: 'ambiguous',
          choices: { candidates: candidatesOf([hit, ...byCompany.filter((one) => one !== hit)]), owner },
        };
  // An inactive one keeps its name: a second one of it would be refused.
  const [inactive] = named;
  const [claim] = (mappings.owners?.ofName(sideOf(wanted.namespace), displayNames.at(-1) ?? '') ?? []).filter(
    (one) => !isSelf(one, wanted),
  );
  const rival = claim ?? takenBy(inactive);
  if (rival !== undefined) return { is: 'ambiguous', choices: { candidates: [], owner: rival } };
  return inactive === undefined ? { is: 'none' } : { is: 'inactive', name: inactive.displayName, id: inactive.id };
}

const isSelf = (owner: Owner, { namespace, source }: Wanted): boolean =>
  owner.namespace === namespace && owner.id === String(source.id);

/** The companies and employees that a record belongs to. */
const ownersOf = (id: string, wanted: Wanted, { owners }: MappingIndex) =>
  (owners?.ofRecord(sideOf(wanted.namespace), id) ?? []).map((owner) => ({ owner, isOwn: isSelf(owner, wanted) }));

/** Active customers or vendors that may be the wanted one under a slightly different name. */
function similarTo<Of extends Party>(
  wanted: Wanted,
  mappings: MappingIndex,
  byId: ReadonlyMap<string, Of>,
): readonly Of[] {
  const { name, displayName, email = null, phone = null } = wanted;
  const own: NamedParty = { names: [name, displayName], email, phone };
  return [...byId.values()].filter((party) => {
    if (!party.isActive || !isSimilar(own, namedParty(party))) return false;
    // A record that another company is mapped to is only similar when both have one email address or phone.
    return ownersOf(party.id, wanted, mappings).length === 0 || sharesContact(own, namedParty(party));
  });
}

const named = new WeakMap<Party, NamedParty>();

/** The same object for the same party, because its name is prepared for comparison once. */
function namedParty(party: Party): NamedParty {
  const { displayName, companyName, email = null, phone = null } = party;
  const found = named.get(party) ?? { names: [displayName, companyName], email, phone };
  named.set(party, found);
  return found;
}

/** A name that no customer or vendor has: `Summit Group (Houston)`, else with the id in the PSA. */
function distinctName(wanted: Wanted, mappings: MappingIndex, books: BooksIndex): string {
  const isTaken = (name: string): boolean => {
    const owners = [mappings.owners?.ofName('Customer', name) ?? [], mappings.owners?.ofName('Vendor', name) ?? []];
    return (
      books.customersByDisplayName.has(normalized(name)) ||
      books.vendorsByDisplayName.has(normalized(name)) ||
      owners.flat().some((one) => !isSelf(one, wanted))
    );
  };
  const names = wanted.distinctions.flatMap((one) => (one === null ? [] : [withSuffix(wanted.displayName, one)]));
  return names.find((name) => !isTaken(name)) ?? names.at(-1) ?? wanted.displayName;
}

function withSuffix(name: string, distinction: string): string {
  const suffix = ` (${cut(cleanName(distinction), longestDistinction).trimEnd()})`;
  return `${cut(name, maxNameLength - suffix.length).trimEnd()}${suffix}`;
}

/** Characters of a city that go into a name, so that the name keeps most of its own. */
const longestDistinction = 40;

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

/** An email address that the books take, or null: a wrong one is no reason to refuse the document. */
export function emailOf(address: string | null): string | null {
  const present = presence(address);
  return present !== null && isBooksEmail(present) ? present : null;
}

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
