import type { Attempt } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import { createSemaphore, type Semaphore } from '#core/semaphore.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Ready, Run } from '../run.ts';
import type { Stop } from '../stop.ts';
import type { Preflight } from './preflight.ts';
import type { Outcome, StaleDecision } from './slot.ts';

/** State that the chunks of one job share while they send. */
export interface JobProgress {
  /** Calls of documents so far. The first ones are small; a job that nobody waits for begins as if it had made many. */
  callsSent: number;
  /** Permits of calls that write to the books. */
  readonly writePermits: Semaphore;
}

/** Calls that write to the books side by side; the connector keeps one of its nine permits for reading. */
const callsAtOnce = 8;

/** @param isWaitedFor somebody waits for the first documents: the first calls are small. */
export const newProgress = (isWaitedFor: boolean): JobProgress => ({
  callsSent: isWaitedFor ? 0 : Number.POSITIVE_INFINITY,
  writePermits: createSemaphore(callsAtOnce),
});

export interface BatchRules {
  readonly kind: Kind;
  /** Documents of the whole job, which decides how large batches are. */
  readonly total: number;
  readonly progress: JobProgress;
  /** Documents are made one call after another, in the order of their PSA ids: the books number them. */
  readonly isOrdered: () => Promise<boolean>;
  /** Asked before each call; what was begun is brought to its end all the same. */
  readonly isCancelled: () => Promise<boolean>;
  /** Asked before each call for those that would leave with it. */
  readonly preflight: Preflight;
  /**
   * In order: resolves once nothing more of what comes before these will be sent, with whether they may follow. Absent:
   * nothing comes before.
   */
  readonly turn?: () => Promise<boolean>;
}

/** A command that is ready, and whoever waits for what comes of it. */
export interface Waiting {
  readonly ready: Ready;
  readonly done: PromiseWithResolvers<Outcome>;
}

/** Decides, right before a call leaves, which of its commands may. */
export interface Gate {
  /** Lets commands of a call leave and answers those; the others are told that they do not leave. */
  admit(call: readonly Waiting[], isOrdered: boolean): Promise<readonly Waiting[]>;
  /** Nothing passes any more; false when it was halted for a reason before. */
  readonly halt: (why: Stop | null) => boolean;
  readonly stoppedBy: () => Stop | null;
  /** Some document was left without knowing whether it was made: in order, none is sent after it. */
  doubt(): void;
  /** Nothing was kept from leaving, nothing is in doubt, and nothing stands against more of them. */
  readonly isClear: () => boolean;
}

/** @param documents the attempts that may still be sent: one freshness check serves all of them. */
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
    const unbegun = call.filter(({ ready }) => ready.from.state === 'planning');
    const going = unbegun.length > 0 && (await rules.isCancelled()) ? defer(unbegun) : call;
    const stale = await findStale(going);
    if (stale === null || isClosed()) return defer(call);
    return going.filter(({ ready, done }) => {
      const instead = stale.get(ready.from.psaId);
      if (instead !== undefined) done.resolve({ came: 'stale', instead });
      return instead === undefined;
    });
  }

  /** Null when the PSA does not say: then nothing leaves. */
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
