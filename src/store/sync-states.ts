import { agreedReason, type PaymentChange, type PaymentState } from '#core/documents/payment.ts';
import type { Kind } from '#core/kinds.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import type { CycleResult } from '#core/records/tenant-sessions.ts';
import type { SyncState } from '#core/tenant.ts';
import { addSeconds, type CalendarDate, type Instant } from '#core/values/dates.ts';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { Tx } from './database.ts';
import type { TenantWork } from './scope.ts';
import { clean, type Tables } from './tables.ts';

/** Sync state of each kind for the Overview. */
export const syncStates = {
  readSyncStates: async ({ tx, tenantId }: TenantWork): Promise<Readonly<Partial<Record<Kind, SyncState>>>> => {
    const rows = await tx
      .selectFrom('sync_states')
      .select(['kind', 'polled_at as polledAt', 'synced_at as syncedAt', 'info'])
      .where('tenant_id', '=', tenantId)
      .execute();
    return Object.fromEntries(rows.map(({ kind, ...state }) => [kind, state]));
  },

  /** Records the end of a search. */
  markPolled: ({ tx, tenantId }: TenantWork, kind: Kind, at: Instant): Promise<void> =>
    markPolled(tx, tenantId, [{ kind, at, fingerprint: null }]),
};

/**
 * Records the end of scans, each of a different kind, with a fingerprint when there was nothing to do. An earlier scan
 * never replaces a later one.
 */
export async function markPolled(tx: Tx, tenantId: string, polled: CycleResult['polled']): Promise<void> {
  if (polled.length === 0) return;
  await tx
    .insertInto('sync_states')
    .values(polled.map(({ kind, at, fingerprint }) => ({ tenant_id: tenantId, kind, polled_at: at, fingerprint })))
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'kind']).doUpdateSet((row) => ({
        polled_at: sql`greatest(sync_states.polled_at, excluded.polled_at)`,
        fingerprint: row.ref('excluded.fingerprint'),
      })),
    )
    .execute();
}

/** Records the last live success of a kind. */
export async function markSynced(
  tx: Tx,
  tenantId: string,
  kind: Kind,
  { at, info }: NonNullable<AdvanceEffects['synced']>,
): Promise<void> {
  const values = { synced_at: at, info: clean(JSON.stringify(info)) };
  await tx
    .insertInto('sync_states')
    .values({ tenant_id: tenantId, kind, ...values })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'kind']).doUpdateSet(values))
    .execute();
}

/** Paid states of invoices. */
export const paymentStates = {
  /** Lists the known paid state of each of these invoices. */
  listPaymentStates: async (
    { tx, tenantId }: TenantWork,
    psaIds: readonly number[],
  ): Promise<readonly PaymentState[]> => {
    if (psaIds.length === 0) return [];
    const rows = await tx
      .selectFrom('payment_states')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('psa_id', 'in', psaIds)
      .orderBy('psa_id')
      .execute();
    return rows.map(toState);
  },

  /**
   * Lists invoices whose paid state is not processed yet (`due`), and processed ones to watch (`watched`): one of our
   * payments pays them because a user set a paid date in the PSA on or after this day, or a problem was reported that may
   * be solved (`reported`).
   */
  listOpenPayments: async (
    { tx, tenantId }: TenantWork,
    watchedFrom: CalendarDate,
  ): Promise<{
    readonly due: readonly number[];
    readonly watched: readonly number[];
    readonly reported: readonly number[];
  }> => {
    const isReported = (of: ExpressionBuilder<Tables, 'payment_states'>) =>
      of.exists(
        of
          .selectFrom('suppressions')
          .select('suppressions.psa_id')
          .whereRef('suppressions.tenant_id', '=', 'payment_states.tenant_id')
          .whereRef('suppressions.psa_id', '=', 'payment_states.psa_id')
          .where('suppressions.kind', '=', 'payment')
          .where('suppressions.reason', 'not like', `${agreedReason} %`),
      );
    const rows = await tx
      .selectFrom('payment_states')
      .select((of) => ['psa_id', 'is_due', isReported(of).as('is_reported')])
      .where('tenant_id', '=', tenantId)
      .where((where) =>
        where.or([
          where('is_due', '=', true),
          where.and([where('was_paid', '=', true), where('seen_on', '>=', watchedFrom)]),
          isReported(where),
        ]),
      )
      .orderBy('psa_id')
      .execute();
    const idsOf = (of: typeof rows) => of.map((row) => row.psa_id);
    const watched = rows.filter((row) => !row.is_due);
    return {
      due: idsOf(rows.filter((row) => row.is_due)),
      watched: idsOf(watched),
      reported: idsOf(watched.filter((row) => row.is_reported)),
    };
  },

  /**
   * Returns the number of the last gap in the records (a database restore or a pause of all workers) if the client's
   * paid dates were not checked since; null otherwise.
   */
  readGap: async ({ tx, tenantId }: TenantWork): Promise<number | null> => {
    const { gap } = await tx.selectFrom('tenants').select(openGap).where('id', '=', tenantId).executeTakeFirstOrThrow();
    return gap;
  },

  /** Records that all paid dates were checked after the gap with this number. */
  settleGap: async ({ tx, tenantId }: TenantWork, gap: number): Promise<void> => {
    const values = { gaps_settled: gap };
    await tx.updateTable('tenants').set(values).where('id', '=', tenantId).where('gaps_settled', '<', gap).execute();
  },

  /** Changes only the given fields of each invoice. */
  savePaymentStates: async ({ tx, tenantId }: TenantWork, changes: readonly PaymentChange[]): Promise<void> => {
    if (changes.length === 0) return;
    for (const change of changes) await savePaymentState(tx, tenantId, change);
  },
};

/** Number of the last clock gap (see clock.ts) if the client's paid dates were not checked since; null otherwise. */
export const openGap = sql<number | null>`case when noted_gaps() <> gaps_settled then noted_gaps() end`.as('gap');

/**
 * Number of the last clock gap if documents that the ledger does not know were not searched for since; null otherwise.
 */
export const openLedgerGap = sql<number | null>`case when noted_gaps() <> ledger_gaps_settled then noted_gaps() end`.as(
  'ledgerGap',
);

/** Value of a gap that the change feed opened for one client: smaller than the number of any restore. */
const openedByFeed = -1;

/** Lets the next session search for documents that the ledger lacks, unless it does so anyway. */
export const openLedgerGapByFeed = (tx: Tx, tenantId: string): Promise<unknown> =>
  sql`update tenants set ledger_gaps_settled = ${openedByFeed}
       where id = ${tenantId} and ledger_gaps_settled = noted_gaps()`.execute(tx);

/**
 * Documents that the change feed reported were lost, so paid dates may have been lost as well: those that were not seen
 * before are checked.
 */
export const openGapIfLost = (tx: Tx, tenantId: string): Promise<unknown> =>
  sql`update tenants set gaps_settled = ${openedByFeed}
       where id = ${tenantId} and ledger_gaps_settled = ${openedByFeed}`.execute(tx);

/** Changes only the given fields. */
export async function savePaymentState(tx: Tx, tenantId: string, change: PaymentChange): Promise<void> {
  const { psaId, balance, wasPaid, writtenOn, seen, heldOn, isDue } = change;
  const values = {
    ...(balance !== undefined && { balance }),
    ...(wasPaid !== undefined && { was_paid: wasPaid }),
    ...(writtenOn !== undefined && { written_on: writtenOn }),
    ...(seen !== undefined && {
      seen_on: seen?.on ?? null,
      seen_at: seen?.at ?? null,
      seen_balance: seen?.balance ?? null,
    }),
    ...(heldOn !== undefined && { held_on: heldOn }),
    ...(isDue !== undefined && { is_due: isDue }),
  };
  await tx
    .insertInto('payment_states')
    .values({ tenant_id: tenantId, psa_id: psaId, ...values })
    .onConflict((conflict) => {
      const known = conflict.columns(['tenant_id', 'psa_id']);
      return Object.keys(values).length === 0 ? known.doNothing() : known.doUpdateSet(values);
    })
    .execute();
}

const toState = (row: Selectable<Tables['payment_states']>): PaymentState => ({
  psaId: row.psa_id,
  balance: row.balance,
  wasPaid: row.was_paid,
  writtenOn: row.written_on,
  seen:
    row.seen_on === null || row.seen_at === null || row.seen_balance === null
      ? null
      : { on: row.seen_on, at: row.seen_at, balance: row.seen_balance },
  heldOn: row.held_on,
  isDue: row.is_due,
});

/** A mark not seen for this long counts as removed; when it returns, its time starts again. */
const maxGapSeconds = 3_600;

/** Suppressions of documents that were not sent, and marks found in the PSA. */
export const suppressions = {
  /**
   * Deletes the suppressions of these documents: the same may be reported again, and running statuses are timed again.
   */
  clearSuppressions: async (
    { tx, tenantId }: TenantWork,
    kinds: readonly Kind[],
    psaIds: readonly number[],
  ): Promise<void> => {
    if (kinds.length === 0 || psaIds.length === 0) return;
    for (const table of ['suppressions', 'found_marks'] as const)
      await tx
        .deleteFrom(table)
        .where('tenant_id', '=', tenantId)
        .where('kind', 'in', kinds)
        .where('psa_id', 'in', psaIds)
        .execute();
    // Clears the fingerprint, so that the next search checks every document.
    await tx
      .updateTable('sync_states')
      .set({ fingerprint: null })
      .where('tenant_id', '=', tenantId)
      .where('kind', 'in', kinds)
      .execute();
  },

  /**
   * Records that these documents have a running status in the PSA, and returns when each was first found. A document
   * that was not found for an hour starts again.
   */
  noteFoundMarks: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
    now: Instant,
  ): Promise<ReadonlyMap<number, Instant>> => {
    if (psaIds.length === 0) return new Map();
    const values = [...new Set(psaIds)].map((psaId) => ({
      tenant_id: tenantId,
      kind,
      psa_id: psaId,
      first_seen_at: now,
      last_seen_at: now,
    }));
    const oldest = addSeconds(now, -maxGapSeconds);

    const rows = await tx
      .insertInto('found_marks')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'kind', 'psa_id']).doUpdateSet({
          first_seen_at: sql`case when found_marks.last_seen_at < ${oldest} then ${now} else found_marks.first_seen_at end`,
          last_seen_at: now,
        }),
      )
      .returning(['psa_id', 'first_seen_at'])
      .execute();
    return new Map(rows.map((row) => [row.psa_id, row.first_seen_at]));
  },
};

/** Deletes the suppressions and marks of documents that are synced now. */
export async function clearOnSuccess(tx: Tx, tenantId: string, kind: string, psaIds: readonly number[]): Promise<void> {
  await sql`
    with marks as (
      delete from found_marks where tenant_id = ${tenantId} and kind = ${kind} and psa_id = any(${psaIds}::bigint[])
    )
    delete from suppressions where tenant_id = ${tenantId} and kind = ${kind} and psa_id = any(${psaIds}::bigint[])
  `.execute(tx);
}

/** Saves suppressions, one per document; a later one replaces an earlier one. */
export async function saveSuppressions(
  tx: Tx,
  tenantId: string,
  suppressions: readonly { readonly kind: Kind; readonly psaId: number; readonly reason: string }[],
  at: Instant,
): Promise<void> {
  if (suppressions.length === 0) return;
  await tx
    .insertInto('suppressions')
    .values(
      suppressions.map(({ kind, psaId, reason }) => ({
        tenant_id: tenantId,
        kind,
        psa_id: psaId,
        at,
        reason: clean(reason),
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'kind', 'psa_id'])
        .doUpdateSet((row) => ({ at: row.ref('excluded.at'), reason: row.ref('excluded.reason') })),
    )
    .execute();
}
