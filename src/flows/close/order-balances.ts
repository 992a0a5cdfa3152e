import type { PurchaseOrder, PurchaseOrderHead } from '#core/documents/purchase-order.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { CompletenessFacts } from '#core/reconciliation/completeness.ts';
import { orderBalance } from '#core/reconciliation/order-balance.ts';
import type { TieOutFacts } from '#core/reconciliation/tie-out.ts';
import { startOfDay, type CalendarDate } from '#core/values/dates.ts';
import type { Shared } from './shared.ts';

/**
 * Returns what is left of each purchase order at the end of a month. A purchase order posts nothing to an account, so
 * received goods without a bill are a debt that no account shows. Orders of earlier months count if they are in
 * QuickBooks.
 *
 * @param heads purchase orders of the PSA, of the month and before
 * @param ofMonth the orders of the month on both sides
 */
export async function orderBalances(
  { context, psa, accounting, timeZone }: Shared,
  heads: readonly PurchaseOrderHead[],
  ofMonth: Pick<CompletenessFacts, 'sources' | 'documents'> & { readonly orders: readonly PurchaseOrder[] },
  period: { readonly from: CalendarDate; readonly through: CalendarDate },
): Promise<Pick<TieOutFacts, 'openOrders' | 'received'>> {
  const sources = new Map(ofMonth.sources.map((source) => [source.id, source]));
  const ids = [...new Set([...heads.map(({ id }) => id), ...sources.keys()])];
  const postings = ids.length === 0 ? [] : await context.store.listPostings('purchase_order', ids);
  const documentOf = new Map(
    postings.flatMap(({ psaId, targetId, status }) =>
      targetId !== null && (status === 'synced' || status === 'unconfirmed') ? [[psaId, targetId] as const] : [],
    ),
  );
  const known = new Map(
    ofMonth.documents.flatMap((document) => (document.type === 'PurchaseOrder' ? [[document.id, document]] : [])),
  );
  const unknown = [...documentOf.values()].filter((id) => !known.has(id));
  if (unknown.length > 0)
    for (const document of await accounting.readDocuments(unknown.map((id) => ({ type: 'PurchaseOrder', id }))))
      known.set(document.id, document);
  const statusOf = new Map(heads.map(({ id, status }) => [id, status]));
  const isDone = (id: number): boolean => {
    const document = known.get(documentOf.get(id) ?? '');
    if (document === undefined) return !sources.has(id) && !documentOf.has(id);
    // An order that was received and billed before the month has nothing left.
    return (
      statusOf.get(id) === 'received' &&
      document.isOpen === false &&
      document.changedAt < startOfDay(period.from, timeZone)
    );
  };
  const wanted = ids.filter((id) => !isDone(id));
  if (wanted.length === 0) return { openOrders: [], received: [] };
  const billIds = wanted.flatMap((id) =>
    (known.get(documentOf.get(id) ?? '')?.links ?? []).flatMap((link) => (link.type === 'Bill' ? [link.id] : [])),
  );
  const here = ofMonth.orders.filter(({ id }) => wanted.includes(id));
  const earlier = wanted.filter((id) => !here.some((order) => order.id === id));
  const [others, bills] = await inParallel([
    psa.readPurchaseOrders(earlier),
    billIds.length === 0 ? [] : accounting.readDocuments([...new Set(billIds)].map((id) => ({ type: 'Bill', id }))),
  ]);
  const orders = [...others, ...here];
  const receivedIds = orders
    .filter(({ status }) => status !== 'submitted' && status !== 'new')
    .flatMap(({ lines }) => lines.map(({ id }) => id));
  const receipts = Map.groupBy(await psa.readReceipts(receivedIds), ({ lineId }) => lineId);
  const openOrders: TieOutFacts['openOrders'][number][] = [];
  const received: TieOutFacts['received'][number][] = [];
  for (const order of orders) {
    const document = known.get(documentOf.get(order.id) ?? '') ?? null;
    const own = order.lines.flatMap(({ id }) => receipts.get(id) ?? []);
    const left = orderBalance({ order, document, bills, receipts: own }, period.through);
    const party = sources.get(order.id)?.party.name ?? document?.party.name ?? '';
    const label = [order.number, party].filter((part) => part !== '').join(' · ');
    if (left.psa !== null || left.accounting !== null)
      openOrders.push({ label, psa: left.psa, accounting: left.accounting });
    if (document !== null)
      received.push({
        label: [document.number ?? document.id, document.party.name].filter((part) => part !== null).join(' · '),
        received: left.received,
        billed: left.billed,
      });
  }
  return { openOrders, received };
}
