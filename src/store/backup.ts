import type { Client } from 'pg';
import { BackupUnusable } from './errors.ts';
import {
  checkRowFile,
  copyRowFile,
  quoted,
  readMigrationNames,
  readTables,
  writeRowFile,
  type Coding,
  type OnTable,
  type RowFileEnd,
  type RowFileHead,
} from './row-file.ts';

const format = 'tallybridge backup 1';
/** `migrate` fills the first; the second is a key that belongs to one database. */
const omittedTables: readonly string[] = ['schema_migrations', 'binding_key'];

/**
 * Writes all rows of the database, as of one moment, into a new file. The product can run meanwhile. Secrets stay
 * encrypted with SECRET_KEY.
 *
 * @param client a separate connection of the tables' owner.
 * @param options.seal encrypts the file.
 * @returns the number of rows.
 */
export async function writeBackup(
  client: Client,
  path: string,
  {
    version,
    seal,
    onTable,
  }: { readonly version: string; readonly seal?: Coding | undefined; readonly onTable?: OnTable },
): Promise<number> {
  await client.query('begin isolation level repeatable read read only');
  const total = await writeRowFile(client, path, {
    head: { format, version, at: new Date().toISOString(), migrations: await readMigrationNames(client) },
    tables: await readTables(client, omittedTables),
    async readSequences() {
      const { rows } = await client.query<{ name: string; value: string | null }>(
        `select sequencename::text as name, last_value::text as value from pg_sequences where schemaname = 'public'`,
      );
      return Object.fromEntries(rows.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));
    },
    seal,
    onTable,
  });
  await client.query('commit');
  return total;
}

/**
 * Reads a whole backup, so that a restore of a damaged file fails before it changes anything.
 *
 * @throws BackupUnusable if it is not a complete backup.
 */
export const checkBackup = (path: string, unseal?: Coding): Promise<RowFileHead & RowFileEnd> =>
  checkRowFile(path, format, 'backup', unseal);

/**
 * Fills an empty database, which was migrated to the backup's version, in one transaction.
 *
 * @param client a separate connection of the tables' owner.
 * @throws BackupUnusable if the database then has other rows than the backup.
 */
export async function restoreRows(
  client: Client,
  path: string,
  { rows, sequences = {} }: RowFileEnd,
  { unseal, onTable }: { readonly unseal?: Coding | undefined; readonly onTable?: OnTable } = {},
): Promise<void> {
  await client.query('begin');
  const { rows: tables } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all ($1)`,
    [omittedTables],
  );
  const { rows: references } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as "table", conname::text as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where connamespace = 'public'::regnamespace and contype = 'f'`,
  );
  for (const { table, name } of references) await client.query(`alter table ${table} drop constraint ${quoted(name)}`);
  const { rows: guarded } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relforcerowsecurity`,
  );
  // The owner may then write; the transaction locks the tables for all others.
  for (const { name } of guarded) await client.query(`alter table ${name} no force row level security`);
  for (const { name } of tables) await client.query(`alter table ${name} disable trigger user`);
  // Migrations inserted some rows.
  await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
  await copyRowFile(client, path, Object.keys(rows).length, { unseal, onTable });
  for (const [name, value] of Object.entries(sequences))
    await client.query('select setval($1::regclass, $2)', [`public.${quoted(name)}`, value]);
  for (const { name } of tables) await client.query(`alter table ${name} enable trigger user`);
  // This checks every reference.
  for (const { table, name, definition } of references)
    await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`);
  for (const [table, count] of Object.entries(rows)) {
    const { rows: counted } = await client.query<{ count: string }>(`select count(*) from public.${quoted(table)}`);
    if (Number(counted[0]?.count) !== count)
      throw new BackupUnusable(`The table ${table} has other rows than the backup, so nothing was restored.`);
  }
  for (const { name } of guarded) await client.query(`alter table ${name} force row level security`);
  await client.query('commit');
}
