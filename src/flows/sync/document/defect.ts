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
import type { DocumentContext } from './context.ts';
import { end, failedFor, pendingResult, save } from './save.ts';

/** How long an attempt rests that a defect has stopped while it was not certain what the books have; doubled each time. */
const firstRestSeconds = 900;
const longestRestSeconds = 6 * 3_600;
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
 * A defect of ours ends this attempt, with a row in the log and an alert, and nothing else: the other documents and jobs
 * of the tenant go on. What may have reached the books is never let go of: it rests, longer each time, and is looked for
 * again.
 *
 * @returns the attempt as it is saved.
 * @throws LeaseLost when another worker has taken over.
 */
export async function endForDefect({ run }: DocumentContext, attempt: Attempt, error: unknown): Promise<Attempt> {
  const { store, clock, logger } = run.context;
  // A step may have been saved on the way to the defect.
  const unfinished = await store.listUnfinished(addSeconds(clock.now(), everSeconds));
  const left = attempt.mode === 'live' ? unfinished.find(({ id }) => id === attempt.id) : attempt;
  const { kind, psaId } = attempt;
  logger.error({ kind, psaId, attemptId: attempt.id, state: left?.state, error }, 'a defect stopped a document');
  if (left === undefined) throw new LeaseLost(run.context.tenantId);
  if ((left.state === 'posting' && left.sentAt !== null) || left.state === 'unsure' || left.state === 'posted') {
    const defects = (left.defects ?? 0) + 1;
    const restSeconds = Math.min(firstRestSeconds * 2 ** (defects - 1), longestRestSeconds);
    const notBefore = addSeconds(clock.now(), restSeconds);
    return save(
      run,
      left,
      { ...left, defects, notBefore },
      {
        notes: [note('error', `${wordsOf(error)}. Looking again at ${notBefore}.`)],
        effects: pendingResult(run, left),
      },
    );
  }
  const found = problem('DEFECT', { reference: left.id });
  return end(run, left, 'refused', failedFor([found], found.message), {
    notes: [note('error', wordsOf(error))],
    effects: {
      ...(left.state === 'posting' ? { abandonsPosting: true } : {}),
      remembers: suppressionOfDefect(error),
    },
  });
}

/** What we were wrong about, in one line and without its stack. */
export const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500);
