import { longPauseSeconds, type ServicePauseStore } from '#core/ports/service-pauses.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { TenantMethods } from './scope.ts';
import { clean } from './tables.ts';

export const servicePauses: TenantMethods<ServicePauseStore> = {
  savePause: async ({ tx, tenantId }, { service, nextTryAt, code, detail }, now) => {
    const values = { last_at: now, next_try_at: nextTryAt, code, detail: clean(detail) };
    const { since, mailedAt } = await tx
      .insertInto('service_pauses')
      .values({ tenant_id: tenantId, service, since: now, ...values })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'service']).doUpdateSet(values))
      .returning(['since', 'mailed_at as mailedAt'])
      .executeTakeFirstOrThrow();
    if (mailedAt === null && since <= addSeconds(now, -longPauseSeconds))
      await tx
        .insertInto('alert_states')
        .values({ tenant_id: tenantId, is_pending: true })
        .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ is_pending: true }))
        .execute();
  },

  endPause: async ({ tx, tenantId }, service, after) => {
    await tx
      .deleteFrom('service_pauses')
      .where('tenant_id', '=', tenantId)
      .where('service', '=', service)
      .$if(after === 'write', (query) => query.where('code', '<>', 'QBO_READS_BLOCKED'))
      .execute();
  },

  listPauses: ({ tx, tenantId }) =>
    tx
      .selectFrom('service_pauses')
      .select(['service', 'since', 'next_try_at as nextTryAt', 'code', 'detail'])
      .where('tenant_id', '=', tenantId)
      .orderBy('service')
      .execute(),
};
