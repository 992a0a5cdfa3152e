import type {
  BillingCode,
  AccountingLists,
  Customer,
  Item,
  PrepaidUnit,
  PsaReferenceData,
  Vendor,
} from '../documents/reference-data.ts';
import type { AccountingLine } from '../documents/accounting-document.ts';
import {
  indexOwners,
  type Mapping,
  type MappingNamespace,
  nameToCreate,
  type Owner,
  type OwnerIndex,
  type PartyNamespace,
  type PartySide,
  partySideOf,
} from '../mapping/mapping.ts';
import { normalized } from '../values/text.ts';
import { oncePer } from '../values/once-per.ts';

/**
 * Reference data, indexed by the keys that decisions look up. A thousand invoices share the same lists, so each list is
 * indexed only once.
 */
export interface AccountingIndex {
  readonly customersById: ReadonlyMap<string, Customer>;
  /** Includes inactive customers. */
  readonly customersByDisplayName: ReadonlyMap<string, readonly Customer[]>;
  readonly activeCustomersByCompanyName: ReadonlyMap<string, readonly Customer[]>;
  readonly vendorsById: ReadonlyMap<string, Vendor>;
  /** Includes inactive vendors. */
  readonly vendorsByDisplayName: ReadonlyMap<string, readonly Vendor[]>;
  readonly activeVendorsByCompanyName: ReadonlyMap<string, readonly Vendor[]>;
  readonly itemsById: ReadonlyMap<string, Item>;
  /** Active items that a line can refer to: no groups, no categories. */
  readonly itemsByFullName: ReadonlyMap<string, readonly Item[]>;
  readonly itemsByName: ReadonlyMap<string, readonly Item[]>;
  readonly itemsBySku: ReadonlyMap<string, readonly Item[]>;
  /** Active categories and bundles by full name. A new item cannot have one of these names. */
  readonly otherItemsByFullName: ReadonlyMap<string, readonly Item[]>;
  readonly accountNames: ReadonlyMap<string, string>;
  readonly termIds: ReadonlyMap<string, string>;
  /** Active tax codes only. */
  readonly taxCodeIds: ReadonlyMap<string, string>;
  readonly activeTaxCodeIds: ReadonlySet<string>;
  /** Names of inactive tax codes by id. */
  readonly inactiveTaxCodes: ReadonlyMap<string, string>;
  readonly activeClassIds: ReadonlySet<string>;
  /** Names of inactive classes and locations by id. */
  readonly inactiveClasses: ReadonlyMap<string, string>;
  readonly inactiveLocations: ReadonlyMap<string, string>;
  /** Active classes by full name, and by its last part. */
  readonly classIdsByFullName: ReadonlyMap<string, string>;
  readonly classIdsByName: ReadonlyMap<string, readonly string[]>;
  /** Names of active locations by id. `locationIdsByName` has their ids by full name, and by its last part. */
  readonly locationNames: ReadonlyMap<string, string>;
  readonly locationIdsByName: ReadonlyMap<string, string>;
}

/** Returns the income account of a posted item line: the one at posting, else the item's current one. */
export const incomeAccountOf = (
  { itemId, itemAccountId }: Pick<AccountingLine, 'itemId' | 'itemAccountId'>,
  itemsById: AccountingIndex['itemsById'],
): string | null => itemAccountId ?? itemsById.get(itemId ?? '')?.incomeAccountId ?? null;

export interface PsaIndex {
  readonly billingCodes: ReadonlyMap<number, BillingCode>;
  readonly taxableCategoryIds: ReadonlySet<number>;
  readonly paymentTerms: ReadonlyMap<number, string>;
  readonly roles: ReadonlyMap<number, string>;
  readonly contracts: ReadonlyMap<number, string>;
  /** Units of the prepaid contracts. */
  readonly prepaidUnits: ReadonlyMap<number, PrepaidUnit>;
  /** The line of business of each contract that has one. */
  readonly businessOfContract: ReadonlyMap<number, number>;
  readonly products: ReadonlyMap<number, string>;
  /** Stock keeping units of the products that have one. */
  readonly productSkus: ReadonlyMap<number, string>;
  readonly linesOfBusiness: ReadonlyMap<number, string>;
  /** Number and name of each billing code's department, if it has one. */
  readonly departmentOfCode: ReadonlyMap<number, readonly string[]>;
  readonly currencyCodes: ReadonlyMap<number, string>;
  /** ISO code of the PSA's own currency; null if unknown. */
  readonly internalCurrency: string | null;
}

/** A customer or vendor that another document of the running job is going to create. */
export interface PlannedParty {
  readonly side: PartySide;
  readonly displayName: string;
  readonly owner: Owner;
  readonly email: string | null;
  readonly phone: string | null;
}

export type MappingIndex = Readonly<Partial<Record<MappingNamespace, ReadonlyMap<string, Mapping>>>> & {
  /** The companies and employees that customers and vendors belong to. */
  readonly owners?: OwnerIndex;
  readonly planned?: readonly PlannedParty[];
};

/** Types of items that a document line can refer to. */
export const lineItemTypes: ReadonlySet<string> = new Set(['Service', 'NonInventory', 'Inventory']);

const inactiveNames = (
  records: readonly { readonly id: string; readonly fullyQualifiedName: string; readonly isActive: boolean }[],
): ReadonlyMap<string, string> =>
  new Map(records.filter(({ isActive }) => !isActive).map(({ id, fullyQualifiedName: name }) => [id, name]));

export const indexAccounting = oncePer((read: AccountingLists): AccountingIndex => {
  const accounting = withoutDoubles(read);
  const items = accounting.items.filter((item) => item.isActive && lineItemTypes.has(item.type));
  const classes = accounting.classes.filter(({ isActive }) => isActive);
  const locations = (accounting.locations ?? []).filter(({ isActive }) => isActive);
  return {
    customersById: new Map(accounting.customers.map((customer) => [customer.id, customer])),
    customersByDisplayName: grouped(accounting.customers, ({ displayName }) => displayName),
    activeCustomersByCompanyName: grouped(
      accounting.customers.filter(({ isActive }) => isActive),
      ({ companyName }) => companyName,
    ),
    vendorsById: new Map(accounting.vendors.map((vendor) => [vendor.id, vendor])),
    vendorsByDisplayName: grouped(accounting.vendors, ({ displayName }) => displayName),
    activeVendorsByCompanyName: grouped(
      accounting.vendors.filter(({ isActive }) => isActive),
      ({ companyName }) => companyName,
    ),
    itemsById: new Map(accounting.items.map((item) => [item.id, item])),
    itemsByFullName: grouped(items, ({ fullyQualifiedName }) => fullyQualifiedName),
    itemsByName: grouped(items, ({ name }) => name),
    itemsBySku: grouped(items, ({ sku }) => sku),
    otherItemsByFullName: grouped(
      accounting.items.filter(({ isActive, type }) => isActive && !lineItemTypes.has(type)),
      ({ fullyQualifiedName }) => fullyQualifiedName,
    ),
    accountNames: new Map(accounting.accounts.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName])),
    termIds: new Map(accounting.terms.map(({ id, name }) => [normalized(name), id])),
    taxCodeIds: new Map(
      accounting.taxCodes.filter(({ isActive }) => isActive).map(({ id, name }) => [normalized(name), id]),
    ),
    activeTaxCodeIds: new Set(accounting.taxCodes.filter(({ isActive }) => isActive).map(({ id }) => id)),
    inactiveTaxCodes: new Map(
      accounting.taxCodes.filter(({ isActive }) => !isActive).map(({ id, name }) => [id, name]),
    ),
    activeClassIds: new Set(classes.map(({ id }) => id)),
    inactiveClasses: inactiveNames(accounting.classes),
    inactiveLocations: inactiveNames(accounting.locations ?? []),
    classIdsByFullName: new Map(classes.map(({ id, fullyQualifiedName }) => [normalized(fullyQualifiedName), id])),
    classIdsByName: new Map(
      [...grouped(classes, ({ fullyQualifiedName }) => fullyQualifiedName.split(':').at(-1) ?? null)].map(
        ([name, found]) => [name, found.map(({ id }) => id)],
      ),
    ),
    locationNames: new Map(locations.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName])),
    // A full name wins over the last part of another name. A last part that several names share is omitted.
    locationIdsByName: new Map([
      ...[...grouped(locations, ({ fullyQualifiedName: name }) => name.split(':').at(-1) ?? name)].flatMap(
        ([name, [one, ...others]]) => (one === undefined || others.length > 0 ? [] : [[name, one.id] as const]),
      ),
      ...locations.map(({ id, fullyQualifiedName: name }) => [normalized(name), id] as const),
    ]),
  };
});

/** Returns the lists with each record once: rows of the same id are one record, and the last one is current. */
function withoutDoubles(accounting: AccountingLists): AccountingLists {
  const once = <One extends { readonly id: string }>(list: readonly One[]): readonly One[] => {
    const byId = new Map(list.map((one) => [one.id, one]));
    return byId.size === list.length ? list : [...byId.values()];
  };
  return {
    ...accounting,
    accounts: once(accounting.accounts),
    classes: once(accounting.classes),
    ...(accounting.locations !== undefined && { locations: once(accounting.locations) }),
    terms: once(accounting.terms),
    taxCodes: once(accounting.taxCodes),
    customers: once(accounting.customers),
    vendors: once(accounting.vendors),
    items: once(accounting.items),
  };
}

export const indexPsa = oncePer((psa: PsaReferenceData): PsaIndex => {
  const names = (list: readonly { readonly id: number; readonly name: string }[]) =>
    new Map(list.map(({ id, name }) => [id, name]));
  const departments = new Map((psa.departments ?? []).map((department) => [department.id, department]));
  return {
    billingCodes: new Map(psa.billingCodes.map((code) => [code.id, code])),
    taxableCategoryIds: new Set(psa.taxableCategoryIds),
    paymentTerms: names(psa.paymentTerms),
    roles: names(psa.roles),
    contracts: names(psa.contracts),
    prepaidUnits: new Map(psa.contracts.flatMap(({ id, prepaid = null }) => (prepaid === null ? [] : [[id, prepaid]]))),
    businessOfContract: new Map(
      psa.contracts.flatMap(({ id, lineOfBusinessId = null }) =>
        lineOfBusinessId === null ? [] : [[id, lineOfBusinessId]],
      ),
    ),
    products: names(psa.products),
    productSkus: new Map(psa.products.flatMap(({ id, sku }) => (sku === null ? [] : [[id, sku]]))),
    linesOfBusiness: new Map(psa.linesOfBusiness.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName])),
    departmentOfCode: new Map(
      psa.billingCodes.flatMap(({ id, departmentId }) => {
        const own = departments.get(departmentId ?? Number.NaN);
        return own === undefined ? [] : [[id, [own.name, ...(own.number === null ? [] : [own.number])]] as const];
      }),
    ),
    currencyCodes: new Map(psa.currencies.map(({ id, code }) => [id, code])),
    internalCurrency: psa.currencies.find(({ isInternal }) => isInternal)?.code ?? null,
  };
});

export const indexMappings = oncePer((mappings: readonly Mapping[]): MappingIndex => {
  const index: Partial<Record<MappingNamespace, Map<string, Mapping>>> = {};
  for (const mapping of mappings)
    if (mapping.isClaim !== true) (index[mapping.namespace] ??= new Map()).set(mapping.sourceValue, mapping);
  const planned = mappings.flatMap(({ namespace, sourceValue, sourceLabel, targetValue, contact }): PlannedParty[] => {
    const [side, displayName] = [partySideOf(namespace), nameToCreate(targetValue)];
    if (side === undefined || displayName === null || contact === undefined) return [];
    // A namespace with a side is a party namespace.
    const owner = { namespace: namespace as PartyNamespace, id: sourceValue, name: sourceLabel ?? sourceValue };
    return [{ side, displayName, owner, ...contact }];
  });
  return { ...index, owners: indexOwners(mappings), planned };
});

function grouped<One>(list: readonly One[], nameOf: (one: One) => string | null): Map<string, readonly One[]> {
  const groups = new Map<string, One[]>();
  for (const one of list) {
    const name = normalized(nameOf(one) ?? '');
    if (name === '') continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return groups;
}
