/** A restored database is older than QuickBooks and Autotask. */
import type { ClientBase, Pool } from 'pg';
import type { Logger } from '#core/ports/logger.ts';
import { codeOf } from './errors.ts';

/**
 * Informs the product that the database is older than QuickBooks and Autotask: the next session of each client searches
 * for documents that the ledger lost. All users log in again, because ended sessions would be valid again.
 *
 * @param client a separate connection of the tables' owner.
 */
export async function markRestored(client: ClientBase): Promise<void> {
  await client.query('begin');
  await recordRestore(client, 'command line');
  // The next start stores the new place. A backup of an older version has no columns for it.
  await client.query(`do $$ begin
    update deployment_clock set server_id = null, database_oid = null;
  exception when undefined_column then null; end $$`);
  await client.query('commit');
}

/**
 * Records a restore if the database was on another server or had another oid at the last start: another tool has
 * copied it. Copies of all files of a server keep both: those are noticed by their counters (restore-watch.ts).
 */
export async function noticeRestore(pool: Pool, logger: Logger): Promise<void> {
  const serverId = await readServerId(pool);
  const client = await pool.connect();
  let hasFailed = true;
  try {
    await client.query('begin');
    const { rows } = await client.query<{ isCopy: boolean }>(
      `update deployment_clock set server_id = coalesce($1::bigint, last.server_id), database_oid = here.oid
         from (select server_id, database_oid from deployment_clock for update) last, pg_database here
        where here.datname = current_database()
          and (last.server_id, last.database_oid) is distinct from (coalesce($1::bigint, last.server_id), here.oid)
       returning (${isElsewhere}) is true as "isCopy"`,
      [serverId],
    );
    if (rows[0]?.isCopy === true) {
      await recordRestore(client, 'start');
      logger.warn(
        { event: 'database.restored' },
        'The database is a copy of another one, so it counts as restored: documents that it lacks are searched for, and users log in again.',
      );
    }
    await client.query('commit');
    hasFailed = false;
  } finally {
    // Ends the transaction.
    client.release(hasFailed);
  }
}

/** Returns whether the next start will record a restore. */
export async function isUnrecordedCopy(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ isCopy: boolean }>(
    `select (${isElsewhere}) is true as "isCopy" from deployment_clock last, pg_database here
      where here.datname = current_database()`,
    [await readServerId(pool)],
  );
  return rows[0]?.isCopy === true;
}

const isElsewhere = 'last.server_id <> $1::bigint or last.database_oid <> here.oid';

/** Returns the identifier of the server; null if this user may not read it, or the server has none. */
export async function readServerId(pool: Pool): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ id: string }>('select system_identifier::text as id from pg_control_system()');
    return rows[0]?.id ?? null;
  } catch (error) {
    if (['42501', '42883'].includes(codeOf(error))) return null;
    throw error;
  }
}

/** Counts a restore within a transaction, ends all sessions and logs the event. */
export async function recordRestore(client: ClientBase, actor: 'command line' | 'start' | 'process'): Promise<void> {
  await client.query('update deployment_clock set gaps = gaps + 1');
  await client.query('set local role tallybridge_purge');
  await client.query('delete from sessions');
  await client.query('delete from one_time_tokens');
  await client.query(
    `insert into deployment_events (at, actor, action, subject, detail)
     values (clock_timestamp(), $1, 'database.restored', 'the database', '{}')`,
    [actor],
  );
  await client.query('reset role');
}
