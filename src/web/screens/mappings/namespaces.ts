import { mappingNamespaces, type MappingNamespace } from '#core/mapping/mapping.ts';

/** How one namespace is called on its screen. */
export interface NamespaceWords {
  readonly namespace: MappingNamespace;
  /** Head of the first column. */
  readonly sourceHead: string;
  /** Head of the second column, and label of the type-ahead. */
  readonly targetHead: string;
  /** One record of the PSA, and several. */
  readonly one: string;
  readonly many: string;
  /** The button that maps what is selected; null where each row is edited in its place. */
  readonly mapLabel: string | null;
  readonly mapTitle: string;
  readonly deleteTitle: string;
  /** Pause in typing before a search (specification 2, section 9). */
  readonly debounceMs: number;
  /** Name of the money that the coverage counts. */
  readonly money: string;
}

const words = (
  namespace: MappingNamespace,
  of: Omit<NamespaceWords, 'namespace' | 'debounceMs' | 'money'> & Partial<NamespaceWords>,
): NamespaceWords => ({ namespace, debounceMs: 500, money: 'revenue', ...of });

export const namespaceWords = {
  Customer: words('Customer', {
    sourceHead: 'Company',
    targetHead: 'QuickBooks Customer',
    one: 'company',
    many: 'companies',
    mapLabel: 'Map to Customer',
    mapTitle: 'Map Companies to a QuickBooks Customer',
    deleteTitle: 'Delete Company Mappings',
  }),
  Vendor: words('Vendor', {
    sourceHead: 'Company',
    targetHead: 'QuickBooks Vendor',
    one: 'company',
    many: 'companies',
    mapLabel: 'Map to Vendor',
    mapTitle: 'Map Companies to a QuickBooks Vendor',
    deleteTitle: 'Delete Company Mappings',
    debounceMs: 750,
    money: 'purchases',
  }),
  Employee: words('Employee', {
    sourceHead: 'Employee',
    targetHead: 'QuickBooks Vendor',
    one: 'employee',
    many: 'employees',
    mapLabel: 'Map to Vendor',
    mapTitle: 'Map Employees to a QuickBooks Vendor',
    deleteTitle: 'Delete Employee Mappings',
    debounceMs: 750,
    money: 'expenses',
  }),
  ExpenseCategoryBillable: words('ExpenseCategoryBillable', {
    sourceHead: 'Expense Category',
    targetHead: 'QuickBooks Account',
    one: 'category',
    many: 'categories',
    mapLabel: null,
    mapTitle: 'Map to an Account',
    deleteTitle: 'Delete Mapping',
    money: 'billable expenses',
  }),
  ExpenseCategoryNonBillable: words('ExpenseCategoryNonBillable', {
    sourceHead: 'Expense Category',
    targetHead: 'QuickBooks Account',
    one: 'category',
    many: 'categories',
    mapLabel: null,
    mapTitle: 'Map to an Account',
    deleteTitle: 'Delete Mapping',
    money: 'non-billable expenses',
  }),
  ItemBilling: words('ItemBilling', {
    sourceHead: 'Billing Code',
    targetHead: 'QuickBooks Item',
    one: 'billing code',
    many: 'billing codes',
    mapLabel: 'Map to Item',
    mapTitle: 'Map to Item',
    deleteTitle: 'Remove Mapping(s)',
  }),
  ItemPurchasing: words('ItemPurchasing', {
    sourceHead: 'Product',
    targetHead: 'QuickBooks Item',
    one: 'product',
    many: 'products',
    mapLabel: 'Map to Item',
    mapTitle: 'Map to Item',
    deleteTitle: 'Remove Mapping(s)',
    money: 'purchases',
  }),
  ItemName: words('ItemName', {
    sourceHead: 'Item Name',
    targetHead: 'QuickBooks Item',
    one: 'item name',
    many: 'item names',
    mapLabel: null,
    mapTitle: 'Map to Item',
    deleteTitle: 'Remove Mapping(s)',
  }),
  LineOfBusiness: words('LineOfBusiness', {
    sourceHead: 'Line of Business',
    targetHead: 'QuickBooks Class',
    one: 'line of business',
    many: 'lines of business',
    mapLabel: null,
    mapTitle: 'Map to a Class',
    deleteTitle: 'Delete Mapping',
  }),
  Location: words('Location', {
    sourceHead: 'Line of Business',
    targetHead: 'QuickBooks Location',
    one: 'line of business',
    many: 'lines of business',
    mapLabel: null,
    mapTitle: 'Map to a Location',
    deleteTitle: 'Delete Mapping',
  }),
  SalesCustomField: words('SalesCustomField', {
    sourceHead: 'Field',
    targetHead: 'QuickBooks Custom Field',
    one: 'field',
    many: 'fields',
    mapLabel: null,
    mapTitle: 'Map to a Custom Field',
    deleteTitle: 'Delete Mapping',
  }),
  TaxRegion: words('TaxRegion', {
    sourceHead: 'Tax Region',
    targetHead: 'QuickBooks Tax Code',
    one: 'tax region',
    many: 'tax regions',
    mapLabel: null,
    mapTitle: 'Map to a Tax Code',
    deleteTitle: 'Delete Mapping',
  }),
} as const satisfies Record<MappingNamespace, NamespaceWords>;

/** Entities of a namespace, as a saved mapping names them. */
export const entitiesOf = (namespace: MappingNamespace) => ({
  source_entity: mappingNamespaces[namespace].source,
  target_entity: mappingNamespaces[namespace].target,
});
