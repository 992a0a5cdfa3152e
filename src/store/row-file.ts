import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { BackupUnusable } from './errors.ts';

/*
 * A file of rows is one gzip file: a line of JSON about the file, then for each table a line of JSON, its rows in
 * PostgreSQL's text format of COPY, and a line `\.`; then a line of JSON with the counts. A file without the last line
 * is incomplete.
 */
const endOfRows = '\\.';
/** Roles that may read all rows of a table, whose owner may not because of row-level security. */
const readers = ['tallybridge_purge', 'tallybridge_root'] as const;

/** First line of a file. */
export interface RowFileHead {
  readonly format: string;
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

/** A table of the database. */
export interface Table extends TableHead {
  /** The role that may read all rows; null: the owner may. */
  readonly reader: string | null;
}

/** Last line of a file. */
export interface RowFileEnd {
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Last values of the sequences; only in a file with the whole database. */
  readonly sequences?: Readonly<Record<string, string>>;
}

/** Encrypts or decrypts the bytes of a file while it is written or read. */
export type Coding = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** Called after each table with the number of finished tables and of all. */
export type OnTable = (done: number, total: number) => void;

/**
 * Writes rows into a new file, and the file to the disk; after an error, removes it. The caller has begun a transaction,
 * so that the rows are as of one moment.
 *
 * @param client a separate connection of the tables' owner.
 * @param parts.seal encrypts the file.
 * @param parts.where condition of a table's rows, as SQL; default: all rows.
 * @returns the number of rows.
 */
export async function writeRowFile(
  client: Client,
  path: string,
  {
    head,
    tables,
    where,
    readSequences,
    seal,
    onTable,
  }: {
    readonly head: RowFileHead;
    readonly tables: readonly Table[];
    readonly where?: (table: string) => string;
    readonly readSequences?: () => Promise<RowFileEnd['sequences']>;
    readonly seal?: Coding | undefined;
    readonly onTable?: OnTable | undefined;
  },
): Promise<number> {
  const rows: Record<string, number> = {};
  async function* lines(): AsyncGenerator<Buffer | string> {
    yield lineOf(head);
    for (const [index, { reader, ...table }] of tables.entries()) {
      yield lineOf(table);
      if (reader !== null) await client.query(`set local role ${reader}`);
      const condition = where === undefined ? '' : ` where ${where(table.table)}`;
      const copy = client.query(
        copyTo(`copy (select ${namesOf(table)} from public.${quoted(table.table)}${condition}) to stdout`),
      );
      for await (const chunk of copy as AsyncIterable<Buffer>) yield chunk;
      rows[table.table] = copy.rowCount;
      await client.query('reset role');
      yield `${endOfRows}\n`;
      onTable?.(index + 1, tables.length);
    }
    const sequences = await readSequences?.();
    yield lineOf({ rows, ...(sequences && { sequences }) } satisfies RowFileEnd);
  }
  // Readable by the operator only; never overwrites an earlier file.
  const created = await open(path, 'wx', 0o600);
  try {
    await created.close();
    await pipeline(
      Readable.from(lines(), { objectMode: false }),
      createGzip(),
      seal ?? asTheyAre,
      createWriteStream(path),
    );
    const file = await open(path);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

async function* asTheyAre(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* source;
}

const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`;
/** Returns a name as SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** Returns the columns of a table as SQL. */
export const namesOf = ({ columns }: TableHead): string => columns.map(quoted).join(', ');

/** Returns the names of the applied migrations. */
export async function readMigrationNames(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}

/** Lists the tables with the role that may read all their rows. */
export async function readTables(client: Client, omitted: readonly string[]): Promise<readonly Table[]> {
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
    [readers, omitted],
  );
  return rows.map(({ isGuarded, reader, ...table }) => {
    if (isGuarded && reader === null) throw new Error(`No role may read all rows of ${table.table}.`);
    return { ...table, reader: isGuarded ? reader : null };
  });
}

/**
 * Reads a whole file, so that a damaged one fails before it changes anything.
 *
 * @param format the first line must have it.
 * @param name of such a file, for messages: “backup”.
 * @param unseal decrypts the file.
 * @throws BackupUnusable if the file is not complete.
 */
export async function checkRowFile<Head extends RowFileHead>(
  path: string,
  format: string,
  name: string,
  unseal?: Coding,
): Promise<Head & RowFileEnd> {
  const rows: Record<string, number> = {};
  let head: Head | null = null;
  let end: RowFileEnd | null = null;
  let table: string | null = null;
  try {
    for await (const line of linesOf(path, unseal)) {
      if (table !== null) {
        if (isEndOfRows(line)) table = null;
        else rows[table] = (rows[table] ?? 0) + 1;
        continue;
      }
      const value = JSON.parse(line.toString()) as Partial<RowFileHead & TableHead & RowFileEnd>;
      if (head === null) {
        if (value.format !== format) break;
        head = value as Head;
      } else if (value.table !== undefined) rows[(table = value.table)] = 0;
      else end = value as RowFileEnd;
    }
  } catch (error) {
    if (error instanceof BackupUnusable) throw error;
    throw new BackupUnusable(`The ${name} ${path} is damaged or cannot be read: use another one.`, { cause: error });
  }
  if (head === null) throw new BackupUnusable(`${path} is not a ${name} of Tallybridge.`);
  if (end === null || JSON.stringify(rows) !== JSON.stringify(end.rows))
    throw new BackupUnusable(`The ${name} ${path} is incomplete: use another one.`);
  return { ...head, ...end };
}

/**
 * Copies the rows of a checked file into tables.
 *
 * @param options.unseal decrypts the file.
 * @param options.targetOf returns the table that gets the rows, as SQL; default: the table of the same name.
 */
export async function copyRowFile(
  client: Client,
  path: string,
  total: number,
  {
    targetOf,
    unseal,
    onTable,
  }: {
    readonly targetOf?: (table: string) => string;
    readonly unseal?: Coding | undefined;
    readonly onTable?: OnTable | undefined;
  } = {},
): Promise<void> {
  const lines = linesOf(path, unseal);
  await lines.next();
  for (let done = 1; done <= total; done += 1) {
    const { value } = await lines.next();
    const table = JSON.parse(String(value)) as TableHead;
    const target = targetOf?.(table.table) ?? `public.${quoted(table.table)}`;
    const copy = client.query(copyFrom(`copy ${target} (${namesOf(table)}) from stdin`));
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

/** Returns the lines of a file as bytes: a row may contain other line separators of Unicode. */
async function* linesOf(path: string, unseal?: Coding): AsyncGenerator<Buffer, void> {
  const source = createReadStream(path);
  const text: Transform = createGunzip();
  const zipped = unseal === undefined ? source : Readable.from(unseal(source), { objectMode: false });
  zipped.once('error', (error) => text.destroy(error));
  let rest: Buffer[] = [];
  try {
    for await (const chunk of zipped.pipe(text) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, at)]);
        rest = [];
        start = at + 1;
      }
      rest.push(chunk.subarray(start));
    }
  } finally {
    zipped.destroy();
    source.destroy();
  }
}
