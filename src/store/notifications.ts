import { sql } from 'kysely';
import {
  type AccountingChange,
  type AccountingRecord,
  type CdcState,
  isPaidRecord,
  maxLookBackSeconds,
  paidRecords,
} from '#core/documents/accounting-change.ts';
import { wakeChannel } from '#core/ports/announcements.ts';
import type { InboxEntry } from '#core/records/notifications.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import { openLedgerGapByFeed, savePaymentState } from './sync-states.ts';
import type { TenantWork } from './scope.ts';

/** Inbox of changes from QuickBooks' notifications, and the position in the change feed. */
export const notifications = {
  /**
   * Records changed QuickBooks records, each once, and wakes a worker for those that may affect the paid state of an
   * invoice.
   *
   * @param how.isNotification whether the changes came from a notification; the time of the last notification is stored.
   */
  addToInbox: async (
    { tx, tenantId, clock }: TenantWork,
    changes: readonly AccountingChange[],
    { isNotification }: { readonly isNotification: boolean },
  ): Promise<void> => {
    await lockInbox(tx, tenantId);
    const now = clock.now();
    // Sorted, so that two messages that name the same records in another order do not deadlock.
    const rows = changes.toSorted((a, b) => (`${a.record} ${a.id}` < `${b.record} ${b.id}` ? -1 : 1));
    await sql`
      insert into notifications (tenant_id, record, target_id, received_at, due_at)
      select ${tenantId}::uuid, record, target_id, ${now}::timestamptz,
             case when record = any(${paidRecords}::text[]) then ${now}::timestamptz end
      from unnest(${rows.map(({ record }) => record)}::text[], ${rows.map(({ id }) => id)}::text[])
           as told (record, target_id)
      on conflict (tenant_id, record, target_id) do update set seq = default, due_at = excluded.due_at
    `.execute(tx);
    if (isNotification)
      await tx
        .insertInto('cdc_states')
        .values({ tenant_id: tenantId, last_notification_at: now, cursor: null, polled_at: null })
        .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ last_notification_at: now }))
        .execute();
    if (rows.some(({ record }) => isPaidRecord(record)))
      await sql`select pg_notify(${wakeChannel}, ${tenantId})`.execute(tx);
  },

  /** Lists recorded changes of these types that are due, in the order of arrival. */
  listInbox: (
    { tx, tenantId, clock }: TenantWork,
    records: readonly AccountingRecord[],
    limit: number,
  ): Promise<readonly InboxEntry[]> =>
    inboxOf(tx, tenantId)
      .select(['record', 'target_id as id', 'seq', 'received_at as receivedAt'])
      .where('record', 'in', records)
      .where((where) => where.or([where('due_at', 'is', null), where('due_at', '<=', clock.now())]))
      .orderBy('seq')
      .limit(limit)
      .execute(),

  /** Deletes processed changes and marks invoices whose paid state must be processed; newer changes remain. */
  settleInbox: async (
    { tx, tenantId }: TenantWork,
    noted: readonly InboxEntry[],
    duePayments: readonly number[] = [],
  ): Promise<void> => {
    await lockInbox(tx, tenantId);
    for (const psaId of duePayments) await savePaymentState(tx, tenantId, { psaId, isDue: true });
    await settle(tx, tenantId, noted);
  },

  postponeInbox: async ({ tx, tenantId }: TenantWork, noted: readonly InboxEntry[], dueAt: Instant): Promise<void> => {
    await lockInbox(tx, tenantId);
    for (const { record, id, seq } of noted)
      await tx
        .updateTable('notifications')
        .set({ due_at: dueAt })
        .where('tenant_id', '=', tenantId)
        .where('record', '=', record)
        .where('target_id', '=', id)
        .where('seq', '=', seq)
        .execute();
  },

  /**
   * Deletes recorded changes of invoices and payments; the next read of the change feed starts early enough to include
   * them.
   */
  deferToCdc: async ({ tx, tenantId }: TenantWork): Promise<void> => {
    await lockInbox(tx, tenantId);
    const noted = await inboxOf(tx, tenantId)
      .select(['record', 'target_id as id', 'seq', 'received_at as receivedAt'])
      .where('record', 'in', paidRecords)
      .orderBy('received_at')
      .execute();
    const [oldest] = noted;
    if (oldest === undefined) return;
    // Pending changes are read as soon as QuickBooks can be called again, not a day later.
    await tx
      .updateTable('cdc_states')
      .set({ cursor: sql`least(cursor, ${oldest.receivedAt}::timestamptz)`, polled_at: null })
      .where('tenant_id', '=', tenantId)
      .execute();
    await settle(tx, tenantId, noted);
  },

  readCdcState: async ({ tx, tenantId }: TenantWork): Promise<CdcState> => {
    const row = await tx
      .selectFrom('cdc_states')
      .select(['last_notification_at as lastNotificationAt', 'cursor', 'polled_at as polledAt'])
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst();
    return row ?? { lastNotificationAt: null, cursor: null, polledAt: null };
  },

  /** Saves the position in the feed together with its results. */
  saveCdcReading: async (
    { tx, tenantId }: TenantWork,
    {
      cursor,
      polledAt,
      areNotificationsComplete,
      duePayments,
      isLedgerIncomplete = false,
    }: {
      readonly cursor: Instant;
      readonly polledAt: Instant;
      readonly areNotificationsComplete: boolean;
      readonly duePayments: readonly number[];
      /** QuickBooks has documents that the ledger lacks, so they are searched for. */
      readonly isLedgerIncomplete?: boolean;
    },
  ): Promise<void> => {
    await lockInbox(tx, tenantId);
    for (const psaId of duePayments) await savePaymentState(tx, tenantId, { psaId, isDue: true });
    if (isLedgerIncomplete) await openLedgerGapByFeed(tx, tenantId);
    await keepBeforeGap(tx, tenantId, addSeconds(polledAt, -maxLookBackSeconds));
    await tx
      .insertInto('cdc_states')
      .values({ tenant_id: tenantId, cursor, polled_at: polledAt, last_notification_at: null })
      .onConflict((conflict) =>
        conflict.column('tenant_id').doUpdateSet({
          cursor,
          polled_at: polledAt,
          ...(areNotificationsComplete ? {} : { last_notification_at: null }),
        }),
      )
      .execute();
  },
};

const inboxOf = (tx: Tx, tenantId: string) => tx.selectFrom('notifications').where('tenant_id', '=', tenantId);

/** Lets the next cycle read the change feed from the end of the last reading: messages may have been missed. */
export async function makeFeedDue(tx: Tx, tenantId: string): Promise<void> {
  await tx.updateTable('cdc_states').set({ polled_at: null }).where('tenant_id', '=', tenantId).execute();
}

/**
 * Stores how far the feed was read before a clock gap (possibly a restored backup), until the lost documents were
 * searched for.
 *
 * @param earliest used if the feed was never read.
 */
const keepBeforeGap = (tx: Tx, tenantId: string, earliest: Instant): Promise<unknown> =>
  sql`
    insert into cdc_states as state (tenant_id, before_gap_cursor, before_gap_polled_at)
    select id, ${earliest}::timestamptz, ${earliest}::timestamptz
      from tenants
     where id = ${tenantId}::uuid and noted_gaps() <> ledger_gaps_settled
    on conflict (tenant_id) do update
       set before_gap_cursor = coalesce(state.before_gap_cursor, state.cursor, excluded.before_gap_cursor),
           before_gap_polled_at = coalesce(state.before_gap_polled_at, state.polled_at, excluded.before_gap_polled_at)
  `.execute(tx);

/**
 * Serializes all changes of a tenant's inbox: messages and readings touch the same rows in different orders, which
 * would cause deadlocks.
 */
export const lockInbox = (tx: Tx, tenantId: string): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`notifications ${tenantId}`}, 0))`.execute(tx);

/** Deletes the entries that were read; a record that changed again in the meantime stays. */
async function settle(tx: Tx, tenantId: string, noted: readonly InboxEntry[]): Promise<void> {
  await tx
    .deleteFrom('notifications')
    .where('tenant_id', '=', tenantId)
    .where('seq', '=', sql<number>`any(${noted.map(({ seq }) => seq)}::bigint[])`)
    .execute();
}
