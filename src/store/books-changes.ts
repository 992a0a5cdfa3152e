import { sql } from 'kysely';
import { isPaidRecord, paidRecords } from '#core/documents/books-change.ts';
import { wakeChannel } from '#core/ports/queue.ts';
import type { BooksChangeStore, NotedChange } from '#core/ports/books-changes.ts';
import type { Tx } from './database.ts';
import { savePaymentState } from './payment-states.ts';
import type { Scope } from './scope.ts';

export const booksChanges = ({ tenantId, clock, inTransaction }: Scope): BooksChangeStore => {
  const ours = (tx: Tx) => tx.selectFrom('books_changes').where('tenant_id', '=', tenantId);
  return {
    noteChanges: (changes, { isTold }) =>
      inTransaction(async (tx) => {
        const now = clock.now();
        // Of two messages that name the same records in another order, neither waits for the other for ever.
        const rows = changes.toSorted((a, b) => (`${a.record} ${a.id}` < `${b.record} ${b.id}` ? -1 : 1));
        await sql`
          insert into books_changes (tenant_id, record, target_id, noted_at, due_at)
          select ${tenantId}::uuid, record, target_id, ${now}::timestamptz,
                 case when record = any(${paidRecords}::text[]) then ${now}::timestamptz end
          from unnest(${rows.map(({ record }) => record)}::text[], ${rows.map(({ id }) => id)}::text[])
               as told (record, target_id)
          on conflict (tenant_id, record, target_id) do update set seq = default, due_at = excluded.due_at
        `.execute(tx);
        if (isTold)
          await tx
            .insertInto('books_feeds')
            .values({ tenant_id: tenantId, told_at: now, read_at: null, asked_at: null })
            .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ told_at: now }))
            .execute();
        if (rows.some(({ record }) => isPaidRecord(record)))
          await sql`select pg_notify(${wakeChannel}, ${tenantId})`.execute(tx);
      }),

    listChanges: (records, limit) =>
      inTransaction((tx) =>
        ours(tx)
          .select(['record', 'target_id as id', 'seq', 'noted_at as notedAt'])
          .where('record', 'in', records)
          .where((where) => where.or([where('due_at', 'is', null), where('due_at', '<=', clock.now())]))
          .orderBy('seq')
          .limit(limit)
          .execute(),
      ),

    settleChanges: (noted, duePayments = []) =>
      inTransaction(async (tx) => {
        for (const psaId of duePayments) await savePaymentState(tx, tenantId, { psaId, isDue: true });
        await settle(tx, tenantId, noted);
      }),

    postponeChanges: (noted, dueAt) =>
      inTransaction(async (tx) => {
        for (const { record, id, seq } of noted)
          await tx
            .updateTable('books_changes')
            .set({ due_at: dueAt })
            .where('tenant_id', '=', tenantId)
            .where('record', '=', record)
            .where('target_id', '=', id)
            .where('seq', '=', seq)
            .execute();
      }),

    leaveToFeed: () =>
      inTransaction(async (tx) => {
        const noted = await ours(tx)
          .select(['record', 'target_id as id', 'seq', 'noted_at as notedAt'])
          .where('record', 'in', paidRecords)
          .orderBy('noted_at')
          .execute();
        const [oldest] = noted;
        if (oldest === undefined) return;
        await tx
          .updateTable('books_feeds')
          .set({ read_at: sql`least(read_at, ${oldest.notedAt}::timestamptz)` })
          .where('tenant_id', '=', tenantId)
          .execute();
        await settle(tx, tenantId, noted);
      }),

    readFeedState: () =>
      inTransaction(async (tx) => {
        const row = await tx
          .selectFrom('books_feeds')
          .select(['told_at as toldAt', 'read_at as readAt', 'asked_at as askedAt'])
          .where('tenant_id', '=', tenantId)
          .executeTakeFirst();
        return row ?? { toldAt: null, readAt: null, askedAt: null };
      }),

    saveFeedReading: ({ readAt, askedAt, isStillTold, duePayments }) =>
      inTransaction(async (tx) => {
        for (const psaId of duePayments) await savePaymentState(tx, tenantId, { psaId, isDue: true });
        await tx
          .insertInto('books_feeds')
          .values({ tenant_id: tenantId, read_at: readAt, asked_at: askedAt, told_at: null })
          .onConflict((conflict) =>
            conflict
              .column('tenant_id')
              .doUpdateSet({ read_at: readAt, asked_at: askedAt, ...(isStillTold ? {} : { told_at: null }) }),
          )
          .execute();
      }),
  };
};

/** Forgets what was read; a record that changed again meanwhile stays. */
async function settle(tx: Tx, tenantId: string, noted: readonly NotedChange[]): Promise<void> {
  await tx
    .deleteFrom('books_changes')
    .where('tenant_id', '=', tenantId)
    .where('seq', '=', sql<number>`any(${noted.map(({ seq }) => seq)}::bigint[])`)
    .execute();
}
