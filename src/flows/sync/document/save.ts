import { hasEnded, type Attempt, type AttemptBase, type Ended, type In } from '#core/attempt.ts';
import { withWarnings } from '#core/planning/messages.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import type { JobResult } from '#core/ports/jobs.ts';
import { problem, problemOfService, type Problem } from '#core/problems.ts';
import type { ServiceError } from '#core/service-error.ts';
import { formatTranscript, note, type Note, type TranscriptResult } from '#core/transcript.ts';
import type { Decision } from '../kinds/kind.ts';
import { appendNotes, type Run } from '../run.ts';

/** How soon a reference that the PSA did not take is offered to it again. */
export const writeBackRetrySeconds = 60;

/** Ends an attempt because nothing is to be done. */
export const skip = (
  run: Run,
  attempt: In<'planning'> | In<'posting'>,
  decision: Extract<Decision, { outcome: 'skip' }>,
): Promise<Attempt> =>
  end(
    run,
    { ...attempt, warnings: decision.warnings ?? [], transcript: appendNotes(run, attempt, ...decision.notes) },
    'skipped',
    { success: true, message: decision.message, problems: [], document: decision.document ?? null },
    {
      ...(attempt.state === 'posting' ? { abandonsPosting: true } : {}),
      ...(decision.isLoggedOnce ? { remembers: decision.message } : {}),
      ...(decision.marks ? { marksPosting: decision.marks } : {}),
      ...(decision.payment && { payment: decision.payment }),
    },
  );

/** What an attempt keeps when its state changes. */
export const base = ({
  id,
  jobId,
  kind,
  psaId,
  mode,
  force,
  trigger,
  logLevel,
  generation,
  revision,
  startedAt,
  transcript,
  warnings,
  notBefore,
}: AttemptBase): AttemptBase => ({
  id,
  jobId,
  kind,
  psaId,
  mode,
  force,
  trigger,
  logLevel,
  generation,
  revision,
  startedAt,
  transcript,
  warnings,
  notBefore,
});

/** The PSA has no such document, or none that we may read. `name` as in {@link KindFlow.name}. */
export const missing = (run: Pick<Run, 'psa'>, name: string): Problem =>
  problem('PSA_DOCUMENT_MISSING', { psa: run.psa.describe.label, what: name.toLowerCase() });

/** What the transcript says of what stands against a document (domain reference 12). */
export const problemNotes = (problems: readonly Problem[]): readonly Note[] =>
  problems.flatMap((one) => [
    note('error', `${one.code} ${one.message}`),
    ...(one.remedy === null ? [] : [note('info', `What to do: ${one.remedy}`)]),
  ]);

type EndedState = 'done' | 'simulated' | 'skipped' | 'refused' | 'postponed';

/** What a failed call means for the document, in the words of the catalogue. */
export const serviceProblem = (run: Run, error: ServiceError): Problem =>
  problemOfService(error.about, run.psa.describe.label);

const resultWords: Readonly<Record<EndedState, TranscriptResult['outcome']>> = {
  done: 'OK',
  simulated: 'OK (test)',
  skipped: 'SKIPPED',
  refused: 'FAILED',
  postponed: 'FAILED',
};

/** Ends an attempt: its state, its log row, its ledger row and the job's result are one commit. */
export function end(
  run: Pick<Run, 'context' | 'advance'>,
  attempt: Attempt,
  state: EndedState,
  ended: Ended,
  effects: AdvanceEffects = {},
): Promise<Attempt> {
  const at = run.context.clock.now();
  const message = withWarnings(ended.message, attempt.warnings.length);
  const warnings = attempt.warnings.map((one) => note('warn', `${one.code} ${one.message}`));
  // What was said before the PSA was marked is not said twice.
  const said = new Set(attempt.transcript.map(({ text }) => text));
  const problems = problemNotes(ended.problems).filter(({ text }) => !said.has(text));
  const warned = appendNotes(run, attempt, ...warnings, ...problems);
  const outcome = isHeld(ended) ? 'HELD' : resultWords[state];
  const to: Attempt = { ...base({ ...attempt, transcript: warned, notBefore: null }), state, ...ended, message };
  return save(run, attempt, to, {
    ...effects,
    log: { at, transcript: formatTranscript(warned, attempt.logLevel, { at, outcome, text: message }) },
    result: resultOf(to),
  });
}

/** Moves an attempt to its next state, as a named effect. */
export const save = (
  run: Pick<Run, 'advance'>,
  from: Attempt,
  to: Attempt,
  effects?: AdvanceEffects,
): Promise<Attempt> => run.advance({ from, to, effects });

/** What a job shows of a document whose outcome is not known yet. */
export const pendingResult = (run: Run, attempt: Attempt): AdvanceEffects => ({
  result: {
    psaId: attempt.psaId,
    outcome: 'pending',
    message: `Waiting until it is certain what ${run.accounting.describe.shortLabel} did.`,
    logKey: null,
  },
});

/** Nothing is wrong with the document: the books are closed for its date. */
const isHeld = ({ problems }: Ended): boolean => problems.some((one) => one.treatment === 'held');

function outcomeOf(attempt: In<EndedState>): JobResult['outcome'] {
  if (attempt.state === 'skipped') return 'skipped';
  if (attempt.success) return 'succeeded';
  return isHeld(attempt) ? 'held' : 'failed';
}

/** What a job shows of an attempt. */
export function resultOf(attempt: Attempt): JobResult {
  if (!hasEnded(attempt))
    return { psaId: attempt.psaId, outcome: 'pending', message: 'Not settled yet.', logKey: null };
  return { psaId: attempt.psaId, outcome: outcomeOf(attempt), message: attempt.message, logKey: null };
}
