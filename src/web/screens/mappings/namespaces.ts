import type { MappingNamespace } from '#core/mapping/mapping.ts';

/** Labels of one namespace. */
export interface NamespaceLabels {
  readonly namespace: MappingNamespace;
  readonly sourceHead: string;
  /** Column head and label of the type-ahead. */
  readonly targetHead: string;
  /** Noun for one PSA record; `many` is its plural. */
  readonly one: string;
  readonly many: string;
  /** Button that maps the selection; null if rows are edited inline. */
  readonly mapLabel: string | null;
  /** Title of the dialog that maps the selection. */
  readonly mapTitle?: string;
  readonly deleteTitle: string;
  /** Pause in typing before a search, in milliseconds (specification 2, section 9). */
  readonly debounceMs: number;
  /** What the amounts of the coverage are, e.g. “revenue”. */
  readonly money: string;
  /** Singular and plural of the QuickBooks records, if QuickBooks often has none. */
  readonly targets?: readonly [one: string, many: string];
}

const defaults = { mapLabel: null, deleteTitle: 'Delete Mapping', debounceMs: 500, money: 'revenue' };

const labelsOf = (
  namespace: MappingNamespace,
  of: Omit<NamespaceLabels, 'namespace' | keyof typeof defaults> & Partial<NamespaceLabels>,
): NamespaceLabels => ({ namespace, ...defaults, ...of });

export const namespaceLabels = {
  Customer: labelsOf('Customer', {
    sourceHead: 'Company',
    targetHead: 'QuickBooks Customer',
    one: 'company',
    many: 'companies',
    mapLabel: 'Map to Customer',
    mapTitle: 'Map Companies to a QuickBooks Customer',
    deleteTitle: 'Delete Company Mappings',
  }),
  Vendor: labelsOf('Vendor', {
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
  Employee: labelsOf('Employee', {
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
  ExpenseCategoryBillable: labelsOf('ExpenseCategoryBillable', {
    sourceHead: 'Expense Category',
    targetHead: 'QuickBooks Account',
    one: 'category',
    many: 'categories',
    money: 'billable expenses',
  }),
  ExpenseCategoryNonBillable: labelsOf('ExpenseCategoryNonBillable', {
    sourceHead: 'Expense Category',
    targetHead: 'QuickBooks Account',
    one: 'category',
    many: 'categories',
    money: 'non-billable expenses',
  }),
  ItemBilling: labelsOf('ItemBilling', {
    sourceHead: 'Billing Code',
    targetHead: 'QuickBooks Item',
    one: 'billing code',
    many: 'billing codes',
    mapLabel: 'Map to Item',
    mapTitle: 'Map to Item',
    deleteTitle: 'Remove Mapping(s)',
  }),
  ItemPurchasing: labelsOf('ItemPurchasing', {
    sourceHead: 'Product',
    targetHead: 'QuickBooks Item',
    one: 'product',
    many: 'products',
    mapLabel: 'Map to Item',
    mapTitle: 'Map to Item',
    deleteTitle: 'Remove Mapping(s)',
    money: 'purchases',
  }),
  ItemName: labelsOf('ItemName', {
    sourceHead: 'Item Name',
    targetHead: 'QuickBooks Item',
    one: 'item name',
    many: 'item names',
    deleteTitle: 'Remove Mapping(s)',
  }),
  LineOfBusiness: labelsOf('LineOfBusiness', {
    sourceHead: 'Line of Business',
    targetHead: 'QuickBooks Class',
    one: 'line of business',
    many: 'lines of business',
    targets: ['class', 'classes'],
  }),
  Location: labelsOf('Location', {
    sourceHead: 'Line of Business',
    targetHead: 'QuickBooks Location',
    one: 'line of business',
    many: 'lines of business',
    targets: ['location', 'locations'],
  }),
  SalesCustomField: labelsOf('SalesCustomField', {
    sourceHead: 'Field',
    targetHead: 'QuickBooks Custom Field',
    one: 'field',
    many: 'fields',
  }),
  TaxRegion: labelsOf('TaxRegion', {
    sourceHead: 'Tax Region',
    targetHead: 'QuickBooks Tax Code',
    one: 'tax region',
    many: 'tax regions',
    targets: ['tax code', 'tax codes'],
  }),
} as const satisfies Record<MappingNamespace, NamespaceLabels>;
