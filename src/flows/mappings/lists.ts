import { inParallel } from '#core/in-parallel.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import type { MappingSources } from '#core/mapping/sources.ts';
import { targetsOf, type Target } from '#core/mapping/targets.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { loadMappingSources, renewPsaLists } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';

/** The PSA tells of no changes: its lists may be this old on a mapping screen, unless somebody asks for newer ones. */
const sourcesMaxAgeSeconds = 900;
/** The books tell of changes, which are taken in at once; what they failed to tell of is at most this old. */
const keptForSeconds = 300;

/** Both sides of a namespace. */
export interface MappingLists {
  readonly sources: MappingSources;
  readonly targets: ReadonlyMap<string, Target>;
}

/**
 * The lists that mappings of a namespace join, from the one cache that documents use too.
 *
 * @throws ServiceError when a list must be read and its service does not answer; Refusal `not_connected`.
 */
export async function loadMappingLists(
  context: TenantContext,
  namespace: MappingNamespace,
  { refresh = false }: { readonly refresh?: boolean } = {},
): Promise<MappingLists> {
  if (refresh) await renewPsaLists(context);
  const [sources, targets] = await inParallel([
    // A refresh has made them forgotten.
    loadMappingSources(context, { maxAgeSeconds: sourcesMaxAgeSeconds }),
    loadTargets(context, namespace, { refresh }),
  ]);
  return { sources, targets };
}

/**
 * The records of the books that a namespace leads to, by id.
 *
 * @throws ServiceError, Refusal as {@link loadMappingLists}.
 */
export async function loadTargets(
  context: TenantContext,
  namespace: MappingNamespace,
  { refresh = false }: { readonly refresh?: boolean } = {},
): Promise<ReadonlyMap<string, Target>> {
  const books = await loadCachedLists(context, refresh ? 'as_they_are' : { keptForSeconds });
  return byValue(targetsOf(namespace, books));
}

/** The same list of targets is asked with every letter that somebody types. */
const indexed = new WeakMap<readonly Target[], ReadonlyMap<string, Target>>();

function byValue(targets: readonly Target[]): ReadonlyMap<string, Target> {
  const found = indexed.get(targets) ?? new Map(targets.map((one) => [one.value, one]));
  indexed.set(targets, found);
  return found;
}
