import type { BooksDocument } from '#core/documents/books-document.ts';
import type { ExpenseReportHead } from '#core/documents/expense-report.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { PurchaseOrder, PurchaseOrderHead } from '#core/documents/purchase-order.ts';
import { inParallel } from '#core/in-parallel.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import { costOf } from '#core/planning/prices.ts';
import type { LastOutcome, PostedBody } from '#core/ports/closes.ts';
import type { CloseKind, PostedDocument, PsaDocument } from '#core/reconciliation/completeness.ts';
import { missingClass } from '#core/reconciliation/missing.ts';
import { monthOf, type Month } from '#core/reconciliation/month.ts';
import { withoutSentinel } from '#core/sync-status.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import { plus, round2, sum, zero } from '#core/values/decimal.ts';
import type { Shared } from './shared.ts';

/** One kind's documents on both sides, before their postings are known. */
export interface Sources {
  readonly kind: CloseKind;
  readonly sources: readonly PsaDocument[];
  readonly documents: readonly BooksDocument[];
}

export const inMonth = (month: Month, on: CalendarDate): boolean => monthOf(on) === month;

/** Facts of an invoice of the PSA that its head does not tell. */
interface About {
  readonly name: string;
  readonly currency: string;
  readonly mappedPartyId: string | null;
  readonly childPartyIds: readonly string[];
  readonly outcome: LastOutcome | null;
  readonly window: Instant;
  readonly startsAt: Instant;
}

export const toSource = (head: InvoiceHead, about: About): PsaDocument => ({
  id: head.id,
  // A sentinel that a failure wrote there is no number.
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
  mappedPartyId: about.mappedPartyId,
  ...(about.childPartyIds.length === 0 ? {} : { childPartyIds: about.childPartyIds }),
  ifMissing: missingClass({ ...about, createdAt: head.createdAt, isSendable: true }),
});

/** The documents of a kind that stand, or stood, for these sources, each with what it said when it was posted. */
export async function loadPostings(
  { context, accounting }: Shared,
  kind: CloseKind,
  sources: readonly PsaDocument[],
): Promise<readonly PostedDocument[]> {
  const rows = await context.store.listPostedBodies(
    kind,
    sources.map(({ id }) => id),
  );
  return rows.flatMap((row) => toPosted(row, (type) => accounting.fingerprintOfBody(type, row.body)));
}

function toPosted(
  { psaId, targetType, targetId, number, total, tax, psaTotal, status }: PostedBody,
  fingerprintOf: (type: string) => PostedDocument['fingerprint'],
): PostedDocument[] {
  if (targetType === null || targetId === null || status === 'refused' || status === 'sending') return [];
  const fingerprint = fingerprintOf(targetType);
  return [{ psaId, type: targetType, id: targetId, number, total, tax, psaTotal, psaTax: null, fingerprint }];
}

/** Sources of other months whose document is dated in this one. */
const psaIdsOf = async ({ context }: Shared, kind: CloseKind, documents: readonly BooksDocument[]) => [
  ...new Set(
    (
      await context.store.findPostings(
        kind,
        documents.map(({ id }) => id),
      )
    ).map(({ psaId }) => psaId),
  ),
];

/** Purchase orders that were submitted in the month, or whose document is dated in it. */
export async function orderSources(shared: Shared, heads: readonly PurchaseOrderHead[]): Promise<Sources> {
  const { context, psa, month, settings, timeZone, mappings } = shared;
  const documents = shared.documents.filter(({ type }) => type === 'PurchaseOrder');
  const wanted = new Set(await psaIdsOf(shared, 'purchase_order', documents));
  const dayOf = (head: PurchaseOrderHead) => head.submittedOn ?? head.createdOn;
  for (const head of heads) if (inMonth(month, dayOf(head))) wanted.add(head.id);
  if (wanted.size === 0) return { kind: 'purchase_order', sources: [], documents };
  const ids = [...wanted];
  const orders = await psa.readPurchaseOrders(ids);
  const [companies, outcomes] = await inParallel([
    psa.readCompanyNames([...new Set(orders.map(({ vendorId }) => vendorId))]),
    context.store.listLastOutcomes('purchase_order', ids),
  ]);
  const names = new Map(companies.map(({ id, name }) => [id, name]));
  const vendors = new Map(
    mappings.flatMap((one) =>
      one.namespace === 'Vendor' ? [[Number(one.sourceValue), one.targetValue] as const] : [],
    ),
  );
  const now = context.clock.now();
  const window = thresholdOf(now, timeZone, settings.po_max_age_days);
  const startsAt = thresholdOf(now, timeZone, settings.po_max_age_days, settings.sync_start_date);
  const foreign = await foreignOrders(shared, ids, documents);
  const sources = orders.map((order): PsaDocument => {
    const currency = foreign.get(order.id);
    const isCanceled = order.status === 'canceled' || order.status === 'new';
    return {
      id: order.id,
      number: order.number,
      party: { id: order.vendorId, name: names.get(order.vendorId) ?? `Company ${order.vendorId}` },
      datedOn: dayOf(order),
      dueOn: null,
      currency: currency ?? shared.books.preferences.homeCurrency,
      total: orderTotal(order, currency !== undefined),
      tax: zero,
      linesNet: null,
      isVoided: false,
      isOpen: order.status === 'submitted' || order.status === 'partly_received',
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
  return { kind: 'purchase_order', sources, documents };
}

/** Orders that were posted in the vendor's own currency: their amounts are the PSA's in that currency. */
async function foreignOrders(
  { context, books }: Shared,
  ids: readonly number[],
  documents: readonly BooksDocument[],
): Promise<ReadonlyMap<number, string>> {
  const postings = await context.store.listPostings('purchase_order', ids);
  const currencies = new Map(documents.map(({ id, currency }) => [id, currency]));
  return new Map(
    postings.flatMap(({ psaId, targetId }) => {
      const currency = targetId === null ? null : (currencies.get(targetId) ?? null);
      return currency === null || currency === books.preferences.homeCurrency ? [] : [[psaId, currency] as const];
    }),
  );
}

/** Total of an order: the sum of its rounded lines and its freight, as it is posted (domain reference 9). */
function orderTotal(order: PurchaseOrder, isForeign: boolean) {
  const costs = order.lines.map(({ quantity, unitCost, internalUnitCost }) => {
    const cost = isForeign ? unitCost : internalUnitCost;
    return cost === null ? zero : costOf(quantity, cost).amount;
  });
  return plus(sum(costs), round2(isForeign ? order.freight : order.internalFreight));
}

/** Expense reports of the month: approved ones, and those whose bill is dated in it. */
export async function reportSources(shared: Shared, approved: readonly ExpenseReportHead[]): Promise<Sources> {
  const { context, psa, month, settings, timeZone } = shared;
  const documents = shared.documents.filter(({ type }) => type === 'Bill');
  const dayOf = (head: ExpenseReportHead) => head.weekEndingOn ?? head.approvedOn ?? head.submittedOn;
  const known = new Map(approved.map((head) => [head.id, head]));
  const posted = (await psaIdsOf(shared, 'expense_report', documents)).filter((id) => !known.has(id));
  if (posted.length > 0) for (const head of await psa.findExpenseReports({ ids: posted })) known.set(head.id, head);
  const fromBooks = new Set(await psaIdsOf(shared, 'expense_report', documents));
  const chosen = [...known.values()].filter((head) => {
    const on = dayOf(head);
    return fromBooks.has(head.id) || (on !== null && inMonth(month, on));
  });
  const ids = chosen.map(({ id }) => id);
  const [outcomes, postings] = await inParallel([
    context.store.listLastOutcomes('expense_report', ids),
    context.store.listPostings('expense_report', ids),
  ]);
  const then = new Map(postings.map(({ psaId, psaTotal }) => [psaId, psaTotal]));
  const now = context.clock.now();
  const window = thresholdOf(now, timeZone, settings.exp_max_age_days);
  const startsAt = thresholdOf(now, timeZone, settings.exp_max_age_days, settings.sync_start_date);
  const sources = chosen.flatMap((head): PsaDocument[] => {
    const on = dayOf(head);
    if (on === null) return [];
    return [
      {
        id: head.id,
        number: head.name,
        party: { id: head.submitterId, name: head.name },
        datedOn: on,
        dueOn: null,
        currency: shared.books.preferences.homeCurrency,
        total: head.amountDue ?? then.get(head.id) ?? zero,
        tax: zero,
        linesNet: null,
        isVoided: false,
        mappedPartyId: null,
        ifMissing: missingClass({
          createdAt: head.submittedAt ?? now,
          outcome: outcomes.get(head.id) ?? null,
          window,
          startsAt,
          isSendable: head.status === 'approved',
        }),
      },
    ];
  });
  return { kind: 'expense_report', sources, documents };
}

/**
 * Payments that were made in the books because an invoice has a paid date in the PSA: the source is what the posting was
 * made for. Payments that came the other way stand as received in the books.
 */
export async function paymentSources(shared: Shared, invoices: readonly PsaDocument[]): Promise<Sources> {
  const { context } = shared;
  const documents = shared.documents.filter(({ type }) => type === 'Payment');
  const made = await context.store.findPostings(
    'payment',
    documents.map(({ id }) => id),
  );
  const dates = new Map(documents.map(({ id, datedOn }) => [id, datedOn]));
  const known = new Map(invoices.map((one) => [one.id, one]));
  const sources = made.flatMap((posting): PsaDocument[] => {
    const datedOn = posting.targetId === null ? undefined : dates.get(posting.targetId);
    const invoice = known.get(posting.psaId);
    if (datedOn === undefined || posting.total === null) return [];
    return [
      {
        id: posting.psaId,
        number: posting.number ?? '',
        party: invoice?.party ?? { id: 0, name: '' },
        datedOn,
        dueOn: null,
        currency:
          documents.find(({ id }) => id === posting.targetId)?.currency ?? shared.books.preferences.homeCurrency,
        total: posting.psaTotal ?? posting.total,
        tax: zero,
        linesNet: null,
        isVoided: false,
        mappedPartyId: null,
        ifMissing: 'missing_not_taken_up',
      },
    ];
  });
  return { kind: 'payment', sources, documents };
}
