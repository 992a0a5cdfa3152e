/** Autotask's purchase orders into our words; pure. */
import type {
  PurchaseOrder,
  PurchaseOrderHead,
  PurchaseOrderLine,
  PurchaseOrderStatus,
} from '#core/documents/purchase-order.ts';
import { documentDate, instant } from '#core/values/dates.ts';
import { toDate, withZone } from './translate.ts';
import type { AtPurchaseOrder, AtPurchaseOrderItem } from './wire.ts';

/** Numbers of `status`, the same at every tenant (autotask reference 8.12). */
const orderStatuses: Readonly<Record<number, PurchaseOrderStatus>> = {
  1: 'new',
  2: 'submitted',
  3: 'partly_received',
  4: 'received',
  5: 'canceled',
};
export const submittedOrder = 2;

/**
 * The head of a purchase order.
 *
 * @param timeZone the PSA's, in which its documents are dated.
 * @throws RangeError when a date makes no sense.
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
    // Freight that is there is never lost because its counterpart is not.
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
  quantity: wire.quantity,
  unitCost: wire.unitCost,
  internalUnitCost: wire.internalCurrencyUnitCost,
  memo: wire.memo,
});

/** A purchase order with its lines in ascending id. */
export const toPurchaseOrder = (
  wire: AtPurchaseOrder,
  items: readonly AtPurchaseOrderItem[],
  timeZone: string,
): PurchaseOrder => ({
  ...toPurchaseOrderHead(wire, timeZone),
  lines: items.map(toPurchaseOrderLine).sort((a, b) => a.id - b.id),
});
