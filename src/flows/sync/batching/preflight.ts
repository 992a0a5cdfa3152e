import type { Attempt } from '#core/attempt.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { note } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { KindFlow, FreshnessCheck } from '../kinds/kind.ts';
import { missingInPsa } from '../kinds/missing.ts';
import type { Run } from '../run.ts';
import type { Preflight, StaleDecision } from './slot.ts';

/**
 * Seconds for which a check is valid. A call of 30 documents takes nine, so every second call needs a check. A document
 * that changes within this time counts as changed while being sent; the next cycle voids it.
 */
const validSeconds = 15;

/** Creates the check for documents of one kind. Calls sent in close succession share one reading of the PSA. */
export function createPreflight(run: Run, flow: KindFlow<unknown>, settings: Settings): Preflight {
  interface Look {
    readonly at: Instant;
    readonly psaIds: ReadonlySet<number>;
    readonly seen: Promise<FreshnessCheck>;
  }
  let latest: Look | null = null;
  const notes = [note('info', `Changed in ${run.psa.describe.label} since it was read: not sent`)];

  function look(psaIds: readonly number[]): Look {
    const seen = run.context.withLogContext({ kind: flow.kind, psaIds }, async () =>
      flow.checkFreshness === undefined ? () => null : flow.checkFreshness(run, settings, psaIds),
    );
    latest = { at: run.context.clock.now(), psaIds: new Set(psaIds), seen };
    return latest;
  }

  /** Returns the latest check if it covers all these documents and is still valid. */
  function latestOf(psaIds: readonly number[]): Look | null {
    const isValid = latest !== null && run.context.clock.now() < addSeconds(latest.at, validSeconds);
    return isValid && psaIds.every((psaId) => latest?.psaIds.has(psaId) === true) ? latest : null;
  }

  function staleDecision(against: FreshnessCheck, document: Attempt): StaleDecision | null {
    const message = against(document);
    if (message === null) return null;
    if (message === undefined) return { ...missingInPsa(run, flow.name(document.psaId)), notes };
    return { outcome: 'skip', reason: 'changed_in_psa', message, isLoggedOnce: false, notes };
  }

  return async (leaving, waiting) => {
    if (flow.checkFreshness === undefined || leaving.length === 0) return new Map();
    const ids = leaving.map(({ psaId }) => psaId);
    const { seen } = latestOf(ids) ?? look([...new Set([...ids, ...waiting.map(({ psaId }) => psaId)])]);
    const against = await seen;
    return new Map(
      leaving.flatMap((document): [number, StaleDecision][] => {
        const decision = staleDecision(against, document);
        return decision === null ? [] : [[document.psaId, decision]];
      }),
    );
  };
}
