import { isCdcDue, lostPaymentSeconds, paidRecords } from '#core/documents/accounting-change.ts';
import type { InboxEntry } from '#core/records/notifications.ts';
import { addSeconds } from '#core/values/dates.ts';
import { linkedTo, readCdc } from '../connections/cached-lists.ts';
import type { Searcher } from './kinds/kind.ts';

/** Maximum changes handled together; the next run handles the others. */
export const notifiedChangesAtOnce = 5_000;

/**
 * Finds our invoices that changed in QuickBooks and marks them as not settled, from notifications and from the change feed
 * if it is due. Costs nothing without notifications and due feed.
 *
 * @returns false if the ledger lacks documents that QuickBooks has: the next session searches for them.
 * @throws ServiceError when QuickBooks must be read and does not respond; then no change is lost.
 */
export async function syncCdc(run: Searcher): Promise<boolean> {
  const { context, session } = run;
  if (session === null) return true;
  const isComplete = !isCdcDue(session.cdc, context.clock.now()) || (await readCdc(context, run.accounting));
  return (!session.hasNotifications || (await applyNotifications(run))) && isComplete;
}

/** Handles notifications about invoices and payments. Reads only the records that they name. */
async function applyNotifications(run: Searcher): Promise<boolean> {
  const { context } = run;
  const { store, clock } = context;
  const noted = await store.listInbox(paidRecords, notifiedChangesAtOnce);
  const payments = noted.filter(({ record }) => record === 'payment');
  const applied = await run.accounting.listPaidInvoices(payments.map(({ id }) => id));
  const invoices = noted.flatMap(({ record, id }) => (record === 'invoice' ? [id] : [id, ...(applied.get(id) ?? [])]));
  // For a deleted or voided payment, only the change feed shows what it was applied to, possibly with a delay.
  const lost = payments.filter(({ id }) => (applied.get(id) ?? []).length === 0);
  const visibleFrom = ({ receivedAt }: InboxEntry) => addSeconds(receivedAt, lostPaymentSeconds);
  const waiting = lost.filter((one) => visibleFrom(one) > clock.now());
  const isComplete = lost.length === waiting.length || (await readCdc(context, run.accounting));
  for (const [dueAt, some] of Map.groupBy(waiting, visibleFrom)) await store.postponeInbox(some, dueAt);
  await store.settleInbox(
    noted.filter((one) => !waiting.includes(one)),
    await linkedTo(context, invoices),
  );
  return isComplete;
}
