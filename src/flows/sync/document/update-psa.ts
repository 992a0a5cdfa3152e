import type { In } from '#core/attempt.ts';
import { ServiceError } from '#core/service-error.ts';
import { note } from '#core/transcript.ts';
import type { Decision } from '../kinds/kind.ts';
import { withPsaPermit } from '../retry.ts';
import type { StepResult } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { failedFor, save, serviceProblem } from './save.ts';
import { dayText } from '#core/values/dates.ts';

/** Writes the paid date of an invoice to the PSA. Saves before the write that it is ours, so that it is recognized later. */
export async function updatePsa(
  { run }: DocumentContext,
  attempt: In<'planning'>,
  decision: Extract<Decision, { outcome: 'update_psa' }>,
): Promise<StepResult> {
  const { message, document, change, notes } = decision;
  const ended = { success: true, message, problems: [], document };
  if (attempt.mode === 'test') return { from: attempt, state: 'simulated', ended, notes };
  const noted = await save(run, attempt, attempt, { notes, effects: { payment: decision.intent } });
  try {
    await withPsaPermit(run, 'psa:write', () => run.psa.writeInvoice(attempt.psaId, change));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const found = serviceProblem(run, error);
    const isRefused = error.about.next === 'refuse';
    const failed = { ...failedFor([found], found.message), document };
    return isRefused
      ? { from: noted, state: 'refused', ended: failed }
      : { from: noted, state: 'postponed', ended: failed, stop: error };
  }
  const written = change.paidOn === null ? 'paid date cleared' : `paid date set to ${dayText(change.paidOn)}`;
  const effects = { payment: decision.payment };
  const done = { ...ended, markedPaid: change.paidOn !== null };
  return { from: noted, state: 'done', ended: done, notes: [note('debug', `PSA ${written}`)], effects };
}
