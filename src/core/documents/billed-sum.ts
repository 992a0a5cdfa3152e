import { negate, sum, type Decimal } from '../values/decimal.ts';
import type { SalesState } from './sales-state.ts';

/**
 * Combines an invoice and the documents that bill its differences into one document with total amounts. A document of
 * the other type, such as a credit memo for a lower total, counts as negative.
 *
 * @param differences without voided ones
 */
export function asBilled(document: SalesState, differences: readonly SalesState[]): SalesState {
  if (differences.length === 0) return document;
  const all = [document, ...differences];
  const total = (amountOf: (one: SalesState) => Decimal): Decimal =>
    sum(all.map((one) => (one.type === document.type ? amountOf(one) : negate(amountOf(one)))));
  const applied = new Map(
    all.flatMap((one) => one.applied).map((reference) => [`${reference.type} ${reference.id}`, reference]),
  );
  return {
    ...document,
    total: total((one) => one.total),
    tax: total((one) => one.tax),
    balance: total((one) => one.balance),
    changedAt: all.map(({ changedAt }) => changedAt).reduce((newest, one) => (one > newest ? one : newest)),
    // One payment may cover several of the documents.
    applied: [...applied.values()],
  };
}
