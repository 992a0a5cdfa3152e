import type { Attempt } from '#core/attempt.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { note } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { KindFlow, FreshnessCheck } from '../kinds/kind.ts';
import { missingInPsa } from '../kinds/missing.ts';
import type { Run } from '../run.ts';
import type { StaleDecision } from './slot.ts';

/**
 * Checks documents in the PSA right before they are sent, and finds those that were voided or must not be sent for
 * another reason since they were read (domain reference 5.4 point 2, invariant 8 of 16).
 */
export interface Preflight {
  /**
   * Checks documents that are about to be sent.
   *
   * @param waiting documents to be sent later; included, so that one check covers all.
   * @returns decisions by PSA id, only for documents of `leaving` that must not be sent.
   * @throws ServiceError when the PSA does not respond.
   */
  check(leaving: readonly Attempt[], waiting: readonly Attempt[]): Promise<ReadonlyMap<number, StaleDecision>>;
  /**
   * Starts a check of these documents and of those waiting for their turn, unless there is a recent one. The documents
   * then do not wait for the check when they are sent.
   */
  begin(psaIds: readonly number[]): void;
  /** Adds documents that wait for their turn. Every check includes them until they are sent. */
  expect(psaIds: readonly number[]): void;
}

/**
 * Seconds for which a check is valid. A call of 30 documents takes a few seconds, so a chunk of 300 needs one or two
 * checks, and a thousand invoices stay below 1.10 calls each even when every call is slow (performance budget). A
 * document that changes within this time counts as changed while being sent; the next cycle voids it.
 */
const lookSeconds = 15;
/** Seconds for which a check is recent. A full call of 30 documents, after which the next one is sent, takes nine. */
const newSeconds = 5;

/** Creates the checks for documents of one kind. Calls sent in close succession share a check. */
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

  /** Returns the latest check if it covers all these documents and is not older than this. */
  function latestOf(psaIds: readonly number[], seconds: number): Look | null {
    const isNew = latest !== null && run.context.clock.now() < addSeconds(latest.at, seconds);
    return isNew && psaIds.every((psaId) => latest?.psaIds.has(psaId) === true) ? latest : null;
  }

  /** Starts a check unless the latest one covers all these documents and is not older than this. */
  function lookUnless(seconds: number, psaIds: readonly number[]): void {
    const all = [...psaIds, ...waitingForTurn];
    if (flow.checkFreshness === undefined || all.length === 0 || latestOf(all, seconds) !== null) return;
    const pending = look(all);
    // The failure is ignored here. `check` repeats the call and throws its error.
    pending.seen.catch(() => {
      if (latest === pending) latest = null;
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
