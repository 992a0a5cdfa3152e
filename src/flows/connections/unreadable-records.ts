import type { UnreadableRecord } from '#core/documents/accounting-change.ts';
import { addSeconds, secondsBetween, type Instant } from '#core/values/dates.ts';
import type { Json } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';

/** Deleted with the other cached values of QuickBooks when it is disconnected. */
const key = 'accounting.unreadable.v1';

/** A record that QuickBooks has and could not return. */
export interface NotedUnreadable extends UnreadableRecord {
  readonly seenAt: Instant;
}

/** Seconds after which an unreadable record is logged again. */
const noteAgainSeconds = 86_400;
/** Seconds for which a record is listed after it was last seen. */
const listedSeconds = 30 * 86_400;

type Identified = Pick<UnreadableRecord, 'type' | 'id'>;
const same = (one: Identified, other: Identified): boolean => one.type === other.type && one.id === other.id;

/**
 * Lists records that QuickBooks cannot return under Needs attention until they can be read, and logs each in the audit
 * trail, at most once a day.
 */
export async function noteUnreadable(
  context: Pick<TenantContext, 'store' | 'clock'>,
  records: readonly UnreadableRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const { store, clock } = context;
  const now = clock.now();
  const known = await listUnreadable(context);
  const isRecent = (record: UnreadableRecord) => {
    const seen = known.find((one) => same(one, record));
    return seen !== undefined && secondsBetween(seen.seenAt, now) < noteAgainSeconds;
  };
  const added = [...new Map(records.map((record) => [`${record.type} ${record.id ?? ''}`, record])).values()].filter(
    (one) => !isRecent(one),
  );
  if (added.length === 0) return;
  const noted = added.map(({ type, id, number }): NotedUnreadable => ({ type, id, number, seenAt: now }));
  const others = known.filter((one) => !added.some((record) => same(one, record)));
  await store.writeCached(key, [...others, ...noted] as unknown as Json, now);
  for (const { type, id, number } of added) {
    const subject = `${type} ${number ?? ''}${id === null ? '' : ` (id ${id})`}`.replace('  ', ' ').trim();
    await store.addAudit({
      at: now,
      actor: { username: 'system' },
      action: 'record.unreadable',
      subject,
      before: null,
      after: null,
    });
  }
}

/** Removes records that QuickBooks returned again. */
export async function noteReadable(
  context: Pick<TenantContext, 'store' | 'clock'>,
  records: readonly Identified[],
): Promise<void> {
  if (records.length === 0) return;
  const known = await listUnreadable(context);
  const left = known.filter((one) => one.id === null || !records.some((record) => same(one, record)));
  if (left.length < known.length) await context.store.writeCached(key, left as unknown as Json, context.clock.now());
}

/** Lists the records that QuickBooks cannot return, without a call. */
export async function listUnreadable({
  store,
  clock,
}: Pick<TenantContext, 'store' | 'clock'>): Promise<readonly NotedUnreadable[]> {
  const cached = await store.readCached(key);
  // Only this file writes the key, so the cached value has this type.
  const known = (cached?.value ?? []) as unknown as readonly NotedUnreadable[];
  const from = addSeconds(clock.now(), -listedSeconds);
  return known.filter(({ seenAt }) => seenAt >= from);
}
