import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { PurchaseOrderHead } from '#core/documents/purchase-order.ts';
import { costOf } from '#core/planning/prices.ts';
import { homeLines } from '#core/reconciliation/home-amounts.ts';
import type { TieOutFacts } from '#core/reconciliation/tie-out.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { sum, zero } from '#core/values/decimal.ts';
import type { Shared } from './shared.ts';

/**
 * Returns for each purchase order what was received by the end of a month, at cost, and how much of it the vendor's
 * bills in QuickBooks cover by then. A purchase order posts nothing to an account, so received but unbilled goods are a
 * debt that no account shows. Makes no calls if nothing was received.
 *
 * @param heads purchase orders of the PSA; those without receipts are omitted
 */
export async function receivedOrders(
  { context, psa, accounting }: Shared,
  heads: readonly PurchaseOrderHead[],
  through: CalendarDate,
): Promise<TieOutFacts['received']> {
  const ids = heads.flatMap(({ id, status }) => (status === 'partly_received' || status === 'received' ? [id] : []));
  const postings = ids.length === 0 ? [] : await context.store.listPostings('purchase_order', ids);
  const documentOf = new Map(
    postings.flatMap(({ psaId, targetId, status }) =>
      targetId !== null && (status === 'synced' || status === 'unconfirmed') ? [[psaId, targetId] as const] : [],
    ),
  );
  if (documentOf.size === 0) return [];
  const orders = await psa.readPurchaseOrders([...documentOf.keys()]);
  const lineIds = orders.flatMap(({ lines }) => lines.map(({ id }) => id));
  const quantities = await psa.readReceipts(lineIds, through);
  const documents = await accounting.readDocuments(
    [...documentOf.values()].map((id) => ({ type: 'PurchaseOrder', id })),
  );
  const billIds = new Set(
    documents.flatMap(({ links }) => links.flatMap(({ type, id }) => (type === 'Bill' ? [id] : []))),
  );
  const bills =
    billIds.size === 0 ? [] : await accounting.readDocuments([...billIds].map((id) => ({ type: 'Bill', id })));
  const counted = bills.filter(({ isVoided, datedOn }) => !isVoided && datedOn <= through);
  return orders.flatMap((order) => {
    const document = documents.find(({ id }) => id === documentOf.get(order.id));
    if (document === undefined) return [];
    const received = order.lines.map(({ id, internalUnitCost }) => {
      const quantity = quantities.get(id);
      return quantity === undefined || internalUnitCost === null ? zero : costOf(quantity, internalUnitCost).amount;
    });
    const label = [document.number ?? document.id, document.party.name].filter((part) => part !== null).join(' · ');
    return [{ label, received: sum(received), billed: sum(counted.map((bill) => billedOf(bill, document.id))) }];
  });
}

/** Returns the amount of a bill that belongs to a purchase order, in the home currency. */
const billedOf = (bill: AccountingDocument, orderId: string) =>
  sum(homeLines(bill).flatMap(({ amount, orderIds = [] }) => (orderIds.includes(orderId) ? [amount] : [])));
