import type { Settings } from '#core/settings/definitions.ts';
import type { KindFlow, Search, Searcher } from '../kinds/kind.ts';

/** Returns the PSA ids of all eligible documents of a kind, ascending, for a user who selects all. */
export async function findAll(
  searcher: Searcher,
  flow: KindFlow<unknown>,
  settings: Settings,
  wanted: Omit<Search, 'gap'>,
): Promise<readonly number[]> {
  // Only the schedule's search handles what waits after a restore, because a user who selects all has not checked each
  // document.
  const search = { ...wanted, gap: null };
  const invoices = flow.invoiceSearch?.(searcher, settings, search) ?? null;
  const heads = invoices === null ? [] : await searcher.psa.findInvoices(invoices);
  return (await flow.findCandidates(searcher, settings, search, heads)).ids;
}
