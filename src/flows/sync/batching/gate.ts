import type { Attempt } from '#core/attempt.ts';
import type { Semaphore } from '#core/in-parallel.ts';
import type { Kind } from '#core/kinds.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { note } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { isWantedAgain, type KindFlow, type StateInPsa } from '../kinds/kind.ts';
import { missingInPsa } from '../kinds/missing.ts';
import type { Ready, Run } from '../run.ts';
import type { Stop } from '../stop.ts';
import type { Outcome, Preflight, StaleDecision } from './slot.ts';

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

/** Rules for sending the documents of a job, shared by its chunks. */
export interface BatchRules {
  readonly kind: Kind;
  /** Number of documents in the whole job, which determines the batch size. */
  readonly total: number;
  /** The job, which a user may cancel: documents not begun are then not sent. Null for attempts of earlier jobs. */
  readonly jobId: string | null;
  /** Documents are created one call after another in the order of their PSA ids, because QuickBooks numbers them. */
  readonly isOrdered: boolean;
  /** Checks the documents of each call before it is sent. */
  readonly preflight: Preflight;
  /** Permits for calls that write to QuickBooks. */
  readonly writePermits: Semaphore;
  readonly progress: JobProgress;
}

/** What the chunks of a job know of each other. */
interface JobProgress {
  /** Document calls so far, because the first ones are small. */
  callsSent: number;
  /** A chunk found a problem that affects all documents, or failed: none of them sends anymore. */
  isHalted: boolean;
  /** Why, if the reason affects all documents: the first one found. */
  stoppedBy: Stop | null;
}

/** A command that is ready, and the promise of its outcome. */
export interface Waiting {
  readonly ready: Ready;
  readonly done: PromiseWithResolvers<Outcome>;
}

/** Decides which commands of a call may be sent, right before sending. */
export interface Gate {
  /** Returns the commands that may be sent. The others get the outcome `deferred` or `stale`. */
  admit(call: readonly Waiting[], isOrdered: boolean): Promise<readonly Waiting[]>;
  /** Closes the gates of all chunks of the job. Returns false if they were already closed for a reason. */
  readonly halt: (why: Stop | null) => boolean;
  /** Records that a document's outcome is unknown. In an ordered job, no document is sent after it. */
  doubt(): void;
  /** Returns true if everything was sent, no outcome is unknown, and more may be sent. */
  readonly isClear: () => boolean;
}

/** @param documents the attempts that may still be sent; one freshness check covers all of them. */
export function createGate(run: Run, rules: BatchRules, documents: () => readonly Attempt[]): Gate {
  let isInDoubt = false;
  let hasDeferred = false;

  const isCancelled = async (): Promise<boolean> =>
    rules.jobId !== null && (await run.context.store.isCancelRequested(rules.jobId));

  async function admit(call: readonly Waiting[], isOrdered: boolean): Promise<readonly Waiting[]> {
    const defer = (some: readonly Waiting[]) => {
      hasDeferred ||= some.length > 0;
      for (const { done } of some) done.resolve({ came: 'deferred' });
      return call.filter((one) => !some.includes(one));
    };
    const isClosed = () => rules.progress.isHalted || run.signal.aborted || (isOrdered && isInDoubt);
    if (isClosed()) return defer(call);
    const unstarted = call.filter(({ ready }) => ready.from.state === 'planning');
    const going = unstarted.length > 0 && (await isCancelled()) ? defer(unstarted) : call;
    const stale = await findStale(going);
    if (stale === null || isClosed()) return defer(call);
    return going.filter(({ ready, done }) => {
      const instead = stale.get(ready.from.psaId);
      if (instead !== undefined) done.resolve({ came: 'stale', instead });
      return instead === undefined;
    });
  }

  /** Returns stale documents; null if the PSA does not respond, then nothing is sent. */
  async function findStale(going: readonly Waiting[]): Promise<ReadonlyMap<number, StaleDecision> | null> {
    const leaving = going.map(({ ready }) => ready.from);
    try {
      return await rules.preflight(leaving, documents());
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      halt(error);
      return null;
    }
  }

  function halt(why: Stop | null): boolean {
    rules.progress.isHalted = true;
    if (rules.progress.stoppedBy !== null) return false;
    rules.progress.stoppedBy = why;
    return true;
  }

  return {
    admit,
    halt,
    doubt: () => void (isInDoubt = true),
    isClear: () => !isInDoubt && !rules.progress.isHalted && !hasDeferred,
  };
}
