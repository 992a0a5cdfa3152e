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
}

/** Backs up a test database. The product may run, but must not write during a restore. */
export async function takeBackup(url: string): Promise<Backup> {
  const tables = await asOwner(url, async (client) => {
    const { rows } = await client.query<{ name: string; columns: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name,
              (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname = 'public' and c.relname not in ('schema_migrations', 'binding_key')`,
    );
    const copies = [];
    for (const { name, columns } of rows) {
      const { rows: one } = await client.query<{ copy: string[] | null }>(
        `select array_agg(one::text) as copy from ${name} as one`,
      );
      copies.push({ name, columns, copy: one[0]?.copy ?? [] });
    }
    return copies;
  });
  return {
    restore: () =>
      asOwner(url, async (client) => {
        await client.query("begin; set local session_replication_role = 'replica'");
        for (const { name, columns, copy } of tables) {
          await client.query(`delete from ${name}`);
          if (copy.length > 0)
            await client.query(
              `insert into ${name} (${columns}) overriding system value
               select ${columns} from (select (one::${name}).* from unnest($1::text[]) as one) as copied`,
              [copy],
            );
        }
        await client.query('commit');
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
