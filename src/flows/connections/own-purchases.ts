import { type AccountingChange, isPurchaseRecord } from '#core/documents/accounting-change.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { TenantContext } from '../context.ts';

/** Returns changes without bills and purchase orders that we did not post. */
export async function withOwnPurchases(
  { findPostings, listEarlierBills }: Pick<TenantContext['store'], 'findPostings' | 'listEarlierBills'>,
  changes: readonly AccountingChange[],
): Promise<readonly AccountingChange[]> {
  const idsOf = (record: string) => changes.flatMap((change) => (change.record === record ? [change.id] : []));
  const [bills, orders] = [idsOf('bill'), idsOf('purchase_order')];
  const [earlier, ...found] = await inParallel([
    listEarlierBills({ ids: bills }),
    bills.length === 0 ? [] : findPostings('expense_report', bills),
    orders.length === 0 ? [] : findPostings('purchase_order', orders),
  ]);
  const own = new Set([
    ...found.flat().map(({ kind, targetId }) => `${kind} ${targetId}`),
    ...earlier.map(({ id }) => `expense_report ${id}`),
  ]);
  return changes.filter(
    ({ record, id }) => !isPurchaseRecord(record) || own.has(`${record === 'bill' ? 'expense_report' : record} ${id}`),
  );
}
