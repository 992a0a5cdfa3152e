import type { Kind } from '#core/kinds.ts';
import { Refusal } from '#core/refusal.ts';
import { differenceFlow } from './difference.ts';
import { expenseReportFlow } from './expense-report.ts';
import { invoiceFlow } from './invoice.ts';
import type { KindFlow } from './kind.ts';
import { paymentFlow } from './payment.ts';
import { purchaseOrderFlow } from './purchase-order.ts';
import { voidFlow } from './void.ts';

/** Facts are `unknown` here: each flow passes them only to itself, and no other code reads them. */
const flows: Readonly<Partial<Record<Kind, KindFlow<unknown>>>> = {
  invoice: invoiceFlow,
  purchase_order: purchaseOrderFlow,
  expense_report: expenseReportFlow,
  void: voidFlow,
  difference: differenceFlow,
  payment: paymentFlow,
};

/** Returns the flow of a kind; undefined for a kind that this version does not sync yet. */
export const findFlow = (kind: Kind): KindFlow<unknown> | undefined => flows[kind];

/**
 * Returns the flow of a kind.
 *
 * @throws Refusal `not_built` for a kind that this version does not sync yet.
 */
export function flowOf(kind: Kind): KindFlow<unknown> {
  const flow = findFlow(kind);
  if (flow === undefined) throw new Refusal('conflict', 'not_built', 'This version does not sync these documents yet.');
  return flow;
}
