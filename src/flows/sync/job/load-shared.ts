import { inParallel } from '#core/in-parallel.ts';
import type { Kind } from '#core/kinds.ts';
import type { Job } from '#core/ports/jobs.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addSeconds, secondsBetween } from '#core/values/dates.ts';
import { loadCachedLists } from '../../connections/cached-lists.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import type { Shared } from '../kinds/kind.ts';
import { withClaims } from '../document/shared-records.ts';
import type { Run } from '../run.ts';

/** The PSA's lists tell of no changes: the schedule reads older ones again. */
const psaMaxAgeSeconds = 3_600;
/** Kinds whose documents name vendors; all others are sales. */
const vendorKinds: readonly Kind[] = ['purchase_order', 'expense_report'];
/** Longer than any attempt waits. */
const everSeconds = 400 * 86_400;
/** Lists that the submission of a job has read serve the job that follows at once. */
const submittedMaxAgeSeconds = 5;

/**
 * Facts that all documents of a job share; preferences are always fresh (domain reference 11.1).
 *
 * @param job a person's job reads what was mended before it was asked for; null and the schedule's: what is told of.
 * @param known the settings, when they were read just now.
 */
export async function loadShared(
  { context, psa: ownPsa }: Run,
  job: Pick<Job, 'kind' | 'trigger' | 'createdAt'> | null,
  known?: Settings,
): Promise<Shared> {
  const { store, clock } = context;
  const isManual = job?.trigger === 'manual';
  const maxAgeSeconds = isManual
    ? Math.min(secondsBetween(job.createdAt, clock.now()), submittedMaxAgeSeconds)
    : psaMaxAgeSeconds;
  const [settings, itemSettings, stored, unfinished, psa, books] = await inParallel([
    known ?? store.readSettings(),
    store.readItemSettings(),
    store.listMappings(),
    store.listUnfinished(addSeconds(clock.now(), everSeconds)),
    loadPsaReference(context, { maxAgeSeconds }, ownPsa),
    loadCachedLists(
      context,
      isManual ? { maxAgeSeconds } : 'if_changed',
      job !== null && !vendorKinds.includes(job.kind) ? 'sales' : 'all',
    ),
  ]);
  // What an interrupted document has chosen or is creating belongs to its company already.
  const plans = unfinished.flatMap((one) => ('plan' in one ? [one.plan] : []));
  return { settings, itemSettings, mappings: plans.reduce(withClaims, stored), psa, books };
}
