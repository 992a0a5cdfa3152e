import { hasEnded, transitions, type Attempt, type AttemptBase, type Ended, type In } from '#core/attempt.ts';
import { withWarnings } from '#core/planning/messages.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import type { JobResult } from '#core/ports/jobs.ts';
import { problemOfService, type Problem } from '#core/problems.ts';
import type { ServiceError } from '#core/service-error.ts';
import { appendNotes, formatTranscript, note, type Note, type TranscriptResult } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import type { Run } from '../run.ts';

/** How soon a call that changes the PSA is tried again. */
export const psaRetrySeconds = 60;

/** What is saved with a step besides the attempt itself. */
interface SavedWith {
  /** Appended to the transcript. */
  readonly notes?: readonly Note[];
  readonly effects?: AdvanceEffects;
}

/** Moves an attempt to its next state: the one place where states change, as {@link transitions} allows. */
export function save(
  run: Pick<Run, 'advance'>,
  from: Attempt,
  to: Attempt,
  { notes = [], effects = {} }: SavedWith = {},
): Promise<Attempt> {
  assert(transitions[from.state].includes(to.state), `${from.state} does not lead to ${to.state}`);
  return run.advance({ from, to, notes, effects });
}

/** What an attempt keeps when its state changes. */
export const base = ({
  id,
  jobId,
  kind,
  psaId,
  mode,
  force,
  revises,
  trigger,
  logLevel,
  generation,
  revision,
  startedAt,
  transcript,
  warnings,
  about,
  notBefore,
}: AttemptBase): AttemptBase => ({
  id,
  jobId,
  kind,
  psaId,
  mode,
  force,
  ...(revises === true && { revises }),
  trigger,
  logLevel,
  generation,
  revision,
  startedAt,
  transcript,
  warnings,
  ...(about !== undefined && { about }),
  notBefore,
});

type EndedState = 'done' | 'simulated' | 'skipped' | 'refused' | 'postponed';

const resultWords: Readonly<Record<EndedState, TranscriptResult['outcome']>> = {
  done: 'OK',
  simulated: 'OK (test)',
  skipped: 'SKIPPED',
  refused: 'FAILED',
  postponed: 'FAILED',
};

/**
 * Ends an attempt: its state, its log row, its ledger row and the job's result are one commit.
 *
 * @param options.areProblemsNoted the transcript says already what stands against the document.
 */
export function end(
  run: Pick<Run, 'context' | 'advance'>,
  attempt: Attempt,
  state: EndedState,
  ended: Ended,
  { notes = [], effects = {}, areProblemsNoted = false }: SavedWith & { readonly areProblemsNoted?: boolean } = {},
): Promise<Attempt> {
  const at = run.context.clock.now();
  const message = withWarnings(ended.message, attempt.warnings.length);
  const lines = appendNotes(attempt.transcript, at, [
    ...notes,
    ...attempt.warnings.map((one) => note('warn', `${one.code} ${one.message}`)),
    ...(areProblemsNoted ? [] : problemNotes(ended.problems)),
  ]);
  const outcome = isHeld(ended) ? 'HELD' : resultWords[state];
  const to: Attempt = { ...base({ ...attempt, notBefore: null }), state, ...ended, message };
  return save(run, attempt, to, {
    effects: {
      ...effects,
      log: { at, transcript: formatTranscript(lines, attempt.logLevel, { at, outcome, text: message }) },
      result: resultOf(to),
    },
  });
}

/** How an attempt ends that problems stand against. */
export const failedFor = (problems: readonly Problem[], message: string): Ended => ({
  success: false,
  message,
  problems,
  document: null,
});

/** What the transcript says of what stands against a document (domain reference 12). */
export const problemNotes = (problems: readonly Problem[]): readonly Note[] =>
  problems.flatMap((one) => [
    note('error', `${one.code} ${one.message}`),
    ...(one.remedy === null ? [] : [note('info', `What to do: ${one.remedy}`)]),
  ]);

/** What a failed call means for the document, in the words of the catalogue. */
export const serviceProblem = (run: Pick<Run, 'psa'>, error: ServiceError): Problem =>
  problemOfService(error.about, run.psa.describe.label);

/** What a job shows of a document whose outcome is not known yet. */
export const pendingResult = (run: Pick<Run, 'accounting'>, { psaId }: Attempt): AdvanceEffects => ({
  result: {
    psaId,
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
