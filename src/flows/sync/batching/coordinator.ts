import type { Attempt } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Kind } from '#core/kinds.ts';
import { createSemaphore } from '#core/semaphore.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Ready, Run } from '../run.ts';
import type { Stop } from '../stop.ts';
import { composeCalls } from './compose-calls.ts';
import type { Preflight } from './preflight.ts';
import { sendCall } from './send-call.ts';
import type { BatchSlot, Outcome, StaleDecision } from './slot.ts';

/**
 * Collects the next commands of a chunk's documents, and flushes them once every document that has a slot is ready or
 * has closed it: so few calls carry many commands, and documents whose numbers the books give leave in order.
 */
export interface BatchCoordinator {
  /** A document takes part from now on. Slots are opened before the first of them sends. */
  open(): BatchSlot;
  /**
   * Nothing new is sent: something stands against every document, or something broke.
   *
   * @returns false when it was halted before.
   */
  halt(why: Stop | null): boolean;
  /** Why nothing was sent any more, when that is known of all documents alike. */
  readonly stoppedBy: () => Stop | null;
}

export interface BatchRules {
  readonly kind: Kind;
  /** Documents of the whole job, which decides how large batches are. */
  readonly total: number;
  /** Documents are made one call after another, in the order of their PSA ids: the books number them. */
  readonly isOrdered: () => Promise<boolean>;
  /** Asked before each call; what was begun is brought to its end all the same. */
  readonly isCancelled: () => Promise<boolean>;
  /** Asked before each call for those that would leave with it. */
  readonly preflight: Preflight;
}

/** A command that waits for the flush, and whoever waits for what comes of it. */
interface Waiting {
  readonly ready: Ready;
  readonly done: PromiseWithResolvers<Outcome>;
}

/** Calls that write to the books side by side; the connector keeps two of its places for reading. */
const callsAtOnce = 6;

/**
 * A coordinator for one chunk.
 *
 * @param documents the chunk's attempts that may still be sent: one freshness check serves all of them.
 */
export function createBatchCoordinator(
  run: Run,
  rules: BatchRules,
  documents: () => readonly Attempt[],
): BatchCoordinator {
  let waiting: Waiting[] = [];
  /** Slots that are open. */
  let participants = 0;
  /** Some document was left without knowing whether it was made: in order, none is sent after it. */
  let isInDoubt = false;
  let isHalted = false;
  let stoppedBy: Stop | null = null;

  function flushWhenAllAreReady(): void {
    if (waiting.length === 0 || waiting.length < participants) return;
    const now = waiting;
    waiting = [];
    void flush(now);
  }

  async function flush(now: readonly Waiting[]): Promise<void> {
    try {
      const isOrdered = await rules.isOrdered();
      const most = run.accounting.mostPerBatch;
      const calls = composeCalls(now, { total: rules.total, isSingleFile: isOrdered, most });
      if (isOrdered) {
        // What became of the first call is known to its documents before the next one leaves.
        const [first = [], ...later] = calls;
        waiting.push(...later.flat());
        await send(first, true);
        return;
      }
      const limited = createSemaphore(callsAtOnce);
      await inParallel(calls.map((call) => limited(() => send(call, false))));
    } catch (error) {
      for (const { done } of now) done.reject(error);
    }
  }

  async function send(call: readonly Waiting[], isOrdered: boolean): Promise<void> {
    try {
      const leaving = await admit(call, isOrdered);
      if (leaving.length === 0) return;
      const ready = leaving.map((one) => one.ready);
      const psaIds = ready.map(({ from }) => from.psaId);
      const outcomes = await run.context.withLogContext({ kind: rules.kind, psaIds }, () => sendCall(run, ready));
      for (const [index, { done }] of leaving.entries()) done.resolve(outcomes[index] ?? { came: 'deferred' });
    } catch (error) {
      // Whoever has its outcome already is not met by this.
      for (const { done } of call) done.reject(error);
    }
  }

  /** Those of a call that may leave now; the others are told that they do not. */
  async function admit(call: readonly Waiting[], isOrdered: boolean): Promise<readonly Waiting[]> {
    const defer = (some: readonly Waiting[]) => {
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
      return await rules.preflight(leaving, documents());
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
    halt,
    stoppedBy: () => stoppedBy,
    open() {
      participants += 1;
      let isOpen = true;
      return {
        send(ready) {
          const done = Promise.withResolvers<Outcome>();
          waiting.push({ ready, done });
          flushWhenAllAreReady();
          return done.promise;
        },
        close(isUnsure) {
          if (!isOpen) return;
          isOpen = false;
          participants -= 1;
          isInDoubt ||= isUnsure;
          flushWhenAllAreReady();
        },
      };
    },
  };
}
