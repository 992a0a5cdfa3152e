import type {
  ExpenseItem,
  ExpenseReport,
  ExpenseReportHead,
  ExpenseReportStatus,
} from '#core/documents/expense-report.ts';
import type { BillingKind, Invoice, InvoiceHead, InvoiceLine } from '#core/documents/invoice.ts';
import type { Address, Company } from '#core/documents/party.ts';
import type {
  PurchaseOrder,
  PurchaseOrderHead,
  PurchaseOrderLine,
  PurchaseOrderStatus,
} from '#core/documents/purchase-order.ts';
import type { LineOfBusiness } from '#core/documents/reference-data.ts';
import type { PsaResource } from '#core/ports/psa.ts';
import { type CalendarDate, documentDate, instant, type Instant, withZone } from '#core/values/dates.ts';
import { round2 } from '#core/values/decimal.ts';
import { wrongShape } from './errors.ts';
import { noteUnexpected } from '../unexpected.ts';
import type {
  AtBillingItem,
  AtCompany,
  AtContact,
  AtExpenseItem,
  AtExpenseReport,
  AtField,
  AtInvoice,
  AtPurchaseOrder,
  AtPurchaseOrderItem,
  AtResource,
} from './wire.ts';

/** Converts Autotask's records to core documents; pure. */

/** Date-times are UTC, with `Z` or without (autotask reference section 7). */
const toInstant = (text: string | null): Instant | null => (text === null ? null : instant(withZone(text)));
export const toDate = (text: string | null, timeZone: string): CalendarDate | null =>
  text === null ? null : documentDate(text, timeZone);

/**
 * Returns the header of an invoice.
 *
 * @param timeZone the PSA's time zone, in which its documents are dated (domain reference 5.7).
 * @throws RangeError for an invalid date.
 */
export function toInvoiceHead(wire: AtInvoice, timeZone: string): InvoiceHead {
  return {
    id: wire.id,
    companyId: wire.companyID,
    number: wire.invoiceNumber ?? '',
    invoicedOn: documentDate(wire.invoiceDateTime, timeZone),
    createdAt: instant(withZone(wire.createDateTime)),
    dueOn: toDate(wire.dueDate, timeZone),
    total: wire.invoiceTotal,
    tax: wire.totalTaxValue,
    isVoided: wire.isVoided,
    voidedAt: toInstant(wire.voidedDate),
    exportedAt: toInstant(wire.webServiceDate),
    paidOn: toDate(wire.paidDate, timeZone),
    paymentTermId: wire.paymentTerm,
    taxRegionName: wire.taxRegionName,
    ...taxMethodOf(wire),
    orderNumber: wire.orderNumber,
    comments: wire.comments,
  };
}

/** Returns the service that calculates the tax, with the state of the invoice [A50]; none for an ordinary invoice. */
function taxMethodOf({
  invoiceTaxMethodExternalCode,
  invoiceStatus,
}: AtInvoice): Pick<InvoiceHead, 'taxedBy' | 'taxState'> {
  const taxedBy = invoiceTaxMethodExternalCode?.trim() ?? '';
  if (taxedBy === '') return {};
  return { taxedBy, ...(invoiceStatus !== null && { taxState: invoiceStatus }) };
}

/** Returns an invoice with its lines in printed order. */
export const toInvoice = (wire: AtInvoice, lines: readonly InvoiceLine[], timeZone: string): Invoice => ({
  ...toInvoiceHead(wire, timeZone),
  lines: [...lines].sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0) || a.id - b.id),
});

/** Labels of this tenant's two type lists, in lower case, by number. */
interface BillingLabels {
  readonly types: ReadonlyMap<number, string>;
  readonly subTypes: ReadonlyMap<number, string>;
}

/** Reads the labels of both lists from the field information of BillingItems. */
export function toBillingLabels(fields: readonly AtField[]): BillingLabels {
  const labels = (name: string) => {
    const field = fields.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const values = field?.picklistValues ?? [];
    return new Map(values.map(({ value, label }) => [Number(value), label.trim().toLowerCase()]));
  };
  return { types: labels('billingItemType'), subTypes: labels('subType') };
}

/** Kinds by label of `subType`, or of `billingItemType` if the former is not specific (domain reference 4). */
const kindByLabel: Readonly<Record<string, BillingKind>> = {
  labor: 'labor',
  'milestone labor': 'labor',
  'recurring services': 'service',
  'recurring services adjustment': 'service',
  'recurring service bundle': 'service',
  'recurring service bundle adjustment': 'service',
  subscription: 'subscription',
  'subscription cost': 'subscription',
  'ticket cost': 'charge',
  'ticket cost deductions': 'charge',
  'project cost': 'charge',
  'project cost deductions': 'charge',
  'contract cost': 'charge',
  expense: 'expense',
  'expense deductions': 'expense',
  'block purchase': 'block_purchase',
  'contract block': 'block_purchase',
  milestone: 'milestone',
  milestones: 'milestone',
  'retainer purchase': 'retainer_purchase',
  'contract retainer': 'retainer_purchase',
  'setup fee': 'contract_setup_fee',
  'contract incident': 'ticket_purchase',
};

/**
 * Returns the kind of a billing item from its labels, because the numbers differ between tenants. Without a known
 * label, the kind depends on the source record that the item references (autotask reference 8.4).
 */
function billingKind(item: AtBillingItem, labels: BillingLabels): BillingKind {
  const type = labels.types.get(item.billingItemType ?? -1) ?? '';
  const subType = labels.subTypes.get(item.subType ?? -1) ?? '';
  // These two exist only as types; their sub-type contains the kind of contract instead.
  if (type === 'contract incident' || type === 'contract cost') return kindByLabel[type] ?? 'other';
  return kindByLabel[subType] ?? kindByLabel[type] ?? kindBySource(item);
}

function kindBySource(item: AtBillingItem): BillingKind {
  const has = (...ids: readonly (number | null)[]) => ids.some((one) => one !== null);
  if (has(item.timeEntryID)) return 'labor';
  if (has(item.ticketChargeID, item.projectChargeID, item.contractChargeID)) return 'charge';
  if (has(item.expenseItemID)) return 'expense';
  if (has(item.configurationItemID)) return 'subscription';
  if (
    has(item.serviceID, item.contractServiceID, item.contractServicePeriodID, item.contractServiceAdjustmentID) ||
    has(item.serviceBundleID, item.contractServiceBundleID) ||
    has(item.contractServiceBundlePeriodID, item.contractServiceBundleAdjustmentID)
  )
    return 'service';
  if (has(item.milestoneID)) return 'milestone';
  if (has(item.contractBlockID)) return 'block_purchase';
  return 'other';
}

/** Product ids by the charge that sold the product. */
interface ProductsByCharge {
  readonly ticket: ReadonlyMap<number, number>;
  readonly project: ReadonlyMap<number, number>;
  readonly contract: ReadonlyMap<number, number>;
}

/** Returns one line of an invoice. */
export function toInvoiceLine(
  item: AtBillingItem,
  labels: BillingLabels,
  products: ProductsByCharge,
  timeZone: string,
): InvoiceLine {
  return {
    id: item.id,
    sortOrder: item.sortOrderID,
    kind: billingKind(item, labels),
    itemName: item.itemName,
    description: item.description,
    fullDescription: item.lineItemFullDescription,
    groupDescription: item.lineItemGroupDescription,
    servedOn: toDate(item.itemDate, timeZone),
    quantity: item.quantity,
    rate: item.rate,
    extendedPrice: item.extendedPrice,
    amount: item.totalAmount,
    internalAmount: item.internalCurrencyTotalAmount,
    internalRate: item.internalCurrencyRate,
    tax: item.taxDollars,
    internalTax: item.internalCurrencyTaxDollars,
    taxCategoryId: item.taxCategoryID,
    billingCodeId: item.billingCodeID,
    roleId: item.roleID,
    contractId: item.contractID,
    blockId: item.contractBlockID,
    ticketId: item.ticketID,
    productId:
      products.ticket.get(item.ticketChargeID ?? -1) ??
      products.project.get(item.projectChargeID ?? -1) ??
      products.contract.get(item.contractChargeID ?? -1) ??
      null,
    lineOfBusinessId: item.organizationalLevelAssociationID,
    companyId: item.companyID,
  };
}

export const toResource = (wire: AtResource): PsaResource => ({
  id: wire.id,
  firstName: wire.firstName ?? '',
  lastName: wire.lastName ?? '',
  email: wire.email ?? '',
});

/**
 * Returns a company with its two addresses, with ISO country codes.
 * @param contact the primary contact with an email address; null if there is none.
 */
export function toCompany(wire: AtCompany, contact: AtContact | null, countries: ReadonlyMap<number, string>): Company {
  const country = (id: number | null) => countries.get(id ?? -1) ?? null;
  const address: Address = {
    line1: wire.address1,
    line2: wire.address2,
    city: wire.city,
    state: wire.state,
    postalCode: wire.postalCode,
    country: country(wire.countryID),
  };
  const billTo = [wire.billingAddress1, wire.billingAddress2, wire.billToCity, wire.billToState, wire.billToZipCode];
  const billingAddress: Address = {
    line1: wire.billingAddress1,
    line2: wire.billingAddress2,
    city: wire.billToCity,
    state: wire.billToState,
    postalCode: wire.billToZipCode,
    // A country alone is not an address.
    country: billTo.some((part) => part !== null) ? country(wire.billToCountryID) : null,
  };
  return {
    id: wire.id,
    name: wire.companyName ?? '',
    type: wire.companyType ?? 0,
    isActive: wire.isActive,
    isTaxExempt: wire.isTaxExempt,
    taxId: wire.taxID,
    phone: wire.phone,
    address,
    billingAddress,
    currencyId: wire.currencyID,
    email: contact?.emailAddress ?? null,
    contactName: nameOfContact(contact),
  };
}

function nameOfContact(contact: AtContact | null): string | null {
  const name = [contact?.firstName, contact?.lastName].map((part) => part?.trim() ?? '').join(' ');
  return name.trim() === '' ? null : name.trim();
}

/** Returns the name of a line of business: both levels, or the one that has a name (domain reference 2.1). */
export function toLineOfBusiness(id: number, level1: string | null, level2: string | null): LineOfBusiness {
  const names = [level1, level2].filter((name) => name !== null && name.trim() !== '');
  return { id, fullyQualifiedName: names.join(' : ') };
}

/** Converts Autotask's purchase orders and expense reports to core documents; pure. */

/** Numbers of `status`, the same for every tenant (autotask reference 8.12). */
const orderStatuses: Readonly<Record<number, PurchaseOrderStatus>> = {
  1: 'new',
  2: 'submitted',
  3: 'partly_received',
  4: 'received',
  5: 'canceled',
};
/** Returns the status of a number; a number that the table lacks is noted [A36]. */
function statusOf<Status>(
  statuses: Readonly<Record<number, Status>>,
  status: number,
  operation: string,
): Status | 'other' {
  const known = statuses[status];
  if (known !== undefined) return known;
  noteUnexpected(
    { service: 'psa', kind: 'unknown_status', fact: 'A36', name: `${operation} ${status}`, operation },
    status,
  );
  return 'other';
}

/** Statuses of a submitted order. */
export const submittedOrders = [2, 3, 4, 5] as const;

/**
 * Returns the header of a purchase order.
 *
 * @param timeZone the PSA's time zone, in which its documents are dated.
 * @throws RangeError for an invalid date.
 */
export function toPurchaseOrderHead(wire: AtPurchaseOrder, timeZone: string): PurchaseOrderHead {
  return {
    id: wire.id,
    vendorId: wire.vendorID,
    forCompanyId: wire.purchaseForCompanyID,
    number: wire.purchaseOrderNumber ?? '',
    externalNumber: wire.externalPONumber ?? '',
    status: statusOf(orderStatuses, wire.status, 'read PurchaseOrders'),
    createdAt: instant(withZone(wire.createDateTime)),
    createdOn: documentDate(withZone(wire.createDateTime), timeZone),
    submittedOn: toDate(wire.submitDateTime, timeZone),
    expectedOn: toDate(wire.latestEstimatedArrivalDate, timeZone),
    freight: wire.freight,
    // The freight is still included if its amount in internal currency is missing.
    internalFreight: wire.internalCurrencyFreight ?? wire.freight,
    paymentTermId: wire.paymentTerm,
    memo: wire.generalMemo,
    shipToName: wire.shipToName,
    shipTo: {
      line1: wire.shipToAddress1,
      line2: wire.shipToAddress2,
      city: wire.shipToCity,
      state: wire.shipToState,
      postalCode: wire.shipToPostalCode,
      country: null,
    },
  };
}

const toPurchaseOrderLine = (wire: AtPurchaseOrderItem): PurchaseOrderLine => ({
  id: wire.id,
  productId: wire.productID,
  contractId: wire.contractID,
  quantity: wire.quantity,
  unitCost: wire.unitCost ?? null,
  internalUnitCost: wire.internalCurrencyUnitCost ?? null,
  memo: wire.memo,
});

/** Returns a purchase order with its lines in ascending id. */
export const toPurchaseOrder = (
  wire: AtPurchaseOrder,
  items: readonly AtPurchaseOrderItem[],
  timeZone: string,
): PurchaseOrder => ({
  ...toPurchaseOrderHead(wire, timeZone),
  lines: items.map(toPurchaseOrderLine).sort((a, b) => a.id - b.id),
});

/** Numbers of `status`, the same for every tenant (autotask reference 8.15). */
const reportStatuses: Readonly<Record<number, ExpenseReportStatus>> = {
  1: 'in_progress',
  2: 'awaiting_approval',
  3: 'approved',
  4: 'rejected',
  5: 'paid',
  6: 'transferred',
};
export const approvedReport = 3;

/**
 * Returns the header of an expense report.
 *
 * @param timeZone the PSA's time zone, in which its documents are dated.
 * @throws RangeError for an invalid date.
 */
export const toExpenseReportHead = (wire: AtExpenseReport, timeZone: string): ExpenseReportHead => ({
  id: wire.id,
  name: wire.name ?? '',
  status: statusOf(reportStatuses, wire.status, 'read ExpenseReports'),
  submitterId: wire.submitterID,
  submittedAt: toInstant(wire.submitDate),
  submittedOn: toDate(wire.submitDate, timeZone),
  approvedOn: toDate(wire.approvedDate, timeZone),
  weekEndingOn: toDate(wire.weekEnding, timeZone),
  departmentNumber: wire.departmentNumber,
  lineOfBusinessId: wire.organizationalLevelAssociationID,
  amountDue: wire.amountDue === null || wire.amountDue === undefined ? null : round2(wire.amountDue),
  cashAdvance: wire.internalCurrencyCashAdvanceAmount,
  paidBackCurrencyId: wire.reimbursementCurrencyID,
  paidBackAmountDue: wire.reimbursementCurrencyAmountDue ?? null,
  reference: wire.quickBooksReferenceNumber ?? '',
});

/** Returns the names of this tenant's expense categories, by number. */
export function toCategoryNames(fields: readonly AtField[]): ReadonlyMap<number, string> {
  const field = fields.find(({ name }) => name.toLowerCase() === 'expensecategory');
  return new Map((field?.picklistValues ?? []).map(({ value, label }) => [Number(value), label.trim()]));
}

/**
 * Returns one item of an expense report.
 *
 * @throws ServiceError if it has no amount.
 */
export function toExpenseItem(
  wire: AtExpenseItem,
  categories: ReadonlyMap<number, string>,
  timeZone: string,
): ExpenseItem {
  const { internalCurrencyReimbursementAmount: repaid, internalCurrencyExpenseAmount: spent } = wire;
  // Autotask reports a reimbursement of 0 for company-paid and for rejected items.
  const amount = (wire.isReimbursable && !wire.isRejected ? (repaid ?? spent) : (spent ?? repaid)) ?? null;
  if (amount === null) throw wrongShape('read expense items', `expense item ${wire.id} without an amount`);
  return {
    id: wire.id,
    spentOn: documentDate(withZone(wire.expenseDate), timeZone),
    categoryId: wire.expenseCategory,
    categoryName: categories.get(wire.expenseCategory) ?? String(wire.expenseCategory),
    description: wire.description,
    isBillable: wire.isBillableToCompany,
    isReimbursable: wire.isReimbursable,
    isRejected: wire.isRejected,
    companyId: wire.companyID,
    amount,
  };
}

/** Returns an expense report with its submitter, and its items in ascending id. */
export const toExpenseReport = (
  wire: AtExpenseReport,
  items: readonly AtExpenseItem[],
  {
    submitter,
    categories,
  }: { readonly submitter: AtResource | null; readonly categories: ReadonlyMap<number, string> },
  timeZone: string,
): ExpenseReport => ({
  ...toExpenseReportHead(wire, timeZone),
  submitter: submitter === null ? null : { firstName: submitter.firstName, lastName: submitter.lastName },
  items: items.map((item) => toExpenseItem(item, categories, timeZone)).sort((a, b) => a.id - b.id),
});
