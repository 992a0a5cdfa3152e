/** The namespaces of mappings (screens reference 2.3): from what, to what. */
export const mappingNamespaces = {
  Customer: { source: 'Company', target: 'Customer' },
  Vendor: { source: 'Company', target: 'Vendor' },
  SalesCustomField: { source: 'Field', target: 'CustomField' },
  ExpenseCategoryBillable: { source: 'ExpenseCategory', target: 'Account' },
  ExpenseCategoryNonBillable: { source: 'ExpenseCategory', target: 'Account' },
  ItemBilling: { source: 'BillingCode', target: 'Item' },
  ItemPurchasing: { source: 'Product', target: 'Item' },
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
}
