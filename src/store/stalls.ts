import { sql } from 'kysely';
import { isStalled, type Stall } from '#core/records/stalls.ts';
import type { Instant } from '#core/values/dates.ts';
import type { TenantWork } from './scope.ts';
import { clean } from './tables.ts';

/** Clients whose syncs are stalled, because a defect ends every session. */
export const stalls = {
  /** Records a failed session; returns the consecutive failures. */
  noteSessionFailure: async ({ tx, tenantId }: TenantWork, error: string, at: Instant): Promise<Stall> => {
    const values = { last_at: at, error: clean(error) };
    const { mailedAt, ...row } = await tx
      .insertInto('stalls')
      .values({ tenant_id: tenantId, since: at, failures: 1, ...values })
      .onConflict((conflict) =>
        conflict.column('tenant_id').doUpdateSet({ ...values, failures: sql<number>`stalls.failures + 1` }),
      )
      .returning(['since', 'failures', 'error', 'mailed_at as mailedAt'])
      .executeTakeFirstOrThrow();
    if (mailedAt === null && isStalled(row, at))
      await tx
        .insertInto('alert_states')
        .values({ tenant_id: tenantId, is_pending: true })
        .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ is_pending: true }))
        .execute();
    return row;
  },

  /** Removes the record after a successful session. */
  endStall: async ({ tx, tenantId }: TenantWork): Promise<void> => {
    await tx.deleteFrom('stalls').where('tenant_id', '=', tenantId).execute();
  },

  /** Null when the newest session succeeded. */
  readStall: async ({ tx, tenantId }: TenantWork): Promise<Stall | null> => {
    const row = await tx
      .selectFrom('stalls')
      .select(['since', 'failures', 'error'])
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst();
    return row ?? null;
  },
};
