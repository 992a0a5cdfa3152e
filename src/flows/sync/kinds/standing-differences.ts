import type { SalesReference, SalesState } from '#core/documents/sales-state.ts';
import { nameOfSales } from '#core/planning/messages.ts';
import type { Posting } from '#core/ports/postings.ts';
import { problem, type Problem } from '#core/problems.ts';
import { format } from '#core/values/decimal.ts';
import type { Gatherer } from './kind.ts';

/** The records of the books that postings stand for. */
export const referencesOf = (postings: readonly Posting[]): SalesReference[] =>
  postings.flatMap(({ status, targetType, targetId }) =>
    (status === 'synced' || status === 'unconfirmed') && targetType !== null && targetId !== null
      ? [{ type: targetType, id: targetId }]
      : [],
  );

/**
 * Documents that bill differences of invoices and stand in the books, by the invoice; as far as the ledger knows, which
 * first learns of those that it forgot.
 *
 * @throws Stop when a service cannot be used.
 */
export async function standingDifferences(
  run: Gatherer,
  psaIds: readonly number[],
): Promise<ReadonlyMap<number, readonly SalesState[]>> {
  await run.afterForgotten();
  const billed = await run.context.store.listPostings('difference', psaIds);
  const references = referencesOf(billed);
  if (references.length === 0) return new Map();
  const documents = (await run.accounting.readSales(references)).filter(({ isVoided }) => !isVoided);
  const sources = new Map(billed.map(({ targetType, targetId, psaId }) => [`${targetType} ${targetId}`, psaId]));
  return Map.groupBy(documents, ({ type, id }) => sources.get(`${type} ${id}`) ?? 0);
}

/** Why nothing may be made or changed for an invoice of which a difference was billed. */
export const differenceProblem = (name: string, psaLabel: string, [first]: readonly SalesState[]): Problem | null =>
  first === undefined
    ? null
    : problem('DIFFERENCE_STANDS', {
        name,
        psa: psaLabel,
        number: `${nameOfSales(first.type).toLowerCase()} ${first.number ?? first.id}`,
        amount: format(first.total),
      });
