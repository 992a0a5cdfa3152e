import type { PaymentChoice } from '#core/planning/payment-choice.ts';
import { type Kind, kinds, type Mode } from '#core/kinds.ts';
import type { Preference } from '#core/planning/update-merge.ts';
import {
  submitDifferences,
  submitExpenseReports,
  submitInvoices,
  submitPayments,
  submitPurchaseOrders,
  submitVoids,
} from '#contract/calls/sync.ts';
import type { JobReply } from '#contract/jobs.ts';
import { showProgress } from '../../components/flash.ts';
import { cacheJob } from '../../data/follow-job.ts';
import { useAction } from '../../data/queries.ts';

/** Display time of the flash of a submitted job (specification 1, section 8). */
export const submittingMs = 2_000;

/** The message while a job is submitted, e.g. `Submitting invoice sync job...`. */
export const submittingText = (kind: Kind): string => `Submitting ${kinds[kind].label.toLowerCase()} sync job...`;

interface SubmitOptions {
  readonly mode: Mode;
  readonly force: boolean;
  /** Updates existing QuickBooks documents to match the PSA; only for invoices, orders and reports. */
  readonly update?: boolean;
  /** Whose value fields get in an update that both sides changed. */
  readonly prefers?: Preference;
  /** Decision about unapplied money of the customers; only for payments. */
  readonly choice?: PaymentChoice | null;
  /** Id of the review whose plan is posted. */
  readonly reviewed?: string;
}

/**
 * Submits documents of any kind; `submit` returns the queued job and throws a CallError if the call fails.
 *
 * @param isReview the job plans a review, so the server’s message about a test is not shown.
 */
export function useSubmit(isReview = false) {
  // The caller shows errors, because it may make several calls.
  const options = { onError: () => undefined, showsMessage: () => !isReview };
  const actions = {
    invoice: useAction(submitInvoices, options),
    payment: useAction(submitPayments, options),
    void: useAction(submitVoids, options),
    difference: useAction(submitDifferences, options),
    purchase_order: useAction(submitPurchaseOrders, options),
    expense_report: useAction(submitExpenseReports, options),
  };
  const call = (kind: Kind, ids: number[], { update, prefers, choice = null, ...how }: SubmitOptions) => {
    if (kind === 'payment') {
      // The decision replaces `force`.
      const decided = choice === null ? {} : { choice };
      return actions.payment.mutateAsync({ body: { ...how, force: false, ...decided, invoice_ids: ids } });
    }
    const body = { ...how, ...(update === true && { update }), ...(prefers !== undefined && { prefers }) };
    if (kind === 'purchase_order') return actions.purchase_order.mutateAsync({ body: { ...body, po_ids: ids } });
    if (kind === 'expense_report')
      return actions.expense_report.mutateAsync({ body: { ...body, expense_report_ids: ids } });
    if (kind === 'invoice') return actions.invoice.mutateAsync({ body: { ...body, invoice_ids: ids } });
    return actions[kind].mutateAsync({ body: { ...how, invoice_ids: ids } });
  };
  const submit = async (kind: Kind, ids: number[], how: SubmitOptions): Promise<JobReply> => {
    showProgress(submittingText(kind), submittingMs);
    const { job } = (await call(kind, ids, how)).data;
    cacheJob(job);
    return job;
  };
  return { submit, isPending: Object.values(actions).some(({ isPending }) => isPending) };
}

/** Returns the message of a caught error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
