import type { Attempt, Ended, In } from '#core/attempt.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import { givenUp, sentenceOf, type Problem } from '#core/problems.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { ServiceError } from '#core/service-error.ts';
import { statusFieldOf } from '#core/sync-status.ts';
import { note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { dateIn } from '#core/values/dates.ts';
import { base, end, problemNotes, save, serviceProblem } from './save.ts';
import type { Decision } from '../kinds/kind.ts';
import { withPsaRetry } from '../retry.ts';
import type { DocumentContext } from './context.ts';
import { appendNotes, type Run } from '../run.ts';
import { writeReference } from './write-back.ts';

/** After so many transient failures in a row a person is asked (domain reference 5.2). */
const transientTries = 5;

/** Ends an attempt that a person has to mend; first the PSA is marked, where it has a word for it. */
export function refuse(
  run: Run,
  attempt: In<'planning'> | In<'posting'>,
  problems: readonly Problem[],
  mark: string | null,
  of: Pick<Extract<Decision, { outcome: 'refuse' }>, 'document' | 'payment'> & { readonly remembers?: string } = {},
): Promise<Attempt> {
  const transcript = appendNotes(run, attempt, ...problemNotes(problems));
  const abandons: AdvanceEffects = attempt.state === 'posting' ? { abandonsPosting: true } : {};
  const noted = { ...attempt, transcript };
  // Without a mark in the PSA every cycle finds the document again; what was said of it is said once.
  if (mark === null || attempt.mode !== 'live')
    return end(
      run,
      noted,
      'refused',
      { ...refused(problems), document: of.document ?? null },
      {
        ...abandons,
        remembers: of.remembers ?? refused(problems).message,
        ...(of.payment && { payment: of.payment }),
      },
    );
  return save(run, attempt, { ...base(noted), state: 'refusing', problems, mark, notBefore: null }, abandons);
}

/** A document that runs already is refused: the PSA gets the mark, or what stood there before the run. */
export const refuseSent = (run: Run, attempt: In<'posting'>, found: Problem): Promise<Attempt> =>
  refuse(run, attempt, [found], found.treatment === 'person' ? attempt.mark : (attempt.running?.before ?? null), {
    remembers: planned(run, attempt.plan),
  });

/** What is remembered of a decision once it was carried out and the PSA shows no mark of it; null: nothing is. */
export function suppressionFingerprint(run: Run, decision: Decision): string | null {
  switch (decision.outcome) {
    case 'skip':
      return decision.message;
    case 'refuse':
      return refused(decision.problems).message;
    case 'plan':
      return planned(run, decision.plan);
    default:
      return null;
  }
}

/** What the books refused is not sent again as it was on the same day. */
const planned = (run: Run, plan: Plan): string =>
  `${dateIn(run.context.clock.now(), run.tenant.timeZone)} ${JSON.stringify(plan.commands)}`;

const refused = (problems: readonly Problem[]): Ended => ({
  success: false,
  message: sentenceOf(problems),
  problems,
  document: null,
});

/** Marks a refused document in the PSA, and ends the attempt. */
export async function refusing(run: Run, doc: DocumentContext, attempt: In<'refusing'>): Promise<Attempt> {
  try {
    await writeStatusField(run, doc, attempt.psaId, 'psa:mark', attempt.mark);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The failure itself is what counts: it is logged although the PSA could not be marked.
    const transcript = appendNotes(
      run,
      attempt,
      note('warn', `${error.about.code} ${statusFieldOf(attempt.kind)} not set: ${error.about.detail}`),
    );
    return end(run, { ...attempt, transcript }, 'refused', refused(attempt.problems));
  }
  const transcript = appendNotes(
    run,
    attempt,
    note('debug', `${statusFieldOf(attempt.kind)} ${attempt.mark === '' ? 'cleared' : `set to ${attempt.mark}`}`),
  );
  return end(run, { ...attempt, transcript }, 'refused', refused(attempt.problems));
}

/**
 * Writes a word into the PSA that stands for what happens to a document, as a named effect. When this process stood still
 * on the way, the word has left late and stands over what another worker has written: the ledger's reference is put back.
 *
 * @throws LeaseLost when another worker has taken over.
 * @throws ServiceError when the PSA did not take it.
 */
export async function writeStatusField(
  run: Run,
  doc: DocumentContext,
  psaId: number,
  name: string,
  word: string,
): Promise<void> {
  let mayHaveLeft = false;
  const [written] = await Promise.allSettled([
    withPsaRetry(run, name, () => {
      mayHaveLeft = true;
      return writeMark(run, doc, psaId, word);
    }),
  ]);
  if (mayHaveLeft)
    await run.proveHeld().catch(async (error: unknown) => {
      if (error instanceof LeaseLost) await restoreReference(run, doc, psaId);
      throw error;
    });
  if (written.status === 'rejected') throw written.reason;
}

/** Of a document that the ledger has as synced; of others a cycle decides anew. */
async function restoreReference(run: Run, doc: DocumentContext, psaId: number): Promise<void> {
  const postings = await run.context.store.listPostings(doc.flow.kind, [psaId]);
  const posting = postings.find(({ status }) => status === 'synced');
  if (posting === undefined || doc.flow.writeBack === undefined) return;
  const number = doc.flow.referenceOf({ number: posting.number, id: posting.targetId ?? '' });
  await writeReference(run, doc, psaId, { number, at: posting.createdAt });
}

function writeMark(run: Run, { flow }: DocumentContext, psaId: number, mark: string): Promise<void> {
  assert(flow.writeMark !== undefined, 'a kind that decides on a mark can write it');
  return flow.writeMark(run, psaId, mark);
}

/** Nothing was made and nothing has to be mended here: the next cycle tries again, up to a point. */
export async function postpone(
  run: Run,
  doc: DocumentContext,
  attempt: In<'posting'>,
  error: ServiceError,
): Promise<Attempt> {
  const found = serviceProblem(run, error);
  const before = await run.context.store.countPostponed(attempt.kind, attempt.psaId);
  const { mark } = attempt;
  if (mark !== null && found.treatment === 'transient' && before + 1 >= transientTries)
    return refusing(
      run,
      doc,
      await save(
        run,
        attempt,
        {
          ...base(attempt),
          state: 'refusing',
          problems: [givenUp(found, transientTries)],
          mark,
        },
        { abandonsPosting: true },
      ).then((saved) => {
        assert(saved.state === 'refusing', 'a refusal was saved');
        return saved;
      }),
    );
  return end(
    run,
    await withoutRunningMark(run, doc, attempt),
    'postponed',
    { success: false, message: found.message, problems: [found], document: null },
    { abandonsPosting: true },
  );
}

/**
 * Gives the PSA's field back what stood there before the run. Done before the attempt ends: a worker that dies in
 * between finds it unfinished. A word that stays because the PSA does not answer is cleared by the next run.
 */
export async function withoutRunningMark(
  run: Run,
  doc: DocumentContext,
  attempt: In<'posting'>,
): Promise<In<'posting'>> {
  if (attempt.running === undefined) return attempt;
  const { before } = attempt.running;
  try {
    await writeStatusField(run, doc, attempt.psaId, 'psa:mark', before);
    return attempt;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, detail } = error.about;
    return {
      ...attempt,
      transcript: appendNotes(
        run,
        attempt,
        note('warn', `${code} ${statusFieldOf(attempt.kind)} not cleared: ${detail}`),
      ),
    };
  }
}
