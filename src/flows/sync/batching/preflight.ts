import type { Attempt } from '#core/attempt.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { note } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { KindFlow, FreshnessCheck } from '../kinds/kind.ts';
import { missingInPsa } from '../kinds/missing.ts';
import type { Run } from '../run.ts';
import type { StaleDecision } from './slot.ts';

/**
 * Looks at documents in the PSA right before they are sent: those that were voided, or may not be sent any more for
 * another reason, since they were read (domain reference 5.4 point 2, invariant 8 of 16).
 */
export interface Preflight {
  /**
   * Decisions on documents that are about to be sent.
   *
   * @param waiting they come after them, so that one look may serve all.
   * @returns by PSA id, only those of `leaving` that are not to be sent.
   * @throws ServiceError when the PSA does not say.
   */
  check(leaving: readonly Attempt[], waiting: readonly Attempt[]): Promise<ReadonlyMap<number, StaleDecision>>;
  /**
   * Begins a look at these documents, and at those that wait for their turn, unless there is a new one: then they need
   * not wait for it when they leave.
   */
  begin(psaIds: readonly number[]): void;
  /** Documents wait for their turn: until they leave, every look is at them as well. */
  expect(psaIds: readonly number[]): void;
}

/**
 * How long a look serves calls that leave after it. A call of thirty documents takes a few seconds, so that a chunk of
 * three hundred costs a look or two, and a thousand invoices stay below 1.10 calls each even when every call is slow
 * (performance budget); what changes within this time is what changes while it is sent: the next cycle voids it.
 */
const lookSeconds = 15;
/** A look that is older is not new: a full call of thirty documents, after which the next one leaves, takes nine. */
const newSeconds = 5;

/** Looks for documents of one kind; calls that leave shortly after one another share a look. */
export function preflight(run: Run, flow: KindFlow<unknown>, settings: () => Promise<Settings>): Preflight {
  interface Look {
    readonly at: Instant;
    readonly psaIds: ReadonlySet<number>;
    readonly seen: Promise<FreshnessCheck>;
  }
  let latest: Look | null = null;
  const waitingForTurn = new Set<number>();
  const notes = [note('info', `Changed in ${run.psa.describe.label} since it was read: not sent`)];

  function look(psaIds: readonly number[]): Look {
    const all = [...new Set([...psaIds, ...waitingForTurn])];
    const seen = run.context.withLogContext({ kind: flow.kind, psaIds: all }, async () =>
      flow.checkFreshness === undefined ? () => null : flow.checkFreshness(run, await settings(), all),
    );
    latest = { at: run.context.clock.now(), psaIds: new Set(all), seen };
    return latest;
  }

  /** The latest look, when it is at all of these documents and not older than this. */
  function latestOf(psaIds: readonly number[], seconds: number): Look | null {
    const isNew = latest !== null && run.context.clock.now() < addSeconds(latest.at, seconds);
    return isNew && psaIds.every((psaId) => latest?.psaIds.has(psaId) === true) ? latest : null;
  }

  /** Begins a look unless the latest is at all of these, and not older than this. */
  function lookUnless(seconds: number, psaIds: readonly number[]): void {
    const all = [...psaIds, ...waitingForTurn];
    if (flow.checkFreshness === undefined || all.length === 0 || latestOf(all, seconds) !== null) return;
    const begun = look(all);
    // A check that needs it asks once more, and says what stands against it.
    begun.seen.catch(() => {
      if (latest === begun) latest = null;
    });
  }

  function staleDecision(against: FreshnessCheck, document: Attempt): StaleDecision | null {
    const message = against(document);
    if (message === null) return null;
    if (message === undefined) return { ...missingInPsa(run, flow.name(document.psaId)), notes };
    return { outcome: 'skip', reason: 'changed_in_psa', message, isLoggedOnce: false, notes };
  }

  return {
    begin: (psaIds) => lookUnless(newSeconds, psaIds),
    expect(psaIds) {
      for (const psaId of psaIds) waitingForTurn.add(psaId);
      lookUnless(lookSeconds, psaIds);
    },
    async check(leaving, waiting) {
      if (flow.checkFreshness === undefined || leaving.length === 0) return new Map();
      const ids = leaving.map(({ psaId }) => psaId);
      const { seen } = latestOf(ids, lookSeconds) ?? look([...ids, ...waiting.map(({ psaId }) => psaId)]);
      for (const psaId of ids) waitingForTurn.delete(psaId);
      const against = await seen;
      return new Map(
        leaving.flatMap((document): [number, StaleDecision][] => {
          const decision = staleDecision(against, document);
          return decision === null ? [] : [[document.psaId, decision]];
        }),
      );
    },
  };
}
