import { sql } from 'kysely';
import type { Tx } from './database.ts';
import { insertDeploymentEvent } from './deployment-events.ts';
import { codeOf } from './errors.ts';
import type { RootWork } from './scope.ts';
import { isId } from './tables.ts';
import type { Instant } from '#core/values/dates.ts';
import type { DeploymentEvent } from '#core/records/deployment-events.ts';

/** Records that only prove past events: table, key, and the column with the end date. */
const traceTables = [
  ['outbox', ['id'], 'ended_at'],
  ['sessions', ['jti'], 'ends_at'],
  ['one_time_tokens', ['hash'], 'ends_at'],
  ['api_keys', ['tenant_id', 'id'], 'ends_at'],
  ['invitations', ['tenant_id', 'id'], 'ends_at'],
  ['notices', ['tenant_id', 'id'], 'at'],
] as const;

/** Removal of rows that are no longer needed. */
export const removal = {
  /**
   * Removes a batch of old rows: logs and jobs from before `records`; messages, sessions and codes that ended before
   * `traces`. Returns the number of removed rows; 0 when none are left.
   */
  removeOld: async (
    { tx }: RootWork,
    { records, traces }: { readonly records: Instant; readonly traces: Instant },
    limit: number,
  ): Promise<number> => {
    const logs = await tx
      .selectFrom('logs')
      .select(['tenant_id', 'key'])
      .where('at', '<', records)
      .limit(limit)
      .execute();
    if (logs.length > 0) {
      const pairs = sql.join(logs.map(({ tenant_id, key }) => sql`(${tenant_id}::uuid, ${key})`));
      for (const table of ['log_details', 'logs'])
        await sql`delete from ${sql.table(table)} where (tenant_id, key) in (${pairs})`.execute(tx);
    }
    // An attempt that never ended is not old at any age: it still has to be ended.
    const jobs = await tx
      .selectFrom('jobs')
      .select(['tenant_id', 'id'])
      .where('finished_at', '<', records)
      .where(
        sql<boolean>`not exists (select 1 from attempts a where a.tenant_id = jobs.tenant_id and a.job_id = jobs.id and not a.is_ended)`,
      )
      .limit(limit)
      .execute();
    if (jobs.length > 0) {
      const pairs = sql.join(jobs.map(({ tenant_id, id }) => sql`(${tenant_id}::uuid, ${id}::uuid)`));
      for (const table of ['job_results', 'attempts'])
        await sql`delete from ${sql.table(table)} where (tenant_id, job_id) in (${pairs})`.execute(tx);
      await sql`delete from jobs where (tenant_id, id) in (${pairs})`.execute(tx);
    }
    const { numAffectedRows: drafts } = await sql`
      delete from drafts where (tenant_id, id) in (
        select tenant_id, id from drafts
         where prepared_at < ${records} and state not in ('waiting', 'approved') limit ${limit})`.execute(tx);
    const { numAffectedRows: deliveries } = await sql`
      delete from webhook_deliveries where (tenant_id, id) in (
        select tenant_id, id from webhook_deliveries where created_at < ${records} limit ${limit})`.execute(tx);
    let others = Number(drafts ?? 0n) + Number(deliveries ?? 0n);
    for (const [table, key, ended] of traceTables) {
      const columns = sql.join(key.map((one) => sql.ref(one)));
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where (${columns}) in (
          select ${columns} from ${sql.table(table)} where ${sql.ref(ended)} < ${traces} limit ${limit})`.execute(tx);
      others += Number(numAffectedRows ?? 0n);
    }
    return logs.length + jobs.length + others;
  },

  /**
   * Removes a client with all its data and records the event, in one transaction.
   *
   * @returns number of removed rows by table; null when the client does not exist.
   */
  deleteTenant: async (
    { tx }: RootWork,
    id: string,
    event: DeploymentEvent,
  ): Promise<Readonly<Record<string, number>> | null> => {
    if (!isId(id)) return null;
    // No time limit: a statement of this job may take longer than a request may.
    await sql`set local statement_timeout = 0`.execute(tx);
    const { rows } = await sql`select 1 from tenants where id = ${id}`.execute(tx);
    if (rows.length === 0) return null;
    const removed = await emptyTables(tx, id, await tenantTables(tx));
    await sql`delete from tenants where id = ${id}`.execute(tx);
    await insertDeploymentEvent(tx, event);
    return removed;
  },
};

/** Returns every table with tenant rows, from the database catalog; this includes tables of later migrations. */
async function tenantTables(tx: Tx): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'tenant_id' and not a.attisdropped
     order by 1`.execute(tx);
  return rows.map(({ name }) => name);
}

/**
 * Deletes the tenant's rows from each table; a table that other rows still reference is retried after those are gone.
 */
async function emptyTables(tx: Tx, id: string, tables: readonly string[]): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (let left = tables; left.length > 0;) {
    const waiting: string[] = [];
    for (const table of left) {
      await sql`savepoint one_table`.execute(tx);
      try {
        const { numAffectedRows } = await sql`delete from ${sql.table(table)} where tenant_id = ${id}`.execute(tx);
        removed[table] = Number(numAffectedRows ?? 0n);
      } catch (error) {
        if (codeOf(error) !== '23503' || waiting.length + 1 === left.length) throw error;
        await sql`rollback to savepoint one_table`.execute(tx);
        waiting.push(table);
      }
    }
    left = waiting;
  }
  return removed;
}
