import { hasEnded, nextCommand, type Attempt, type In } from '#core/attempt.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { never } from '#core/values/assert.ts';
import type { BatchSlot } from '../batching/slot.ts';
import type { Ending, Settled, StepResult, Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { endAlone, isOfOneDocument } from './defect.ts';
import { planning } from './planning.ts';
import { postpone, refuse } from './outcomes.ts';
import { posted } from './posted.ts';
import { posting, sent } from './posting.ts';
import { refusing } from './refusing.ts';
import { saveResult, serviceProblem } from './save.ts';
import { unsure } from './unsure.ts';

/** Progress of a document: the saved attempt, and whether it was kept from continuing. */
export interface DocumentResult {
  readonly attempt: Attempt;
  readonly isDeferred: boolean;
}

/**
 * Processes one document as far as possible, from any state. Each state has its handler, and every outcome is saved
 * before the next step. Recovery after a crash calls the same function again.
 *
 * @param options.slot sends the document's commands; closed once nothing more will be sent.
 * @param options.until `records_made` stops before the document's own command, when the shared records exist.
 * @throws ServiceError when a service cannot be used at all: the run stops, the attempt waits or has ended.
 * @throws LeaseLost when another worker has taken over.
 */
export const runDocument = (
  doc: DocumentContext,
  attempt: Attempt,
  options: { readonly slot: BatchSlot; readonly until: 'records_made' | 'ended' },
): Promise<DocumentResult> =>
  doc.run.context.withLogContext({ kind: attempt.kind, psaIds: [attempt.psaId] }, () => drive(doc, attempt, options));

async function drive(
  doc: DocumentContext,
  attempt: Attempt,
  { slot, until }: Parameters<typeof runDocument>[2],
): Promise<DocumentResult> {
  let current = attempt;
  let isDecidedNow = false;
  let stop: ServiceError | undefined;
  try {
    while (!isThere(doc, current, until)) {
      // Another worker continues from the saved state.
      if (doc.run.signal.aborted) return { attempt: current, isDeferred: true };
      const before = current;
      if (!maySend(before)) slot.close(false);
      const result = await step(doc, slot, before, isDecidedNow);
      if (result === 'deferred') return { attempt: before, isDeferred: true };
      current = await saved(doc, result);
      stop ??= result.stop;
      isDecidedNow = before.state === 'planning' || (isUnsentPosting(before) && isUnsentPosting(current));
    }
  } catch (error) {
    if (error instanceof ProcessStopping) return { attempt: current, isDeferred: true };
    const waiting = await waitForReads(doc, current, error);
    if (waiting !== null) return { attempt: await saved(doc, waiting), isDeferred: false };
    if (!isOfOneDocument(error) || doc.run.signal.aborted) throw error;
    current = await saved(doc, await endAlone(doc, current, error));
  } finally {
    slot.close(current.state === 'unsure');
  }
  if (stop !== undefined) throw stop;
  return { attempt: current, isDeferred: false };
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

/** Saves a step. After a dropped plan, the attempt is opened again as if the document had just been picked up. */
async function saved({ run }: DocumentContext, result: Transition | Ending): Promise<Attempt> {
  const attempt = await saveResult(run, result);
  const isDropped = result.from.state === 'posting' && attempt.state === 'planning';
  return isDropped ? (await run.context.store.openAttempt(run.lease, attempt)).attempt : attempt;
}

/** Returns true if the attempt is as far as requested, or has to wait. */
const isThere = (doc: DocumentContext, attempt: Attempt, until: 'records_made' | 'ended'): boolean =>
  hasEnded(attempt) || isWaiting(doc, attempt) || (until === 'records_made' && hasItsRecords(attempt));

const isUnsentPosting = (attempt: Attempt): attempt is In<'posting'> =>
  attempt.state === 'posting' && attempt.sentAt === null;

const maySend = ({ state }: Attempt): boolean => state === 'planning' || state === 'posting' || state === 'unsure';

const isWaiting = ({ run }: DocumentContext, attempt: Attempt): boolean =>
  attempt.notBefore !== null && attempt.notBefore > run.context.clock.now();

/** Returns true if the next command creates the document itself, or nothing is left to send. */
const hasItsRecords = (attempt: Attempt): boolean =>
  attempt.state === 'posted' ||
  attempt.state === 'refusing' ||
  (attempt.state === 'posting' && attempt.sentAt === null && sharedRecordOf(nextCommand(attempt)) === null);

/**
 * Takes one step from a state that has not ended. A command that is ready is sent together with those of other
 * documents.
 */
async function step(doc: DocumentContext, slot: BatchSlot, attempt: Attempt, isDecidedNow: boolean): Promise<Settled> {
  const result = await handle(doc, attempt, isDecidedNow);
  if (result === 'deferred' || !('send' in result)) return result;
  const outcome = await slot.send(result.send);
  try {
    return await sent(doc, result.send, outcome);
  } catch (error) {
    // Only a read shows whether an earlier try of the command was carried out.
    if (!isReadBlock(error) || outcome.came !== 'failure') throw error;
    const { attempt: tried } = outcome;
    return { from: tried, to: { ...tried, state: 'unsure', sentAt: doc.run.context.clock.now() } };
  }
}

function handle(doc: DocumentContext, attempt: Attempt, isDecidedNow: boolean): Promise<StepResult> {
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
