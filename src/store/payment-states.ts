import { sql, type Selectable } from 'kysely';
import type { PaymentChange, PaymentState } from '#core/documents/payment.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { TenantWork } from './scope.ts';
import type { Tables } from './tables.ts';

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
   * payments pays them because a user set a paid date in the PSA on or after this day.
   */
  listOpenPayments: async (
    { tx, tenantId }: TenantWork,
    watchedFrom: CalendarDate,
  ): Promise<{ readonly due: readonly number[]; readonly watched: readonly number[] }> => {
    const rows = await tx
      .selectFrom('payment_states')
      .select(['psa_id', 'is_due'])
      .where('tenant_id', '=', tenantId)
      .where((where) =>
        where.or([
          where('is_due', '=', true),
          where.and([where('was_paid', '=', true), where('seen_on', '>=', watchedFrom)]),
        ]),
      )
      .orderBy('psa_id')
      .execute();
    const idsOf = (isDue: boolean) => rows.filter((row) => row.is_due === isDue).map((row) => row.psa_id);
    return { due: idsOf(true), watched: idsOf(false) };
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
