import type { SalesReference, SalesState } from '#core/documents/sales-state.ts';
import { asBilled } from '#core/documents/billed-sum.ts';
import { documentName } from '#core/kinds.ts';
import { nameOfSales, updateMessages } from '#core/planning/messages.ts';
import type { Posting } from '#core/records/postings.ts';
import { problem, type Problem } from '#core/problems.ts';
import { ofType } from '#core/reconciliation/signed.ts';
import { equals, format } from '#core/values/decimal.ts';
import type { Decision, Gatherer } from './kind.ts';

/** Returns the QuickBooks records of postings. */
export const referencesOf = (postings: readonly Posting[]): SalesReference[] =>
  postings.flatMap(({ status, targetType, targetId }) =>
    (status === 'synced' || status === 'unconfirmed') && targetType !== null && targetId !== null
      ? [{ type: targetType, id: targetId }]
      : [],
  );

/**
 * Returns documents in QuickBooks that bill differences of invoices, by invoice, according to the ledger. Documents
 * lost in a restore are added to the ledger first.
 *
 * @throws Stop when a service cannot be used.
 */
export async function currentDifferences(
  run: Gatherer,
  psaIds: readonly number[],
): Promise<ReadonlyMap<number, readonly SalesState[]>> {
  await run.afterAdoption();
  const billed = await run.context.store.listPostings('difference', psaIds);
  const references = referencesOf(billed);
  if (references.length === 0) return new Map();
  const documents = (await run.accounting.readSales(references)).filter(({ isVoided }) => !isVoided);
  const sources = new Map(billed.map(({ targetType, targetId, psaId }) => [`${targetType} ${targetId}`, psaId]));
  return Map.groupBy(documents, ({ type, id }) => sources.get(`${type} ${id}`) ?? 0);
}

/** Returns why nothing may be created or changed for an invoice with a billed difference. */
export function differenceProblem(
  psaId: number,
  psaLabel: string,
  differences: readonly SalesState[],
  revises = false,
): Problem | null {
  const isPaid = ({ balance, total }: SalesState) => !equals(balance, total);
  const first = differences.find(isPaid) ?? differences[0];
  if (first === undefined) return null;
  return problem('DIFFERENCE_STANDS', {
    name: documentName('invoice', psaId),
    psa: psaLabel,
    number: `${nameOfSales(first.type).toLowerCase()} ${first.number ?? first.id}`,
    amount: format(first.total),
    advice: revises ? 'bill' : isPaid(first) ? 'keep' : 'remove',
  });
}

/**
 * Decides about a second posting or an update of an invoice with a billed difference; null if there is none. An update
 * has nothing to do if both sides have the same total.
 *
 * @throws Stop when a service cannot be used.
 */
export async function decideBesideDifferences(
  run: Gatherer,
  psaId: number,
  revises: boolean,
): Promise<Decision | null> {
  const { psa, accounting, context } = run;
  const differences = (await currentDifferences(run, [psaId])).get(psaId) ?? [];
  const { label } = psa.describe;
  const against = differenceProblem(psaId, label, differences, revises);
  if (against === null) return null;
  const refused = { outcome: 'refuse', problems: [against], notes: [], mark: null } as const;
  if (!revises) return refused;
  const posted = (await context.store.listPostings('invoice', [psaId])).at(-1);
  const [document] = posted === undefined ? [] : await accounting.readSales(referencesOf([posted]));
  const [invoice] = await psa.findInvoices({ ids: [psaId] });
  if (document === undefined || document.isVoided || invoice === undefined) return refused;
  const total = ofType(document.type, asBilled(document, differences).total);
  if (!equals(total, invoice.total)) return refused;
  const number = document.number ?? document.id;
  return {
    outcome: 'skip',
    reason: 'same_already',
    message: updateMessages.sameWithDifferences(nameOfSales(document.type), number, format(total), label),
    isLoggedOnce: false,
    notes: [],
  };
}
