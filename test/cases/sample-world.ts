import { autotaskDescriptor } from '#connectors/autotask/descriptor.ts';
import type { InvoiceLine } from '#core/documents/invoice.ts';
import type { Address, Company } from '#core/documents/party.ts';
import type { AccountingLists, Customer, Item, PsaReferenceData, Vendor } from '#core/documents/reference-data.ts';
import type { Invoice } from '#core/documents/invoice.ts';
import type { ExpenseItem, ExpenseReport } from '#core/documents/expense-report.ts';
import type { PurchaseOrder, PurchaseOrderLine } from '#core/documents/purchase-order.ts';
import { type Mapping, type MappingNamespace, mappingNamespaces } from '#core/mapping/mapping.ts';
import type { InvoiceFacts } from '#core/planning/invoice-content.ts';
import type { ExpenseReportFacts } from '#core/planning/plan-expense-report.ts';
import type { PurchaseOrderFacts } from '#core/planning/plan-purchase-order.ts';
import { defaultItemSettings } from '#core/settings/item-settings.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import { defaultSettings, type Settings } from '#core/settings/definitions.ts';
import { calendarDate, instant } from '#core/values/dates.ts';
import { decimal, zero } from '#core/values/decimal.ts';

/** The sample data (domain reference, section 17) as core types. Cases are based on it. */

/** Places on Autotask's screens. */
export const { menus } = autotaskDescriptor;

export const noAddress: Address = {
  line1: null,
  line2: null,
  city: null,
  state: null,
  postalCode: null,
  country: null,
};

const street = (line1: string, city: string, state: string, postalCode: string): Address => ({
  ...noAddress,
  line1,
  city,
  state,
  postalCode,
  country: 'US',
});

const acmeAddress = street('400 Congress Ave', 'Austin', 'TX', '78701');

const company = (id: number, name: string, more: Partial<Company> = {}): Company => ({
  id,
  name,
  type: 1,
  isActive: true,
  isTaxExempt: false,
  taxId: null,
  phone: null,
  address: noAddress,
  billingAddress: noAddress,
  currencyId: null,
  email: null,
  ...more,
});

export const companies: readonly Company[] = [
  company(175, 'Acme Dental', { address: acmeAddress, billingAddress: acmeAddress, currencyId: 1 }),
  company(176, 'Birch Legal LLP', { address: street('12 Oak St', 'Austin', 'TX', '78702'), currencyId: 1 }),
  company(177, 'Maple Clinic', { currencyId: 2 }),
  company(178, 'Cedar: Logistics', {
    address: street('9 Dock Rd', 'Houston', 'TX', '77002'),
    phone: '713 555 0178',
    email: 'billing@cedar.example',
    currencyId: 1,
  }),
  company(179, 'Delta School', { isTaxExempt: true, currencyId: 1 }),
  company(180, 'Ember Cafe', { currencyId: 1 }),
  company(181, 'Acme Dental North', { currencyId: 1 }),
  company(301, 'Ingram Supplies', { type: 7, currencyId: 1 }),
  company(302, 'Acme Dental', { type: 7, address: acmeAddress, currencyId: 1 }),
  company(303, 'Pax Cloud', { type: 7, currencyId: 1, phone: '512 555 0303' }),
];

const billingCode = (id: number, name: string, useType: number, taxCategoryId: number | null = null) => ({
  id,
  name,
  useType,
  taxCategoryId,
  externalNumber: id === 51 ? 'HW-1' : null,
  departmentId: useType === 1 ? 1 : null,
});

export const psa: PsaReferenceData = {
  billingCodes: [
    billingCode(29, 'Remote Support', 1),
    billingCode(30, 'Onsite Support', 1),
    billingCode(41, 'Travel', 2),
    billingCode(42, 'Meals', 2),
    billingCode(43, 'Mileage', 2),
    billingCode(44, 'Toner', 2),
    billingCode(51, 'Hardware', 4, 1),
    billingCode(52, 'Software licence', 4, 2),
    billingCode(61, 'Managed Workstation', 5),
    billingCode(62, 'Managed Server', 5),
    billingCode(71, 'Project milestone', 6),
  ],
  taxCategories: [
    { id: 1, name: 'Hardware' },
    { id: 2, name: 'Software' },
  ],
  taxableCategoryIds: [1],
  paymentTerms: [
    { id: 1, name: 'Net 30' },
    { id: 2, name: 'Net 15' },
    { id: 3, name: 'Due on receipt' },
    { id: 4, name: 'End of month +15' },
  ],
  roles: [{ id: 11, name: 'Engineer' }],
  contracts: [{ id: 5, name: 'Acme block hours' }],
  products: [
    { id: 801, name: 'Access point', sku: 'AP-620' },
    { id: 802, name: 'Switch 24p', sku: 'SW-24P' },
    { id: 803, name: '24-inch monitor', sku: 'MON-24' },
    { id: 804, name: 'No-SKU cable', sku: null },
  ],
  departments: [{ id: 1, name: 'Service', number: 'SVC' }],
  linesOfBusiness: [
    { id: 1, fullyQualifiedName: 'Managed Services' },
    { id: 2, fullyQualifiedName: 'Hardware' },
    { id: 3, fullyQualifiedName: 'Projects' },
  ],
  currencies: [
    { id: 1, code: 'USD', isInternal: true, isActive: true },
    { id: 2, code: 'CAD', isInternal: false, isActive: true },
  ],
  modules: { procurement: true, multiCurrency: false },
};

export const account = (id: string, name: string, classification: string, subType = '') => ({
  id,
  fullyQualifiedName: name,
  classification,
  subType,
  isActive: true,
});

const customer = (id: string, displayName: string, more: Partial<Customer> = {}): Customer => ({
  id,
  displayName,
  companyName: displayName,
  isActive: true,
  email: null,
  billingAddress: null,
  shippingAddress: null,
  currency: 'USD',
  ...more,
});

const vendor = (id: string, displayName: string, more: Partial<Vendor> = {}): Vendor => ({
  id,
  displayName,
  companyName: null,
  isActive: true,
  currency: 'USD',
  ...more,
});

export const item = (id: string, name: string, incomeAccountId: string | null, more: Partial<Item> = {}): Item => ({
  id,
  name,
  fullyQualifiedName: name,
  type: 'Service',
  sku: null,
  isActive: true,
  incomeAccountId,
  expenseAccountId: null,
  ...more,
});

export const accounting: AccountingLists = {
  preferences: {
    customTransactionNumbers: false,
    customOrderNumbers: false,
    classPerTransaction: false,
    classPerLine: true,
    multiCurrency: false,
    homeCurrency: 'USD',
    usesSalesTax: true,
    automatedSalesTax: false,
    closedThrough: calendarDate('2025-01-31'),
    customFields: [
      { definitionId: '1', name: 'P.O. Number' },
      { definitionId: '2', name: 'Ticket' },
    ],
  },
  company: { name: 'Northwind IT Services', country: 'US' },
  accounts: [
    account('1', 'Service Income', 'Revenue'),
    account('2', 'Hardware Income', 'Revenue'),
    account('3', 'Project Income', 'Revenue'),
    account('11', 'Billable Travel', 'Expense'),
    account('12', 'Meals', 'Expense'),
    account('13', 'Auto', 'Expense'),
    account('14', 'Cost of Goods – Hardware', 'Expense'),
    account('20', 'Accounts Payable', 'Liability', 'AccountsPayable'),
    account('25', 'Employee Advances', 'Asset', 'OtherCurrentAssets'),
    account('26', 'Undeposited Funds', 'Asset', 'UndepositedFunds'),
    account('27', 'Sales Tax Payable', 'Liability', 'GlobalTaxPayable'),
    account('30', 'Accounts Receivable', 'Asset', 'AccountsReceivable'),
  ],
  classes: [
    { id: '200', fullyQualifiedName: 'Managed Services', isActive: true },
    { id: '201', fullyQualifiedName: 'Hardware', isActive: true },
    { id: '202', fullyQualifiedName: 'SVC', isActive: true },
  ],
  locations: [
    { id: '210', fullyQualifiedName: 'Austin office', isActive: true },
    { id: '211', fullyQualifiedName: 'Houston office', isActive: true },
    { id: '212', fullyQualifiedName: 'Service', isActive: true },
  ],
  terms: [
    { id: '3', name: 'Net 30' },
    { id: '1', name: 'Due on receipt' },
    { id: '7', name: 'EOM 15' },
  ],
  taxCodes: [
    { id: 'TAX', name: 'TAX', isActive: true, salesRate: null },
    { id: 'NON', name: 'NON', isActive: true, salesRate: null },
    { id: '5', name: 'Travis County', isActive: true, salesRate: decimal('8.25') },
  ],
  customers: [
    customer('58', 'Acme Dental', {
      email: 'ap@acmedental.example',
      billingAddress: acmeAddress,
      shippingAddress: acmeAddress,
    }),
    customer('59', 'Birch Legal LLP'),
    customer('60', 'Maple Clinic', { currency: 'CAD' }),
    customer('61', 'Delta School'),
    customer('62', 'Old Acme', { isActive: false }),
  ],
  vendors: [vendor('90', 'Ingram Supplies', { companyName: 'Ingram Supplies' }), vendor('91', 'v-Decker, Betty')],
  items: [
    item('21', 'Remote Support', '1'),
    item('22', 'Onsite Support', '1'),
    item('24', 'Managed Workstation', '1'),
    item('27', 'Project milestone', '3'),
    item('31', 'AP-620 Access point', null, { type: 'NonInventory', sku: 'AP-620', expenseAccountId: '14' }),
    item('32', 'Switch', '2', { type: 'NonInventory', sku: 'SW-24P', expenseAccountId: '14' }),
  ],
};

export const mapping = (namespace: MappingNamespace, source: string, target: string, label = target): Mapping => ({
  id: `${namespace} ${source}`,
  namespace,
  sourceEntity: mappingNamespaces[namespace].source,
  sourceValue: source,
  sourceLabel: null,
  targetEntity: mappingNamespaces[namespace].target,
  targetValue: target,
  targetLabel: label,
});

/** Mappings of the worked examples: a customer, a billing code, two lines of business, the order number. */
export const mappings: readonly Mapping[] = [
  mapping('Customer', '175', '58', 'Acme Dental'),
  mapping('ItemBilling', '61', '24', 'Managed Workstation'),
  mapping('LineOfBusiness', '1', '200', 'Managed Services'),
  mapping('LineOfBusiness', '2', '201', 'Hardware'),
  mapping('SalesCustomField', 'OrderNumber', '1', 'P.O. Number'),
];

export const settings: Settings = { ...defaultSettings, inv_default_income_account: '2' };

/** Creates a billing item. Internal amounts equal the customer's. */
export function line(more: Partial<InvoiceLine>): InvoiceLine {
  const rate = more.rate ?? zero;
  const amount = more.amount ?? zero;
  return {
    id: 1,
    sortOrder: null,
    kind: 'labor',
    itemName: null,
    description: null,
    fullDescription: null,
    groupDescription: null,
    servedOn: null,
    quantity: decimal(1),
    rate,
    extendedPrice: amount,
    amount,
    internalAmount: amount,
    internalRate: rate,
    tax: zero,
    internalTax: zero,
    taxCategoryId: null,
    billingCodeId: null,
    roleId: null,
    contractId: null,
    productId: null,
    lineOfBusinessId: null,
    ...more,
  };
}

export function invoice(
  more: Partial<Omit<Invoice, 'lines'>> & { readonly lines?: readonly Partial<InvoiceLine>[] },
): Invoice {
  return {
    id: 48213,
    companyId: 175,
    number: '',
    invoicedOn: calendarDate('2025-03-03'),
    createdAt: instant('2025-03-03T14:55:00Z'),
    dueOn: null,
    total: zero,
    tax: zero,
    isVoided: false,
    voidedAt: null,
    exportedAt: null,
    paidOn: null,
    paymentTermId: null,
    taxRegionName: null,
    orderNumber: null,
    comments: null,
    ...more,
    lines: (more.lines ?? []).map((one, index) => line({ id: index + 1, ...one })),
  };
}

/** Creates a purchase order to Ingram Supplies. Internal costs equal the vendor's. */
export function purchaseOrder(
  more: Partial<Omit<PurchaseOrder, 'lines'>> & { readonly lines?: readonly Partial<PurchaseOrderLine>[] },
): PurchaseOrder {
  const id = more.id ?? 3310;
  return {
    id,
    vendorId: 301,
    forCompanyId: null,
    number: `PO-${id}`,
    externalNumber: '',
    status: 'submitted',
    createdAt: instant('2025-02-28T14:05:41.120Z'),
    createdOn: calendarDate('2025-02-28'),
    submittedOn: calendarDate('2025-02-28'),
    expectedOn: calendarDate('2025-03-10'),
    freight: zero,
    internalFreight: more.freight ?? zero,
    paymentTermId: 1,
    memo: null,
    shipToName: 'Acme Dental',
    shipTo: { ...street('410 Congress Avenue', 'Austin', 'TX', '78701'), country: null },
    ...more,
    lines: (more.lines ?? []).map((one, index) => ({
      id: index + 1,
      productId: 801,
      quantity: decimal(1),
      unitCost: zero,
      internalUnitCost: one.unitCost ?? zero,
      memo: null,
      ...one,
    })),
  };
}

/** Returns the facts of a purchase order on 2025-03-03, 15:00:07 UTC, with its accounts set. */
export const orderFactsFor = (of: PurchaseOrder, more: Partial<PurchaseOrderFacts> = {}): PurchaseOrderFacts => ({
  order: of,
  vendor: companies.find(({ id }) => id === of.vendorId) ?? null,
  forCompany: companies.find(({ id }) => id === of.forCompanyId) ?? null,
  settings: { ...settings, po_default_expense_account: '14', po_payable_account: '20' },
  mappings,
  psa,
  accounting,
  numberTakenBy: null,
  psaLabel: 'Autotask',
  now: instant('2025-03-03T15:00:07Z'),
  mode: 'live',
  trigger: 'automatic',
  generation: 1,
  ...more,
});

const categoryNames: Readonly<Record<number, string>> = { 41: 'Travel', 42: 'Meals', 43: 'Mileage', 44: 'Toner' };

/** Creates an approved expense report of Betty Decker for the week ending 2025-02-28. */
export function expenseReport(
  more: Partial<Omit<ExpenseReport, 'items'>> & { readonly items?: readonly Partial<ExpenseItem>[] },
): ExpenseReport {
  return {
    id: 1207,
    name: 'Client visits February',
    status: 'approved',
    submitterId: 21,
    submitter: { firstName: 'Betty', lastName: 'Decker' },
    submittedAt: instant('2025-02-28T17:40:00Z'),
    submittedOn: calendarDate('2025-02-28'),
    approvedOn: calendarDate('2025-03-02'),
    weekEndingOn: calendarDate('2025-02-28'),
    departmentNumber: 'SVC',
    amountDue: null,
    cashAdvance: zero,
    paidBackCurrencyId: null,
    paidBackAmountDue: null,
    reference: '',
    ...more,
    items: (more.items ?? []).map((one, index) => ({
      id: index + 1,
      spentOn: calendarDate('2025-02-25'),
      categoryId: 42,
      categoryName: categoryNames[one.categoryId ?? 42] ?? '',
      description: null,
      isBillable: one.companyId !== undefined && one.companyId !== null,
      isReimbursable: true,
      isRejected: false,
      companyId: null,
      amount: zero,
      ...one,
    })),
  };
}

/** Category mappings of the worked example. */
export const expenseMappings: readonly Mapping[] = [
  mapping('ExpenseCategoryBillable', '41', '11', 'Billable Travel'),
  mapping('ExpenseCategoryNonBillable', '42', '12', 'Meals'),
  mapping('ExpenseCategoryNonBillable', '43', '13', 'Auto'),
];

/** Returns the facts of an expense report on 2025-03-03, 15:00:07 UTC, with its accounts set. */
export const reportFactsFor = (of: ExpenseReport, more: Partial<ExpenseReportFacts> = {}): ExpenseReportFacts => ({
  report: of,
  companies: companies.filter(({ id }) => of.items.some(({ companyId }) => companyId === id)),
  settings: { ...settings, po_payable_account: '20', exp_cash_advance_expense_account: '25' },
  mappings,
  psa,
  accounting,
  psaLabel: 'Autotask',
  now: instant('2025-03-03T15:00:07Z'),
  mode: 'live',
  trigger: 'automatic',
  generation: 1,
  ...more,
});

/** Returns the facts of an invoice on 2025-03-03, 15:00:07 UTC. */
export const factsFor = (of: Invoice, more: Partial<InvoiceFacts> = {}): InvoiceFacts => ({
  invoice: of,
  company: companies.find(({ id }) => id === of.companyId) ?? null,
  workCompanies: companies.filter(({ id }) => of.lines.some(({ companyId }) => companyId === id)),
  prepaid: [],
  settings,
  itemSettings: defaultItemSettings,
  mappings,
  psa,
  accounting,
  numberTakenBy: null,
  psaLabel: 'Autotask',
  psaMenus: menus,
  now: instant('2025-03-03T15:00:07Z'),
  mode: 'live',
  trigger: 'automatic',
  generation: 1,
  ...more,
});

/** Facts about a client with both services connected and the sample lists. */
export const settingsFacts: SettingsFacts = {
  psaLabel: 'Autotask',
  isConnected: true,
  preferences: accounting.preferences,
  accounts: accounting.accounts,
  modules: { procurement: true, multiCurrency: false },
  voidsEnabled: true,
  paymentsAvailable: true,
};
