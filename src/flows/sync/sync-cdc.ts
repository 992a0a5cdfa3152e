import { isCdcDue, lostPaymentSeconds } from '#core/cdc.ts';
import { paidRecords } from '#core/documents/books-change.ts';
import type { InboxEntry } from '#core/ports/webhook-inbox.ts';
import { addSeconds } from '#core/values/dates.ts';
import { linkedTo, readCdc } from '../connections/cached-lists.ts';
import type { Searcher } from './kinds/kind.ts';

/** Changes that are looked at together; more wait for the next turn. */
export const webhookChangesAtOnce = 5_000;

/**
 * Finds out which invoices of ours the books have changed, and marks them as not settled: from what the books have told,
 * and from their feed when it is due. Costs nothing when neither is there.
 *
 * @throws ServiceError when the books must be asked and do not answer; nothing is forgotten then.
 */
export async function syncCdc(run: Searcher): Promise<void> {
  const { context, session } = run;
  if (session === null) return;
  if (isCdcDue(session.cdc, context.clock.now())) await readCdc(context, run.accounting);
  if (session.hasWebhooks) await applyWebhooks(run);
}

/** Follows what the books have told of invoices and payments: by their ids, so that nothing else has to be read. */
async function applyWebhooks(run: Searcher): Promise<void> {
  const { context } = run;
  const { store, clock } = context;
  const noted = await store.listInbox(paidRecords, webhookChangesAtOnce);
  const payments = noted.filter(({ record }) => record === 'payment');
  const applied = await run.accounting.listPaidInvoices(payments.map(({ id }) => id));
  const invoices = noted.flatMap(({ record, id }) => (record === 'invoice' ? [id] : (applied.get(id) ?? [])));
  // The feed alone knows what a payment was applied to that is gone or voided, and perhaps not at once.
  const lost = payments.filter(({ id }) => (applied.get(id) ?? []).length === 0);
  const visibleFrom = ({ receivedAt }: InboxEntry) => addSeconds(receivedAt, lostPaymentSeconds);
  const waiting = lost.filter((one) => visibleFrom(one) > clock.now());
  if (lost.length > waiting.length) await readCdc(context, run.accounting);
  for (const [dueAt, some] of Map.groupBy(waiting, visibleFrom)) await store.postponeInbox(some, dueAt);
  await store.settleInbox(
    noted.filter((one) => !waiting.includes(one)),
    await linkedTo(context, invoices),
  );
}
