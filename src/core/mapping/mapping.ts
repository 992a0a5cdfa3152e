import { normalized } from '../values/text.ts';

/** The namespaces of mappings with their source and target entities (screens reference 2.3). */
export const mappingNamespaces = {
  Customer: { source: 'Company', target: 'Customer' },
  Vendor: { source: 'Company', target: 'Vendor' },
  Employee: { source: 'Resource', target: 'Vendor' },
  SalesCustomField: { source: 'Field', target: 'CustomField' },
  ExpenseCategoryBillable: { source: 'ExpenseCategory', target: 'Account' },
  ExpenseCategoryNonBillable: { source: 'ExpenseCategory', target: 'Account' },
  ItemBilling: { source: 'BillingCode', target: 'Item' },
  ItemPurchasing: { source: 'Product', target: 'Item' },
  /**
   * The item that was found or created for a name, so that the name still resolves after the item is renamed in
   * QuickBooks.
   */
  ItemName: { source: 'ItemName', target: 'Item' },
  LineOfBusiness: { source: 'LineOfBusiness', target: 'Class' },
  Location: { source: 'LineOfBusiness', target: 'Department' },
  TaxRegion: { source: 'TaxRegion', target: 'TaxCode' },
} as const;

/**
 * Source of the tax code of lines without tax, where no region's own code applies. The PSA has no region of this name.
 */
export const untaxedSource = 'Lines without tax';

export type MappingNamespace = keyof typeof mappingNamespaces;

/** A stored mapping from a PSA record to a QuickBooks record; the API calls it “xref”. */
export interface Mapping {
  readonly id: string;
  readonly namespace: MappingNamespace;
  readonly sourceEntity: string;
  readonly sourceValue: string;
  readonly sourceLabel: string | null;
  readonly targetEntity: string;
  readonly targetValue: string;
  readonly targetLabel: string | null;
  /**
   * A decision of the running job that is not stored yet. It reserves the customer or vendor for a company and maps
   * nothing.
   */
  readonly isClaim?: true;
  /** The claim exists only because another company or employee has the same name in the PSA. */
  readonly sharesName?: true;
  /** Contact of the customer or vendor that a claim is going to create. */
  readonly contact?: { readonly email: string | null; readonly phone: string | null };
}

/** Namespaces whose targets are customers or vendors. */
export type PartyNamespace = 'Customer' | 'Vendor' | 'Employee';

const createPrefix = 'create:';

/**
 * Returns the target of a mapping that requests a new customer or vendor with this name; the next document creates it.
 */
export const createAs = (name: string): string => `${createPrefix}${name}`;

/** Returns the name that a mapping requests to create; null when it points to an existing record. */
export const nameToCreate = (targetValue: string): string | null =>
  targetValue.startsWith(createPrefix) ? targetValue.slice(createPrefix.length) : null;

/** A company or employee that a customer or vendor belongs to. */
export interface Owner {
  readonly namespace: PartyNamespace;
  /** Id in the PSA, as text. */
  readonly id: string;
  readonly name: string;
  /** It has only the same name in the PSA, and no customer or vendor yet. */
  readonly sharesName?: true;
}

/** Owners of customers and vendors, by record and by the name of a record that is not created yet. */
export interface OwnerIndex {
  readonly ofRecord: (side: PartySide, id: string) => readonly Owner[];
  readonly ofName: (side: PartySide, name: string) => readonly Owner[];
}

/** Customers and vendors are separate lists; companies and employees share the vendor list. */
export type PartySide = 'Customer' | 'Vendor';

const sides: Readonly<Partial<Record<MappingNamespace, PartySide>>> = {
  Customer: 'Customer',
  Vendor: 'Vendor',
  Employee: 'Vendor',
};

/** Returns the list of a namespace's targets; undefined unless they are customers or vendors. */
export const partySideOf = (namespace: MappingNamespace): PartySide | undefined => sides[namespace];

export const sideOf = (namespace: PartyNamespace): PartySide => (namespace === 'Customer' ? 'Customer' : 'Vendor');

/** Indexes the mappings and claims of customers and vendors by their targets. */
export function indexOwners(mappings: readonly Mapping[]): OwnerIndex {
  const records = new Map<string, Owner[]>();
  const names = new Map<string, Owner[]>();
  for (const { namespace, sourceValue, sourceLabel, targetValue, sharesName } of mappings) {
    const side = sides[namespace];
    if (side === undefined) continue;
    const name = nameToCreate(targetValue);
    const [index, key] = name === null ? [records, targetValue] : [names, normalized(name)];
    const owners = index.get(`${side} ${key}`) ?? [];
    // Keys of `sides` are party namespaces.
    owners.push({
      namespace: namespace as PartyNamespace,
      id: sourceValue,
      name: sourceLabel ?? sourceValue,
      ...(sharesName && { sharesName }),
    });
    index.set(`${side} ${key}`, owners);
  }
  return {
    ofRecord: (side, id) => records.get(`${side} ${id}`) ?? [],
    ofName: (side, name) => names.get(`${side} ${normalized(name)}`) ?? [],
  };
}

/**
 * Returns the owners plus one company whose customer or vendor was chosen, so that no other company of the same document
 * gets it by name.
 *
 * @param target id of the record, or the name to create it with
 */
export function withOwner(
  known: OwnerIndex | undefined,
  { namespace, id, name }: Owner,
  target: { readonly id: string } | { readonly createAs: string },
): OwnerIndex {
  const owner: Owner = { namespace, id, name };
  const ownSide = sideOf(namespace);
  const isRecord = (side: PartySide, record: string) => side === ownSide && 'id' in target && target.id === record;
  const isName = (side: PartySide, wanted: string) =>
    side === ownSide && 'createAs' in target && normalized(target.createAs) === normalized(wanted);
  return {
    ofRecord: (side, record) => [...(known?.ofRecord(side, record) ?? []), ...(isRecord(side, record) ? [owner] : [])],
    ofName: (side, wanted) => [...(known?.ofName(side, wanted) ?? []), ...(isName(side, wanted) ? [owner] : [])],
  };
}

/** Maximum mappings of one namespace of a client. More than the records of any real PSA or QuickBooks company. */
export const maxMappings = 20_000;
