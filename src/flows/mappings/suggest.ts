import { inParallel } from '#core/in-parallel.ts';
import { suggestItems, type Suggestion, type SuggestionSource } from '#core/mapping/suggest.ts';
import type { TenantContext } from '../context.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { loadPsaReference } from '../connections/reference-data.ts';

/** Old enough to save calls while a person works through a list, new enough to show an item made a moment ago. */
const freshness = { maxAgeSeconds: 60 };

/**
 * Suggests an item for every billing code or product that has no mapping; nothing is saved (domain reference 14).
 *
 * @throws ServiceError when a list must be read and its service does not answer.
 */
export async function suggestMappings(
  context: TenantContext,
  namespace: 'ItemBilling' | 'ItemPurchasing',
): Promise<readonly Suggestion[]> {
  const [psa, books, mappings] = await inParallel([
    loadPsaReference(context, freshness),
    loadCachedLists(context, freshness),
    context.store.listMappings([namespace]),
  ]);
  const sources: SuggestionSource[] =
    namespace === 'ItemBilling'
      ? psa.billingCodes.map(({ id, name, externalNumber }) => ({ value: String(id), name, number: externalNumber }))
      : psa.products.map(({ id, name, sku }) => ({ value: String(id), name, number: sku }));
  return suggestItems(namespace, sources, books.items, mappings);
}
