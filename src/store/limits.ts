import { sql } from 'kysely';
import type { Tx } from './database.ts';

/**
 * Returns true if the tenant may add a row. Concurrent requests wait for one another, so that they cannot exceed the
 * limit together.
 */
export async function hasRoom(
  tx: Tx,
  tenantId: string,
  table: 'api_keys' | 'webhook_endpoints' | 'webhook_targets',
  limit: number,
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${table} ${tenantId}`}, 0))`.execute(tx);
  const { count } = await tx
    .selectFrom(table)
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  return count < limit;
}
