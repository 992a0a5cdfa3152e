import type { In, Posted } from '#core/attempt.ts';
import { documentName, type Kind } from '#core/kinds.ts';
import { lacksNumber } from '#core/planning/document-fields.ts';
import { lastCommand } from '#core/planning/plan.ts';
import type { Preview } from '#core/planning/preview.ts';
import { postedMessage } from '#core/planning/messages.ts';
import { verify } from '#core/planning/verify.ts';
import { problem, sentenceOf } from '#core/problems.ts';
import { ServiceError } from '#core/service-error.ts';
import { referenceOf, statusFieldOf } from '#core/sync-status.ts';
import { note, type Note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { WrittenReference } from '../kinds/kind.ts';
import type { Ending, StepResult, Transition } from '../run.ts';
import { suppressionOfProblems } from '../suppression.ts';
import type { DocumentContext } from './context.ts';
import { infoOf, lastInfo } from './last-info.ts';
import { mailing } from './mailing.ts';
import { previewOf } from './preview.ts';
import { linkedMessage } from './relink.ts';
import { failedFor, pendingResult, psaRetrySeconds, serviceProblem } from './save.ts';
import { psaFailureNote, writeReference } from './status-field.ts';

/** Writes the posted document's reference to the PSA, and ends the attempt. */
export async function posted(doc: DocumentContext, attempt: In<'posted'>): Promise<StepResult> {
  const { run, flow } = doc;
  const answer = attempt.posted.at(-1);
  assert(answer !== undefined && attempt.sentAt !== null, 'a posted attempt has its answer');
  if (lacksNumber(answer)) return withoutNumber(doc, attempt, answer);
  const reference: WrittenReference = { number: referenceOf(attempt.kind, answer), at: attempt.sentAt };
  const checked = verify(attempt.plan, answer, run.psa.describe.label);
  const notes: Note[] = [...checked.notes];
  // `mailAskedAt` is set only after the PSA was updated.
  if (flow.statusField !== undefined && attempt.mailAskedAt === undefined) {
    try {
      await writeReference(doc, attempt.psaId, reference);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return notWritten(doc, attempt, reference, error);
    }
    notes.push(note('debug', writtenText(attempt.kind, reference)));
  }
  const mail = await mailing(doc, attempt, answer, checked.attention);
  if ('to' in mail) return mail;
  notes.push(...mail.notes);
  const attention = [...checked.attention, ...mail.attention];
  doc.handled.push(infoOf(attempt.kind, attempt.psaId, answer));
  const shown = previewOfPosted(doc, attempt, answer);
  const after = flow.afterPosting && (await flow.afterPosting(run, attempt.psaId, attempt.plan, answer));
  return {
    from: { ...mail.attempt, warnings: [...attempt.warnings, ...checked.warnings, ...mail.attention] },
    state: 'done',
    ended: {
      success: true,
      message: [
        attempt.isAdopted === true
          ? linkedMessage(attempt, reference.number)
          : postedMessage(attempt, reference.number),
        ...attention.map(({ message }) => message),
      ].join(' '),
      problems: attention,
      document: after?.document === undefined ? answer.document : after.document,
    },
    notes,
    isGathered: true,
    ...(shown !== null && { preview: shown }),
    effects: {
      confirmsPosting: true,
      notesDrift: [
        ...(checked.attention.length === 0 ? [] : (['total_differs'] as const)),
        ...(mail.attention.length === 0 ? [] : (['not_mailed'] as const)),
      ],
      synced: {
        at: run.context.clock.now(),
        // Read when it is saved: documents that ended meanwhile may be saved first.
        get info() {
          return lastInfo(doc.handled);
        },
      },
      ...after?.effects,
    },
  };
}

/**
 * Ends a document that QuickBooks did not number. Does not write its internal id to Autotask instead; the next sync
 * links the document once it has a number.
 */
function withoutNumber({ run }: DocumentContext, attempt: In<'posted'>, answer: Posted): Ending {
  const problems = [problem('NUMBER_MISSING', { name: documentName(attempt.kind, attempt.psaId), id: answer.id })];
  return {
    from: attempt,
    state: 'refused',
    ended: { ...failedFor(problems, sentenceOf(problems)), document: answer.document },
    notes: verify(attempt.plan, answer, run.psa.describe.label).notes,
    effects: { confirmsPosting: true, suppression: suppressionOfProblems(problems) },
  };
}

/**
 * Returns the preview of a posted document for the log: the plan with QuickBooks' number and tax. Null if another
 * worker planned it, to avoid reading the data again.
 */
function previewOfPosted(
  { decided }: DocumentContext,
  { plan, about }: In<'posted'>,
  { number, tax, total }: Posted,
): Preview | null {
  if (decided === undefined || about === undefined) return null;
  const preview = previewOf(plan, decided.books, about);
  const { view } = preview;
  const isMeasured = tax !== null && total !== null && lastCommand(plan).do !== 'void';
  return {
    ...preview,
    view: { ...view, number: number ?? view.number, ...(isMeasured && { tax, total, isTaxKnown: true }) },
  };
}

/** For example `PSA invoice number set to 1042, web service date set`; invoices write both at once. */
const writtenText = (kind: Kind, { number }: WrittenReference): string =>
  `${statusFieldOf(kind)} set to ${number}${kind === 'invoice' ? ', web service date set' : ''}`;

/**
 * Waits after QuickBooks has the document but the PSA rejected the reference. Only the write is retried, never the
 * create.
 */
function notWritten(
  { run }: DocumentContext,
  attempt: In<'posted'>,
  { number }: WrittenReference,
  error: ServiceError,
): Transition | Ending {
  const notes = [psaFailureNote(attempt, error)];
  if (error.about.next === 'refuse') {
    const message = `${documentName(attempt.kind, attempt.psaId)} is in QuickBooks as ${number}, but ${run.psa.describe.label} did not store that number.`;
    const ended = {
      ...failedFor([serviceProblem(run, error)], message),
      document: attempt.posted.at(-1)?.document ?? null,
    };
    return { from: attempt, state: 'refused', ended, notes };
  }
  const notBefore = addSeconds(run.context.clock.now(), psaRetrySeconds);
  const effects = pendingResult(run, attempt);
  const stop = error.about.next === 'try_again' ? {} : { stop: error };
  return { from: attempt, to: { ...attempt, notBefore }, notes, effects, ...stop };
}
