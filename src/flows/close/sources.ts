import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { PurchaseOrder, PurchaseOrderHead } from '#core/documents/purchase-order.ts';
import { inParallel } from '#core/in-parallel.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import { costOf } from '#core/planning/document-lines.ts';
import type { LastOutcome, PostedBody } from '#core/records/closes.ts';
import type { Posting } from '#core/records/postings.ts';
import type { CloseKind, PostedDocument, PsaDocument } from '#core/reconciliation/completeness.ts';
import { missingClass } from '#core/reconciliation/missing.ts';
import { firstDay, lastDay, monthOf, type Month } from '#core/reconciliation/month.ts';
import { withoutSentinel } from '#core/sync-status.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import { isPositive, plus, round2, sum, zero } from '#core/values/decimal.ts';
import type { Shared } from './shared.ts';
import { dayOfOrder } from './sources-hash.ts';

/** Documents of one kind on both sides, before their postings are loaded. */
export interface Sources {
  readonly kind: CloseKind;
  readonly sources: readonly PsaDocument[];
  readonly documents: readonly AccountingDocument[];
  /** What was posted for the sources; absent until loaded. */
  readonly postings?: readonly PostedDocument[];
}

export const inMonth = (month: Month, on: CalendarDate): boolean => monthOf(on) === month;

/** Facts about an invoice that its head does not contain. */
interface About {
  readonly name: string;
  readonly currency: string;
  readonly mappedPartyId: string | null;
  readonly childPartyIds: readonly string[];
  readonly outcome: LastOutcome | null;
  readonly window: Instant;
  readonly startsAt: Instant;
  readonly isHeldWhenClosed?: boolean;
}

export const toSource = (head: InvoiceHead, about: About): PsaDocument => ({
  id: head.id,
  // A status text written after a failure is not a number.
  number: withoutSentinel(head.number),
  party: { id: head.companyId, name: about.name },
  datedOn: head.invoicedOn,
  dueOn: head.dueOn,
  currency: about.currency,
  total: head.total,
  tax: head.tax,
  ...(head.taxRegionName === null ? {} : { taxRegion: head.taxRegionName }),
  linesNet: null,
  isVoided: head.isVoided,
  isPaid: head.paidOn !== null,
  paidOn: head.paidOn,
  ...(about.isHeldWhenClosed === true && { isHeldWhenClosed: true }),
  isNumberWritten: true,
  mappedPartyId: about.mappedPartyId,
  ...(about.mappedPartyId === null && { isCustomerUnmapped: true }),
  ...(about.childPartyIds.length === 0 ? {} : { childPartyIds: about.childPartyIds }),
  ifMissing: missingClass({ ...about, createdAt: head.createdAt, isSendable: true }),
});

/** Returns the documents that were posted for these sources, also deleted ones, each with its content when posted. */
export async function loadPostings(
  { context, accounting }: Shared,
  kind: CloseKind,
  sources: readonly Pick<PsaDocument, 'id'>[],
): Promise<readonly PostedDocument[]> {
  const rows = await context.store.listPostedBodies(
    kind,
    sources.map(({ id }) => id),
  );
  return rows.flatMap((row) => toPosted(row, (type) => accounting.fingerprintOfBody(type, row.body)));
}

/** Returns a posting as it was posted, also a deleted one; none if it was refused or not answered. */
export function toPosted(
  { psaId, targetType, targetId, number, total, tax, psaTotal, status, answered }: PostedBody,
  fingerprintOf: (type: string) => PostedDocument['fingerprint'],
): PostedDocument[] {
  if (targetType === null || targetId === null || status === 'refused' || status === 'sending') return [];
  const sent = fingerprintOf(targetType);
  const isDueByTerm = (sent?.dueOn ?? null) === null;
  // QuickBooks' response also names the records created with the document. An update restores only a tax code that was sent.
  const fingerprint = answered === null ? sent : { ...answered, taxCodeId: sent?.taxCodeId ?? null };
  return [
    { psaId, type: targetType, id: targetId, number, total, tax, psaTotal, psaTax: null, fingerprint, isDueByTerm },
  ];
}

/** Returns the ids of sources, also of other months, whose document is dated in this month. */
export const psaIdsOf = async ({ context }: Shared, kind: CloseKind, documents: readonly AccountingDocument[]) => [
  ...new Set(
    (
      await context.store.findPostings(
        kind,
        documents.map(({ id }) => id),
      )
    ).map(({ psaId }) => psaId),
  ),
];

/** Returns purchase orders that were submitted in the month or whose document is dated in it. */
export async function orderSources(
  shared: Shared,
  heads: readonly PurchaseOrderHead[],
): Promise<Sources & { readonly orders: readonly PurchaseOrder[] }> {
  const { context, psa, month, settings, timeZone, mappings } = shared;
  const documents = shared.documents.filter(({ type }) => type === 'PurchaseOrder');
  const wanted = new Set(await psaIdsOf(shared, 'purchase_order', documents));
  for (const head of heads) if (inMonth(month, dayOfOrder(head))) wanted.add(head.id);
  if (wanted.size === 0) return { kind: 'purchase_order', sources: [], documents, orders: [] };
  const ids = [...wanted];
  const orders = await psa.readPurchaseOrders(ids);
  const [companies, outcomes] = await inParallel([
    psa.readCompanyNames([...new Set(orders.map(({ vendorId }) => vendorId))]),
    context.store.listLastOutcomes('purchase_order', ids),
  ]);
  const names = new Map(companies.map(({ id, name }) => [id, name]));
  const vendors = new Map(
    mappings.flatMap((mapping) =>
      mapping.namespace === 'Vendor' ? [[Number(mapping.sourceValue), mapping.targetValue] as const] : [],
    ),
  );
  const now = context.clock.now();
  const window = thresholdOf(now, timeZone, settings.po_max_age_days);
  const startsAt = thresholdOf(now, timeZone, settings.po_max_age_days, settings.sync_start_date);
  const postings = await context.store.listPostings('purchase_order', ids);
  const foreign = foreignOrders(shared, postings, documents);
  const posted = new Set(postings.flatMap(({ psaId, targetId }) => (targetId === null ? [] : [psaId])));
  const sources = orders.map((order): PsaDocument => {
    const currency = foreign.get(order.id);
    const isCanceled = order.status === 'canceled' || order.status === 'new';
    return {
      id: order.id,
      number: order.number,
      party: { id: order.vendorId, name: names.get(order.vendorId) ?? `Company ${order.vendorId}` },
      datedOn: dayOfOrder(order),
      dueOn: null,
      currency: currency ?? shared.accountingLists.preferences.homeCurrency,
      total: orderTotal(order, currency !== undefined),
      tax: zero,
      linesNet: null,
      isVoided: order.status === 'canceled' && posted.has(order.id),
      mappedPartyId: vendors.get(order.vendorId) ?? null,
      ifMissing: missingClass({
        createdAt: order.createdAt,
        outcome: outcomes.get(order.id) ?? null,
        window,
        startsAt,
        isSendable: !isCanceled,
      }),
    };
  });
  return { kind: 'purchase_order', sources, documents, orders };
}

/** Returns the orders posted in the vendor's currency, with that currency: their PSA amounts are in it, too. */
function foreignOrders(
  { accountingLists }: Shared,
  postings: readonly Posting[],
  documents: readonly AccountingDocument[],
): ReadonlyMap<number, string> {
  const currencies = new Map(documents.map(({ id, currency }) => [id, currency]));
  return new Map(
    postings.flatMap(({ psaId, targetId }) => {
      const currency = targetId === null ? null : (currencies.get(targetId) ?? null);
      return currency === null || currency === accountingLists.preferences.homeCurrency
        ? []
        : [[psaId, currency] as const];
    }),
  );
}

/** Returns the total of an order as it is posted: its rounded lines and its freight (domain reference 9). */
function orderTotal(order: PurchaseOrder, isForeign: boolean) {
  const costs = order.lines.map(({ quantity, unitCost, internalUnitCost }) => {
    const cost = isForeign ? unitCost : internalUnitCost;
    return cost === null ? zero : costOf(quantity, cost).amount;
  });
  return plus(sum(costs), round2(isForeign ? order.freight : order.internalFreight));
}

/**
 * Returns payments posted to QuickBooks because an invoice has a paid date in the PSA. The source is what the payment
 * was posted for. Payments in the other direction count as received in QuickBooks.
 */
export async function paymentSources(shared: Shared, invoices: readonly PsaDocument[]): Promise<Sources> {
  const { context } = shared;
  const documents = shared.documents.filter(({ type }) => type === 'Payment');
  const [found, postedHere] = await inParallel([
    context.store.findPostings(
      'payment',
      documents.map(({ id }) => id),
    ),
    // One that was deleted, or moved to another month, is not among the documents.
    context.store.listPostedDated('payment', { from: firstDay(shared.month), through: lastDay(shared.month) }),
  ]);
  const made = await withoutReplaced(shared, [
    ...new Map([...found, ...postedHere].map((posting) => [posting.id, posting])).values(),
  ]);
  const dates = new Map(documents.map(({ id, datedOn }) => [id, datedOn]));
  const known = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  const postings = await loadPostings(
    shared,
    'payment',
    made.map(({ psaId }) => ({ id: psaId })),
  );
  const paid = Map.groupBy(postings, ({ psaId }) => psaId);
  // An invoice with difference documents has a payment for each document; they are compared one by one.
  const partOf = (psaId: number, id: string | null) =>
    id !== null && (paid.get(psaId)?.length ?? 0) > 1 ? { part: id } : {};
  const canRepeat = await payableAgain(
    shared,
    made.flatMap(({ psaId, targetId }) => (targetId !== null && dates.has(targetId) ? [] : [psaId])),
  );
  const postedOn = new Map(postings.map(({ id, fingerprint }) => [id, fingerprint?.datedOn]));
  const sources = made.flatMap((posting): PsaDocument[] => {
    const { targetId } = posting;
    const datedOn = targetId === null ? undefined : (postedOn.get(targetId) ?? dates.get(targetId));
    const invoice = known.get(posting.psaId);
    if (datedOn === undefined || posting.total === null) return [];
    return [
      {
        id: posting.psaId,
        ...partOf(posting.psaId, posting.targetId),
        number: posting.number ?? '',
        party: invoice?.party ?? { id: 0, name: '' },
        datedOn,
        dueOn: null,
        currency:
          documents.find(({ id }) => id === posting.targetId)?.currency ??
          shared.accountingLists.preferences.homeCurrency,
        total: posting.psaTotal ?? posting.total,
        tax: zero,
        linesNet: null,
        isVoided: false,
        ...(canRepeat.has(posting.psaId) && { paymentSync: { toAccounting: true, toPsa: false } }),
        mappedPartyId: invoice?.mappedPartyId ?? null,
        ifMissing: 'missing_not_taken_up',
      },
    ];
  });
  return {
    kind: 'payment',
    sources,
    documents,
    postings: postings.map((posting) => ({ ...posting, ...partOf(posting.psaId, posting.id) })),
  };
}

/** Returns the invoices whose payment the sync can create again: paid in the PSA, and open in QuickBooks. */
async function payableAgain(
  { context, psa, accounting }: Shared,
  psaIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (psaIds.length === 0) return new Set();
  const ids = [...new Set(psaIds)];
  const [heads, posted] = await inParallel([psa.findInvoices({ ids }), context.store.listPostings('invoice', ids)]);
  const targets = posted.flatMap(({ psaId, targetType: type, targetId: id, status }) =>
    type !== null && id !== null && status === 'synced' ? [{ psaId, type, id }] : [],
  );
  const documents = targets.length === 0 ? [] : await accounting.readDocuments(targets);
  const open = new Set(
    documents.flatMap(({ id, isVoided, balance }) => (isVoided || !isPositive(balance) ? [] : [id])),
  );
  const paid = new Set(heads.flatMap(({ id, paidOn, isVoided }) => (paidOn === null || isVoided ? [] : [id])));
  return new Set(targets.flatMap(({ psaId, id }) => (open.has(id) && paid.has(psaId) ? [psaId] : [])));
}

/**
 * Returns the payments that exist or should exist: without rejected ones, and without those that were deleted in
 * QuickBooks and created again, or whose paid date was removed in the PSA.
 */
async function withoutReplaced({ context, psa }: Shared, postings: readonly Posting[]): Promise<readonly Posting[]> {
  const current = postings.filter(({ status }) => status === 'synced' || status === 'unconfirmed');
  const gone = postings.filter(({ status }) => status === 'deleted_in_accounting' || status === 'voided');
  if (gone.length === 0) return current;
  const ids = [...new Set(gone.map(({ psaId }) => psaId))];
  const [all, heads] = await inParallel([context.store.listPostings('payment', ids), psa.findInvoices({ ids })]);
  const newest = new Map(all.map((posting) => [posting.psaId, posting.id]));
  const paid = new Set(heads.flatMap(({ id, paidOn }) => (paidOn === null ? [] : [id])));
  return [...current, ...gone.filter(({ id, psaId }) => newest.get(psaId) === id && paid.has(psaId))];
}

/**
 * Adds to each invoice whether the payment sync can copy its paid state to the other side, according to our records.
 * Nothing is added while payments are not synced.
 */
export async function withPaymentSync(
  { context, settings: { pay_direction: direction, pay_sync_active: isActive } }: Shared,
  sources: readonly PsaDocument[],
): Promise<readonly PsaDocument[]> {
  const ids = sources.map(({ id }) => id);
  if (ids.length === 0 || !isActive) return sources;
  const [states, payments] = await inParallel([
    context.store.listPaymentStates(ids),
    context.store.listPostings('payment', ids),
  ]);
  const known = new Map(states.map((state) => [state.psaId, state]));
  const paidByUs = new Set(payments.flatMap(({ psaId, status }) => (status === 'synced' ? [psaId] : [])));
  return sources.map((source) => {
    const state = known.get(source.id);
    // A paid date written by us is removed when the invoice is open again in QuickBooks.
    const isOurDate = (state?.writtenOn ?? null) !== null && state?.writtenOn === source.paidOn;
    const isNew = !paidByUs.has(source.id) && state?.wasPaid !== true;
    return {
      ...source,
      paymentSync: {
        toAccounting: isOurDate || (direction !== 'qbo_to_psa' && isNew),
        toPsa: direction !== 'psa_to_qbo' && !paidByUs.has(source.id),
      },
    };
  });
}
