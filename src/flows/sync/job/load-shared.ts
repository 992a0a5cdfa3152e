import { inParallel } from '#core/in-parallel.ts';
import type { Trigger } from '#core/kinds.ts';
import { loadCachedLists } from '../../connections/cached-lists.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import type { Shared } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/** The PSA's lists tell of no changes: older ones are read again; a person's run reads what was mended just now. */
const psaMaxAgeSeconds = { automatic: 3_600, manual: 0 } as const;

/** Facts that all documents of a job share; preferences are always fresh (domain reference 11.1). */
export async function loadShared({ context }: Run, trigger: Trigger): Promise<Shared> {
  const freshness = { maxAgeSeconds: psaMaxAgeSeconds[trigger] };
  const [settings, itemSettings, mappings, psa, books] = await inParallel([
    context.store.readSettings(),
    context.store.readItemSettings(),
    context.store.listMappings(),
    loadPsaReference(context, freshness),
    loadCachedLists(context, trigger === 'manual' ? 'as_they_are' : 'as_told'),
  ]);
  return { settings, itemSettings, mappings, psa, books };
}
