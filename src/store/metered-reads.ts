import { sql } from 'kysely';
import type { RootWork } from './scope.ts';
import type { MeteredReads } from '#core/ports/metered-reads.ts';
import type { Instant } from '#core/values/dates.ts';

/**
 * Metered calls to QuickBooks: reads, and batches also of writes. Intuit counts them for the application as a whole and
 * per calendar month; single writes are free (quickbooks reference, App Partner Program).
 */
export const meteredReads = {
  /** Adds calls of one client to its month. */
  addMeteredReads: async ({ tx }: RootWork, counts: readonly MeteredReads[]): Promise<void> => {
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

  /** Lists the calls of one month, e.g. `2026-11`, by client, highest number first. */
  listMeteredReads: (
    { tx }: RootWork,
    month: string,
  ): Promise<readonly (MeteredReads & { readonly client: string })[]> =>
    tx
      .selectFrom('metered_reads')
      .innerJoin('tenants', 'tenants.id', 'metered_reads.tenant_id')
      .select(['tenant_id as tenantId', 'tenants.name as client', 'month', 'reads'])
      .where('month', '=', month)
      .orderBy('reads', 'desc')
      .orderBy('tenants.name')
      .limit(maxListed)
      .execute(),

  /** Total of one month over all clients. */
  countMeteredReads: async ({ tx }: RootWork, month: string): Promise<number> => {
    const { total } = await tx
      .selectFrom('metered_reads')
      .select(({ fn }) => fn.sum('reads').as('total'))
      .where('month', '=', month)
      .executeTakeFirstOrThrow();
    return Number(total ?? 0);
  },

  /** Number of clients whose last read was blocked. */
  countReadBlocks: async ({ tx }: RootWork): Promise<number> => {
    const { count } = await tx
      .selectFrom('service_pauses')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('code', '=', 'QBO_READS_BLOCKED')
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  /** Records that an email about this threshold is due; false when it was already recorded. */
  claimReadAlert: async (
    { tx }: RootWork,
    alert: { readonly month: string; readonly percent: number; readonly share: number },
    now: Instant,
  ): Promise<boolean> => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('metered_read_alerts')
      .values({ ...alert, sent_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  },
};

/** Maximum number of clients in the list; a deployment may have more than fit in one list. */
const maxListed = 100;
