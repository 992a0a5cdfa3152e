import { inParallel } from '#core/in-parallel.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import type { MappingSources } from '#core/mapping/sources.ts';
import { targetsOf, type Target } from '#core/mapping/targets.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { loadMappingSources, renewPsaLists } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';
import { oncePer } from '#core/values/once-per.ts';

/** Maximum age of the PSA's lists on a mapping screen without a refresh, because the PSA does not report changes. */
const sourcesMaxAgeSeconds = 900;
/** Maximum age of changes that QuickBooks failed to report; reported changes are applied immediately. */
const cachedForSeconds = 300;

/** The records of both sides of a namespace. */
export interface MappingLists {
  readonly sources: MappingSources;
  readonly targets: ReadonlyMap<string, Target>;
}

/**
 * Returns the lists of both sides of a namespace, from the cache that documents use too.
 *
 * @throws ServiceError when a list must be read and its service does not respond; Refusal `not_connected`.
 */
export async function loadMappingLists(
  context: TenantContext,
  namespace: MappingNamespace,
  { refresh = false }: { readonly refresh?: boolean } = {},
): Promise<MappingLists> {
  if (refresh) await renewPsaLists(context);
  const [sources, targets] = await inParallel([
    // A refresh has expired the cached sources.
    loadMappingSources(context, { maxAgeSeconds: sourcesMaxAgeSeconds }),
    loadTargets(context, namespace, { refresh }),
  ]);
  return { sources, targets };
}

/**
 * Returns the QuickBooks records that a namespace can map to, by id.
 *
 * @throws ServiceError, Refusal as {@link loadMappingLists}.
 */
export async function loadTargets(
  context: TenantContext,
  namespace: MappingNamespace,
  { refresh = false }: { readonly refresh?: boolean } = {},
): Promise<ReadonlyMap<string, Target>> {
  const accounting = await loadCachedLists(context, refresh ? 'as_they_are' : { cachedForSeconds });
  return byValue(targetsOf(namespace, accounting));
}

/** The same list of targets is searched with every letter that a user types. */
const byValue = oncePer(
  (targets: readonly Target[]): ReadonlyMap<string, Target> => new Map(targets.map((target) => [target.value, target])),
);
