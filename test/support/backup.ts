import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkBackup, restoreRows, writeBackup } from '#store/backup.ts';
import { migrate } from '#store/migrate.ts';
import { markRestored } from '#store/restored.ts';
import { asOwner, type TestDatabase } from './database.ts';
import type { World } from './world.ts';

/** A copy of all rows of a test database, like an operator's backup. */
export interface Backup {
  /** Restores the database. Later changes are lost. */
  restore(): Promise<void>;
  /** Drops the copy, so that another one can be taken. */
  forget(): Promise<void>;
}

const schema = 'backup_of_test';

/** Backs up a test database. The product may run, but must not write during a restore. */
export async function takeBackup(url: string): Promise<Backup> {
  const tables = await asOwner(url, async (client) => {
    const { rows } = await client.query<{ name: string; columns: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name,
              (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
    );
    await client.query(`create schema ${schema}`);
    for (const [index, { name, columns }] of rows.entries())
      await client.query(`create table ${schema}.t${index} as select ${columns} from ${name}`);
    return rows;
  });
  return {
    restore: () =>
      asOwner(url, async (client) => {
        await client.query("begin; set local session_replication_role = 'replica'");
        for (const { name } of tables) await client.query(`delete from ${name}`);
        for (const [index, { name, columns }] of tables.entries())
          await client.query(
            `insert into ${name} (${columns}) overriding system value select ${columns} from ${schema}.t${index}`,
          );
        await client.query('commit');
      }),
    forget: () =>
      asOwner(url, async (client) => {
        await client.query(`drop schema ${schema} cascade`);
      }),
  };
}

/** Copies a database like another tool, which does not report it. @param to a database without tables. */
export async function copyDatabase(from: string, to: Pick<TestDatabase, 'url' | 'database'>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallybridge-copy-'));
  const path = join(folder, 'rows.gz');
  await asOwner(from, (owner) => writeBackup(owner, path, { version: 'test' }));
  await migrate(to.database);
  const rows = await checkBackup(path);
  await asOwner(to.url, (owner) => restoreRows(owner, path, rows));
  await rm(folder, { recursive: true });
}

/** Restores the database and reports it, as `tallybridge restored` does. */
export async function restoreAndStart(world: World, backup: Backup): Promise<void> {
  await backup.restore();
  await asOwner(world.database.url, (owner) => markRestored(owner));
}
