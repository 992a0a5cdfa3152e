import type { Kind, Mode } from '#core/kinds.ts';
import {
  submitDifferences,
  submitExpenseReports,
  submitInvoices,
  submitPayments,
  submitPurchaseOrders,
  submitVoids,
} from '#contract/sync.ts';
import type { JobReply } from '#contract/jobs.ts';
import { showMessage } from '../../lib/flash.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { useAction } from '../../lib/queries.ts';
import { submittingText } from './words.ts';

/** Display time of the flash of a submitted job (specification 1, section 8). */
export const submittingMs = 2_000;

/** How chosen documents are synced. */
interface How {
  readonly mode: Mode;
  readonly force: boolean;
  /** The document in the books is changed to what the PSA says; of invoices, orders and reports alone. */
  readonly update?: boolean;
  /** The review whose plans are posted. */
  readonly reviewed?: string;
}

/**
 * Submits chosen documents: each kind has its own call and its own name for the ids. What was refused is thrown.
 *
 * @param isReview the job plans a review, which opens next: no message announces it as a test.
 * @returns `submit` answers with the job that was queued
 */
export function useSubmit(isReview = false) {
  // The caller shows what went wrong: there may be several calls.
  const options = { onError: () => undefined, showsMessage: () => !isReview };
  const actions = {
    invoice: useAction(submitInvoices, options),
    payment: useAction(submitPayments, options),
    void: useAction(submitVoids, options),
    difference: useAction(submitDifferences, options),
    purchase_order: useAction(submitPurchaseOrders, options),
    expense_report: useAction(submitExpenseReports, options),
  };
  const call = (kind: Kind, ids: number[], { update, ...how }: How) => {
    const body = { ...how, ...(update === true && { update }) };
    if (kind === 'purchase_order') return actions.purchase_order.mutateAsync({ body: { ...body, po_ids: ids } });
    if (kind === 'expense_report')
      return actions.expense_report.mutateAsync({ body: { ...body, expense_report_ids: ids } });
    if (kind === 'invoice') return actions.invoice.mutateAsync({ body: { ...body, invoice_ids: ids } });
    return actions[kind].mutateAsync({ body: { ...how, invoice_ids: ids } });
  };
  const submit = async (kind: Kind, ids: number[], how: How): Promise<JobReply> => {
    showMessage(submittingText(kind), submittingMs);
    const { job } = (await call(kind, ids, how)).data;
    noteJob(job);
    return job;
  };
  return { submit, isPending: Object.values(actions).some(({ isPending }) => isPending) };
}

/** The message of a call that was refused. */
export const messageOf = (refusal: unknown): string => (refusal instanceof Error ? refusal.message : String(refusal));
