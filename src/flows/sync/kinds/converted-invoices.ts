import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { SalesState } from '#core/documents/sales-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import { indexPsa } from '#core/planning/reference-index.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import type { Searcher } from './kind.ts';

/** Maximum age of the PSA's lists, because the PSA does not report changes. */
const listsMaxAgeSeconds = 3_600;

/**
 * Returns the invoices whose total in the PSA is in another currency than their document, because QuickBooks has only
 * one currency and got home amounts. Makes calls only if the settings allow such invoices.
 *
 * @param documents documents in QuickBooks, by invoice
 */
export async function convertedInvoices(
  run: Searcher,
  { foreign_currency_policy: policy }: Settings,
  invoices: readonly InvoiceHead[],
  documents: ReadonlyMap<number, { readonly whole: SalesState }>,
): Promise<ReadonlySet<number>> {
  if (policy !== 'home_amounts' || invoices.length === 0) return new Set();
  const [lists, companies] = await inParallel([
    loadPsaReference(run.context, { maxAgeSeconds: listsMaxAgeSeconds }, run.psa),
    run.psa.readCompanies([...new Set(invoices.map(({ companyId }) => companyId))]),
  ]);
  if (!lists.modules.multiCurrency) return new Set();
  const { currencyCodes, internalCurrency } = indexPsa(lists);
  const own = new Map(companies.map(({ id, currencyId }) => [id, currencyCodes.get(currencyId ?? Number.NaN)]));
  return new Set(
    invoices.flatMap((invoice) => {
      const currency = own.get(invoice.companyId) ?? internalCurrency;
      const sent = documents.get(invoice.id)?.whole.currency ?? internalCurrency;
      return currency === sent ? [] : [invoice.id];
    }),
  );
}
