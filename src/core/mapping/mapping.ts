/** The namespaces of mappings (screens reference 2.3): from what, to what. */
export const mappingNamespaces = {
  Customer: { source: 'Company', target: 'Customer' },
  Vendor: { source: 'Company', target: 'Vendor' },
  Employee: { source: 'Resource', target: 'Vendor' },
  SalesCustomField: { source: 'Field', target: 'CustomField' },
  ExpenseCategoryBillable: { source: 'ExpenseCategory', target: 'Account' },
  ExpenseCategoryNonBillable: { source: 'ExpenseCategory', target: 'Account' },
  ItemBilling: { source: 'BillingCode', target: 'Item' },
  ItemPurchasing: { source: 'Product', target: 'Item' },
  /** The item that a name was found or created as, so that it stays found after QuickBooks renames it. */
  ItemName: { source: 'ItemName', target: 'Item' },
  LineOfBusiness: { source: 'LineOfBusiness', target: 'Class' },
  Location: { source: 'LineOfBusiness', target: 'Department' },
  TaxRegion: { source: 'TaxRegion', target: 'TaxCode' },
} as const;

export type MappingNamespace = keyof typeof mappingNamespaces;

/** A stored mapping from a PSA record to a record of the books; the wire says “xref”. */
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
   * A decision of the running job that is not stored yet. It tells which company has the customer or vendor, and maps
   * nothing.
   */
  readonly isClaim?: true;
}

/** Namespaces whose targets are customers or vendors. */
export type PartyNamespace = 'Customer' | 'Vendor' | 'Employee';

const createPrefix = 'create:';

/** Target of a mapping that asks for a new customer or vendor of this name; the next document creates it. */
export const createAs = (name: string): string => `${createPrefix}${name}`;

/** The name that a mapping asks to create; null when it leads to a record that exists. */
export const nameToCreate = (targetValue: string): string | null =>
  targetValue.startsWith(createPrefix) ? targetValue.slice(createPrefix.length) : null;
