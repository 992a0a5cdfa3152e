import { hasEnded, nextCommand, type Attempt, type In } from '#core/attempt.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { never } from '#core/values/assert.ts';
import type { DocumentContext } from '../document/context.ts';
import { planning } from '../document/planning.ts';
import { endAlone, postpone, refuse } from '../document/outcomes.ts';
import { posted } from '../document/posted.ts';
import { posting } from '../document/posting.ts';
import { refusing } from '../document/refusing.ts';
import { saveRows, serviceProblem, toStep } from '../document/save.ts';
import { unsure } from '../document/unsure.ts';
import { releasePrepaid } from '../prepaid-entries.ts';
import { type Ending, type Run, RunStopped, type Step, type StepResult, type Transition } from '../run.ts';
import { isOfOneDocument } from '../stop.ts';
import { type Chunk, halt, type Row } from './rows.ts';

/**
 * Takes rows up to the next command of each: everything that sends nothing to QuickBooks. A row whose command was sent
 * and not answered is searched for.
 */
export const prepare = (chunk: Chunk, rows: readonly Row[]): Promise<void> =>
  takeSteps(chunk, rows, ({ attempt }) => !maySend(attempt));

/** Takes rows like {@link prepare}, up to the document's own command: rows stop when their shared records exist. */
export const prepareRecords = (chunk: Chunk, rows: readonly Row[]): Promise<void> =>
  takeSteps(chunk, rows, ({ attempt }) => !maySend(attempt) || hasItsRecords(attempt));

/** Takes rows for which nothing more is sent to their end: writes them to the PSA, mails them, and logs them. */
export const finish = (chunk: Chunk, rows: readonly Row[]): Promise<void> =>
  takeSteps(chunk, rows, ({ attempt }) => maySend(attempt));

/** Takes steps with rows, from any state, until each is where it should be, waits, or has ended. */
async function takeSteps(chunk: Chunk, rows: readonly Row[], isThere: (row: Row) => boolean): Promise<void> {
  for (;;) {
    const going = rows.filter((row) => canGoOn(chunk, row) && !isThere(row));
    if (going.length === 0) return;
    await saveSteps(chunk, await Promise.all(going.map((row) => takeStep(chunk, row, () => stepFrom(chunk, row)))));
  }
}

function canGoOn({ run }: Chunk, { attempt, ready, isDeferred, isWaiting, failure }: Row): boolean {
  if (ready !== null || isDeferred || isWaiting || failure !== null || hasEnded(attempt)) return false;
  return attempt.notBefore === null || attempt.notBefore <= run.context.clock.now();
}

/** A step of a row that is not saved yet. */
interface Taken {
  readonly row: Row;
  readonly step: Step;
  /** It ends the row after an error. If it cannot be saved either, the row has failed. */
  readonly isLast: boolean;
}

/**
 * Takes one step with a row. Errors concern only this row, unless all documents would have them.
 *
 * @returns the step to save; null if there is none: a command is ready, or the row does not go on.
 */
export function takeStep(chunk: Chunk, row: Row, step: () => Promise<StepResult>): Promise<Taken | null> {
  const { kind, psaId } = row.attempt;
  return chunk.run.context.withLogContext({ kind, psaIds: [psaId] }, async () => {
    try {
      return accept(chunk, row, await step());
    } catch (error) {
      return afterError(chunk, row, error);
    }
  });
}

function accept({ run, rules: { progress } }: Chunk, row: Row, result: StepResult): Taken | null {
  if (result === 'deferred') {
    row.isDeferred = true;
    return null;
  }
  if ('send' in result) {
    row.ready = result.send;
    return null;
  }
  const { stop, from } = result;
  if (stop instanceof RunStopped) {
    // The first such document reports the problem; the others are not started.
    row.isDeferred = from.state === 'planning' && progress.stoppedBy !== null;
    halt(progress, stop);
    if (row.isDeferred) return null;
  } else if (stop !== undefined) {
    row.stop ??= stop;
    halt(progress, null);
  }
  return { row, step: toStep(run, result), isLast: false };
}

/** Returns the step that ends a row after an error; null if another run continues with it, or nothing more is done. */
async function afterError(chunk: Chunk, row: Row, error: unknown): Promise<Taken | null> {
  const { run } = chunk;
  if (error instanceof ProcessStopping) {
    row.isDeferred = true;
    return null;
  }
  try {
    const waiting = await waitForReads(row.doc, row.attempt, error);
    if (waiting === null && (!isOfOneDocument(error) || run.signal.aborted)) throw error;
    return { row, step: toStep(run, waiting ?? (await endAlone(row.doc, row.attempt, error))), isLast: true };
  } catch (failure) {
    fail(chunk, row, failure);
    return null;
  }
}

function fail({ rules }: Chunk, row: Row, error: unknown): void {
  row.failure = { error };
  halt(rules.progress, null);
}

/**
 * Ends the attempt of a document that cannot go on without a read while Intuit blocks reads, so that the documents
 * that need none are posted. Returns null for every other error, and for a document that may have been sent.
 */
async function waitForReads(
  doc: DocumentContext,
  attempt: Attempt,
  error: unknown,
): Promise<Transition | Ending | null> {
  if (!(error instanceof ServiceError) || !isReadBlock(error)) return null;
  if (attempt.state === 'planning')
    return refuse(attempt, { problems: [serviceProblem(doc.run, error)], mark: null, notes: [] });
  return isUnsentPosting(attempt) ? postpone(doc, attempt, error, []) : null;
}

/** Saves steps of rows in one transaction. One that cannot be saved concerns only its row. */
export async function saveSteps(chunk: Chunk, taken: readonly (Taken | null)[]): Promise<void> {
  const steps = taken.filter((one) => one !== null);
  if (steps.length === 0) return;
  const saved = await saveEach(
    chunk.run,
    steps.map(({ step }) => step),
  );
  const afterErrors: (Taken | null)[] = [];
  for (const [index, { row, step, isLast }] of steps.entries())
    try {
      await moveOn(chunk, row, step, saved[index]);
    } catch (error) {
      if (isLast) fail(chunk, row, error);
      else afterErrors.push(await afterError(chunk, row, error));
    }
  await saveSteps(chunk, afterErrors);
}

/** Saves all steps in one transaction; each in its own if that is not possible, so that one prevents no other. */
async function saveEach(run: Run, steps: readonly Step[]): Promise<readonly PromiseSettledResult<Attempt>[]> {
  try {
    return (await saveRows(run, steps)).map((value) => ({ status: 'fulfilled', value }));
  } catch (reason) {
    if (reason instanceof LeaseLost || steps.length === 1) return steps.map(() => ({ status: 'rejected', reason }));
    run.context.logger.warn({ error: reason, documents: steps.length }, 'documents are saved one by one');
    const outcomes: PromiseSettledResult<Attempt>[] = [];
    for (const step of steps) outcomes.push(...(await saveEach(run, [step])));
    return outcomes;
  }
}

/**
 * Moves a row to the attempt as saved. After a dropped plan, the attempt is opened again as if the document had just
 * been picked up.
 *
 * @throws the error if it could not be saved.
 */
async function moveOn(
  { run }: Chunk,
  row: Row,
  { from }: Step,
  saved: PromiseSettledResult<Attempt> | undefined,
): Promise<void> {
  if (saved?.status !== 'fulfilled') throw saved?.reason;
  const [before, { value }] = [row.attempt, saved];
  const isDropped = from.state === 'posting' && value.state === 'planning';
  row.attempt = isDropped ? (await run.context.store.openAttempt(run.lease, value)).attempt : value;
  row.isDecidedNow = before.state === 'planning' || (isUnsentPosting(before) && isUnsentPosting(row.attempt));
  // A test sync posts nothing, so the ledger never has what it plans.
  if (value.mode === 'live' && maySend(before) && !maySend(row.attempt))
    releasePrepaid((await row.doc.shared()).prepaid, row.attempt);
}

const isUnsentPosting = (attempt: Attempt): attempt is In<'posting'> =>
  attempt.state === 'posting' && attempt.sentAt === null;

/** Returns true if a command of the attempt may still be sent. */
export const maySend = ({ state }: Attempt): boolean =>
  state === 'planning' || state === 'posting' || state === 'unsure';

/** Returns true if the next command creates the document itself. */
const hasItsRecords = (attempt: Attempt): boolean =>
  isUnsentPosting(attempt) && sharedRecordOf(nextCommand(attempt)) === null;

/** Decides the next step from the saved state; recovery after a crash begins here, too. */
async function stepFrom({ run }: Chunk, { doc, attempt, isDecidedNow }: Row): Promise<StepResult> {
  // Another worker continues from the saved state.
  if (run.signal.aborted) return 'deferred';
  switch (attempt.state) {
    case 'planning':
      return planning(doc, attempt);
    case 'posting':
      return posting(doc, attempt, isDecidedNow);
    case 'unsure':
      return unsure(doc, attempt);
    case 'posted':
      return posted(doc, attempt);
    case 'refusing':
      return refusing(doc, attempt);
    case 'done':
    case 'simulated':
    case 'skipped':
    case 'refused':
    case 'postponed':
      throw new Error('Impossible: an attempt that has ended takes no step');
    default:
      return never(attempt);
  }
}
