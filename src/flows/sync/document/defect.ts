import type { Attempt } from '#core/attempt.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { StoreUnavailable } from '#core/records/unavailable.ts';
import { problem } from '#core/problems.ts';
import { Refusal } from '#core/refusal.ts';
import { isUnreadableRecord } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { note } from '#core/transcript.ts';
import { addSeconds } from '#core/values/dates.ts';
import { ProcessEnded } from '../../context.ts';
import { isStop } from '../stop.ts';
import { suppressionOfDefect } from '../suppression.ts';
import type { Ending, Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { refuse } from './outcomes.ts';
import { failedFor, pendingResult, serviceProblem } from './save.ts';

/** Wait after a bug stopped an attempt whose result in QuickBooks is unknown; doubled each time. */
const firstBackoffSeconds = 900;
const maxBackoffSeconds = 6 * 3_600;
/** Longer than any attempt waits. */
const everSeconds = 10 * 365 * 86_400;

/** Returns true for an error caused by a bug, not by a service, the database, a lost lease or a stop. */
export const isDefect = (error: unknown): boolean =>
  !notOurs.some((one) => error instanceof one) && !isStop(error) && !isPassing(error);

const notOurs = [LeaseLost, StoreUnavailable, Refusal, ProcessEnded, ProcessStopping] as const;

/**
 * Returns true for database shutdowns and conflicting transactions, which may succeed next time (PostgreSQL error
 * classes).
 */
const isPassing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(40|53|55|57)/.test(error.code);

/** Returns true for an error that concerns one document, so that the others continue. */
export const isOfOneDocument = (error: unknown): boolean => isDefect(error) || isUnreadableRecord(error);

/**
 * Ends only this attempt after a bug, or because QuickBooks cannot return a record that may be the document, with a log entry and an alert. Other documents and jobs of the tenant continue. A
 * document that may have reached QuickBooks stays open: it waits, longer each time, and is searched for again.
 *
 * @returns the end of the attempt, or its wait.
 * @throws LeaseLost when another worker has taken over.
 */
export async function endAlone(
  { run }: DocumentContext,
  attempt: Attempt,
  error: unknown,
): Promise<Transition | Ending> {
  const { store, clock, logger } = run.context;
  // A step may have been saved before the bug occurred.
  const unfinished = await store.listUnfinished(addSeconds(clock.now(), everSeconds));
  const left = attempt.mode === 'live' ? unfinished.find(({ id }) => id === attempt.id) : attempt;
  const { kind, psaId } = attempt;
  const isUnreadable = isUnreadableRecord(error);
  const about = { kind, psaId, attemptId: attempt.id, state: left?.state, error };
  if (isUnreadable) logger.warn(about, 'a record that QuickBooks cannot return stopped a document');
  else logger.error(about, 'a defect stopped a document');
  if (left === undefined) throw new LeaseLost(run.context.tenantId);
  if ((left.state === 'posting' && left.sentAt !== null) || left.state === 'unsure' || left.state === 'posted') {
    const defects = (left.defects ?? 0) + 1;
    const backoffSeconds = Math.min(firstBackoffSeconds * 2 ** (defects - 1), maxBackoffSeconds);
    const notBefore = addSeconds(clock.now(), isUnreadable ? firstBackoffSeconds : backoffSeconds);
    const notes = [note('error', `${messageOf(error)}. Looking again at ${notBefore}.`)];
    const to = isUnreadable ? { ...left, notBefore } : { ...left, defects, notBefore };
    return { from: left, to, notes, effects: pendingResult(run, left) };
  }
  if (isUnreadable && (left.state === 'planning' || left.state === 'posting'))
    return refuse(left, { problems: [serviceProblem(run, error)], mark: null, notes: [] });
  const found = problem('DEFECT', { reference: left.id });
  return {
    from: left,
    state: 'refused',
    ended: failedFor([found], found.message),
    notes: [note('error', messageOf(error))],
    effects: {
      ...(left.state === 'posting' ? { abandonsPosting: true } : {}),
      suppression: suppressionOfDefect(error),
    },
  };
}

/** Returns the error's text in one line, without its stack. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500);
