import { sql } from 'kysely';
import type { MeteredReadStore } from '#core/ports/metered-reads.ts';
import type { RootMethods } from './scope.ts';

export const meteredReads: RootMethods<MeteredReadStore> = {
  addMeteredReads: async ({ tx }, counts) => {
    for (const { tenantId, month, reads } of counts)
      await tx
        .insertInto('metered_reads')
        // A client that was deleted in the meantime has no row to refer to.
        .columns(['tenant_id', 'month', 'reads'])
        .expression((query) =>
          query
            .selectFrom('tenants')
            .select(['id', sql<string>`${month}::text`.as('month'), sql<number>`${reads}::bigint`.as('reads')])
            .where('id', '=', tenantId),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['tenant_id', 'month'])
            .doUpdateSet({ reads: sql<number>`metered_reads.reads + excluded.reads` }),
        )
        .execute();
  },

  listMeteredReads: ({ tx }, month) =>
    tx
      .selectFrom('metered_reads')
      .innerJoin('tenants', 'tenants.id', 'metered_reads.tenant_id')
      .select(['tenant_id as tenantId', 'tenants.name as client', 'month', 'reads'])
      .where('month', '=', month)
      .orderBy('reads', 'desc')
      .orderBy('tenants.name')
      .limit(maxListed)
      .execute(),

  countMeteredReads: async ({ tx }, month) => {
    const { total } = await tx
      .selectFrom('metered_reads')
      .select(({ fn }) => fn.sum('reads').as('total'))
      .where('month', '=', month)
      .executeTakeFirstOrThrow();
    return Number(total ?? 0);
  },

  countReadBlocks: async ({ tx }) => {
    const { count } = await tx
      .selectFrom('service_pauses')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('code', '=', 'QBO_READS_BLOCKED')
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  claimReadAlert: async ({ tx }, month, percent, now) => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('metered_read_alerts')
      .values({ month, percent, sent_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  },
};

/** Maximum number of clients in the list; a deployment may have more than fit in one list. */
const maxListed = 100;
