import type { Attempt, In } from '#core/attempt.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import { recordsUsed } from '#core/planning/plan-view.ts';
import { problemOfRefusedVoid } from '#core/planning/plan-void.ts';
import { withUsedRecords, givenUp, sentenceOf } from '#core/problems.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Note } from '#core/transcript.ts';
import type { Decision } from '../kinds/kind.ts';
import { suppressionOfPlan, suppressionOfProblems, suppressionOfSkip } from '../suppression.ts';
import type { Ending, Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { base, failedFor, problemNotes, serviceProblem } from './save.ts';
import { clearRunningMark } from './status-field.ts';

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
  const { books } = await doc.shared();
  const { plan, about } = attempt;
  const own = problemOfRefusedVoid(plan, about, error.about, doc.run.psa.describe.label);
  const found = own ?? withUsedRecords(serviceProblem(doc.run, error), recordsUsed(plan, books));
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
