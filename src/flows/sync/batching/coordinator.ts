import { nextCommand, type Attempt } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import { lacksNumber } from '#core/planning/document-fields.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import { numberMissing } from '../number-missing.ts';
import type { Run } from '../run.ts';
import { RunStopped, type Stop } from '../stop.ts';
import { composeCalls, sendCall } from './send-call.ts';
import { type BatchRules, createGate, type Gate, type Waiting } from './gate.ts';
import type { BatchSlot, Outcome } from './slot.ts';

/**
 * Collects the next commands of a chunk's documents. Sends them once each document with a slot is ready or has closed
 * its slot. This way, few calls carry many commands, and documents numbered by QuickBooks are sent in order.
 */
export interface BatchCoordinator {
  /** Adds a document. All slots must be open before the first document sends. */
  open(): BatchSlot;
  /**
   * Stops sending, because a problem affects all documents or an error occurred.
   *
   * @returns false if it was already halted.
   */
  halt(why: Stop | null): boolean;
  /** Returns true if everything could be sent and every result is known. */
  readonly isClear: () => boolean;
}

/**
 * Creates the coordinator of one chunk.
 *
 * @param documents the chunk's attempts that may still be sent; one freshness check covers all of them.
 */
export function createBatchCoordinator(
  run: Run,
  rules: BatchRules,
  documents: () => readonly Attempt[],
): BatchCoordinator {
  const gate = createGate(run, rules, documents);
  const send = (call: readonly Waiting[]) => sendAdmitted(run, rules, gate, call);
  let waiting: Waiting[] = [];
  /** Number of open slots. */
  let participants = 0;

  function flushWhenAllAreReady(): void {
    if (waiting.length >= participants) flushNow();
  }

  function flushNow(): void {
    if (waiting.length === 0) return;
    const now = waiting;
    waiting = [];
    void flush(now);
  }

  async function flush(now: readonly Waiting[]): Promise<void> {
    const { isOrdered, total, writePermits, progress } = rules;
    try {
      // New customers and items delay every document that needs them, so they are sent in as few calls as possible.
      const areRecords = now.some(({ ready }) => sharedRecordOf(nextCommand(ready.to)) !== null);
      const sent = areRecords ? Number.POSITIVE_INFINITY : progress.callsSent;
      const calls = composeCalls(now, { total, isOrdered, max: run.accounting.maxPerBatch, sent });
      if (!areRecords) progress.callsSent += isOrdered ? 1 : calls.length;
      if (!isOrdered) {
        await inParallel(calls.map((call) => writePermits(() => send(call))));
        return;
      }
      const [first = [], ...later] = calls;
      waiting.push(...later.flat());
      // If all results are known, the next call follows immediately. Otherwise the documents without a result first
      // decide whether others may follow.
      if ((await send(first)) === 'all_answered') flushNow();
    } catch (error) {
      for (const { done } of now) done.reject(error);
    }
  }

  return {
    halt: gate.halt,
    isClear: gate.isClear,
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

/** Sends the documents of a call that the gate admits, and gives each its outcome. */
async function sendAdmitted(
  run: Run,
  { kind, isOrdered }: BatchRules,
  gate: Gate,
  call: readonly Waiting[],
): Promise<'all_answered' | 'not_all'> {
  try {
    const leaving = await gate.admit(call, isOrdered);
    if (leaving.length === 0) return 'not_all';
    const ready = leaving.map((one) => one.ready);
    const psaIds = ready.map(({ from }) => from.psaId);
    const outcomes = await run.context.withLogContext({ kind, psaIds }, () => sendCall(run, ready));
    const unnumbered = outcomes.find((one) => one.came === 'answer' && lacksNumber(one.answer));
    if (unnumbered?.came === 'answer') gate.halt(new RunStopped(numberMissing(unnumbered.attempt, unnumbered.answer)));
    for (const [index, { done }] of leaving.entries()) done.resolve(outcomes[index] ?? { came: 'deferred' });
    return outcomes.every(({ came }) => came === 'answer') ? 'all_answered' : 'not_all';
  } catch (error) {
    // Has no effect on documents that already have their outcome.
    for (const { done } of call) done.reject(error);
    return 'not_all';
  }
}
