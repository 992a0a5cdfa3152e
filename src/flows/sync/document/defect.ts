import type { Attempt } from '#core/attempt.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { StoreUnavailable } from '#core/ports/unavailable.ts';
import { problem } from '#core/problems.ts';
import { Refusal } from '#core/refusal.ts';
import { note } from '#core/transcript.ts';
import { addSeconds } from '#core/values/dates.ts';
import { ProcessEnded } from '../../context.ts';
import { isStop } from '../stop.ts';
import { suppressionOfDefect } from '../suppression.ts';
import type { Ending, Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { failedFor, pendingResult } from './save.ts';

/** Wait of an attempt that a defect stopped while it was not certain what the books have; doubled each time. */
const firstBackoffSeconds = 900;
const longestBackoffSeconds = 6 * 3_600;
/** Later than any attempt waits. */
const everSeconds = 10 * 365 * 86_400;

/** Whether we were wrong, as opposed to a service, the database or the lease that is not there any more. */
export const isDefect = (error: unknown): boolean =>
  !notOurs.some((one) => error instanceof one) && !isStop(error) && !isPassing(error);

const notOurs = [LeaseLost, StoreUnavailable, Refusal, ProcessEnded] as const;

/** The database was asked to stop, or two transactions met: the same may well succeed next time (PostgreSQL classes). */
const isPassing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(40|53|55|57)/.test(error.code);

/**
 * Ends this attempt for a defect of ours, with a row in the log and an alert, and nothing else: the other documents and
 * jobs of the tenant go on. A document that may have reached the books is never let go of: it waits, longer each time,
 * and is looked for again.
 *
 * @returns the end of the attempt, or its wait.
 * @throws LeaseLost when another worker has taken over.
 */
export async function endForDefect(
  { run }: DocumentContext,
  attempt: Attempt,
  error: unknown,
): Promise<Transition | Ending> {
  const { store, clock, logger } = run.context;
  // A step may have been saved on the way to the defect.
  const unfinished = await store.listUnfinished(addSeconds(clock.now(), everSeconds));
  const left = attempt.mode === 'live' ? unfinished.find(({ id }) => id === attempt.id) : attempt;
  const { kind, psaId } = attempt;
  logger.error({ kind, psaId, attemptId: attempt.id, state: left?.state, error }, 'a defect stopped a document');
  if (left === undefined) throw new LeaseLost(run.context.tenantId);
  if ((left.state === 'posting' && left.sentAt !== null) || left.state === 'unsure' || left.state === 'posted') {
    const defects = (left.defects ?? 0) + 1;
    const backoffSeconds = Math.min(firstBackoffSeconds * 2 ** (defects - 1), longestBackoffSeconds);
    const notBefore = addSeconds(clock.now(), backoffSeconds);
    const notes = [note('error', `${wordsOf(error)}. Looking again at ${notBefore}.`)];
    return { from: left, to: { ...left, defects, notBefore }, notes, effects: pendingResult(run, left) };
  }
  const found = problem('DEFECT', { reference: left.id });
  return {
    from: left,
    state: 'refused',
    ended: failedFor([found], found.message),
    notes: [note('error', wordsOf(error))],
    effects: {
      ...(left.state === 'posting' ? { abandonsPosting: true } : {}),
      suppression: suppressionOfDefect(error),
    },
  };
}

/** Text of a defect, in one line and without its stack. */
export const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500);
