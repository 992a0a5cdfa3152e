import type { In, Posted } from '#core/attempt.ts';
import { lateApplySeconds } from '#core/ports/accounting.ts';
import { lastCommand } from '#core/planning/plan.ts';
import { problem, type Problem } from '#core/problems.ts';
import { ServiceError } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { note, type Note } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { mailIdOf } from '../batching/request-id.ts';
import { withRetry } from '../retry.ts';
import type { Transition } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { pendingResult, psaRetrySeconds, save } from './save.ts';

/** Seconds after which a mail that could not be sent is left to a user. */
const givesUpSeconds = 86_400;

/** Outcome of the mail to the customer; a transition if the attempt must wait. */
type Mailing =
  | { readonly attempt: In<'posted'>; readonly notes: readonly Note[]; readonly attention: readonly Problem[] }
  | Transition;

/**
 * Mails an invoice to its customer after it was posted and its totals were compared. The mail is a separate command: it
 * is saved before it is sent, and sent only while QuickBooks shows that none was sent yet. After a lost response, the
 * attempt waits until the mail must have been sent or lost.
 *
 * @param differs problems that a user must see first; if there are any, nothing is mailed
 */
export async function mailing(
  doc: DocumentContext,
  attempt: In<'posted'>,
  answer: Posted,
  differs: readonly Problem[],
): Promise<Mailing> {
  const address = addressOf(attempt);
  if (address === null) return { attempt, notes: [], attention: [] };
  const number = answer.number ?? answer.id;
  if (differs.length > 0)
    return { attempt, notes: [note('warn', `Invoice ${number} was not mailed: it differs`)], attention: [] };
  const { run } = doc;
  const now = run.context.clock.now();
  const settledAt = attempt.mailAskedAt === undefined ? now : addSeconds(attempt.mailAskedAt, lateApplySeconds);
  if (now < settledAt) return wait(doc, attempt, settledAt);
  const unsent = (why: string): Mailing => ({
    attempt,
    notes: [],
    attention: [problem('MAIL_NOT_SENT', { number, address, why })],
  });
  try {
    const isMailed = await run.accounting.readMailed(answer.id);
    if (isMailed === null) return unsent('it no longer exists in QuickBooks.');
    if (isMailed)
      return { attempt, notes: [note('info', `Invoice ${number} was mailed to ${address}`)], attention: [] };
  } catch (error) {
    return failed(doc, attempt, error, unsent);
  }
  const asking = { ...attempt, mailAskedAt: now };
  await save(run, attempt, asking, { notes: [note('debug', `Mailing invoice ${number} to ${address}`)] });
  try {
    const requestId = mailIdOf(run.context.tenantId, asking, now);
    await withRetry(run, 'post:mail', () => run.accounting.mailInvoice(answer.id, address, requestId));
    return { attempt: asking, notes: [note('info', `Invoice ${number} was mailed to ${address}`)], attention: [] };
  } catch (error) {
    if (error instanceof ProcessStopping) await save(run, asking, attempt, {});
    return failed(doc, asking, error, unsent);
  }
}

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
