import { sql } from 'kysely';
import { isStalled, type StallStore } from '#core/ports/stalls.ts';
import type { TenantMethods } from './scope.ts';
import { clean } from './tables.ts';

export const stalls: TenantMethods<StallStore> = {
  noteSessionFailure: async ({ tx, tenantId }, error, at) => {
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

  endStall: async ({ tx, tenantId }) => {
    await tx.deleteFrom('stalls').where('tenant_id', '=', tenantId).execute();
  },

  readStall: async ({ tx, tenantId }) => {
    const row = await tx
      .selectFrom('stalls')
      .select(['since', 'failures', 'error'])
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst();
    return row ?? null;
  },
};
