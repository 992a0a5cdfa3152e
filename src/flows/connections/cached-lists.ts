import {
  type AccountingChange,
  areNotificationsComplete,
  type CachedLists,
  cdcOverlapSeconds,
  cdcSince,
  type CdcState,
  hasCdcGap,
  isCdcDue,
  type ListChanges,
  type ListRow,
  listRecords,
  salesListRecords,
  type UnreadableRecord,
  withChanges,
} from '#core/documents/accounting-change.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { Posting } from '#core/records/postings.ts';
import { isReadBlock } from '#core/service-error.ts';
import { addSeconds, secondsBetween, type Instant } from '#core/values/dates.ts';
import type { Json } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';
import { readInTime } from '../patience.ts';
import { lacksDocuments } from './lost-documents.ts';
import { withOwnPurchases } from './own-purchases.ts';
import { listUnreadable, noteReadable, noteUnreadable } from './unreadable-records.ts';

/**
 * Key of the cached lists. Its number increases when their format changes, so that the value of another program version
 * is not misread.
 */
const key = 'accounting.lists.v6';

/**
 * Cached raw JSON of the same lists expires whenever the lists are refreshed, so that screens never mix old and new
 * data.
 */
const rawPrefix = 'accounting.raw-';

/** Above this number of changed records, all lists are read instead of single records. */
const maxChanged = 1_000;
/** Maximum age of tax codes and company data, whose changes QuickBooks does not report, in background syncs. */
const unwatchedMaxAgeSeconds = 86_400;
/**
 * Maximum age of preferences. A cycle that finds documents starts their job with the preferences it read seconds ago.
 */
const preferencesMaxAgeSeconds = 5;

/** QuickBooks' lists as cached. */
interface CachedValue extends CachedLists {
  /** Time up to which all changes are included. */
  readonly asOf: Instant;
  /** Time of our clock at which the change feed, or all lists, were last read. */
  readonly cdcPolledAt: Instant;
  /** Time at which all lists were last queried by change time. */
  readonly askedAt: Instant;
  /** The same for the lists that sales documents refer to. */
  readonly salesAskedAt: Instant;
  /** Time at which the data whose changes QuickBooks does not report was last read. */
  readonly unwatchedAt: Instant;
  /** Time at which the preferences were last read. */
  readonly preferencesAt: Instant;
}

/** How fresh the lists must be. */
export type ListFreshness =
  /** Includes changes reported by notifications and by the change feed, which may be a day late. */
  | 'if_changed'
  /** Includes every change until now, because a user has just fixed a record. */
  | 'as_they_are'
  /** The same, unless all changes were read within this many seconds. */
  | { readonly maxAgeSeconds: number }
  /**
   * For screens: cached lists without a call, if no changes are pending and all changes were read within this many
   * seconds. The preferences are then as old as the lists.
   */
  | { readonly cachedForSeconds: number };

/**
 * Returns all QuickBooks lists that documents refer to, from the cache, updated with recent changes. Preferences are
 * read again unless they are seconds old, because numbering and closing date affect every document.
 *
 * A user's request waits for QuickBooks only for a moment, then gets the cached lists. While Intuit blocks the
 * application's reads, the cached lists are returned.
 *
 * @param needed the lists that need this freshness; the others include the changes reported by QuickBooks.
 * @throws ServiceError when QuickBooks must be read and does not respond.
 */
export const loadCachedLists = (
  context: TenantContext,
  freshness: ListFreshness,
  needed: 'all' | 'sales' = 'all',
): Promise<AccountingLists> =>
  readInTime(
    context,
    { name: `lists ${needed} ${JSON.stringify(freshness)}`, service: 'accounting' },
    async () => {
      try {
        return await updateCachedLists(context, freshness, needed);
      } catch (error) {
        const cached = isReadBlock(error) ? await readCachedLists(context) : null;
        if (cached === null) throw error;
        return cached;
      }
    },
    () => readCachedLists(context),
  );

async function updateCachedLists(
  context: TenantContext,
  freshness: ListFreshness,
  needed: 'all' | 'sales',
): Promise<AccountingLists> {
  const { store, clock } = context;
  const accounting = await context.accounting();
  const now = clock.now();
  const cached = await readCachedValue(context);
  if (cached === null || hasCdcGap(cached.asOf, now)) return readWhole(context, accounting);
  if (freshness === 'if_changed') {
    const { lastNotificationAt } = await store.readCdcState();
    if (isCdcDue({ lastNotificationAt, polledAt: cached.cdcPolledAt }, now)) await readCdc(context, accounting);
  }
  const noted = await store.listInbox(listRecords, maxChanged + 1);
  if (noted.length > maxChanged) return readWhole(context, accounting);
  const age = secondsBetween(needed === 'all' ? cached.askedAt : cached.salesAskedAt, now);
  if (isNewEnough(freshness, age) && noted.length === 0) return cached.lists;
  const arePreferencesNew = secondsBetween(cached.preferencesAt, now) < preferencesMaxAgeSeconds;
  if (freshness === 'if_changed' && noted.length === 0 && arePreferencesNew) return cached.lists;
  const isDirect = freshness !== 'if_changed' && age >= maxAgeOf(freshness);
  const isOld = secondsBetween(cached.unwatchedAt, now) >= unwatchedMaxAgeSeconds;
  const isUnwatchedDue = isDirect || isOld;
  const [preferences, changes, taxCodes, company] = await inParallel([
    accounting.readPreferences(),
    isDirect
      ? accounting.readListsSince(
          addSeconds(cached.asOf, -cdcOverlapSeconds),
          needed === 'all' ? listRecords : salesListRecords,
        )
      : noted.length === 0
        ? noChanges
        : accounting.readListRecords(noted),
    isUnwatchedDue ? accounting.readTaxCodes() : cached.lists.taxCodes,
    // Documents do not depend on the company's own name and country.
    isOld || freshness === 'as_they_are' ? accounting.readCompany() : cached.lists.company,
  ]);
  const unwatched = { taxCodes, company };
  // Neither notifications nor the change feed report changes of locations.
  const areLocationsDue = isUnwatchedDue || cached.lists.preferences.tracksLocations !== true;
  const locations =
    preferences.tracksLocations === true && areLocationsDue ? { locations: await accounting.readLocations() } : {};
  // Deleted records are not found by change time, so reported records are also read by id.
  const gone = isDirect && noted.length > 0 ? await accounting.readListRecords(noted) : noChanges;
  const newest = await changeCachedValue(context, (before) => ({
    ...before,
    ...withChanges(withUnwatched(withChanges(before, changes), { ...unwatched, ...locations, preferences }), gone),
    preferencesAt: now,
    ...(isDirect && needed === 'all' && { askedAt: now }),
    ...(isDirect && { salesAskedAt: now }),
    ...(isOld && { unwatchedAt: now }),
  }));
  const unreadable = [...(changes.unreadable ?? []), ...(gone.unreadable ?? [])];
  await noteReadable(context, readableOf([], [], { ...changes, found: [...changes.found, ...gone.found] }, unreadable));
  await noteUnreadable(context, unreadable);
  if (noted.length > 0) await store.settleInbox(noted);
  await store.expireCached(rawPrefix);
  // QuickBooks was disconnected meanwhile.
  return newest === null ? readWhole(context, accounting) : newest.lists;
}

const isNewEnough = (freshness: ListFreshness, age: number): boolean =>
  typeof freshness === 'object' && 'cachedForSeconds' in freshness && age < freshness.cachedForSeconds;

function maxAgeOf(freshness: ListFreshness): number {
  if (typeof freshness === 'string') return 0;
  return 'cachedForSeconds' in freshness ? freshness.cachedForSeconds : freshness.maxAgeSeconds;
}

/**
 * Returns the cached lists for screens without a call, as {@link loadCachedLists} would for this age; null if
 * QuickBooks must be read.
 */
export async function cachedListsIfNew(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  freshness: { readonly cachedForSeconds: number },
): Promise<AccountingLists | null> {
  const [cached, noted] = await inParallel([readCachedValue({ store }), store.listInbox(listRecords, 1)]);
  if (cached === null || noted.length > 0) return null;
  const now = clock.now();
  return !hasCdcGap(cached.asOf, now) && isNewEnough(freshness, secondsBetween(cached.askedAt, now))
    ? cached.lists
    : null;
}

/**
 * Returns the cached lists of any age without a call; null if there are none. For responses that must not depend on
 * QuickBooks.
 */
export const readCachedLists = async (context: TenantContext): Promise<AccountingLists | null> =>
  (await readCachedValue(context))?.lists ?? null;

const noChanges: ListChanges = { found: [], gone: [] };

const withUnwatched = (cached: CachedLists, unwatched: Partial<AccountingLists>): CachedLists => ({
  ...cached,
  lists: { ...cached.lists, ...unwatched },
});

/**
 * Reads the change feed: updates the cached lists, marks our invoices that changed in QuickBooks as not settled, and
 * notices documents that the ledger lacks.
 *
 * @returns whether the ledger has all documents that the feed shows.
 * @throws ServiceError when QuickBooks does not respond.
 */
export async function readCdc(context: TenantContext, accounting: Accounting): Promise<boolean> {
  const { store, clock, logger } = context;
  const [state, cached] = await inParallel([store.readCdcState(), readCachedValue(context)]);
  const now = clock.now();
  const listsSince =
    cached === null || hasCdcGap(cached.asOf, now) ? null : addSeconds(cached.asOf, -cdcOverlapSeconds);
  const invoicesSince = cdcSince(state, now);
  const since = listsSince !== null && listsSince < invoicesSince ? listsSince : invoicesSince;
  const { cursor, touchedInvoices, touchedPurchases, lists, newestAt, unreadable, noted } =
    await accounting.readCdc(since);
  await noteReadable(context, readableOf(touchedInvoices, touchedPurchases, lists, unreadable));
  await noteUnreadable(context, unreadable);
  if (lists === null) await store.dropCached(key);
  else if (listsSince !== null)
    await changeCachedValue(context, (before) => ({
      ...before,
      ...withChanges(before, lists),
      asOf: cursor,
      cdcPolledAt: now,
    }));
  // QuickBooks' clock and ours may differ.
  const ahead = secondsBetween(now, cursor);
  const isNotification = areNotificationsComplete(
    state.lastNotificationAt,
    newestAt === null ? null : addSeconds(newestAt, -ahead),
    now,
  );
  if (state.lastNotificationAt !== null && !isNotification)
    logger.warn({}, 'QuickBooks changed without a webhook: its change feed is read more often');
  const beyond = await listBeyondFeed(context, accounting, state, now);
  const duePayments = await linkedTo(context, [...touchedInvoices, ...beyond.invoices]);
  const changed = await withOwnPurchases(store, [...touchedPurchases, ...beyond.purchases]);
  if (changed.length > 0) await store.addToInbox(changed, { isNotification: false });
  const isLedgerIncomplete = await lacksDocuments(context, noted);
  const reading = { cursor, polledAt: now, areNotificationsComplete: isNotification, duePayments, isLedgerIncomplete };
  await store.saveCdcReading(reading);
  return !isLedgerIncomplete;
}

/** Returns the changed records that QuickBooks could return. */
function readableOf(
  invoices: readonly string[],
  purchases: readonly AccountingChange[],
  lists: ListChanges | null,
  unreadable: readonly UnreadableRecord[],
): readonly Pick<UnreadableRecord, 'type' | 'id'>[] {
  const typeOf = {
    customer: 'Customer',
    vendor: 'Vendor',
    item: 'Item',
    account: 'Account',
    class: 'Class',
    term: 'Term',
  } as const;
  const changed = [
    ...invoices.flatMap((id) => ['Invoice', 'CreditMemo'].map((type) => ({ type, id }))),
    ...purchases.map(({ record, id }) => ({ type: record === 'bill' ? 'Bill' : 'PurchaseOrder', id })),
    ...(lists?.found ?? []).map(({ list, row: { id } }) => ({ type: typeOf[list], id })),
  ];
  return changed.filter(({ id }) => !unreadable.some((one) => one.id === id));
}

/** Returns documents that changed since the change feed was last read, if that is longer ago than the feed covers. */
async function listBeyondFeed(
  context: TenantContext,
  accounting: Accounting,
  { cursor }: Pick<CdcState, 'cursor'>,
  now: Instant,
): Promise<{ readonly invoices: readonly string[]; readonly purchases: readonly AccountingChange[] }> {
  if (cursor === null || !hasCdcGap(cursor, now)) return { invoices: [], purchases: [] };
  const unreadable: UnreadableRecord[] = [];
  const types = ['Invoice', 'CreditMemo', 'Bill', 'PurchaseOrder'] as const;
  const changed = await accounting.listChangedDocuments(cursor, types, (record) => unreadable.push(record));
  await noteUnreadable(context, unreadable);
  return {
    invoices: changed.flatMap(({ type, id }) => (type === 'Invoice' || type === 'CreditMemo' ? [id] : [])),
    purchases: changed.flatMap(({ type, id }): AccountingChange[] =>
      type === 'Bill' ? [{ record: 'bill', id }] : type === 'PurchaseOrder' ? [{ record: 'purchase_order', id }] : [],
    ),
  };
}

/**
 * Reads list records by id and updates the cached lists.
 *
 * @throws ServiceError when QuickBooks does not respond.
 */
export async function readAgain(
  context: TenantContext,
  accounting: Accounting,
  named: readonly AccountingChange[],
): Promise<ListChanges> {
  const changes = await accounting.readListRecords(named);
  await noteUnreadable(context, changes.unreadable ?? []);
  if (changes.found.length > 0)
    await changeCachedValue(context, (before) => ({ ...before, ...withChanges(before, changes) }));
  return changes;
}

/** Returns the PSA ids of our invoices whose QuickBooks document, or difference document, has one of these ids. */
export async function linkedTo({ store }: TenantContext, invoiceIds: readonly string[]): Promise<readonly number[]> {
  if (invoiceIds.length === 0) return [];
  const ids = [...new Set(invoiceIds)];
  // Each document that was posted for an invoice is watched: its own, differences, reversals and payments.
  const kinds = ['invoice', 'difference', 'void', 'payment'] as const;
  const found = await inParallel(kinds.map((kind) => store.findPostings(kind, ids)));
  const postings = found.flat();
  return [...new Set(postings.filter((posting) => isInAccounting(posting)).map(({ psaId }) => psaId))];
}

/** Returns true for an invoice or credit memo that we posted to QuickBooks. */
export const isLinked = ({ status, targetType }: Posting): boolean =>
  (targetType === 'Invoice' || targetType === 'CreditMemo') && isInAccounting({ status });

const isInAccounting = ({ status }: Pick<Posting, 'status'>): boolean =>
  status === 'synced' || status === 'unconfirmed';

async function readWhole(context: TenantContext, accounting: Accounting): Promise<AccountingLists> {
  const { store, clock } = context;
  const noted = await store.listInbox(listRecords, Number.MAX_SAFE_INTEGER);
  const now = clock.now();
  const unreadable: UnreadableRecord[] = [];
  const lists = await accounting.readReferenceData((record) => unreadable.push(record));
  await noteReadable(context, await readableInLists(context, unreadable));
  await noteUnreadable(context, unreadable);
  const cached: CachedValue = {
    lists,
    changedAt: {},
    asOf: now,
    cdcPolledAt: now,
    askedAt: now,
    salesAskedAt: now,
    unwatchedAt: now,
    preferencesAt: now,
  };
  await store.writeCached(key, cached as unknown as Json, now);
  await store.settleInbox(noted);
  await store.expireCached(rawPrefix);
  return lists;
}

/** Returns the records of lists that were unreadable before, and are not among these. */
async function readableInLists(
  context: TenantContext,
  unreadable: readonly UnreadableRecord[],
): Promise<readonly UnreadableRecord[]> {
  const known = await listUnreadable(context);
  return known.filter(
    ({ type, id }) => listTypes.has(type) && !unreadable.some((one) => one.type === type && one.id === id),
  );
}

/** QuickBooks' types of the records in cached lists. */
const listTypes: ReadonlySet<string> = new Set(['Account', 'Class', 'Term', 'Customer', 'Vendor', 'Item']);

// Only this file writes the key, so the cached value has this type.
const toCachedValue = (value: Json): CachedValue => value as unknown as CachedValue;

async function readCachedValue({ store }: Pick<TenantContext, 'store'>): Promise<CachedValue | null> {
  const found = await store.readCached(key);
  return found === null ? null : toCachedValue(found.value);
}

/** Changes the cached value in one step, so that parallel changes do not overwrite each other. */
/**
 * Adds a record that we created to the cached lists while it cannot be read. Otherwise the next job would take it for
 * deleted. When QuickBooks can be read again, its own version replaces it.
 */
export async function cacheCreatedRecord(
  context: TenantContext,
  accounting: AccountingLists,
  { record, id }: { readonly record: 'customer' | 'vendor' | 'item'; readonly id: string },
): Promise<void> {
  const found: ListRow[] = [
    ...accounting.customers.map((row) => ({ list: 'customer', row, changedAt: null }) as const),
    ...accounting.vendors.map((row) => ({ list: 'vendor', row, changedAt: null }) as const),
    ...accounting.items.map((row) => ({ list: 'item', row, changedAt: null }) as const),
  ].filter(({ list, row }) => list === record && row.id === id);
  await changeCachedValue(context, (cached) => ({ ...cached, ...withChanges(cached, { found, gone: [] }) }));
}

async function changeCachedValue(
  { store }: TenantContext,
  change: (cached: CachedValue) => CachedValue,
): Promise<CachedValue | null> {
  const changed = await store.changeCached(key, (value) => change(toCachedValue(value)) as unknown as Json);
  return changed === null ? null : toCachedValue(changed);
}

/** Returns the home currency in the stored lists, without a call; null if none are stored. */
export const cachedHomeCurrency = async (context: Pick<TenantContext, 'store'>): Promise<string | null> =>
  (await readCachedValue(context))?.lists.preferences.homeCurrency ?? null;

/** Returns the moment up to which the stored lists are complete; null if none are stored. */
export const cachedListsAsOf = async (context: Pick<TenantContext, 'store'>): Promise<Instant | null> =>
  (await readCachedValue(context))?.asOf ?? null;
