import type { PaymentStateStore } from '#core/ports/payment-states.ts';
import { sql, type Selectable } from 'kysely';
import type { PaymentChange, PaymentState } from '#core/documents/payment.ts';
import type { Tx } from './database.ts';
import type { TenantMethods } from './scope.ts';
import type { Tables } from './tables.ts';

export const paymentStates: TenantMethods<PaymentStateStore> = {
  listPaymentStates: async ({ tx, tenantId }, psaIds) => {
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

  listOpenPayments: async ({ tx, tenantId }, watchedFrom) => {
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

  readGap: async ({ tx, tenantId }) => {
    const { gap } = await tx.selectFrom('tenants').select(openGap).where('id', '=', tenantId).executeTakeFirstOrThrow();
    return gap;
  },

  settleGap: async ({ tx, tenantId }, gap) => {
    const values = { gaps_settled: gap };
    await tx.updateTable('tenants').set(values).where('id', '=', tenantId).where('gaps_settled', '<', gap).execute();
  },

  savePaymentStates: async ({ tx, tenantId }, changes) => {
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
