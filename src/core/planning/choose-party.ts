import { repairEmail } from '../email.ts';
import type { Submitter } from '../documents/expense-report.ts';
import type { Address, Company } from '../documents/party.ts';
import type { Customer, Vendor } from '../documents/reference-data.ts';
import { createAs, type Mapping, nameToCreate, type Owner, type PartyNamespace, sideOf } from '../mapping/mapping.ts';
import { isSimilar, sharesContact, type NamedParty } from '../mapping/similar-names.ts';
import { problem, problemOfVendor, type Problem } from '../problems.ts';
import type { Source } from '../problems/entry.ts';
import type { PartyChoices } from '../problems/parties.ts';
import type { RepairCandidate } from '../problems/problem.ts';
import { cleanName, truncate, maxNameLength, normalized, textOrNull } from '../values/text.ts';
import type { NewCustomer, NewVendor, PartyMatch } from './plan.ts';
import type { AccountingIndex, MappingIndex } from './reference-index.ts';
import { oncePer } from '../values/once-per.ts';

/** How a customer or vendor was found. */
export type FoundBy = 'mapping' | 'name' | 'company name';

/** The customer of a document: an existing one, a new one, or the reason why there is none. */
export type CustomerChoice =
  | { readonly is: 'existing'; readonly customer: Customer; readonly by: FoundBy }
  | { readonly is: 'new'; readonly customer: NewCustomer }
  | { readonly is: 'refused'; readonly problem: Problem };

/** The vendor of a document: an existing one, a new one, or the reason why there is none. */
export type VendorChoice =
  | { readonly is: 'existing'; readonly vendor: Vendor; readonly by: FoundBy }
  | { readonly is: 'new'; readonly vendor: NewVendor }
  | { readonly is: 'refused'; readonly problem: Problem };

/** Rules for creating a missing customer or vendor. */
export interface CreationRules {
  readonly mayCreate: boolean;
  /** Asks before creating when QuickBooks has a record with a similar name; true if absent. */
  readonly reportsSimilar?: boolean;
}

/** Terms of a new customer, besides the company's own data. */
export interface NewCustomerTerms extends CreationRules {
  readonly termId: string | null;
  /** ISO 4217 code, only if both sides use several currencies. */
  readonly currency: string | null;
  /** A new exempt customer needs a reason, because QuickBooks computes sales tax; default false. */
  readonly needsExemptReason?: boolean;
}

/** Longest values in QuickBooks (quickbooks reference 5.0 and 5.7). */
const maxLengths = { companyName: 100, givenName: 100, familyName: 100, resaleNumber: 16, phone: 30 } as const;

/**
 * Chooses the customer of a company (domain reference 5.5): its mapping, else the active customer with that display
 * name, else the only active customer with that company name, else a new customer. Names must be equal except for case
 * and spaces. A customer that belongs to another company is never chosen by name.
 */
export function chooseCustomer(
  company: Company,
  accounting: AccountingIndex,
  mappings: MappingIndex,
  terms: NewCustomerTerms,
): CustomerChoice {
  const wanted = wantedFor('Customer', company);
  const found = findParty(wanted, mappings, accounting, {
    byId: accounting.customersById,
    byDisplayName: accounting.customersByDisplayName,
    activeByCompanyName: accounting.activeCustomersByCompanyName,
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
      return creatable(company, found.name, terms);
    default: {
      const similar = similarTo(wanted, mappings, accounting.customersById);
      if (!terms.mayCreate)
        return {
          is: 'refused',
          problem: problem('CUSTOMER_NOT_MAPPED', { name: company.name, company, candidates: candidatesOf(similar) }),
        };
      if (similar.length > 0 && terms.reportsSimilar !== false)
        return {
          is: 'refused',
          problem: problem('CUSTOMER_SIMILAR', {
            name: company.name,
            company,
            candidates: candidatesOf(similar),
            createAs: wanted.displayName,
          }),
        };
      return creatable(company, wanted.displayName, terms);
    }
  }
}

/**
 * Returns a new customer. With automated sales tax, a user creates one that is exempt, because QuickBooks wants the legal
 * reason of the exemption, which the PSA does not have [Q89].
 */
function creatable(company: Company, displayName: string, terms: NewCustomerTerms): CustomerChoice {
  if (company.isTaxExempt && terms.needsExemptReason === true)
    return { is: 'refused', problem: problem('CUSTOMER_EXEMPT', { name: displayName, company }) };
  return { is: 'new', customer: newCustomer(company, displayName, terms) };
}

/** Returns the match between a company and its chosen customer. */
export const customerMatch = (company: Company, customer: Customer): PartyMatch => ({
  as: 'Customer',
  companyId: company.id,
  companyName: company.name,
  targetId: customer.id,
  targetName: customer.displayName,
});

/**
 * Chooses the vendor of a purchase order by the same rules as {@link chooseCustomer}.
 *
 * @param currency ISO code of a new vendor, only if both sides use several currencies
 */
export function chooseVendor(
  company: Company,
  accounting: AccountingIndex,
  mappings: MappingIndex,
  currency: string | null,
  rules: CreationRules = { mayCreate: true },
): VendorChoice {
  const address = presentAddress(company.address);
  const wanted = wantedFor('Vendor', company);
  return vendorChoice(wanted, mappings, accounting, rules, (displayName) => ({
    companyId: company.id,
    displayName,
    companyName: within(maxLengths.companyName, company.name),
    givenName: null,
    familyName: null,
    address: address ?? presentAddress(company.billingAddress),
    phone: within(maxLengths.phone, company.phone),
    email: emailOf(company.email),
    currency,
  }));
}

/** Returns the known parts of an employee's first and last name. */
export const employeeNameOf = ({ firstName, lastName }: Submitter): string =>
  [firstName, lastName].flatMap((part) => textOrNull(part) ?? []).join(' ');

/**
 * Chooses the vendor of an employee: the employee's mapping, else the vendor named `v-Last, First`, else a new vendor
 * with that name.
 *
 * The prefix prevents a conflict with a customer or an employee of the same name (domain reference 5.5). The resource
 * id distinguishes employees with the same name.
 *
 * @returns null if the employee has neither a name nor a mapping
 */
export function chooseEmployeeVendor(
  employee: Submitter,
  employeeId: number,
  accounting: AccountingIndex,
  mappings: MappingIndex,
  rules: CreationRules = { mayCreate: true },
): VendorChoice | null {
  const [givenName, familyName] = [textOrNull(employee.firstName), textOrNull(employee.lastName)];
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
  return vendorChoice(wanted, mappings, accounting, rules, (displayName) => ({
    companyId: null,
    employee: { id: employeeId, name },
    displayName,
    companyName: null,
    givenName: within(maxLengths.givenName, givenName),
    familyName: within(maxLengths.familyName, familyName),
    address: null,
    phone: null,
    email: null,
    currency: null,
  }));
}

function vendorChoice(
  wanted: Wanted,
  mappings: MappingIndex,
  accounting: AccountingIndex,
  rules: CreationRules,
  make: (displayName: string) => NewVendor,
): VendorChoice {
  const { name } = wanted;
  const namespace = wanted.namespace === 'Employee' ? 'Employee' : 'Vendor';
  const of = { name, namespace, company: wanted.source } as const;
  const found = findParty(wanted, mappings, accounting, {
    byId: accounting.vendorsById,
    byDisplayName: accounting.vendorsByDisplayName,
    activeByCompanyName: accounting.activeVendorsByCompanyName,
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
      const similar = similarTo(wanted, mappings, accounting.vendorsById);
      const candidates = candidatesOf(similar);
      if (!rules.mayCreate) return { is: 'refused', problem: problem('VENDOR_NOT_MAPPED', { ...of, candidates }) };
      if (similar.length > 0 && rules.reportsSimilar !== false)
        return {
          is: 'refused',
          problem: problem('VENDOR_SIMILAR', { ...of, candidates, createAs: wanted.displayName }),
        };
      return { is: 'new', vendor: make(wanted.displayName) };
    }
  }
}

/** Returns QuickBooks records as candidates for a person to choose from. */
const candidatesOf = (parties: readonly Pick<Customer, 'id' | 'displayName'>[]): readonly RepairCandidate[] =>
  parties.map(({ id, displayName }) => ({ value: id, label: displayName }));

/** A company or employee of the PSA, with the name to look for in QuickBooks. */
interface Wanted {
  readonly namespace: PartyNamespace;
  readonly source: Source;
  /** Name to look for in QuickBooks. `displayName` is its form as a display name. */
  readonly name: string;
  readonly displayName: string;
  /** Suffixes that distinguish the record from another one with its name, best first. */
  readonly distinctions: readonly (string | null)[];
  readonly email?: string | null;
  readonly phone?: string | null;
}

const wantedFor = (namespace: 'Customer' | 'Vendor', company: Company): Wanted => ({
  namespace,
  source: company,
  name: company.name,
  displayName: displayNameOf(company),
  distinctions: [textOrNull(company.address.city) ?? textOrNull(company.billingAddress.city), String(company.id)],
  email: company.email,
  phone: company.phone,
});

type Party = Customer | Vendor;

interface Parties<Of> {
  readonly byId: ReadonlyMap<string, Of>;
  /** Includes inactive records. */
  readonly byDisplayName: ReadonlyMap<string, readonly Of[]>;
  readonly activeByCompanyName: ReadonlyMap<string, readonly Of[]>;
}

type Found<Of> =
  | { readonly is: 'found'; readonly party: Of; readonly by: FoundBy }
  | { readonly is: 'inactive'; readonly name: string; readonly id: string }
  | { readonly is: 'ambiguous'; readonly choices: PartyChoices }
  /** A person chose to create a record with this name. */
  | { readonly is: 'to_create'; readonly name: string }
  | { readonly is: 'none' };

/** Looks for a customer or a vendor (domain reference 5.5). */
function findParty<Of extends Party>(
  wanted: Wanted,
  mappings: MappingIndex,
  accounting: AccountingIndex,
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
    // A name with a colon can exist only in its cleaned form.
    createdName === null ? [wanted.name, wanted.displayName] : [createdName],
    createdName === null ? wanted.name : null,
    mappings,
    parties,
  );
  if (found.is === 'none') return createdName === null ? found : { is: 'to_create', name: createdName };
  return found.is === 'ambiguous'
    ? { is: 'ambiguous', choices: { ...found.choices, createAs: distinctName(wanted, mappings, accounting) } }
    : found;
}

/**
 * Looks for a customer or vendor by its names.
 *
 * @param displayNames display names that the record may have in QuickBooks
 * @param companyName null: company names are ignored
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
  const [claim] = (mappings.owners?.ofName(sideOf(wanted.namespace), displayNames.at(-1) ?? '') ?? []).filter(
    (one) => !isSelf(one, wanted),
  );
  // A name that several companies have decides for none of them.
  const owner = takenBy(hit) ?? (claim?.sharesName === true ? claim : undefined);
  if (hit !== undefined)
    return owner === undefined
      ? { is: 'found', party: hit, by }
      : {
          is: 'ambiguous',
          choices: { candidates: candidatesOf([hit, ...byCompany.filter((one) => one !== hit)]), owner },
        };
  // QuickBooks reserves the name of an inactive record and rejects a second record with that name.
  const [inactive] = named;
  const rival = claim ?? takenBy(inactive);
  if (rival !== undefined) return { is: 'ambiguous', choices: { candidates: [], owner: rival } };
  return inactive === undefined ? { is: 'none' } : { is: 'inactive', name: inactive.displayName, id: inactive.id };
}

const isSelf = (owner: Owner, { namespace, source }: Wanted): boolean =>
  owner.namespace === namespace && owner.id === String(source.id);

/** Returns the companies and employees that a record belongs to. */
const ownersOf = (id: string, wanted: Wanted, { owners }: MappingIndex) =>
  (owners?.ofRecord(sideOf(wanted.namespace), id) ?? []).map((owner) => ({ owner, isOwn: isSelf(owner, wanted) }));

/**
 * Returns active customers or vendors that may be the wanted one under a slightly different name, also those that other
 * documents of the job are going to create.
 */
function similarTo<Of extends Party>(
  wanted: Wanted,
  mappings: MappingIndex,
  byId: ReadonlyMap<string, Of>,
): readonly Pick<Of, 'id' | 'displayName'>[] {
  const { name, displayName, email = null, phone = null } = wanted;
  const own: NamedParty = { names: [name, displayName], email, phone };
  const planned = (mappings.planned ?? []).flatMap((one) => {
    const party: NamedParty = { names: [one.displayName], email: one.email, phone: one.phone };
    return one.side === sideOf(wanted.namespace) &&
      !isSelf(one.owner, wanted) &&
      isSimilar(own, party) &&
      sharesContact(own, party)
      ? [{ id: createAs(one.displayName), displayName: one.displayName }]
      : [];
  });
  const existing = [...byId.values()].filter((party) => {
    if (!party.isActive || !isSimilar(own, namedParty(party))) return false;
    // A record mapped to another company counts as similar only if both share an email address or phone.
    return ownersOf(party.id, wanted, mappings).length === 0 || sharesContact(own, namedParty(party));
  });
  return [...existing, ...planned];
}

/** Returns the same object for the same party, so its name is prepared for comparison only once. */
const namedParty = oncePer(({ displayName, companyName, email = null, phone = null }: Party): NamedParty => ({
  names: [displayName, companyName],
  email,
  phone,
}));

/** Returns a name that no customer or vendor has, such as `Summit Group (Houston)`, else one with the id in the PSA. */
function distinctName(wanted: Wanted, mappings: MappingIndex, accounting: AccountingIndex): string {
  const isTaken = (name: string): boolean => {
    const owners = [mappings.owners?.ofName('Customer', name) ?? [], mappings.owners?.ofName('Vendor', name) ?? []];
    return (
      accounting.customersByDisplayName.has(normalized(name)) ||
      accounting.vendorsByDisplayName.has(normalized(name)) ||
      owners.flat().some((owner) => !isSelf(owner, wanted))
    );
  };
  const names = wanted.distinctions.flatMap((one) => (one === null ? [] : [withSuffix(wanted.displayName, one)]));
  return names.find((name) => !isTaken(name)) ?? names.at(-1) ?? wanted.displayName;
}

function withSuffix(name: string, distinction: string): string {
  const suffix = ` (${truncate(cleanName(distinction), maxDistinctionLength).trimEnd()})`;
  return `${truncate(name, maxNameLength - suffix.length).trimEnd()}${suffix}`;
}

/** Longest suffix of a distinct name. It leaves enough room for the name itself. */
const maxDistinctionLength = 40;

const displayNameOf = (company: Company): string => {
  const name = cleanName(company.name);
  return name === '' ? `Company ${company.id}` : name;
};

function newCustomer(company: Company, displayName: string, terms: NewCustomerTerms): NewCustomer {
  const address = presentAddress(company.address);
  return {
    companyId: company.id,
    displayName,
    companyName: within(maxLengths.companyName, company.name),
    billingAddress: presentAddress(company.billingAddress) ?? address,
    shippingAddress: address,
    phone: within(maxLengths.phone, company.phone),
    email: emailOf(company.email),
    isTaxable: !company.isTaxExempt,
    resaleNumber: within(maxLengths.resaleNumber, company.taxId),
    termId: terms.termId,
    currency: terms.currency,
  };
}

// A cut value is wrong, so a value that is too long is omitted. The display name still identifies the record.
const within = (length: number, text: string | null): string | null => {
  const present = textOrNull(text);
  return present !== null && present.length <= length ? present : null;
};

/**
 * Returns the email address in a form that QuickBooks accepts, else null. A wrong address is no reason to refuse the document.
 */
export function emailOf(address: string | null): string | null {
  const present = textOrNull(address);
  return present === null ? null : repairEmail(present);
}

/** Returns the address, or null if all its parts are empty. */
export function presentAddress(address: Address | null): Address | null {
  const parts = address === null ? [] : [address.line1, address.line2, address.city, address.state, address.postalCode];
  return parts.every((part) => textOrNull(part) === null) ? null : address;
}

/** Returns whether two addresses name the same place. The country is compared only if both have one. */
export function isSameAddress(a: Address, b: Address): boolean {
  const parts = ['line1', 'line2', 'city', 'state', 'postalCode'] as const;
  const same = (x: string | null, y: string | null) => normalized(x ?? '') === normalized(y ?? '');
  const countries = [textOrNull(a.country), textOrNull(b.country)];
  return parts.every((part) => same(a[part], b[part])) && (countries.includes(null) || same(a.country, b.country));
}
