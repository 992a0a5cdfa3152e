import type { Settings } from '#core/settings/definitions.ts';
import type { KindFlow, Search, Searcher } from '../kinds/kind.ts';

/** PSA ids of everything of a kind that is eligible, ascending: what a person who asks for all gets. */
export async function findAll(
  searcher: Searcher,
  flow: KindFlow<unknown>,
  settings: Settings,
  wanted: Omit<Search, 'gap'>,
): Promise<readonly number[]> {
  // A person who asks for all has not looked at each: what waits after a gap is settled by the schedule's search alone.
  const search = { ...wanted, gap: null };
  const sought = flow.invoicesSought?.(searcher, settings, search) ?? null;
  const heads = sought === null ? [] : await searcher.psa.findInvoices(sought);
  return (await flow.findCandidates(searcher, settings, search, heads)).ids;
}
