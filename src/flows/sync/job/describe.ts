import { inParallel } from '#core/in-parallel.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { nameOf } from '#core/planning/plan-expense-report.ts';
import { currencyOfTotal } from '#core/planning/invoice-content.ts';
import type { Psa } from '#core/ports/psa.ts';
import { textOrNull } from '#core/values/text.ts';
import { loadCachedLists } from '../../connections/cached-lists.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import type { TenantContext } from '../../context.ts';
import { listsMaxAgeSeconds } from './eligible.ts';

/** Details of a document that the PSA's list of documents does not contain. */
export interface Described {
  readonly psaId: number;
  /** Name of the customer, vendor or employee; null if the PSA does not have it. */
  readonly party: string | null;
  /** ISO code of the currency of the list's amount, as for posting; null if the list has no amount. */
  readonly currency: string | null;
  readonly awaitsApproval: boolean;
  /** After its newest live sync. */
  readonly isOnHold: boolean;
}

/**
 * Reads the party of each document and the currency of its amount in the PSA's list: for an invoice the customer's if
 * multi-currency is on, for an expense report always the PSA's own (domain reference 5.11). Uses bulk calls for any
 * number of documents.
 *
 * @param ids PSA ids
 * @returns in ascending order of id, without those that the PSA does not have
 */
export async function describeDocuments(
  context: TenantContext,
  kind: SubmittableKind,
  ids: readonly number[],
): Promise<readonly Described[]> {
  const psa = await context.psa();
  const found = readers[kind](psa, ids);
  const states = inParallel([context.store.listDraftedIds(kind), context.store.listOnHold(kind, ids)]).then(
    ([drafted, held]) => {
      const [waiting, onHold] = [new Set(drafted), new Set(held)];
      return (psaId: number) => ({ awaitsApproval: waiting.has(psaId), isOnHold: onHold.has(psaId) });
    },
  );
  if (kind === 'purchase_order') {
    const [orders, stateOf] = await inParallel([found, states]);
    return orders.map(({ psaId, party }) => ({ psaId, party, currency: null, ...stateOf(psaId) }));
  }
  const [documents, stateOf, psaLists, accounting] = await inParallel([
    found,
    states,
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { cachedForSeconds: listsMaxAgeSeconds }),
  ]);
  return documents.map(({ psaId, party, company }) => ({
    psaId,
    party,
    currency: currencyOfTotal({ company, psa: psaLists, accounting }),
    ...stateOf(psaId),
  }));
}

type NamedCompany = Awaited<ReturnType<Psa['readCompanyNames']>>[number];

/** A document and its owner; the company is null if the owner is a person or unknown. */
interface Owned {
  readonly psaId: number;
  readonly party: string | null;
  readonly company: NamedCompany | null;
}

const readers: Readonly<Record<SubmittableKind, (psa: Psa, ids: readonly number[]) => Promise<readonly Owned[]>>> = {
  invoice: async (psa, ids) =>
    withCompanies(
      psa,
      (await psa.findInvoices({ ids })).map(({ id, companyId }) => ({ psaId: id, companyId })),
    ),
  purchase_order: async (psa, ids) =>
    withCompanies(
      psa,
      (await psa.findPurchaseOrders({ ids })).map(({ id, vendorId }) => ({ psaId: id, companyId: vendorId })),
    ),
  expense_report: async (psa, ids) =>
    (await psa.readExpenseReports(ids)).map((report) => ({ psaId: report.id, party: nameOf(report), company: null })),
};

/** Adds the companies to their documents; reads each company once. */
async function withCompanies(
  psa: Psa,
  documents: readonly { readonly psaId: number; readonly companyId: number }[],
): Promise<readonly Owned[]> {
  const named = await psa.readCompanyNames([...new Set(documents.map(({ companyId }) => companyId))]);
  const companies = new Map(named.map((company) => [company.id, company]));
  return documents.map(({ psaId, companyId }) => {
    const company = companies.get(companyId) ?? null;
    return { psaId, party: textOrNull(company?.name ?? null), company };
  });
}
