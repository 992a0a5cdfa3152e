import type { Attempt, In } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import { ServiceError } from '#core/service-error.ts';
import { statusFieldOf } from '#core/sync-status.ts';
import { note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { serviceProblem, pendingResult, save, writeBackRetrySeconds, end } from './save.ts';
import type { Decision, KindFlow, WrittenReference } from '../kinds/kind.ts';
import { withPsaRetry } from '../retry.ts';
import type { DocumentContext } from './context.ts';
import { appendNotes, type Run } from '../run.ts';

/** Most documents that the Overview's information lists; the count beside them is of all. */
const mostListed = 100;

/** The named fields of the last document; when one run handled several, a count and a list beside them (contract 2). */
function lastInfo(handled: readonly JsonObject[]): JsonObject {
  const last = handled.at(-1) ?? {};
  return handled.length > 1 ? { ...last, count: handled.length, documents: handled.slice(-mostListed) } : last;
}

/** Tells the PSA what the books have, and ends the attempt. */
export async function posted(run: Run, doc: DocumentContext, attempt: In<'posted'>): Promise<Attempt> {
  const { flow } = doc;
  const answer = attempt.posted.at(-1);
  assert(answer !== undefined && attempt.sentAt !== null, 'a posted attempt has its answer');
  const reference: WrittenReference = { number: flow.referenceOf(answer), at: attempt.sentAt };
  const checked = flow.verify(run, attempt.plan, answer);
  const checkedAttempt = {
    ...attempt,
    warnings: [...attempt.warnings, ...checked.warnings],
    transcript: appendNotes(run, attempt, ...checked.notes),
  };
  let finished = checkedAttempt;
  if (flow.writeBack !== undefined) {
    try {
      await withPsaRetry(run, 'psa:write', () => writeReference(run, doc, attempt.psaId, reference));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return notWritten(run, attempt, flow, reference, error);
    }
    finished = {
      ...checkedAttempt,
      transcript: appendNotes(run, checkedAttempt, note('debug', writtenWords(attempt.kind, reference))),
    };
  }
  doc.handled.push(flow.info(attempt.psaId, answer));
  const at = run.context.clock.now();
  return end(
    run,
    finished,
    'done',
    {
      success: true,
      message: flow.successMessage(attempt.psaId, attempt.plan, reference),
      problems: [],
      document: flow.shown === undefined ? answer.document : await flow.shown(run, attempt.plan),
    },
    {
      confirmsPosting: true,
      synced: { at, info: lastInfo(doc.handled) },
      ...flow.effects?.(attempt.psaId, answer),
    },
  );
}

/** `PSA invoice number set to 1042, web service date set`: of invoices both are one write. */
const writtenWords = (kind: Kind, { number }: WrittenReference): string =>
  `${statusFieldOf(kind)} set to ${number}${kind === 'invoice' ? ', web service date set' : ''}`;

/** The books have the document but the PSA did not take the reference: only the write is tried again, never the create. */
async function notWritten(
  run: Run,
  attempt: In<'posted'>,
  flow: KindFlow<unknown>,
  reference: WrittenReference,
  error: ServiceError,
): Promise<Attempt> {
  const transcript = appendNotes(
    run,
    attempt,
    note('warn', `${error.about.code} ${statusFieldOf(attempt.kind)}: ${error.about.detail}`),
  );
  if (error.about.next === 'refuse') {
    const answer = attempt.posted.at(-1);
    const message = `${flow.name(attempt.psaId)} is in QuickBooks as ${reference.number}, but ${run.psa.describe.label} did not take that number.`;
    return end(run, { ...attempt, transcript }, 'refused', {
      success: false,
      message,
      problems: [serviceProblem(run, error)],
      document: answer?.document ?? null,
    });
  }
  const notBefore = addSeconds(run.context.clock.now(), writeBackRetrySeconds);
  const waiting = await save(run, attempt, { ...attempt, transcript, notBefore }, pendingResult(run, attempt));
  if (error.about.next !== 'try_again') throw error;
  return waiting;
}

/** Writes the reference of a document that exists already (domain reference 5.4 point 3). */
export async function relink(
  run: Run,
  doc: DocumentContext,
  attempt: In<'planning'>,
  decision: Extract<Decision, { outcome: 'relink' }>,
): Promise<Attempt> {
  const { number: known, targetId } = decision.posting;
  const number = doc.flow.referenceOf({ number: known, id: targetId ?? '' });
  const transcript = appendNotes(
    run,
    attempt,
    ...decision.notes,
    note('info', `Relinked: QuickBooks has it as ${number}`),
  );
  const message = `Relinked: ${doc.flow.name(attempt.psaId)} is in QuickBooks as ${number}.`;
  const ended = { success: true, message, problems: [], document: null };
  if (attempt.mode === 'test') return end(run, { ...attempt, transcript }, 'simulated', ended);
  try {
    const reference = { number, at: decision.posting.createdAt };
    await withPsaRetry(run, 'psa:write', () => writeReference(run, doc, attempt.psaId, reference));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const found = serviceProblem(run, error);
    await end(run, { ...attempt, transcript }, 'postponed', {
      success: false,
      message: found.message,
      problems: [found],
      document: null,
    });
    throw error;
  }
  return end(run, { ...attempt, transcript }, 'done', ended, { confirmsPosting: true });
}

/** Tells the PSA what the books say. That it is our word is saved before it is written, so it is known as ours later. */
export async function tell(
  run: Run,
  doc: DocumentContext,
  attempt: In<'planning'>,
  decision: Extract<Decision, { outcome: 'tell' }>,
): Promise<Attempt> {
  const { message, document, change } = decision;
  const announced = { ...attempt, transcript: appendNotes(run, attempt, ...decision.notes) };
  const ended = { success: true, message, problems: [], document };
  if (attempt.mode === 'test') return end(run, announced, 'simulated', ended);
  const noted = await save(run, attempt, announced, { payment: decision.intent });
  assert(noted.state === 'planning', 'an intent moves nothing');
  try {
    await withPsaRetry(run, 'psa:write', () => {
      assert(doc.flow.tell !== undefined, 'a kind that decides to tell something can do so');
      return doc.flow.tell(run, attempt.psaId, change);
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const found = serviceProblem(run, error);
    const isRefused = error.about.next === 'refuse';
    const failed = await end(run, noted, isRefused ? 'refused' : 'postponed', {
      success: false,
      message: found.message,
      problems: [found],
      document,
    });
    if (!isRefused) throw error;
    return failed;
  }
  const written = change.paidOn === null ? 'paid date cleared' : `paid date set to ${change.paidOn}`;
  const finished = { ...noted, transcript: appendNotes(run, noted, note('debug', `PSA ${written}`)) };
  return end(run, finished, 'done', ended, { payment: decision.payment });
}

export function writeReference(
  run: Run,
  { flow }: DocumentContext,
  psaId: number,
  reference: WrittenReference,
): Promise<void> {
  assert(flow.writeBack !== undefined, 'only a kind whose documents carry a reference tells one');
  return flow.writeBack(run, psaId, reference);
}
