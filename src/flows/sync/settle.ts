import type { Attempt, In, Posted } from '#core/attempt.ts';
import { ServiceError } from '#core/service-error.ts';
import { note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import { answered, lookFor } from './answer.ts';
import { pendingResult, save, writeBackRetrySeconds } from './end.ts';
import { type Road, nextCommand, nameOf } from './road.ts';
import { told, type Run } from './run.ts';

/**
 * QuickBooks may carry out a request up to 120 s after we gave up on it, so “not found” proves nothing before that,
 * plus a margin (reliability reference 1.2).
 */
const lateApplySeconds = 130;

/** Finds out what became of a command that was sent and not answered. */
export async function unsure(run: Run, road: Road, attempt: In<'unsure'>): Promise<Attempt> {
  assert(attempt.sentAt !== null, 'an unsure attempt was sent');
  const command = nextCommand(attempt);
  const settledAt = addSeconds(attempt.sentAt, lateApplySeconds);
  let found: Posted | null;
  try {
    found = await lookFor(run, attempt);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const later = addSeconds(run.context.clock.now(), writeBackRetrySeconds);
    return save(run, attempt, { ...attempt, notBefore: later }, pendingResult(run, attempt));
  }
  if (found !== null) return answered(run, road, attempt, command, found, `Found ${nameOf(command)} that was made`);
  if (run.context.clock.now() < settledAt)
    return save(
      run,
      attempt,
      {
        ...attempt,
        notBefore: settledAt,
        transcript: told(run, attempt, note('info', `No answer to ${nameOf(command)}. Looking again at ${settledAt}.`)),
      },
      pendingResult(run, attempt),
    );
  return save(run, attempt, {
    ...attempt,
    state: 'posting',
    sentAt: null,
    notBefore: null,
    transcript: told(
      run,
      attempt,
      note('info', `QuickBooks does not have it after ${lateApplySeconds} s: sending again`),
    ),
  });
}
