import type { Attempt } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import { createSemaphore, type Semaphore } from '#core/semaphore.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Ready, Run } from '../run.ts';
import type { Stop } from '../stop.ts';
import type { Preflight } from './preflight.ts';
import type { Outcome, StaleDecision } from './slot.ts';

/** State shared by the chunks of one job while they send. */
export interface JobProgress {
  /**
   * Number of document calls so far. The first ones are small. A job that no user waits for starts at a high number.
   */
  callsSent: number;
  /** Permits of calls that write to QuickBooks. */
  readonly writePermits: Semaphore;
}

/** Maximum parallel calls that write to QuickBooks. The connector reserves one of its nine permits for reading. */
const callsAtOnce = 8;

/** @param isWaitedFor a user waits for the first documents, so the first calls are small. */
export const newProgress = (isWaitedFor: boolean): JobProgress => ({
  callsSent: isWaitedFor ? 0 : Number.POSITIVE_INFINITY,
  writePermits: createSemaphore(callsAtOnce),
});

export interface BatchRules {
  readonly kind: Kind;
  /** Number of documents in the whole job, which determines the batch size. */
  readonly total: number;
  readonly progress: JobProgress;
  /** Documents are created one call after another in the order of their PSA ids, because QuickBooks numbers them. */
  readonly isOrdered: () => Promise<boolean>;
  /** Checked before each call. Documents already begun are still finished. */
  readonly isCancelled: () => Promise<boolean>;
  /** Checks the documents of each call before it is sent. */
  readonly preflight: Preflight;
  /**
   * For ordered jobs: resolves once no earlier documents will be sent, with whether these may follow. Absent if there
   * are no earlier ones.
   */
  readonly turn?: () => Promise<boolean>;
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
  /** Closes the gate. Returns false if it was already closed for a reason. */
  readonly halt: (why: Stop | null) => boolean;
  readonly stoppedBy: () => Stop | null;
  /** Records that a document's outcome is unknown. In an ordered job, no document is sent after it. */
  doubt(): void;
  /** Returns true if everything was sent, no outcome is unknown, and more may be sent. */
  readonly isClear: () => boolean;
}

/** @param documents the attempts that may still be sent; one freshness check covers all of them. */
export function createGate(run: Run, rules: BatchRules, documents: () => readonly Attempt[]): Gate {
  let isInDoubt = false;
  let isHalted = false;
  let hasDeferred = false;
  let stoppedBy: Stop | null = null;

  async function admit(call: readonly Waiting[], isOrdered: boolean): Promise<readonly Waiting[]> {
    const defer = (some: readonly Waiting[]) => {
      hasDeferred ||= some.length > 0;
      for (const { done } of some) done.resolve({ came: 'deferred' });
      return call.filter((one) => !some.includes(one));
    };
    const isClosed = () => isHalted || run.signal.aborted || (isOrdered && isInDoubt);
    if (isClosed()) return defer(call);
    const unstarted = call.filter(({ ready }) => ready.from.state === 'planning');
    const going = unstarted.length > 0 && (await rules.isCancelled()) ? defer(unstarted) : call;
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
      return await rules.preflight.check(leaving, documents());
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      halt(error);
      return null;
    }
  }

  function halt(why: Stop | null): boolean {
    isHalted = true;
    if (stoppedBy !== null) return false;
    stoppedBy = why;
    return true;
  }

  return {
    admit,
    halt,
    stoppedBy: () => stoppedBy,
    doubt: () => void (isInDoubt = true),
    isClear: () => !isInDoubt && !isHalted && !hasDeferred,
  };
}
