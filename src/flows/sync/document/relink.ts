import type { Attempt, In } from '#core/attempt.ts';
import { documentName } from '#core/kinds.ts';
import { ServiceError } from '#core/service-error.ts';
import { note } from '#core/transcript.ts';
import type { Decision } from '../kinds/kind.ts';
import { referenceOfPosting } from '../kinds/replaced.ts';
import type { StepResult } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { failedFor, serviceProblem } from './save.ts';
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
