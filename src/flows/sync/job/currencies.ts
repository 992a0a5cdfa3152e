import { inParallel } from '#core/in-parallel.ts';
import { currencyOfTotal } from '#core/planning/plan-invoice.ts';
import { loadCachedLists } from '../../connections/cached-lists.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import type { TenantContext } from '../../context.ts';
import { companiesById, listsMaxAgeSeconds } from './eligible.ts';

/**
 * Reads the currencies of documents from the PSA's lists, as posting decides them: of an invoice the customer's where
 * multi-currency is on, of an expense report always the PSA's own (domain reference 5.11).
 *
 * @param ids PSA ids
 * @returns ISO codes by PSA id, in the order of the ids; without those that the PSA does not have
 */
export async function readCurrencies(
  context: TenantContext,
  kind: 'invoice' | 'expense_report',
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const [psa, psaLists, books] = await inParallel([
    context.psa(),
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { keptForSeconds: listsMaxAgeSeconds }),
  ]);
  const lists = { psa: psaLists, books };
  if (kind === 'expense_report') {
    const currency = currencyOfTotal({ ...lists, company: null });
    return new Map(ids.map((id) => [id, currency]));
  }
  const invoices = await psa.findInvoices({ ids });
  const companies = await companiesById(
    psa,
    invoices.map(({ companyId }) => companyId),
  );
  return new Map(
    invoices.map(({ id, companyId }) => [id, currencyOfTotal({ ...lists, company: companies.get(companyId) ?? null })]),
  );
}
