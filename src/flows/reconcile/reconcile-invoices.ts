import { inParallel } from '#core/in-parallel.ts';
import { indexPsa } from '#core/planning/reference-index.ts';
import type { Posting } from '#core/ports/postings.ts';
import {
  keyOf,
  reconcileInvoices,
  type InvoiceReconciliationFacts,
  type ReconciledRow,
  type ReconciledTotals,
} from '#core/reconciliation/reconcile-invoices.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { loadPsaReference } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';

/** Kept lists are good enough here: they only tell currencies. */
const listsMaxAgeSeconds = 3_600;

/**
 * Compares every invoice that is dated in these days, both included, with what the books hold of it (domain reference
 * 15). Reads both services and changes nothing.
 *
 * @throws ServiceError when one of them cannot be used; Refusal `not_connected`.
 */
export async function reconcile(
  context: TenantContext,
  days: { readonly from: CalendarDate; readonly through: CalendarDate },
): Promise<{ readonly rows: readonly ReconciledRow[]; readonly totals: readonly ReconciledTotals[] }> {
  const { store } = context;
  const [psa, accounting] = await inParallel([context.psa(), context.accounting()]);
  const [standing, voided, inBooks, mappings, lists, { preferences }] = await inParallel([
    psa.findInvoices({ voided: false, dated: days }),
    psa.findInvoices({ voided: true, dated: days }),
    accounting.listSales(days),
    store.listMappings(['Customer']),
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { keptForSeconds: listsMaxAgeSeconds }),
  ]);
  const invoices = [...standing, ...voided]
    .filter(({ invoicedOn }) => invoicedOn >= days.from && invoicedOn <= days.through)
    .sort((a, b) => a.id - b.id);
  const ids = new Set(invoices.map(({ id }) => id));
  const postings = (await store.listPostings('invoice', [...ids])).flatMap(inLedger);
  const known = new Set(inBooks.map(({ type, id }) => keyOf(type, id)));
  // A date that was moved out of a closed period leads into another month.
  const moved = postings.filter((one) => !known.has(keyOf(one.targetType, one.targetId)));
  const [others, foreign, companies] = await inParallel([
    accounting.readSales(moved.map(({ targetType, targetId }) => ({ type: targetType, id: targetId }))),
    store.findPostings(
      'invoice',
      inBooks.map(({ id }) => id),
    ),
    psa.readCompanies([...new Set(invoices.map(({ companyId }) => companyId))]),
  ]);
  const index = indexPsa(lists);
  const currencies = new Map(companies.map(({ id, currencyId }) => [id, index.currencyCodes.get(currencyId ?? -1)]));
  const facts: InvoiceReconciliationFacts = {
    invoices,
    postings,
    documents: [...inBooks, ...others],
    elsewhere: new Set(
      foreign.flatMap(inLedger).flatMap((one) => (ids.has(one.psaId) ? [] : [keyOf(one.targetType, one.targetId)])),
    ),
    mappedCustomers: new Set(mappings.map(({ targetValue }) => targetValue)),
    currencyOf: (companyId) => currencies.get(companyId) ?? preferences.homeCurrency,
    homeCurrency: preferences.homeCurrency,
    psaLabel: psa.describe.label,
  };
  return reconcileInvoices(facts);
}

/** Rows of the ledger that name a document; one that was refused, or is being sent, names none. */
const inLedger = ({ psaId, targetType, targetId }: Posting): InvoiceReconciliationFacts['postings'] =>
  targetType === null || targetId === null ? [] : [{ psaId, targetType, targetId }];
