/** Converts Autotask's purchase orders and expense reports to core documents; pure. */
import type {
  ExpenseItem,
  ExpenseReport,
  ExpenseReportHead,
  ExpenseReportStatus,
} from '#core/documents/expense-report.ts';
import type {
  PurchaseOrder,
  PurchaseOrderHead,
  PurchaseOrderLine,
  PurchaseOrderStatus,
} from '#core/documents/purchase-order.ts';
import { documentDate, instant } from '#core/values/dates.ts';
import { round2 } from '#core/values/decimal.ts';
import { wrongShape } from './errors.ts';
import { toDate, toInstant, withZone } from './translate.ts';
import type {
  AtExpenseItem,
  AtExpenseReport,
  AtField,
  AtPurchaseOrder,
  AtPurchaseOrderItem,
  AtResource,
} from './wire.ts';

/** Numbers of `status`, the same for every tenant (autotask reference 8.12). */
const orderStatuses: Readonly<Record<number, PurchaseOrderStatus>> = {
  1: 'new',
  2: 'submitted',
  3: 'partly_received',
  4: 'received',
  5: 'canceled',
};
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
    status: orderStatuses[wire.status] ?? 'other',
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
  status: reportStatuses[wire.status] ?? 'other',
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
