import type { Attempt, In, Posted } from '#core/attempt.ts';
import { ServiceError } from '#core/service-error.ts';
import { note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import { recordAnswer, findSent } from './record-answer.ts';
import { pendingResult, save, writeBackRetrySeconds } from './save.ts';
import { type DocumentContext, nextCommand, nameOf } from './context.ts';
import { appendNotes, type Run } from '../run.ts';

/**
 * QuickBooks may carry out a request up to 120 s after we gave up on it, so “not found” proves nothing before that,
 * plus a margin (reliability reference 1.2).
 */
const lateApplySeconds = 130;

/** Finds out what became of a command that was sent and not answered. */
export async function unsure(run: Run, doc: DocumentContext, attempt: In<'unsure'>): Promise<Attempt> {
  assert(attempt.sentAt !== null, 'an unsure attempt was sent');
  const command = nextCommand(attempt);
  const settledAt = addSeconds(attempt.sentAt, lateApplySeconds);
  let found: Posted | null;
  try {
    found = await findSent(run, attempt);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const later = addSeconds(run.context.clock.now(), writeBackRetrySeconds);
    return save(run, attempt, { ...attempt, notBefore: later }, pendingResult(run, attempt));
  }
  if (found !== null) return recordAnswer(run, doc, attempt, command, found, `Found ${nameOf(command)} that was made`);
  if (run.context.clock.now() < settledAt)
    return save(
      run,
      attempt,
      {
        ...attempt,
        notBefore: settledAt,
        transcript: appendNotes(
          run,
          attempt,
          note('info', `No answer to ${nameOf(command)}. Looking again at ${settledAt}.`),
        ),
      },
      pendingResult(run, attempt),
    );
  return save(run, attempt, {
    ...attempt,
    state: 'posting',
    sentAt: null,
    notBefore: null,
    transcript: appendNotes(
      run,
      attempt,
      note('info', `QuickBooks does not have it after ${lateApplySeconds} s: sending again`),
    ),
  });
}
