import type { In } from '#core/attempt.ts';
import { sentenceOf } from '#core/problems.ts';
import { ServiceError } from '#core/service-error.ts';
import { statusFieldOf } from '#core/sync-status.ts';
import { note, type Note } from '#core/transcript.ts';
import type { StepResult } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { failedFor } from './save.ts';
import { psaFailureNote, writeStatusField } from './status-field.ts';

/** Writes the status text of a rejected document to the PSA, and ends the attempt. */
export async function refusing(doc: DocumentContext, attempt: In<'refusing'>): Promise<StepResult> {
  const { mark, problems } = attempt;
  let outcomeNote: Note;
  try {
    await writeStatusField(doc, attempt.psaId, 'psa:mark', mark);
    outcomeNote = note('debug', `${statusFieldOf(attempt.kind)} ${mark === '' ? 'cleared' : `set to ${mark}`}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The failure is logged even if the PSA could not be updated.
    outcomeNote = psaFailureNote(attempt, error, ' not set');
  }
  const ended = failedFor(problems, sentenceOf(problems));
  return { from: attempt, state: 'refused', ended, notes: [outcomeNote], areProblemsNoted: true };
}
