import { claimsOfNamesakes, decidedByName } from '#core/mapping/namesakes.ts';
import type { MappingSources } from '#core/mapping/sources.ts';
import type { Plan } from '#core/planning/plan.ts';
import { loadMappingSources } from '../../connections/reference-data.ts';
import type { Shared } from '../kinds/kind.ts';
import type { Run } from '../run.ts';
import { oncePer } from '#core/values/once-per.ts';

/** Maximum age of the PSA's names; a company that was added since is noticed by a later job. */
const maxAgeSeconds = 900;

/** The PSA's names, read once for each job. */
const namesOf = oncePer<Shared, { reading: Promise<MappingSources> | null }>(() => ({ reading: null }));

/**
 * Claims the customers and vendors that a plan decided by name for all other companies and employees of that name in the
 * PSA, so that no document gets one of them by name alone. Reads the PSA's names only if a name decided.
 *
 * @returns true if something was claimed; then the document must be decided again.
 * @throws ServiceError when the PSA does not respond.
 */
export async function claimForNamesakes({ context }: Run, shared: Shared, plan: Plan): Promise<boolean> {
  if (decidedByName(plan).length === 0) return false;
  const sources = await (namesOf(shared).reading ??= loadMappingSources(context, { maxAgeSeconds }));
  const { mappings, accounting } = shared;
  const claims = claimsOfNamesakes(plan, { sources, mappings, accounting }).filter(
    (claim) =>
      !shared.mappings.some(
        (one) =>
          one.sharesName === true &&
          one.namespace === claim.namespace &&
          one.sourceValue === claim.sourceValue &&
          one.targetValue === claim.targetValue,
      ),
  );
  if (claims.length === 0) return false;
  shared.mappings = [...shared.mappings, ...claims];
  return true;
}
