import { addSeconds, type Instant, secondsBetween } from '../values/dates.ts';
import type { AccountingLists } from './reference-data.ts';

/** QuickBooks records whose changes matter: lists, records that determine whether an invoice is paid, and purchases. */
export const listRecords = ['account', 'class', 'term', 'customer', 'vendor', 'item'] as const;
/** Lists that sales documents refer to. */
export const salesListRecords = listRecords.filter((record) => record !== 'vendor');
export type ListRecord = (typeof listRecords)[number];

export const paidRecords = ['invoice', 'payment'] as const;
type PaidRecord = (typeof paidRecords)[number];

/** Documents of vendors that we post. */
const purchaseRecords = ['bill', 'purchase_order'] as const;
type PurchaseRecord = (typeof purchaseRecords)[number];

export type AccountingRecord = ListRecord | PaidRecord | PurchaseRecord;

export const isPaidRecord = (record: AccountingRecord): record is PaidRecord =>
  record === 'invoice' || record === 'payment';

export const isPurchaseRecord = (record: AccountingRecord): record is PurchaseRecord =>
  record === 'bill' || record === 'purchase_order';

/** A record that was created, changed or deleted; its current state must be read. */
export interface AccountingChange {
  readonly record: AccountingRecord;
  readonly id: string;
}

/** A record that QuickBooks has but cannot return, e.g. because of an invalid email address [Q75]. */
export interface UnreadableRecord {
  readonly type: string;
  /** Null when QuickBooks does not return the id either. */
  readonly id: string | null;
  readonly number: string | null;
}

/** Entities without an email address, which is the usual reason why QuickBooks cannot read a record. */
const withoutEmail: ReadonlySet<string> = new Set([
  'Account',
  'Class',
  'Department',
  'Item',
  'TaxAgency',
  'TaxCode',
  'TaxRate',
  'Term',
]);

/** Returns the sentences that name an unreadable record, e.g. `Invoice 1042 (id 9177)`, and its fix. */
export function sentenceOfUnreadable({ type, id, number }: UnreadableRecord): string {
  const words = type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  const name = number === null ? words : `${words} ${number}`;
  const record = id === null ? `one ${name}` : `${name} (id ${id})`;
  const fix = withoutEmail.has(type) ? 'retype its texts' : 'correct its email address';
  return `QuickBooks cannot read ${record}. Open it in QuickBooks, ${fix}, and save it.`;
}

/** The list that contains each type of record. */
const listOf = {
  account: 'accounts',
  class: 'classes',
  term: 'terms',
  customer: 'customers',
  vendor: 'vendors',
  item: 'items',
} as const satisfies Record<ListRecord, keyof AccountingLists>;

type ListName = (typeof listOf)[ListRecord];

/** A record as it was read, with the list that contains it. */
export type ListRow = {
  readonly [Name in ListRecord]: {
    readonly list: Name;
    readonly row: AccountingLists[(typeof listOf)[Name]][number];
    /** Time of the last change according to QuickBooks; null when it returns none. */
    readonly changedAt: Instant | null;
  };
}[ListRecord];

/** Changes of list records: current versions of changed records, and deleted records. */
export interface ListChanges {
  readonly found: readonly ListRow[];
  readonly gone: readonly { readonly list: ListRecord; readonly id: string; readonly changedAt: Instant | null }[];
  /** Records that the service could not return as a whole. Undefined if there are none. */
  readonly unreadable?: readonly UnreadableRecord[];
}

/** The cached lists, with the change times of records that were read individually. */
export interface CachedLists {
  readonly lists: AccountingLists;
  /**
   * Times of the last change, by {@link ListRecord} and id; records that were read with their whole list have no entry.
   */
  readonly changedAt: Readonly<Record<string, Instant>>;
}

/**
 * Applies changes to the lists. A change older than the cached record is ignored, because changes may arrive late,
 * twice and in any order.
 */
export function withChanges({ lists, changedAt }: CachedLists, changes: ListChanges): CachedLists {
  const times: Record<string, Instant> = { ...changedAt };
  const isNewer = (list: ListRecord, id: string, at: Instant | null): boolean => {
    const key = `${list} ${id}`;
    const known = times[key];
    if (known !== undefined && at !== null && at < known) return false;
    if (at !== null) times[key] = at;
    return true;
  };
  const rows = new Map<ListName, Map<string, { readonly id: string }>>();
  const rowsOf = (list: ListRecord) => {
    const name = listOf[list];
    const known = rows.get(name) ?? new Map(lists[name].map((row) => [row.id, row]));
    rows.set(name, known);
    return known;
  };
  for (const { list, row, changedAt: at } of changes.found)
    if (isNewer(list, row.id, at)) rowsOf(list).set(row.id, row);
  for (const { list, id, changedAt: at } of changes.gone) if (isNewer(list, id, at)) rowsOf(list).delete(id);
  const changed = Object.fromEntries([...rows].map(([name, byId]) => [name, [...byId.values()]]));
  return { lists: { ...lists, ...changed }, changedAt: times };
}

/** How a tenant learns of changes in QuickBooks: notifications and the change feed. */
export interface CdcState {
  /** Arrival of the newest signed notification; null: notifications are unreliable for this tenant. */
  readonly lastNotificationAt: Instant | null;
  /** Position in the change feed, on QuickBooks' clock; null: never read. */
  readonly cursor: Instant | null;
  /** Last read of the change feed, on our clock; null: never. */
  readonly polledAt: Instant | null;
}

/** Seconds between reads of the feed while notifications arrive: it only finds lost notifications (reliability reference 3.3). */
const pollWithNotificationsSeconds = 86_400;
/** Seconds between reads of the feed without webhooks: a paid date may be an hour late (decision 10). */
const pollWithoutNotificationsSeconds = 3_600;
/** The feed goes back 30 days (quickbooks reference 2.8); one day less, because clocks differ. */
export const maxLookBackSeconds = 29 * 86_400;
/** Seconds of the feed that each read repeats, because changes may appear late. Reading a change twice is harmless. */
export const cdcOverlapSeconds = 900;
/** A notification arrives within this time of its change or is lost. */
const messageSeconds = 900;

/** Whether the feed is due to be read. */
export function isCdcDue(
  { lastNotificationAt, polledAt }: Pick<CdcState, 'lastNotificationAt' | 'polledAt'>,
  now: Instant,
): boolean {
  return (
    polledAt === null ||
    secondsBetween(polledAt, now) >=
      (lastNotificationAt === null ? pollWithoutNotificationsSeconds : pollWithNotificationsSeconds)
  );
}

/** Start of the next read of the feed, limited to what the feed covers. */
export function cdcSince({ cursor }: Pick<CdcState, 'cursor'>, now: Instant): Instant {
  const earliest = addSeconds(now, -maxLookBackSeconds);
  const since = cursor === null ? earliest : addSeconds(cursor, -cdcOverlapSeconds);
  return since < earliest ? earliest : since;
}

/** Whether changes since `asOf` may be older than the feed covers. Lists must then be read completely. */
export const hasCdcGap = (asOf: Instant, now: Instant): boolean =>
  secondsBetween(asOf, now) + cdcOverlapSeconds >= maxLookBackSeconds;

/**
 * Whether notifications report every change: false when the feed showed a change without a notification.
 *
 * @param newestAt time of the newest change in the feed, on our clock; null: there was none
 */
export function areNotificationsComplete(
  lastNotificationAt: Instant | null,
  newestAt: Instant | null,
  now: Instant,
): boolean {
  if (lastNotificationAt === null || newestAt === null) return lastNotificationAt !== null;
  return newestAt <= addSeconds(lastNotificationAt, messageSeconds) || secondsBetween(newestAt, now) <= messageSeconds;
}

/** Seconds before a payment that was deleted or unapplied is searched in the feed, which may show it late. */
export const lostPaymentSeconds = 120;
