import type { Mode } from '#core/kinds.ts';
import type { AttentionDocument } from '#contract/attention.ts';
import {
  submitDifferences,
  submitExpenseReports,
  submitInvoices,
  submitPayments,
  submitPurchaseOrders,
  submitVoids,
} from '#contract/sync.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { refreshAll, useAction } from '../../lib/queries.ts';

/** Sends documents again, each kind in a job of its own. @param onDone called once all of them are queued */
export function useRelease(onDone: () => void = () => undefined) {
  const options = {
    onSuccess: ({ job }: { readonly job: Parameters<typeof noteJob>[0] }) => noteJob(job),
  };
  const calls = {
    invoice: useAction(submitInvoices, options),
    purchase_order: useAction(submitPurchaseOrders, options),
    expense_report: useAction(submitExpenseReports, options),
    payment: useAction(submitPayments, options),
    void: useAction(submitVoids, options),
    difference: useAction(submitDifferences, options),
  };
  const submit = (documents: readonly Pick<AttentionDocument, 'type' | 'entityid'>[], mode: Mode) => {
    const idsOf = (type: AttentionDocument['type']) =>
      documents.filter((one) => one.type === type).map(({ entityid }) => entityid);
    const asked: Promise<unknown>[] = [];
    const [invoices, orders, reports] = [idsOf('invoice'), idsOf('purchase_order'), idsOf('expense_report')];
    const [payments, voids, differences] = [idsOf('payment'), idsOf('void'), idsOf('difference')];
    if (invoices.length > 0) asked.push(calls.invoice.mutateAsync({ body: { mode, invoice_ids: invoices } }));
    if (orders.length > 0) asked.push(calls.purchase_order.mutateAsync({ body: { mode, po_ids: orders } }));
    if (reports.length > 0)
      asked.push(calls.expense_report.mutateAsync({ body: { mode, expense_report_ids: reports } }));
    if (payments.length > 0) asked.push(calls.payment.mutateAsync({ body: { mode, invoice_ids: payments } }));
    if (voids.length > 0) asked.push(calls.void.mutateAsync({ body: { mode, invoice_ids: voids } }));
    if (differences.length > 0) asked.push(calls.difference.mutateAsync({ body: { mode, invoice_ids: differences } }));
    // What was refused is said in the message bar by the call itself.
    void Promise.allSettled(asked).then(async (outcomes) => {
      await refreshAll('jobs');
      if (outcomes.every(({ status }) => status === 'fulfilled')) onDone();
    });
  };
  return { submit, isPending: Object.values(calls).some(({ isPending }) => isPending) };
}
