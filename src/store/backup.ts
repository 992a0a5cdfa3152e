import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { BackupUnusable } from './errors.ts';

/**
 * A backup is one gzip file: a line of JSON about the backup, then for each table a line of JSON, its rows in
 * PostgreSQL's text format of COPY, and a line `\.`; then a line of JSON with the counts. A file without the last line
 * is incomplete.
 */
const format = 'tallybridge backup 1';
const endOfRows = '\\.';
/** `migrate` fills the first; the second is a key that belongs to one database. */
const omittedTables: readonly string[] = ['schema_migrations', 'binding_key'];
/** Roles that may read all rows of a table, whose owner may not because of row-level security. */
const readers = ['tallybridge_purge', 'tallybridge_root'] as const;

/** First line of a backup. */
export interface BackupHead {
  readonly format: typeof format;
  /** Version of the program. */
  readonly version: string;
  readonly at: string;
  /** Migrations of the database. */
  readonly migrations: readonly string[];
}

interface TableHead {
  readonly table: string;
  readonly columns: readonly string[];
}

interface BackupEnd {
  readonly rows: Readonly<Record<string, number>>;
  readonly sequences: Readonly<Record<string, string>>;
}

/** Called after each table with the number of finished tables and of all. */
type OnTable = (done: number, total: number) => void;

/**
 * Writes all rows of the database, as of one moment, into a new file. The product can run meanwhile. Secrets stay
 * encrypted with SECRET_KEY.
 *
 * @param client a separate connection of the tables' owner.
 * @returns the number of rows.
 */
export async function writeBackup(
  client: Client,
  path: string,
  { version, onTable }: { readonly version: string; readonly onTable?: OnTable },
): Promise<number> {
  await client.query('begin isolation level repeatable read read only');
  async function* lines(): AsyncGenerator<Buffer | string> {
    const { rows: migrations } = await client.query<{ name: string }>(
      'select name from schema_migrations order by name',
    );
    const head: BackupHead = {
      format,
      version,
      at: new Date().toISOString(),
      migrations: migrations.map(({ name }) => name),
    };
    yield lineOf(head);
    const tables = await readTables(client);
    const rows: Record<string, number> = {};
    for (const [index, { reader, ...table }] of tables.entries()) {
      yield lineOf(table);
      if (reader !== null) await client.query(`set local role ${reader}`);
      const copy = client.query(copyTo(`copy (select ${namesOf(table)} from public.${quoted(table.table)}) to stdout`));
      for await (const chunk of copy as AsyncIterable<Buffer>) yield chunk;
      rows[table.table] = copy.rowCount;
      await client.query('reset role');
      yield `${endOfRows}\n`;
      onTable?.(index + 1, tables.length);
    }
    const { rows: found } = await client.query<{ name: string; value: string | null }>(
      `select sequencename::text as name, last_value::text as value from pg_sequences where schemaname = 'public'`,
    );
    const sequences = Object.fromEntries(found.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));
    yield lineOf({ rows, sequences } satisfies BackupEnd);
    total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  }
  let total = 0;
  await pipeline(
    Readable.from(lines(), { objectMode: false }),
    createGzip(),
    // Readable by the operator only; never overwrites an earlier file.
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  );
  await client.query('commit');
  return total;
}

const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`;
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const namesOf = ({ columns }: TableHead): string => columns.map(quoted).join(', ');

/** Lists the tables with the role that may read all their rows; null: the owner may. */
async function readTables(client: Client): Promise<readonly (TableHead & { readonly reader: string | null })[]> {
  const { rows } = await client.query<TableHead & { readonly isGuarded: boolean; readonly reader: string | null }>(
    `select c.relname::text as "table", c.relrowsecurity as "isGuarded",
            (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
            (select r.role from unnest($1::text[]) with ordinality r (role, place)
              where has_table_privilege(r.role, c.oid, 'select')
                and exists (select from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname
                              and p.roles = array[r.role]::name[] and p.qual = 'true')
              order by r.place limit 1) as reader
       from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> all ($2)
      order by c.relname`,
    [readers, omittedTables],
  );
  return rows.map(({ isGuarded, reader, ...table }) => {
    if (isGuarded && reader === null) throw new Error(`No role may read all rows of ${table.table}.`);
    return { ...table, reader: isGuarded ? reader : null };
  });
}

/**
 * Reads a whole backup, so that a restore of a damaged file fails before it changes anything.
 *
 * @throws BackupUnusable if it is not a complete backup.
 */
export async function checkBackup(path: string): Promise<BackupHead & BackupEnd> {
  const rows: Record<string, number> = {};
  let head: BackupHead | null = null;
  let end: BackupEnd | null = null;
  let table: string | null = null;
  try {
    for await (const line of linesOf(path)) {
      if (table !== null) {
        if (isEndOfRows(line)) table = null;
        else rows[table] = (rows[table] ?? 0) + 1;
        continue;
      }
      const value = JSON.parse(line.toString()) as Partial<BackupHead & TableHead & BackupEnd>;
      if (head === null) {
        if (value.format !== format) break;
        head = value as BackupHead;
      } else if (value.table !== undefined) rows[(table = value.table)] = 0;
      else end = value as BackupEnd;
    }
  } catch (error) {
    throw new BackupUnusable(`The backup ${path} is damaged or cannot be read: use another one.`, { cause: error });
  }
  if (head === null) throw new BackupUnusable(`${path} is not a backup of Tallybridge.`);
  if (end === null || JSON.stringify(rows) !== JSON.stringify(end.rows))
    throw new BackupUnusable(`The backup ${path} is incomplete: use another one.`);
  return { ...head, ...end };
}

/**
 * Fills an empty database, which was migrated to the backup's version, in one transaction.
 *
 * @param client a separate connection of the tables' owner.
 * @throws BackupUnusable if the database then has other rows than the backup.
 */
export async function restoreRows(
  client: Client,
  path: string,
  { rows, sequences }: BackupEnd,
  onTable?: OnTable,
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
  await copyRows(client, path, Object.keys(rows).length, onTable);
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

async function copyRows(client: Client, path: string, total: number, onTable?: OnTable): Promise<void> {
  const lines = linesOf(path);
  await lines.next();
  for (let done = 1; done <= total; done += 1) {
    const { value } = await lines.next();
    const table = JSON.parse(String(value)) as TableHead;
    const copy = client.query(copyFrom(`copy public.${quoted(table.table)} (${namesOf(table)}) from stdin`));
    await pipeline(Readable.from(rowsOf(lines), { objectMode: false }), copy);
    onTable?.(done, total);
  }
  await lines.return();
}

const batchBytes = 65_536;

/** Returns the rows up to the end of the table, several in one chunk. */
async function* rowsOf(lines: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer> {
  let batch: Buffer[] = [];
  let size = 0;
  for (let next = await lines.next(); next.done !== true && !isEndOfRows(next.value); next = await lines.next()) {
    batch.push(next.value, newline);
    size += next.value.length + 1;
    if (size < batchBytes) continue;
    yield Buffer.concat(batch);
    [batch, size] = [[], 0];
  }
  yield Buffer.concat(batch);
}

const newline = Buffer.from('\n');
const isEndOfRows = (line: Buffer): boolean => line.length === endOfRows.length && line.toString() === endOfRows;

/** Returns the lines of a backup as bytes: a row may contain other line separators of Unicode. */
async function* linesOf(path: string): AsyncGenerator<Buffer, void> {
  const source = createReadStream(path);
  const text: Transform = createGunzip();
  source.once('error', (error) => text.destroy(error));
  let rest: Buffer[] = [];
  try {
    for await (const chunk of source.pipe(text) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, at)]);
        rest = [];
        start = at + 1;
      }
      rest.push(chunk.subarray(start));
    }
  } finally {
    source.destroy();
  }
}

/**
 * Informs the product that the database is older than QuickBooks and Autotask: the next session of each client searches
 * for documents that the ledger lost. All users log in again, because ended sessions would be valid again.
 *
 * @param client a separate connection of the tables' owner.
 */
export async function markRestored(client: Client): Promise<void> {
  await client.query('begin');
  await client.query('update deployment_clock set gaps = gaps + 1');
  await client.query('set local role tallybridge_purge');
  await client.query('delete from sessions');
  await client.query('delete from one_time_tokens');
  await client.query(
    `insert into deployment_events (at, actor, action, subject, detail)
     values (clock_timestamp(), 'command line', 'database.restored', 'the database', '{}')`,
  );
  await client.query('commit');
}
