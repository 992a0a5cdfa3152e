import { cdcSince, cdcOverlapSeconds, hasCdcGap, isCdcDue, areWebhooksComplete, type CdcState } from '#core/cdc.ts';
import { listRecords, salesListRecords, type UnreadableRecord } from '#core/documents/books-change.ts';
import { withChanges, type KeptLists, type ListChanges } from '#core/documents/list-changes.ts';
import type { BooksReferenceData } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { Posting } from '#core/ports/postings.ts';
import { isReadBlock } from '#core/service-error.ts';
import { addSeconds, secondsBetween, type Instant } from '#core/values/dates.ts';
import type { Json } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';
import { soon } from '../patience.ts';

/**
 * Key under which the lists are kept; the number rises when their shape changes, so that an older program's are not
 * misread.
 */
const key = 'books.lists.v6';

/** The books' own JSON of the same lists is out of date whenever they are read anew, so that screens never see two ages. */
const rawPrefix = 'books.raw-';

/** More records than this that were told of are not asked for one by one: the lists are read whole. */
const mostNamed = 1_000;
/** Maximum age of tax codes and the company itself, whose changes the books do not tell, while nobody waits for them. */
const unwatchedMaxAgeSeconds = 86_400;
/** Seconds after which an unreadable record is named again. */
const noteAgainSeconds = 86_400;
/** A cycle that finds something begins its job with the preferences that it was judged by, seconds ago. */
const preferencesMaxAgeSeconds = 5;

/** The lists of the books as they are kept. */
interface Kept extends KeptLists {
  /** Moment up to which they are known to be complete. */
  readonly asOf: Instant;
  /** Last reading of the feed, or of the whole lists, by our clock. */
  readonly cdcPolledAt: Instant;
  /** Last question for records of every list by the time of their change. */
  readonly askedAt: Instant;
  /** The same for the lists that sales documents refer to. */
  readonly salesAskedAt: Instant;
  /** Last reading of all that the books do not tell of. */
  readonly unwatchedAt: Instant;
  /** Last reading of the preferences. */
  readonly preferencesAt: Instant;
}

/** Agreement that the lists must have with the books. */
export type ListFreshness =
  /** Lists as the books have told of changes, and as their feed shows, which may be a day old. */
  | 'if_changed'
  /** Lists with everything that was changed before: a person has just mended something. */
  | 'as_they_are'
  /** The same, unless that was made sure within so many seconds. */
  | { readonly maxAgeSeconds: number }
  /**
   * Lists for screens: as kept, without a call, while nothing was told of and the lists were made sure within so many
   * seconds; the preferences are then as old as the lists.
   */
  | { readonly keptForSeconds: number };

/**
 * Every list of the books that documents refer to, kept and brought up to date by what has changed. The preferences in
 * it are read anew, or were moments ago: numbering and the closing date decide about every document.
 *
 * @param needed the lists that must be as fresh as that; the others are as the books have told of their changes.
 * While Intuit blocks the reads of the application, they are as they were stored.
 *
 * A user's request waits for QuickBooks only for a moment, then gets the lists as they are stored.
 *
 * @throws ServiceError when the books must be asked and do not answer.
 */
export const loadCachedLists = (
  context: TenantContext,
  freshness: ListFreshness,
  needed: 'all' | 'sales' = 'all',
): Promise<BooksReferenceData> =>
  soon(
    context,
    { name: `lists ${needed} ${JSON.stringify(freshness)}`, service: 'accounting' },
    async () => {
      try {
        return await readCachedLists(context, freshness, needed);
      } catch (error) {
        const kept = isReadBlock(error) ? await readKeptLists(context) : null;
        if (kept === null) throw error;
        return kept;
      }
    },
    () => readKeptLists(context),
  );

async function readCachedLists(
  context: TenantContext,
  freshness: ListFreshness,
  needed: 'all' | 'sales',
): Promise<BooksReferenceData> {
  const { store, clock } = context;
  const accounting = await context.accounting();
  const now = clock.now();
  const kept = await readKept(context);
  if (kept === null || hasCdcGap(kept.asOf, now)) return readWhole(context, accounting);
  if (freshness === 'if_changed') {
    const { lastWebhookAt } = await store.readCdcState();
    if (isCdcDue({ lastWebhookAt, polledAt: kept.cdcPolledAt }, now)) await readCdc(context, accounting);
  }
  const noted = await store.listInbox(listRecords, mostNamed + 1);
  if (noted.length > mostNamed) return readWhole(context, accounting);
  const age = secondsBetween(needed === 'all' ? kept.askedAt : kept.salesAskedAt, now);
  if (isKeptEnough(freshness, age) && noted.length === 0) return kept.lists;
  const arePreferencesNew = secondsBetween(kept.preferencesAt, now) < preferencesMaxAgeSeconds;
  if (freshness === 'if_changed' && noted.length === 0 && arePreferencesNew) return kept.lists;
  const isDirect = freshness !== 'if_changed' && age >= maxAgeOf(freshness);
  const isOld = secondsBetween(kept.unwatchedAt, now) >= unwatchedMaxAgeSeconds;
  const isUnwatchedDue = isDirect || isOld;
  const [preferences, changes, taxCodes, company] = await inParallel([
    accounting.readPreferences(),
    isDirect
      ? accounting.readListsSince(
          addSeconds(kept.asOf, -cdcOverlapSeconds),
          needed === 'all' ? listRecords : salesListRecords,
        )
      : noted.length === 0
        ? noChanges
        : accounting.readListRecords(noted),
    isUnwatchedDue ? accounting.readTaxCodes() : kept.lists.taxCodes,
    // No document waits for the company's own name and country.
    isOld || freshness === 'as_they_are' ? accounting.readCompany() : kept.lists.company,
  ]);
  const unwatched = { taxCodes, company };
  // No message and no feed of ours tells of locations.
  const areLocationsDue = isUnwatchedDue || kept.lists.preferences.tracksLocations !== true;
  const locations =
    preferences.tracksLocations === true && areLocationsDue ? { locations: await accounting.readLocations() } : {};
  // A record that is gone is not found by the time of its change, so those that were told of are asked for by id.
  const gone = isDirect && noted.length > 0 ? await accounting.readListRecords(noted) : noChanges;
  const newest = await changeKept(context, (before) => ({
    ...before,
    ...withChanges(withUnwatched(withChanges(before, changes), { ...unwatched, ...locations, preferences }), gone),
    preferencesAt: now,
    ...(isDirect && needed === 'all' && { askedAt: now }),
    ...(isDirect && { salesAskedAt: now }),
    ...(isOld && { unwatchedAt: now }),
  }));
  if (noted.length > 0) await store.settleInbox(noted);
  await store.expireCached(rawPrefix);
  // Somebody has disconnected the books meanwhile.
  return newest === null ? readWhole(context, accounting) : newest.lists;
}

const isKeptEnough = (freshness: ListFreshness, age: number): boolean =>
  typeof freshness === 'object' && 'keptForSeconds' in freshness && age < freshness.keptForSeconds;

function maxAgeOf(freshness: ListFreshness): number {
  if (typeof freshness === 'string') return 0;
  return 'keptForSeconds' in freshness ? freshness.keptForSeconds : freshness.maxAgeSeconds;
}

/**
 * The lists for screens as they are kept, without a call: the same that {@link loadCachedLists} answers for this age; null
 * where the books have to be asked.
 */
export async function keptListsOf(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  freshness: { readonly keptForSeconds: number },
): Promise<BooksReferenceData | null> {
  const [kept, noted] = await inParallel([readKept({ store }), store.listInbox(listRecords, 1)]);
  if (kept === null || noted.length > 0) return null;
  const now = clock.now();
  return !hasCdcGap(kept.asOf, now) && isKeptEnough(freshness, secondsBetween(kept.askedAt, now)) ? kept.lists : null;
}

/**
 * The lists as they were last kept, without a call; null when there are none. For answers that must be given although
 * the books cannot be asked.
 */
export const readKeptLists = async (context: TenantContext): Promise<BooksReferenceData | null> =>
  (await readKept(context))?.lists ?? null;

const noChanges: ListChanges = { found: [], gone: [] };

const withUnwatched = (kept: KeptLists, unwatched: Partial<BooksReferenceData>): KeptLists => ({
  ...kept,
  lists: { ...kept.lists, ...unwatched },
});

/**
 * Reads the feed of changes: brings kept lists up to date, and marks invoices of ours that the books have touched as not
 * settled.
 *
 * @throws ServiceError when the books do not answer.
 */
export async function readCdc(context: TenantContext, accounting: Accounting): Promise<void> {
  const { store, clock, logger } = context;
  const [state, kept] = await inParallel([store.readCdcState(), readKept(context)]);
  const now = clock.now();
  const listsSince = kept === null || hasCdcGap(kept.asOf, now) ? null : addSeconds(kept.asOf, -cdcOverlapSeconds);
  const invoicesSince = cdcSince(state, now);
  const since = listsSince !== null && listsSince < invoicesSince ? listsSince : invoicesSince;
  const { cursor, touchedInvoices, lists, newestAt, unreadable } = await accounting.readCdc(since);
  await noteUnreadable(context, unreadable);
  if (lists === null) await store.dropCached(key);
  else if (listsSince !== null)
    await changeKept(context, (before) => ({
      ...before,
      ...withChanges(before, lists),
      asOf: cursor,
      cdcPolledAt: now,
    }));
  // Their clock and ours may differ.
  const ahead = secondsBetween(now, cursor);
  const isWebhook = areWebhooksComplete(
    state.lastWebhookAt,
    newestAt === null ? null : addSeconds(newestAt, -ahead),
    now,
  );
  if (state.lastWebhookAt !== null && !isWebhook)
    logger.warn({}, 'the books changed without telling: their feed is read more often');
  const duePayments = await linkedTo(context, [...touchedInvoices, ...(await listBeyondFeed(accounting, state, now))]);
  await store.saveCdcReading({ cursor, polledAt: now, areWebhooksComplete: isWebhook, duePayments });
}

/** Invoices that changed since the last reading of the feed, where that is longer ago than the feed reaches. */
async function listBeyondFeed(
  accounting: Accounting,
  { cursor }: Pick<CdcState, 'cursor'>,
  now: Instant,
): Promise<readonly string[]> {
  if (cursor === null || !hasCdcGap(cursor, now)) return [];
  return (await accounting.listChangedDocuments(cursor, ['Invoice', 'CreditMemo'])).map(({ id }) => id);
}

/** Names records that QuickBooks cannot answer in the audit trail, once a day each. */
async function noteUnreadable({ store, clock }: TenantContext, records: readonly UnreadableRecord[]): Promise<void> {
  const action = 'record.unreadable';
  for (const { type, id, number } of records) {
    const subject = `${type} ${number ?? ''}${id === null ? '' : ` (id ${id})`}`.replace('  ', ' ').trim();
    const { events } = await store.listAudit({ actions: [action], subject, page: 1, pageSize: 1 });
    const last = events[0]?.at;
    if (last !== undefined && secondsBetween(last, clock.now()) < noteAgainSeconds) continue;
    await store.addAudit({
      at: clock.now(),
      actor: { username: 'system' },
      action,
      subject,
      before: null,
      after: null,
    });
  }
}

/** PSA ids of our invoices that have these ids in the books, or a difference document with one of them. */
export async function linkedTo({ store }: TenantContext, invoiceIds: readonly string[]): Promise<readonly number[]> {
  if (invoiceIds.length === 0) return [];
  const ids = [...new Set(invoiceIds)];
  const found = await inParallel([store.findPostings('invoice', ids), store.findPostings('difference', ids)]);
  const postings = found.flat();
  return [...new Set(postings.filter((posting) => isLinked(posting)).map(({ psaId }) => psaId))];
}

/** The invoice or credit memo stands in the books because of us. */
export const isLinked = ({ status, targetType }: Posting): boolean =>
  (targetType === 'Invoice' || targetType === 'CreditMemo') && (status === 'synced' || status === 'unconfirmed');

async function readWhole(context: TenantContext, accounting: Accounting): Promise<BooksReferenceData> {
  const { store, clock } = context;
  const noted = await store.listInbox(listRecords, Number.MAX_SAFE_INTEGER);
  const now = clock.now();
  const lists = await accounting.readReferenceData();
  const kept: Kept = {
    lists,
    changedAt: {},
    asOf: now,
    cdcPolledAt: now,
    askedAt: now,
    salesAskedAt: now,
    unwatchedAt: now,
    preferencesAt: now,
  };
  await store.writeCached(key, kept as unknown as Json, now);
  await store.settleInbox(noted);
  await store.expireCached(rawPrefix);
  return lists;
}

// Only this file writes the key, so what is kept has this type.
const toKept = (value: Json): Kept => value as unknown as Kept;

async function readKept({ store }: Pick<TenantContext, 'store'>): Promise<Kept | null> {
  const found = await store.readCached(key);
  return found === null ? null : toKept(found.value);
}

/** Changes what is kept in one step, so that of two who do so at once neither takes back what the other has learned. */
async function changeKept({ store }: TenantContext, change: (kept: Kept) => Kept): Promise<Kept | null> {
  const changed = await store.changeCached(key, (value) => change(toKept(value)) as unknown as Json);
  return changed === null ? null : toKept(changed);
}
