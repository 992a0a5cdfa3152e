import type { Attempt } from '#core/attempt.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { note } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { KindFlow } from '../kinds/kind.ts';
import { missingInPsa } from '../kinds/missing.ts';
import type { Run } from '../run.ts';
import type { StaleDecision } from './slot.ts';

/**
 * Looks at documents in the PSA right before they are sent: those that were voided, or may not be sent any more for
 * another reason, since they were read (domain reference 5.4 point 2, invariant 8 of 16).
 *
 * @param leaving they are about to be sent.
 * @param waiting they come after them, so that one look may serve all.
 * @returns by PSA id, only those of `leaving` that are not to be sent.
 * @throws ServiceError when the PSA does not say.
 */
export type Preflight = (
  leaving: readonly Attempt[],
  waiting: readonly Attempt[],
) => Promise<ReadonlyMap<number, StaleDecision>>;

/**
 * How long a look serves calls that leave after it. A call of thirty documents takes a few seconds, so that a chunk of
 * three hundred costs a look or two, and a thousand invoices stay below 1.10 calls each even when every call is slow
 * (performance budget); what changes within this time is what changes while it is sent: the next cycle voids it.
 */
const lookSeconds = 15;

/** Looks for documents of one kind; calls that leave shortly after one another share a look. */
export function preflight(run: Run, flow: KindFlow<unknown>, settings: () => Promise<Settings>): Preflight {
  interface Look {
    readonly until: Instant;
    readonly psaIds: ReadonlySet<number>;
    readonly seen: Promise<ReadonlyMap<number, StaleDecision>>;
  }
  let latest: Look | null = null;

  async function look(documents: readonly Attempt[]): Promise<ReadonlyMap<number, StaleDecision>> {
    const psaIds = documents.map(({ psaId }) => psaId);
    const against = await run.context.withLogContext({ kind: flow.kind, psaIds }, async () =>
      flow.checkFreshness?.(run, await settings(), documents),
    );
    if (against === undefined) return new Map();
    return new Map(
      psaIds.flatMap((psaId): [number, StaleDecision][] => {
        const message = against.get(psaId);
        const notes = [note('info', `Changed in ${run.psa.describe.label} since it was read: not sent`)];
        if (message === null) return [];
        if (message !== undefined)
          return [[psaId, { outcome: 'skip', reason: 'changed_in_psa', message, isLoggedOnce: false, notes }]];
        return [[psaId, { ...missingInPsa(run, flow.name(psaId)), notes }]];
      }),
    );
  }

  return async (leaving, waiting) => {
    if (flow.checkFreshness === undefined || leaving.length === 0) return new Map();
    const now = run.context.clock.now();
    if (latest === null || now >= latest.until || leaving.some(({ psaId }) => latest?.psaIds.has(psaId) !== true)) {
      const documents = [...new Map([...leaving, ...waiting].map((one) => [one.psaId, one])).values()];
      latest = {
        until: addSeconds(now, lookSeconds),
        psaIds: new Set(documents.map(({ psaId }) => psaId)),
        seen: look(documents),
      };
    }
    const seen = await latest.seen;
    const ids = new Set(leaving.map(({ psaId }) => psaId));
    return new Map([...seen].filter(([psaId]) => ids.has(psaId)));
  };
}
