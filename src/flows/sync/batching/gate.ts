import type { Attempt } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import type { Semaphore } from '#core/in-parallel.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Ready, Run } from '../run.ts';
import type { Stop } from '../stop.ts';
import type { Outcome, Preflight, StaleDecision } from './slot.ts';

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
export interface JobProgress {
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
