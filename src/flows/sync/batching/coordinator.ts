import { nextCommand, type Attempt } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import { kinds } from '#core/kinds.ts';
import { lacksNumber } from '#core/planning/numbering.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import { problem } from '#core/problems.ts';
import type { Semaphore } from '#core/semaphore.ts';
import type { Run } from '../run.ts';
import { RunStopped, type Stop } from '../stop.ts';
import { composeCalls } from './compose-calls.ts';
import { createGate, type BatchRules, type Gate, type Waiting } from './gate.ts';
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
  /** Nothing was kept from being sent, and whatever was sent is known to be made or not. */
  readonly isClear: () => boolean;
  /** Why nothing was sent any more, when that is known of all documents alike. */
  readonly stoppedBy: () => Stop | null;
}

/** Documents of two full calls in single file, which outlast the reading of the next chunk. */
const fewDocuments = 60;

/**
 * A coordinator for one chunk.
 *
 * @param documents the chunk's attempts that may still be sent: one freshness check serves all of them.
 * @param onFewLeft told when few documents are left to be sent, or none, and the next ones may be read.
 */
export function createBatchCoordinator(
  run: Run,
  rules: BatchRules,
  documents: () => readonly Attempt[],
  onFewLeft: () => void,
): BatchCoordinator {
  const gate = createGate(run, rules, documents);
  const send = (call: readonly Waiting[], isOrdered: boolean) => sendAdmitted(run, rules, gate, call, isOrdered);
  let waiting: Waiting[] = [];
  /** Slots that are open. */
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
    try {
      const isOrdered = await rules.isOrdered();
      // Customers and items that several documents need hold all of them up: these travel in the fewest calls.
      const areRecords = now.some(({ ready }) => sharedRecordOf(nextCommand(ready.to)) !== null);
      if (isOrdered && !areRecords) await turnOf(now, rules, gate, onFewLeft);
      const sent = areRecords ? Number.POSITIVE_INFINITY : rules.progress.callsSent;
      const calls = composeCalls(now, {
        total: rules.total,
        isSingleFile: isOrdered,
        most: run.accounting.maxPerBatch,
        sent,
      });
      if (!areRecords) rules.progress.callsSent += isOrdered ? 1 : calls.length;
      if (isOrdered) {
        const [first = [], ...later] = calls;
        waiting.push(...later.flat());
        if (!areRecords && waiting.length <= fewDocuments) onFewLeft();
        // Nothing else stands between two calls; unless it is not known of each document what became of it: then these
        // say first whether anything may follow.
        if ((await send(first, true)) === 'all_answered') flushNow();
        return;
      }
      await sendSideBySide(calls, rules.progress.writePermits, send, () => {
        if (!areRecords) onFewLeft();
      });
    } catch (error) {
      for (const { done } of now) done.reject(error);
    }
  }

  return {
    halt: gate.halt,
    isClear: gate.isClear,
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

/** In single file: waits for the turn of these documents; when they may not follow, they are told so as they leave. */
async function turnOf(
  now: readonly Waiting[],
  { preflight, turn }: BatchRules,
  gate: Gate,
  onFewLeft: () => void,
): Promise<void> {
  if (now.length <= fewDocuments) onFewLeft();
  preflight.expect(now.map(({ ready }) => ready.from.psaId));
  if ((await turn?.()) === false) gate.doubt();
}

/** Sends calls that need not wait for each other, as permits come free; says so when the last of them leaves. */
async function sendSideBySide(
  calls: readonly (readonly Waiting[])[],
  permits: Semaphore,
  send: (call: readonly Waiting[], isOrdered: boolean) => Promise<unknown>,
  onLastLeaves: () => void,
): Promise<void> {
  let left = calls.length;
  await inParallel(
    calls.map((call) =>
      permits(() => {
        left -= 1;
        if (left === 0) onLastLeaves();
        return send(call, false);
      }),
    ),
  );
}

/** Sends what may leave of a call, and gives each document its outcome. */
async function sendAdmitted(
  run: Run,
  { kind, preflight }: BatchRules,
  gate: Gate,
  call: readonly Waiting[],
  isOrdered: boolean,
): Promise<'all_answered' | 'not_all'> {
  try {
    const leaving = await gate.admit(call, isOrdered);
    if (leaving.length === 0) return 'not_all';
    const ready = leaving.map((one) => one.ready);
    const psaIds = ready.map(({ from }) => from.psaId);
    const answered = run.context.withLogContext({ kind, psaIds }, () => sendCall(run, ready));
    // The next call finds a new freshness check when this one has its answer.
    if (isOrdered) preflight.begin([]);
    const outcomes = await answered;
    // Documents that leave after one without a number would have none either.
    const unnumbered = outcomes.find((one) => one.came === 'answer' && lacksNumber(one.answer));
    if (unnumbered?.came === 'answer') {
      const name = `${kinds[kind].label} ${unnumbered.attempt.psaId}`;
      gate.halt(new RunStopped(problem('NUMBER_MISSING', { name, id: unnumbered.answer.id })));
    }
    for (const [index, { done }] of leaving.entries()) done.resolve(outcomes[index] ?? { came: 'deferred' });
    return outcomes.every(({ came }) => came === 'answer') ? 'all_answered' : 'not_all';
  } catch (error) {
    // A document that has its outcome already is not met by this.
    for (const { done } of call) done.reject(error);
    return 'not_all';
  }
}
