import type { Posted } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { inParallel } from '#core/in-parallel.ts';
import { nameOfSales } from '#core/planning/messages.ts';
import { problem } from '#core/problems.ts';
import { namedSource } from '#core/reconciliation/named-source.ts';
import { addDays } from '#core/values/dates.ts';
import { absolute, equals, format } from '#core/values/decimal.ts';
import type { AttemptRequest, Decision, Searcher } from './kind.ts';

/** Days around the posted document in which a user may have entered it again. */
const daysAround = 31;

/**
 * Returns the document that a user entered in QuickBooks in place of a deleted or voided one: same customer, type and
 * amount, at most a month apart, and of no other source.
 */
export async function findEnteredAgain(run: Searcher, psaId: number): Promise<AccountingDocument | null> {
  const { store } = run.context;
  const posted = (await store.listPostedBodies('invoice', [psaId])).at(-1);
  if (posted === undefined || posted.targetType === null) return null;
  const [invoice] = await run.psa.findInvoices({ ids: [psaId] });
  const print = posted.answered ?? run.accounting.fingerprintOfBody(posted.targetType, posted.body);
  if (invoice === undefined || print === null || print.partyId === null) return null;
  const { targetType: type } = posted;
  if (type !== 'Invoice' && type !== 'CreditMemo') return null;
  const days = { from: addDays(print.datedOn, -daysAround), through: addDays(print.datedOn, daysAround) };
  const listed = (await run.accounting.listDocuments(days, [type], print.partyId)).filter(
    (one) =>
      !one.isVoided && equals(one.total, absolute(invoice.total)) && namedSource(one, run.psa.describe.label) === null,
  );
  if (listed.length === 0) return null;
  const ids = listed.map(({ id }) => id);
  const kinds = ['invoice', 'difference', 'void'] as const;
  const owned = (await inParallel(kinds.map((kind) => store.findPostings(kind, ids)))).flat();
  return listed.find(({ id }) => owned.every(({ targetId }) => targetId !== id)) ?? null;
}

/** Returns whether a request links the document that a user entered instead of creating another one. */
export const isLink = ({ force, revises = false }: Pick<AttemptRequest, 'force' | 'revises'>): boolean =>
  force && revises;

/**
 * Decides about posting an invoice again whose document a user seems to have entered by hand; null if there is none, or
 * if the user has seen it and decided.
 */
export async function decideEnteredAgain(
  run: Searcher,
  psaId: number,
  request: Pick<AttemptRequest, 'force' | 'revises'>,
): Promise<Decision | null> {
  if (request.revises === true && !request.force) return null;
  const copy = await findEnteredAgain(run, psaId);
  const refused = (one: ReturnType<typeof problem>) =>
    ({ outcome: 'refuse', problems: [one], notes: [], mark: null }) as const;
  if (isLink(request))
    return copy === null ? refused(problem('NOTHING_TO_LINK', { psa: run.psa.describe.label, psaId })) : null;
  if (copy === null) return null;
  const found = problem('ENTERED_AGAIN', {
    psaId,
    what: nameOfSales(copy.type),
    number: copy.number ?? copy.id,
    datedOn: copy.datedOn,
    amount: format(copy.total),
    party: copy.party.name ?? 'the customer',
  });
  const seen = request.force ? await run.context.store.readNewestProblems('invoice', psaId) : [];
  return seen.some(({ code, message }) => code === found.code && message === found.message) ? null : refused(found);
}

/** Returns the document to link, as QuickBooks has it; null if there is none. */
export async function readEnteredAgain(run: Searcher, psaId: number): Promise<Posted | null> {
  const copy = await findEnteredAgain(run, psaId);
  if (copy === null) return null;
  const found = await run.accounting.read(copy.type, copy.id);
  if (found === null || found.isVoided) return null;
  const { isVoided: _, ...posted } = found;
  return posted;
}
