import { inParallel } from '#core/in-parallel.ts';
import { type MappingNamespace, partySideOf } from '#core/mapping/mapping.ts';
import { suggestTargets, type Suggestion } from '#core/mapping/suggest.ts';
import { sourcesOf } from '#core/mapping/table.ts';
import type { TenantContext } from '../context.ts';
import { loadMappingLists } from './lists.ts';

/**
 * Suggests a QuickBooks record for every active PSA record without a mapping. Saves nothing (domain reference 14).
 *
 * @throws ServiceError when a list must be read and its service does not respond; Refusal `not_connected`.
 */
export async function suggestMappings(
  context: TenantContext,
  namespace: MappingNamespace,
): Promise<readonly Suggestion[]> {
  const [{ sources, targets }, mappings] = await inParallel([
    loadMappingLists(context, namespace),
    context.store.listMappings(partySideOf(namespace) === undefined ? [namespace] : ['Customer', 'Vendor', 'Employee']),
  ]);
  const wanted = sourcesOf(namespace, sources)
    .filter(({ isActive }) => isActive)
    .map(({ value, name, number = null }) => ({ value, name, number }));
  return suggestTargets(namespace, wanted, [...targets.values()], mappings);
}
