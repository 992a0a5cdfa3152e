import type { Attempt, In } from '#core/attempt.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import { recordsUsed } from '#core/planning/plan-view.ts';
import { amongRecords, givenUp, sentenceOf } from '#core/problems.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Note } from '#core/transcript.ts';
import type { Decision } from '../kinds/kind.ts';
import { suppressionOfPlan, suppressionOfProblems, suppressionOfSkip } from '../suppression.ts';
import type { DocumentContext } from './context.ts';
import { base, end, failedFor, problemNotes, save, serviceProblem } from './save.ts';
import { clearRunningMark } from './status-field.ts';

/** After so many transient failures in a row a person is asked (domain reference 5.2). */
const transientTries = 5;

/** The ledger's row of a plan that was dropped: it is certain that nothing was made of it. */
const abandons = (attempt: Attempt): AdvanceEffects => (attempt.state === 'posting' ? { abandonsPosting: true } : {});

/** Ends an attempt because nothing is to be done. */
export const skip = (
  { run }: DocumentContext,
  attempt: In<'planning'> | In<'posting'>,
  decision: Extract<Decision, { outcome: 'skip' }>,
  notes: readonly Note[] = [],
): Promise<Attempt> =>
  end(
    run,
    { ...attempt, warnings: decision.warnings ?? [] },
    'skipped',
    { success: true, message: decision.message, problems: [], document: decision.document ?? null },
    {
      notes: [...notes, ...decision.notes],
      effects: {
        ...abandons(attempt),
        ...(decision.isLoggedOnce ? { remembers: suppressionOfSkip(decision) } : {}),
        ...(decision.marks ? { marksPosting: decision.marks } : {}),
        ...(decision.payment && { payment: decision.payment }),
      },
    },
  );

/** What stands against a document, and what becomes of it. */
type Refusal = Pick<
  Extract<Decision, { outcome: 'refuse' }>,
  'problems' | 'mark' | 'notes' | 'document' | 'payment'
> & {
  /** What is kept so that it is said once; default: the problems. */
  readonly remembers?: string;
};

/** Ends an attempt that a person has to mend; first the PSA is marked, where it has a word for it. */
export function refuse(
  { run }: DocumentContext,
  attempt: In<'planning'> | In<'posting'>,
  { problems, mark, notes, document, payment, remembers }: Refusal,
): Promise<Attempt> {
  const told = [...notes, ...problemNotes(problems)];
  if (mark !== null && attempt.mode === 'live') {
    const to: Attempt = { ...base(attempt), state: 'refusing', problems, mark, notBefore: null };
    return save(run, attempt, to, { notes: told, effects: abandons(attempt) });
  }
  // Without a mark in the PSA every cycle finds the document again; what was said of it is said once.
  const ended = { ...failedFor(problems, sentenceOf(problems)), document: document ?? null };
  return end(run, attempt, 'refused', ended, {
    notes: told,
    areProblemsNoted: true,
    effects: {
      ...abandons(attempt),
      remembers: remembers ?? suppressionOfProblems(problems),
      ...(payment && { payment }),
    },
  });
}

/** A document that runs already is refused: the PSA gets the mark, or what stood there before the run. */
export const refuseSent = async (
  doc: DocumentContext,
  attempt: In<'posting'>,
  error: ServiceError,
  notes: readonly Note[],
): Promise<Attempt> => {
  const { books } = await doc.shared();
  const found = amongRecords(serviceProblem(doc.run, error), recordsUsed(attempt.plan, books));
  const mark = found.treatment === 'person' ? attempt.mark : (attempt.running?.before ?? null);
  return refuse(doc, attempt, { problems: [found], mark, notes, remembers: suppressionOfPlan(doc.run, attempt.plan) });
};

/**
 * Nothing was made and nothing has to be mended here: the next cycle tries again. After {@link transientTries} in a row
 * the attempt is `refusing`, so that a person is asked.
 */
export async function postpone(
  doc: DocumentContext,
  attempt: In<'posting'>,
  error: ServiceError,
  notes: readonly Note[],
): Promise<Attempt> {
  const { run } = doc;
  const found = serviceProblem(run, error);
  const before = await run.context.store.countPostponed(attempt.kind, attempt.psaId);
  const { mark } = attempt;
  if (mark !== null && found.treatment === 'transient' && before + 1 >= transientTries) {
    const problems = [givenUp(found, transientTries)];
    const to: Attempt = { ...base(attempt), state: 'refusing', problems, mark };
    return save(run, attempt, to, { notes: [...notes, ...problemNotes(problems)], effects: { abandonsPosting: true } });
  }
  const cleared = await clearRunningMark(doc, attempt);
  return end(run, attempt, 'postponed', failedFor([found], found.message), {
    notes: [...notes, ...cleared],
    effects: { abandonsPosting: true },
  });
}
