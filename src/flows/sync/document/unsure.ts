import { nextCommand, type In, type Posted } from '#core/attempt.ts';
import { lateApplySeconds } from '#core/ports/accounting.ts';
import { lacksNumber, numberMissing } from '#core/planning/document-fields.ts';
import { nameOf } from '#core/planning/plan.ts';
import { ServiceError } from '#core/service-error.ts';
import { note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import { RunStopped, type StepResult } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { findSent, recordFound } from './record-answer.ts';
import { pendingResult, psaRetrySeconds } from './save.ts';

/** Reconciles a write of unknown outcome: finds the result of a command that was sent without a response. */
export async function unsure(doc: DocumentContext, attempt: In<'unsure'>): Promise<StepResult> {
  const { run } = doc;
  assert(attempt.sentAt !== null, 'an unsure attempt was sent');
  const name = nameOf(nextCommand(attempt));
  const settledAt = addSeconds(attempt.sentAt, lateApplySeconds);
  const effects = pendingResult(run, attempt);
  let found: Posted | null;
  try {
    found = await findSent(doc, attempt);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const later = addSeconds(run.context.clock.now(), psaRetrySeconds);
    return { from: attempt, to: { ...attempt, notBefore: later }, effects };
  }
  if (found !== null) {
    const recorded = await recordFound(doc, attempt, found, `Found ${name}, which was created`);
    return lacksNumber(found) ? { ...recorded, stop: new RunStopped(numberMissing(run, attempt, found.id)) } : recorded;
  }
  if (run.context.clock.now() < settledAt) {
    const notes = [note('info', `No answer to ${name}. Looking again at ${settledAt.slice(11, 19)} UTC.`)];
    return { from: attempt, to: { ...attempt, notBefore: settledAt }, notes, effects };
  }
  const notes = [note('info', `QuickBooks does not have it after ${lateApplySeconds} s: sending again`)];
  return { from: attempt, to: { ...attempt, state: 'posting', sentAt: null, notBefore: null }, notes };
}
