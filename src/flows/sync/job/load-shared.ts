import { inParallel } from '#core/in-parallel.ts';
import type { Kind } from '#core/kinds.ts';
import type { Job } from '#core/records/jobs.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addSeconds, secondsBetween } from '#core/values/dates.ts';
import { loadCachedLists } from '../../connections/cached-lists.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import type { Shared } from '../kinds/kind.ts';
import { withClaims } from '../document/shared-records.ts';
import { newPrepaidBalances } from '../prepaid-entries.ts';
import type { Run } from '../run.ts';

/** Maximum age of the PSA's lists for the schedule, because the PSA does not report changes. */
const psaMaxAgeSeconds = 3_600;
/** Kinds whose documents refer to vendors; all others are sales. */
const vendorKinds: readonly Kind[] = ['purchase_order', 'expense_report'];
/** Longer than any attempt waits. */
const everSeconds = 400 * 86_400;
/** Seconds for which a job reuses the lists that were read when it was submitted. */
const submittedMaxAgeSeconds = 5;

/**
 * Loads the facts that all documents of a job share. Preferences are always fresh (domain reference 11.1).
 *
 * @param job a user's job includes changes made before it was requested; null and scheduled jobs include reported
 *   changes.
 * @param known the settings, if they were just read.
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
  const [settings, itemSettings, stored, unfinished, psa, accounting] = await inParallel([
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
  // Parties that an interrupted document chose or is creating already belong to its company.
  const plans = unfinished.flatMap((one) => ('plan' in one ? [one.plan] : []));
  const mappings = plans.reduce(withClaims, stored);
  const prepaid = newPrepaidBalances(unfinished, settings.prepaid_account, accounting);
  return { settings, itemSettings, mappings, psa, accounting, prepaid };
}
