import {
  hasEnded,
  transitions,
  unanswered,
  type Attempt,
  type AttemptBase,
  type Ended,
  type In,
} from '#core/attempt.ts';
import { stateOf } from '#core/attention.ts';
import { nextReadMonth } from '#core/metered-reads.ts';
import { withWarnings } from '#core/planning/messages.ts';
import { documentCommand } from '#core/planning/plan.ts';
import type { AdvanceEffects, Move } from '#core/records/attempts.ts';
import type { JobResult } from '#core/records/jobs.ts';
import { problemOfService, type Problem } from '#core/problems.ts';
import type { ServiceError } from '#core/service-error.ts';
import { appendNotes, formatTranscript, note, type Note, type TranscriptResult } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { dayText } from '#core/values/dates.ts';
import type { EndedState, Ending, Run, Step, Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { requestIdOf } from './request-id.ts';

/** Seconds after which a call that changes the PSA is retried. */
export const psaRetrySeconds = 60;

/**
 * Moves attempts to their next states in one transaction: all of them, or none. The only place where states change, as
 * {@link transitions} allows. Each step is a failpoint.
 *
 * @throws LeaseLost when another worker has taken over.
 */
export async function saveRows(
  { context, lease }: Pick<Run, 'context' | 'lease'>,
  steps: readonly Step[],
): Promise<readonly Attempt[]> {
  const moves = steps.map((step) => toMove(context, step));
  for (const { to } of moves) await context.failpoint(`commit:${to.state}`, 'before');
  const saved = await context.store.advanceAll(lease, moves);
  for (const { to } of moves) {
    await context.failpoint(`commit:${to.state}`, 'after');
    if (hasEnded(to)) context.onDocument?.(to.kind, to.state);
  }
  return saved;
}

function toMove({ clock }: Run['context'], { from, to, effects, notes = [] }: Step): Move {
  assert(transitions[from.state].includes(to.state), `${from.state} does not lead to ${to.state}`);
  return { from, to: { ...to, transcript: appendNotes(from.transcript, clock.now(), notes) }, effects };
}

/** Returns the fields of an attempt that stay the same when its state changes. */
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

const resultLabels: Readonly<Record<EndedState, TranscriptResult['outcome']>> = {
  done: 'OK',
  simulated: 'OK (test)',
  skipped: 'SKIPPED',
  refused: 'FAILED',
  postponed: 'FAILED',
};

/** Returns the step to save for the result of a state. */
export const toStep = (run: Pick<Run, 'context'>, result: Transition | Ending): Step =>
  'to' in result ? result : ended(run, result);

/** Returns the step that ends an attempt: its state, log row, ledger row and job result are saved together. */
export function ended(
  run: Pick<Run, 'context'>,
  { from, state, ended: how, notes = [], effects = {}, areProblemsNoted = false, preview }: Ending,
): Step {
  const at = run.context.clock.now();
  const message = withWarnings(how.message, from.warnings.length);
  const lines = appendNotes(from.transcript, at, [
    ...notes,
    ...from.warnings.map((one) => note('warn', `${one.code} ${one.message}`)),
    ...(areProblemsNoted ? [] : problemNotes(how.problems)),
  ]);
  const outcome = isHeld(how) ? 'HELD' : resultLabels[state];
  const to: Attempt = { ...base({ ...from, notBefore: null }), state, ...how, message };
  return {
    from,
    to,
    effects: {
      ...effects,
      log: {
        at,
        transcript: formatTranscript(lines, from.logLevel, { at, outcome, text: message }),
        ...(preview && { preview }),
      },
      result: endedResult(to),
    },
  };
}

/** Returns the end of an attempt with problems. */
export const failedFor = (problems: readonly Problem[], message: string): Ended => ({
  success: false,
  message,
  problems,
  document: null,
});

/** Returns notes for the transcript about a document's problems (domain reference 12). */
export const problemNotes = (problems: readonly Problem[]): readonly Note[] =>
  problems.flatMap((one) => [
    note('error', `${one.code} ${one.message}`),
    ...(one.remedy === null ? [] : [note('info', `What to do: ${one.remedy}`)]),
  ]);

/** Returns the problem of a document whose call failed, as in the catalog. */
export const serviceProblem = (run: Pick<Run, 'psa'>, error: ServiceError): Problem =>
  problemOfService(error.about, run.psa.describe.label);

/** Saves the job result of a document that is not finished yet. */
export const pendingResult = (run: Pick<Run, 'accounting' | 'context'>, attempt: Attempt): AdvanceEffects => ({
  result: resultOf(run, attempt),
});

function pendingMessage({ accounting, context }: Pick<Run, 'accounting' | 'context'>, attempt: Attempt): string {
  const label = accounting.describe.shortLabel;
  const until = accounting.areReadsBlocked
    ? ` Intuit blocks reads until ${dayText(nextReadMonth(context.clock.now()))}.`
    : '';
  if (attempt.state === 'posted') return `It is in ${label}. Waiting to finish it.`;
  return attempt.state === 'unsure' || (attempt.state === 'posting' && attempt.sentAt !== null)
    ? `Waiting until it is certain what ${label} did.${until}`
    : 'Nothing was posted yet. It is tried again.';
}

/** Returns true for a held attempt: the document has no error, but QuickBooks is closed for its date. */
const isHeld = ({ problems }: Ended): boolean => stateOf(problems) === 'held';

function outcomeOf(attempt: In<EndedState>): JobResult['outcome'] {
  if (attempt.state === 'skipped') return attempt.awaitsApproval === true ? 'held' : 'skipped';
  if (attempt.success) return 'succeeded';
  return isHeld(attempt) ? 'held' : 'failed';
}

const endedResult = (attempt: In<EndedState>): JobResult => ({
  psaId: attempt.psaId,
  outcome: outcomeOf(attempt),
  message: attempt.message,
  logKey: null,
});

/** Returns the job result of an attempt. */
export const resultOf = (run: Pick<Run, 'accounting' | 'context'>, attempt: Attempt): JobResult =>
  hasEnded(attempt)
    ? endedResult(attempt)
    : { psaId: attempt.psaId, outcome: 'pending', message: pendingMessage(run, attempt), logKey: null };

/** Returns the ledger row of a plan before anything is sent. Its last command creates the document. */
export function openedPosting(
  { run, flow }: DocumentContext,
  facts: unknown,
  attempt: In<'posting'>,
): NonNullable<AdvanceEffects['opensPosting']> {
  assert(facts !== undefined, 'a document with a plan was read');
  const { plan } = attempt;
  const posted = plan.commands.slice(1).map(() => unanswered);
  return {
    requestId: requestIdOf(run.context.tenantId, { ...attempt, posted }),
    // Without what users entered in QuickBooks, so that the next update finds what the PSA changed.
    body: run.accounting.preview(documentCommand(plan), []),
    psaTotal: flow.psaTotal(facts, plan),
  };
}
