import { feedSince, isFeedDue, isStillTold, lostPaymentSeconds } from '#core/books-feed.ts';
import { paidRecords } from '#core/documents/books-change.ts';
import type { NotedChange, Posting } from '#core/ports/store.ts';
import { addSeconds, secondsBetween } from '#core/values/dates.ts';
import type { Searcher } from './run.ts';

/** Changes that are looked at together; more wait for the next turn. */
export const noticesAtOnce = 5_000;

/**
 * Finds out which invoices of ours the books have changed, and marks them as not settled: from what the books have told,
 * and from their feed when it is due. Costs nothing when neither is there.
 *
 * @throws ServiceError when the books must be asked and do not answer; nothing is forgotten then.
 */
export async function followBooks(run: Searcher): Promise<void> {
  const { context, turn } = run;
  if (turn === null) return;
  if (isFeedDue(turn.feed, context.clock.now())) await readFeed(run);
  if (turn.hasNotices) await takeNotices(run);
}

/** Reads what the feed has shown since it was read last. */
async function readFeed(run: Searcher): Promise<void> {
  const { store, clock } = run.context;
  const state = await store.readFeedState();
  const now = clock.now();
  const { readAt, touchedInvoices, newestAt } = await run.accounting.readFeed(feedSince(state, now));
  // Their clock and ours may differ.
  const ahead = secondsBetween(now, readAt);
  const isTold = isStillTold(state.toldAt, newestAt === null ? null : addSeconds(newestAt, -ahead), now);
  if (state.toldAt !== null && !isTold)
    run.context.logger.warn({}, 'the books changed without telling: their feed is read more often');
  await store.saveFeedReading({
    readAt,
    askedAt: now,
    isStillTold: isTold,
    duePayments: await linkedTo(run, touchedInvoices),
  });
}

/** Follows what the books have told of invoices and payments: by their ids, so that nothing else has to be read. */
async function takeNotices(run: Searcher): Promise<void> {
  const { store, clock } = run.context;
  const noted = await store.listChanges(paidRecords, noticesAtOnce);
  const payments = noted.filter(({ record }) => record === 'payment');
  const applied = await run.accounting.listPaidInvoices(payments.map(({ id }) => id));
  const invoices = noted.flatMap(({ record, id }) => (record === 'invoice' ? [id] : (applied.get(id) ?? [])));
  // What a payment that is gone, or voided, was applied to is known to the feed alone, and to it perhaps not at once.
  const lost = payments.filter(({ id }) => (applied.get(id) ?? []).length === 0);
  const visibleFrom = ({ notedAt }: NotedChange) => addSeconds(notedAt, lostPaymentSeconds);
  const waiting = lost.filter((one) => visibleFrom(one) > clock.now());
  if (lost.length > waiting.length) await readFeed(run);
  for (const [dueAt, some] of Map.groupBy(waiting, visibleFrom)) await store.postponeChanges(some, dueAt);
  await store.settleChanges(
    noted.filter((one) => !waiting.includes(one)),
    await linkedTo(run, invoices),
  );
}

/** PSA ids of the invoices of ours that stand in the books under these ids. */
async function linkedTo(run: Searcher, invoiceIds: readonly string[]): Promise<readonly number[]> {
  if (invoiceIds.length === 0) return [];
  const postings = await run.context.store.findPostings('invoice', [...new Set(invoiceIds)]);
  return [...new Set(postings.filter((posting) => isLinked(posting)).map(({ psaId }) => psaId))];
}

/** The invoice stands in the books because of us. */
export const isLinked = ({ status, targetType }: Posting): boolean =>
  targetType === 'Invoice' && (status === 'synced' || status === 'unconfirmed');
