import type { Attempt, In } from '#core/attempt.ts';
import { documentName } from '#core/kinds.ts';
import { ServiceError } from '#core/service-error.ts';
import { note } from '#core/transcript.ts';
import { dayText } from '#core/values/dates.ts';
import { type Decision, referenceOfPosting } from '../kinds/kind.ts';
import { withPsaPermit } from '../retry.ts';
import type { StepResult } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { failedFor, saveRows, serviceProblem } from './save.ts';
import { writeReference } from './status-field.ts';

/** Writes the reference of an existing document to the PSA (domain reference 5.4 point 3). */
export async function relink(
  doc: DocumentContext,
  attempt: In<'planning'>,
  decision: Extract<Decision, { outcome: 'relink' }>,
): Promise<StepResult> {
  const { run } = doc;
  const { posting } = decision;
  const number = referenceOfPosting(attempt.kind, posting);
  const notes = [...decision.notes, note('info', `Relinked: QuickBooks has it as ${number}`)];
  const message = linkedMessage(attempt, number);
  const ended = { success: true, message, problems: [], document: null };
  if (attempt.mode === 'test') return { from: attempt, state: 'simulated', ended, notes };
  try {
    await writeReference(doc, attempt.psaId, { number, at: posting.createdAt });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const found = serviceProblem(run, error);
    return { from: attempt, state: 'postponed', ended: failedFor([found], found.message), notes, stop: error };
  }
  return { from: attempt, state: 'done', ended, notes, effects: { confirmsPosting: true } };
}

/** Returns the message about a document that was already in QuickBooks. */
export const linkedMessage = ({ kind, psaId }: Pick<Attempt, 'kind' | 'psaId'>, reference: string): string =>
  `Relinked: ${documentName(kind, psaId)} is in QuickBooks as ${reference}.`;

/** Writes the paid date of an invoice to the PSA. Saves before the write that it is ours, so that it is recognized later. */
export async function updatePsa(
  { run }: DocumentContext,
  attempt: In<'planning'>,
  decision: Extract<Decision, { outcome: 'update_psa' }>,
): Promise<StepResult> {
  const { message, document, change, notes } = decision;
  const ended = { success: true, message, problems: [], document };
  if (attempt.mode === 'test') return { from: attempt, state: 'simulated', ended, notes };
  const intends = { from: attempt, to: attempt, notes, effects: { payment: decision.intent } };
  const [noted = attempt] = await saveRows(run, [intends]);
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
