import type { Attempt } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import { createSemaphore } from '#core/semaphore.ts';
import type { Run } from '../run.ts';
import type { Stop } from '../stop.ts';
import { composeCalls } from './compose-calls.ts';
import { createGate, type BatchRules, type Waiting } from './gate.ts';
import { sendCall } from './send-call.ts';
import type { BatchSlot, Outcome } from './slot.ts';

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
  const gate = createGate(run, rules, documents);
  let waiting: Waiting[] = [];
  /** Slots that are open. */
  let participants = 0;

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
      const leaving = await gate.admit(call, isOrdered);
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

  return {
    halt: gate.halt,
    stoppedBy: gate.stoppedBy,
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
          if (isUnsure) gate.doubt();
          flushWhenAllAreReady();
        },
      };
    },
  };
}
