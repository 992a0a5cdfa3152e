import { accountingDocumentTypes, type AccountingDocument } from '#core/documents/accounting-document.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { describeDocument as describeInvoice } from '#core/planning/invoice-content.ts';
import { describeDocument as describeReport } from '#core/planning/plan-expense-report.ts';
import { describeDocument as describeOrder } from '#core/planning/plan-purchase-order.ts';
import type { DocumentView } from '#core/planning/plan-view.ts';
import { sourceOfInvoice, sourceOfOrder, sourceOfReport, type SourceView } from '#core/planning/plan.ts';
import { viewOfPosted } from '#core/planning/posted-view.ts';
import { indexPsa } from '#core/planning/reference-index.ts';
import type { ProblemDocument } from '#core/problems.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import { round2, zero, type Decimal } from '#core/values/decimal.ts';
import { readCachedLists } from '../connections/cached-lists.ts';
import { loadPsaReference } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';
import { readInTime } from '../patience.ts';

/** Maximum age of the PSA's lists, because the PSA does not report changes. */
const listsMaxAgeSeconds = 3_600;
/** Maximum number of payments, credits and bills that are read for one document. */
const maxApplied = 30;

/** A document as the PSA has it now. */
export interface PsaSide {
  readonly about: ProblemDocument;
  readonly source: SourceView;
  readonly createdAt: Instant | null;
  readonly paidOn: CalendarDate | null;
  readonly isVoided: boolean;
  /** Progress of an order or a report; null for an invoice. */
  readonly status: string | null;
}

/** A document as QuickBooks has it now. */
export interface AccountingSide {
  readonly view: DocumentView;
  readonly balance: Decimal;
  readonly isVoided: boolean;
  readonly changedAt: Instant;
  readonly changedBy: string | null;
  /** Documents that QuickBooks links to it: payments, credits and bills. */
  readonly applied: readonly AppliedDocument[];
}

export interface AppliedDocument extends SalesReference {
  readonly number: string | null;
  /** Null, like the amount, for types that are not read. */
  readonly datedOn: CalendarDate | null;
  readonly total: Decimal | null;
  readonly isVoided: boolean;
}

/** Result of one service: a failure of one does not hide the other. */
export type Side<Value> =
  | { readonly state: 'found'; readonly value: Value }
  | { readonly state: 'missing' | 'not_posted' }
  | { readonly state: 'failed'; readonly error: Error };

/**
 * Reads a document from both services, in parallel. Each service has its own result.
 */
export async function readCurrentDocument(
  context: TenantContext,
  kind: SubmittableKind,
  psaId: number,
): Promise<{ readonly psa: Side<PsaSide>; readonly accounting: Side<AccountingSide> }> {
  const [psa, accounting] = await inParallel([
    settled(async () => {
      const value = await readInTime(
        context,
        { name: `psa document ${kind} ${psaId}`, service: 'psa' },
        () => readPsaSide(context, kind, psaId),
        async () => null,
      );
      return value === null ? { state: 'missing' } : { state: 'found', value };
    }),
    settled(() => readAccountingSide(context, kind, psaId)),
  ]);
  return { psa, accounting };
}

/** Returns the result of a service, also after a failure that a user can read. */
async function settled<Value>(read: () => Promise<Side<Value>>): Promise<Side<Value>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError || error instanceof Refusal) return { state: 'failed', error };
    throw error;
  }
}

/**
 * Reads a document from the PSA; null if the PSA does not have it.
 *
 * @throws ServiceError when the PSA does not respond; Refusal `not_connected`.
 */
export async function readPsaSide(
  context: TenantContext,
  kind: SubmittableKind,
  psaId: number,
): Promise<PsaSide | null> {
  const psa = await context.psa();
  const [lists, cached] = await inParallel([
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }, psa),
    readCachedLists(context),
  ]);
  const accounting = cached ?? {
    preferences: { homeCurrency: indexPsa(lists).internalCurrency ?? 'USD', multiCurrency: false },
  };
  const isForeign = lists.modules.multiCurrency && accounting.preferences.multiCurrency;
  const companyOf = async (id: number) => (await psa.readCompanyNames([id]))[0] ?? null;
  switch (kind) {
    case 'invoice': {
      const [invoice] = await psa.readInvoices([psaId]);
      if (invoice === undefined) return null;
      const { createdAt, paidOn, isVoided } = invoice;
      const about = describeInvoice({ invoice, company: await companyOf(invoice.companyId), psa: lists, accounting });
      const source = sourceOfInvoice(
        invoice,
        about,
        (line) => round2(isForeign ? line.amount : line.internalAmount),
        (line) => (isForeign ? line.rate : line.internalRate),
      );
      return { about, source, createdAt, paidOn, isVoided, status: null };
    }
    case 'purchase_order': {
      const [order] = await psa.readPurchaseOrders([psaId]);
      if (order === undefined) return null;
      const about = describeOrder({ order, vendor: await companyOf(order.vendorId), psa: lists, accounting });
      const source = sourceOfOrder(
        order,
        about,
        (line) => (isForeign ? line.unitCost : line.internalUnitCost) ?? zero,
        round2(isForeign ? order.freight : order.internalFreight),
      );
      return { ...plain, about, source, createdAt: order.createdAt, status: order.status };
    }
    default: {
      const [report] = await psa.readExpenseReports([psaId]);
      if (report === undefined) return null;
      const about = describeReport({ report, accounting });
      const source = sourceOfReport(report, about);
      return { ...plain, about, source, createdAt: report.submittedAt, status: report.status };
    }
  }
}

const plain = { paidOn: null, isVoided: false } as const;

async function readAccountingSide(
  context: TenantContext,
  kind: SubmittableKind,
  psaId: number,
): Promise<Side<AccountingSide>> {
  const { store } = context;
  const [posted, earlier] = await inParallel([
    store.listPostings(kind, [psaId]),
    kind === 'expense_report' ? store.listEarlierBills({ psaIds: [psaId] }) : [],
  ]);
  const posting = posted.at(-1);
  if (posting === undefined || posting.targetType === null || posting.targetId === null) return { state: 'not_posted' };
  // After a connection to another company, its id may belong to a different document.
  if (posting.status === 'deleted_in_accounting') return { state: 'missing' };
  const { targetType: type, targetId: id } = posting;
  const references = [...earlier.map((bill) => ({ type, id: bill.id })), { type, id }];
  const found = await readInTime(
    context,
    { name: `accounting document ${kind} ${psaId}`, service: 'accounting' },
    () => readLinked(context, references),
    async () => null,
  );
  const [first, ...others] = references.flatMap(
    (reference) => found.documents.find((document) => document.id === reference.id) ?? [],
  );
  if (first === undefined) return { state: 'missing' };
  const last = others.at(-1) ?? first;
  return {
    state: 'found',
    value: {
      view: viewOfPosted([first, ...others], await readCachedLists(context)),
      balance: last.balance,
      isVoided: last.isVoided,
      changedAt: last.changedAt,
      changedBy: last.changedBy,
      applied: found.applied,
    },
  };
}

/** Reads documents, and the payments, credits and bills that QuickBooks links to them. */
async function readLinked(context: TenantContext, references: readonly SalesReference[]) {
  const accounting = await context.accounting();
  const documents = await accounting.readDocuments(references);
  const links = new Map(
    documents.flatMap((document) => document.links).map((link) => [`${link.type} ${link.id}`, link]),
  );
  const some = [...links.values()].slice(0, maxApplied);
  const readable = some.filter(({ type }) => (accountingDocumentTypes as readonly string[]).includes(type));
  const linked = await accounting.readDocuments(readable, () => undefined);
  return { documents, applied: some.map((link) => appliedOf(link, linked)) };
}

function appliedOf(link: SalesReference, documents: readonly AccountingDocument[]): AppliedDocument {
  const found = documents.find(({ type, id }) => type === link.type && id === link.id);
  return {
    ...link,
    number: found?.number ?? null,
    datedOn: found?.datedOn ?? null,
    total: found?.total ?? null,
    isVoided: found?.isVoided ?? false,
  };
}
