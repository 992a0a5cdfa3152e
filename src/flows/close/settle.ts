import type { Kind, Mode } from '#core/kinds.ts';
import type { Job } from '#core/records/jobs.ts';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import type { Settlement } from '#core/reconciliation/exception-actions.ts';
import type { CloseKind } from '#core/reconciliation/completeness.ts';
import type { Month } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import type { TenantContext } from '../context.ts';
import { submit } from '../sync/job/submit.ts';

export interface SettleRequest {
  /** Key of the difference in the newest proof. */
  readonly key: string;
  readonly action: Settlement;
  readonly mode?: Mode;
  /** Id of the test whose plan the user reviewed. */
  readonly reviewed?: string;
}

/**
 * Settles a difference of a month: posts a missing document, posts a document again that was deleted or voided in
 * QuickBooks, updates QuickBooks' document to match the PSA, or bills the difference. The sync re-reads both sides, so
 * a difference that no longer exists posts nothing twice. Test mode only plans it, for review; `reviewed` is the id of
 * that test and makes the sync post exactly its plan.
 *
 * @returns the job.
 * @throws Refusal `not_found` when the newest proof lacks the difference; `not_possible` (409) when it cannot be
 *   settled this way; and as `submit`.
 */
export async function settleException(
  context: TenantContext,
  principal: Principal,
  month: Month,
  { key, action, mode = 'live', reviewed }: SettleRequest,
): Promise<Job> {
  const { store, clock } = context;
  const newest = (await store.listCloses({ month })).at(-1);
  const close = newest === undefined ? null : await store.readClose(newest.id);
  const exception = close === null ? undefined : exceptionsOf(close.proof).find((one) => one.key === key);
  if (exception === undefined)
    throw new Refusal('not_found', 'not_found', 'This difference no longer exists. Refresh the month.');
  const kind = kindOf[exception.kind];
  if (exception.psaId === null || !exception.actions.includes(action))
    throw new Refusal('conflict', 'not_possible', 'This difference cannot be settled this way.');
  const actor = actorOf(principal);
  const job = await submit(context, {
    kind: kindOfAction[action] ?? kind,
    mode,
    force: action === 'post_again',
    ...(action === 'link' && { links: true }),
    // The user decided about this document, so a void of an earlier month or a payment is not held.
    ...((action === 'update_accounting' || action === 'void' || action === 'sync_payment') && { revises: true }),
    psaIds: [exception.psaId],
    ...(reviewed !== undefined && { reviewed }),
    actor,
  });
  if (mode === 'test') return job;
  await store.addAudit({
    at: clock.now(),
    actor,
    action: 'close.difference_settled',
    subject: month,
    before: null,
    after: { difference: key, amount: exception.amount, by: action, job: job.id },
  });
  return job;
}

const kindOfAction: Readonly<Partial<Record<Settlement, Kind>>> = {
  bill_difference: 'difference',
  void: 'void',
  sync_payment: 'payment',
};

const kindOf = {
  invoice: 'invoice',
  purchase_order: 'purchase_order',
  expense_report: 'expense_report',
  payment: 'payment',
} as const satisfies Record<CloseKind, Kind>;
