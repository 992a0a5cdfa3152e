import type { Attempt } from '#core/attempt.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { note } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { KindFlow, StateInPsa } from '../kinds/kind.ts';
import { missingInPsa } from '../kinds/missing.ts';
import { isWantedAgain } from '../kinds/replaced.ts';
import type { Run } from '../run.ts';
import type { Preflight, StaleDecision } from './slot.ts';

/**
 * Seconds for which a check is valid. A call of 30 documents takes nine, so every second call needs a check. A document
 * that changes within this time counts as changed while being sent; the next cycle voids it.
 */
const validSeconds = 15;

/** Creates the check for documents of one kind. Calls sent in close succession share one reading of the PSA. */
export function createPreflight(run: Run, { kind, statusField }: KindFlow<unknown>, settings: Settings): Preflight {
  if (statusField === undefined) return () => Promise.resolve(new Map());
  interface Look {
    readonly at: Instant;
    readonly psaIds: ReadonlySet<number>;
    readonly seen: Promise<ReadonlyMap<number, StateInPsa>>;
  }
  let latest: Look | null = null;
  const notes = [note('info', `Changed in ${run.psa.describe.label} since it was read: not sent`)];

  const look = (psaIds: readonly number[]): Look => {
    const seen = run.context.withLogContext({ kind, psaIds }, () => statusField.read(run, settings, psaIds));
    latest = { at: run.context.clock.now(), psaIds: new Set(psaIds), seen };
    return latest;
  };

  /** Returns the latest check if it covers all these documents and is still valid. */
  function latestOf(psaIds: readonly number[]): Look | null {
    const isValid = latest !== null && run.context.clock.now() < addSeconds(latest.at, validSeconds);
    return isValid && psaIds.every((psaId) => latest?.psaIds.has(psaId) === true) ? latest : null;
  }

  function staleDecision(state: StateInPsa | undefined, document: Attempt): StaleDecision | null {
    if (state === undefined) return { ...missingInPsa(run, kind, document.psaId), notes };
    const message = state.stale ?? (isWantedAgain(document) ? null : state.alreadySynced);
    if (message === null) return null;
    return { outcome: 'skip', reason: 'changed_in_psa', message, isLoggedOnce: false, notes };
  }

  return async (leaving, waiting) => {
    if (leaving.length === 0) return new Map();
    const ids = leaving.map(({ psaId }) => psaId);
    const { seen } = latestOf(ids) ?? look([...new Set([...ids, ...waiting.map(({ psaId }) => psaId)])]);
    const states = await seen;
    return new Map(
      leaving.flatMap((document): [number, StaleDecision][] => {
        const decision = staleDecision(states.get(document.psaId), document);
        return decision === null ? [] : [[document.psaId, decision]];
      }),
    );
  };
}
