import type { Attempt, In } from '#core/attempt.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import { recordsUsed } from '#core/planning/plan-view.ts';
import { problemOfRefusedVoid } from '#core/planning/plan-void.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { givenUp, problem, sentenceOf, withUsedRecords } from '#core/problems.ts';
import { isUnreadableRecord, type ServiceError } from '#core/service-error.ts';
import { note, type Note } from '#core/transcript.ts';
import { addSeconds } from '#core/values/dates.ts';
import { messageOf } from '#core/values/text.ts';
import type { Decision } from '../kinds/kind.ts';
import { suppressionOfDefect, suppressionOfPlan, suppressionOfProblems, suppressionOfSkip } from '../suppression.ts';
import type { Ending, Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { base, failedFor, pendingResult, problemNotes, serviceProblem } from './save.ts';
import { clearRunningMark } from './status-field.ts';

/** Wait after a bug stopped an attempt whose result in QuickBooks is unknown; doubled each time. */
const firstBackoffSeconds = 900;
const maxBackoffSeconds = 6 * 3_600;
/** Longer than any attempt waits. */
const everSeconds = 10 * 365 * 86_400;

/** Transient failures in a row after which a user must act (domain reference 5.2). */
const transientTries = 5;

/** Drops the ledger row of a plan that certainly created nothing. */
const abandons = (attempt: Attempt): AdvanceEffects => (attempt.state === 'posting' ? { abandonsPosting: true } : {});

/** Ends an attempt because there is nothing to do. */
export const skip = (
  attempt: In<'planning'> | In<'posting'>,
  decision: Extract<Decision, { outcome: 'skip' }>,
  notes: readonly Note[] = [],
): Ending => ({
  from: { ...attempt, warnings: decision.warnings ?? [] },
  state: 'skipped',
  ended: { success: true, message: decision.message, problems: [], document: decision.document ?? null },
  notes: [...notes, ...decision.notes],
  effects: {
    ...abandons(attempt),
    ...(decision.isLoggedOnce ? { suppression: suppressionOfSkip(decision) } : {}),
    ...(decision.marks ? { marksPosting: decision.marks } : {}),
    ...(decision.payment && { payment: decision.payment }),
  },
});

/** Problems of a document, and their consequences. */
type Refusal = Pick<
  Extract<Decision, { outcome: 'refuse' }>,
  'problems' | 'mark' | 'notes' | 'document' | 'payment'
> & {
  /** Key that keeps the failure from being logged again; default: derived from the problems. */
  readonly suppression?: string;
};

/** Ends an attempt that a user has to fix. Writes the status text to the PSA first, if the kind has one. */
export function refuse(
  attempt: In<'planning'> | In<'posting'>,
  { problems, mark, notes, document, payment, suppression }: Refusal,
): Transition | Ending {
  const allNotes = [...notes, ...problemNotes(problems)];
  if (mark !== null && attempt.mode === 'live') {
    const to: Attempt = { ...base(attempt), state: 'refusing', problems, mark, notBefore: null };
    return { from: attempt, to, notes: allNotes, effects: abandons(attempt) };
  }
  // Without a status text in the PSA, every cycle finds the document again. The suppression keeps it from being logged
  // again.
  const ended = { ...failedFor(problems, sentenceOf(problems)), document: document ?? null };
  return {
    from: attempt,
    state: 'refused',
    ended,
    notes: allNotes,
    areProblemsNoted: true,
    effects: {
      ...abandons(attempt),
      suppression: suppression ?? suppressionOfProblems(problems),
      ...(payment && { payment }),
    },
  };
}

/** Rejects a document that is in process. The PSA gets the error status, or the text that it had before the run. */
export const refuseSent = async (
  doc: DocumentContext,
  attempt: In<'posting'>,
  error: ServiceError,
  notes: readonly Note[],
): Promise<Transition | Ending> => {
  const { accounting } = await doc.shared();
  const { plan, about } = attempt;
  const own = problemOfRefusedVoid(plan, about, error.about, doc.run.psa.describe.label);
  const found = own ?? withUsedRecords(serviceProblem(doc.run, error), recordsUsed(plan, accounting));
  const mark = found.treatment === 'person' ? attempt.mark : (attempt.running?.before ?? null);
  return refuse(attempt, {
    problems: [found],
    mark,
    notes,
    suppression: suppressionOfPlan(doc.run, plan),
  });
};

/**
 * Postpones a document that created nothing and needs no fix; the next cycle tries again. After {@link transientTries}
 * in a row the attempt becomes `refusing`, so that a user is notified.
 */
export async function postpone(
  doc: DocumentContext,
  attempt: In<'posting'>,
  error: ServiceError,
  notes: readonly Note[],
): Promise<Transition | Ending> {
  const { run } = doc;
  const found = serviceProblem(run, error);
  const before = await run.context.store.countPostponed(attempt.kind, attempt.psaId);
  const { mark } = attempt;
  if (mark !== null && found.treatment === 'transient' && before + 1 >= transientTries) {
    const problems = [givenUp(found, transientTries)];
    const to: Attempt = { ...base(attempt), state: 'refusing', problems, mark };
    return {
      from: attempt,
      to,
      notes: [...notes, ...problemNotes(problems)],
      effects: { abandonsPosting: true },
    };
  }
  const cleared = await clearRunningMark(doc, attempt);
  return {
    from: attempt,
    state: 'postponed',
    ended: failedFor([found], found.message),
    notes: [...notes, ...cleared],
    effects: { abandonsPosting: true },
  };
}

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
