import { longPauseSeconds, type ServicePause } from '#core/records/service-pauses.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Service } from '#core/tenant.ts';
import type { TenantWork } from './scope.ts';
import { clean } from './tables.ts';

/** Pauses of one client, at most one for each service. */
export const servicePauses = {
  /** Records a failed call; an existing pause keeps its start. */
  savePause: async (
    { tx, tenantId }: TenantWork,
    { service, nextTryAt, code, detail, refusedRead }: Omit<ServicePause, 'since'>,
    now: Instant,
  ): Promise<void> => {
    const values = { last_at: now, next_try_at: nextTryAt, code, detail: clean(detail), refused_read: refusedRead };
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

  /**
   * Removes the pause of the service, after a call that succeeded. A write does not end a block of reads, and a refused
   * read ends only when the same read succeeds.
   *
   * @param call name of the call
   * @returns the read that the service still refuses; null if there is none
   */
  endPause: async (
    { tx, tenantId }: TenantWork,
    service: Service,
    after: 'read' | 'write',
    call: string,
  ): Promise<string | null> => {
    await tx
      .deleteFrom('service_pauses')
      .where('tenant_id', '=', tenantId)
      .where('service', '=', service)
      .where((of) => of.or([of('refused_read', 'is', null), of('refused_read', '=', call)]))
      .$if(after === 'write', (query) => query.where('code', '<>', 'QBO_READS_BLOCKED'))
      .execute();
    const left = await tx
      .selectFrom('service_pauses')
      .select('refused_read as refusedRead')
      .where('tenant_id', '=', tenantId)
      .where('service', '=', service)
      .executeTakeFirst();
    return left?.refusedRead ?? null;
  },

  listPauses: ({ tx, tenantId }: TenantWork): Promise<readonly ServicePause[]> =>
    tx
      .selectFrom('service_pauses')
      .select(['service', 'since', 'next_try_at as nextTryAt', 'code', 'detail', 'refused_read as refusedRead'])
      .where('tenant_id', '=', tenantId)
      .orderBy('service')
      .execute(),
};
