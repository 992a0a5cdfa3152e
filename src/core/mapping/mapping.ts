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
