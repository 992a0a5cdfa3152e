import type { In, Posted } from '#core/attempt.ts';
import { documentName, type Kind } from '#core/kinds.ts';
import { lacksNumber, numberMissing } from '#core/planning/document-fields.ts';
import { postedMessage } from '#core/planning/messages.ts';
import { lastCommand } from '#core/planning/plan.ts';
import type { Preview } from '#core/planning/preview.ts';
import { verify } from '#core/planning/verify.ts';
import { lateApplySeconds } from '#core/ports/accounting.ts';
import { problem, type Problem, sentenceOf } from '#core/problems.ts';
import { ServiceError } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { referenceOf, statusFieldOf } from '#core/sync-status.ts';
import { note, type Note } from '#core/transcript.ts';
import { assert, never } from '#core/values/assert.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mailIdOf } from './request-id.ts';
import type { WrittenReference } from '../kinds/kind.ts';
import { withRetry } from '../retry.ts';
import type { Ending, StepResult, Transition } from '../run.ts';
import { suppressionOfProblems } from '../suppression.ts';
import type { DocumentContext } from './context.ts';
import { previewOf } from './preview.ts';
import { failedFor, pendingResult, psaRetrySeconds, saveRows, serviceProblem } from './save.ts';
import { psaFailureNote, writeReference } from './status-field.ts';
import { linkedMessage } from './update-psa.ts';

/** Maximum documents listed in the Overview's information; the count next to them includes all. */
const maxListed = 100;

/** Returns the named fields of a synced document in `last_*_info` (contract 2). */
export function infoOf(kind: Kind, psaId: number, { id, number }: Pick<Posted, 'id' | 'number'>): JsonObject {
  switch (kind) {
    case 'invoice':
    case 'void':
    case 'difference':
      return { at_invoice_id: psaId, qbo_invoice_number: number ?? id };
    case 'purchase_order':
      return { at_po_id: psaId, qbo_po_number: number, qbo_po_id: id };
    case 'expense_report':
      return { at_expense_report_id: psaId, qbo_bill_id: id };
    case 'payment':
      return { at_invoice_id: psaId, qbo_payment_id: id };
    default:
      return never(kind);
  }
}

/** Returns the fields of the last document. If one run handled several, adds a count and a list. */
function lastInfo(handled: readonly JsonObject[]): JsonObject {
  const last = handled.at(-1) ?? {};
  return handled.length > 1 ? { ...last, count: handled.length, documents: handled.slice(-maxListed) } : last;
}

/** Seconds after which a mail that could not be sent is left to a user. */
const givesUpSeconds = 86_400;

/** Outcome of the mail to the customer; a transition if the attempt must wait. */
type Mailing =
  | {
      readonly attempt: In<'posted'>;
      readonly isMailed: boolean;
      readonly notes: readonly Note[];
      readonly attention: readonly Problem[];
    }
  | Transition;

/**
 * Mails an invoice to its customer after it was posted and its totals were compared. The mail is a separate command: it
 * is saved before it is sent, and sent only while QuickBooks shows that none was sent yet. After a lost response, the
 * attempt waits until the mail must have been sent or lost.
 *
 * @param differs problems that a user must see first; if there are any, nothing is mailed
 */
async function mailing(
  doc: DocumentContext,
  attempt: In<'posted'>,
  answer: Posted,
  differs: readonly Problem[],
): Promise<Mailing> {
  const address = addressOf(attempt);
  if (address === null) return { attempt, isMailed: false, notes: [], attention: [] };
  const number = answer.number ?? answer.id;
  if (differs.length > 0)
    return {
      attempt,
      isMailed: false,
      notes: [note('warn', `Invoice ${number} was not mailed: it differs`)],
      attention: [],
    };
  const { run } = doc;
  const now = run.context.clock.now();
  const settledAt = attempt.mailAskedAt === undefined ? now : addSeconds(attempt.mailAskedAt, lateApplySeconds);
  if (now < settledAt) return wait(doc, attempt, settledAt);
  const unsent = (why: string): Mailing => ({
    attempt,
    isMailed: false,
    notes: [],
    attention: [problem('MAIL_NOT_SENT', { number, address, why })],
  });
  const mailed = (to: In<'posted'>): Mailing => ({
    attempt: to,
    isMailed: true,
    notes: [note('info', `Invoice ${number} was mailed to ${address}`)],
    attention: [],
  });
  try {
    const isMailed = await run.accounting.readMailed(answer.id);
    if (isMailed === null) return unsent('it no longer exists in QuickBooks.');
    if (isMailed) return mailed(attempt);
  } catch (error) {
    return failed(doc, attempt, error, unsent);
  }
  const asking = { ...attempt, mailAskedAt: now };
  const notes = [note('debug', `Mailing invoice ${number} to ${address}`)];
  await saveRows(run, [{ from: attempt, to: asking, notes }]);
  try {
    const requestId = mailIdOf(run.context.tenantId, asking, now);
    await withRetry(run, 'post:mail', () => run.accounting.mailInvoice(answer.id, address, requestId));
    return mailed(asking);
  } catch (error) {
    if (error instanceof ProcessStopping) await saveRows(run, [{ from: asking, to: attempt }]);
    return failed(doc, asking, error, unsent);
  }
}

/** Returns QuickBooks' response as the document is after the mail: the invoice was created before it was mailed. */
const withMailState = (document: JsonObject, isMailed: boolean): JsonObject =>
  isMailed ? { ...document, EmailStatus: 'EmailSent' } : document;

/** Returns the email address of the invoice; null if it is not mailed. */
function addressOf(attempt: In<'posted'>): string | null {
  const command = lastCommand(attempt.plan);
  if (command.do !== 'create_invoice' || command.document.email?.send !== true) return null;
  return command.document.email.address;
}

function failed(
  doc: DocumentContext,
  attempt: In<'posted'>,
  error: unknown,
  unsent: (why: string) => Mailing,
): Mailing {
  if (!(error instanceof ServiceError)) throw error;
  const { outcome, next, detail } = error.about;
  const now = doc.run.context.clock.now();
  const isLate = attempt.sentAt !== null && now >= addSeconds(attempt.sentAt, givesUpSeconds);
  if (next === 'refuse' || isLate) return unsent(detail);
  const notes = [note('warn', `The mail was not sent: ${detail}`)];
  // The mail may have been sent. Check again when a late call must have been applied.
  if (outcome === 'unknown' && attempt.mailAskedAt !== undefined)
    return wait(doc, attempt, addSeconds(now, lateApplySeconds), notes);
  const { mailAskedAt: _, ...unrequested } = attempt;
  return wait(doc, unrequested, addSeconds(now, psaRetrySeconds), notes, next === 'try_again' ? undefined : error);
}

function wait(
  { run }: DocumentContext,
  attempt: In<'posted'>,
  notBefore: Instant,
  notes: readonly Note[] = [],
  stop?: ServiceError,
): Transition {
  const effects = pendingResult(run, attempt);
  return { from: attempt, to: { ...attempt, notBefore }, notes, effects, ...(stop && { stop }) };
}

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
      return error.about.next === 'refuse' && (await isGoneFromPsa(doc, attempt.psaId))
        ? deletedInPsa(doc, attempt, reference, error)
        : notWritten(doc, attempt, reference, error);
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
      document: after?.document === undefined ? withMailState(answer.document, mail.isMailed) : after.document,
    },
    notes,
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
  const problems = [numberMissing(run, attempt, answer.id)];
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
  const preview = previewOf(plan, decided.accounting, about);
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

/** Returns true if the PSA no longer has the document; false if it cannot be read now. */
async function isGoneFromPsa({ run, flow }: DocumentContext, psaId: number): Promise<boolean> {
  try {
    const found = await flow.statusField?.read(run, run.session.settings, [psaId]);
    return found?.has(psaId) === false;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return false;
  }
}

/** Ends a document that a user deleted in the PSA while QuickBooks created it. */
function deletedInPsa(
  { run }: DocumentContext,
  attempt: In<'posted'>,
  { number }: WrittenReference,
  error: ServiceError,
): Ending {
  const name = documentName(attempt.kind, attempt.psaId);
  const problems = [problem('DELETED_IN_PSA', { psa: run.psa.describe.label, name, number })];
  return {
    from: attempt,
    state: 'refused',
    ended: { ...failedFor(problems, sentenceOf(problems)), document: attempt.posted.at(-1)?.document ?? null },
    notes: [psaFailureNote(attempt, error)],
    effects: { confirmsPosting: true },
  };
}

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
