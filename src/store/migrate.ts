import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { messageOf } from '#core/values/text.ts';
import { codeOf, SchemaMismatch } from './errors.ts';
import type { Database } from './database.ts';
import { prepareTenantLogin } from './tenant-login.ts';

const folder = join(import.meta.dirname, 'migrations');
/** Number of the advisory lock; any number that nothing else in the database uses. */
const lockNumber = 7_420_001;
/**
 * Roles for tenant transactions, for transactions across tenants, and for removing old rows or a whole tenant. None of
 * them may bypass row-level security.
 */
const roles = ['tallybridge_app', 'tallybridge_root', 'tallybridge_purge'] as const;

/** Lets the purge role delete rows of every tenant table, including tables of later migrations. */
const grantPurge = `
do $$
declare
  name text;
begin
  for name in
    select c.relname from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and (c.relname in ('tenants', 'deployment_events')
            or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))
  loop
    if not exists (select from pg_policies p where p.schemaname = 'public' and p.tablename = name and p.policyname = 'purge') then
      execute format('create policy purge on %I to tallybridge_purge using (true) with check (true)', name);
    end if;
    execute format('grant select, delete on %I to tallybridge_purge', name);
  end loop;
  if to_regclass('public.deployment_events') is not null then
    revoke delete on deployment_events from tallybridge_purge;
    grant insert on deployment_events to tallybridge_purge;
  end if;
  grant usage on schema public to tallybridge_purge;
end $$`;

/** How `migrate` works, and whom it informs. */
export interface MigrateOptions {
  /** How long a migration waits for a lock that another transaction holds; default 10 seconds. */
  readonly lockTimeoutMs?: number;
  /** Names of the migrations to apply; default: all. */
  readonly only?: readonly string[];
  /** Called after each migration with its name, its number and the number of all. */
  readonly onApplied?: (name: string, done: number, total: number) => void;
}

const defaultLockTimeoutMs = 10_000;
/** Pause between two tries to become the process that migrates. */
const waitMs = 100;

/**
 * Applies the missing migrations. If several processes call this at once, one works, and the others wait and find it
 * done. It can run while processes of the previous release work.
 *
 * @returns the names of the migrations that this call applied.
 * @throws SchemaMismatch if a newer program created the database, a migration was changed afterward, or a lock is not
 *   free in time.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<readonly string[]> {
  const lockTimeoutMs = options.lockTimeoutMs ?? defaultLockTimeoutMs;
  const client = await database.pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
    await becomeMigrator(client);
    try {
      await prepareRoles(client);
      const applied = await applyMissing(client, options);
      await client.query(grantPurge);
      // If the database does not allow creating the login, the first transaction of a tenant detects and logs it.
      if (database.tenantLogin !== null) await prepareTenantLogin(client, database.tenantLogin);
      return applied;
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lockNumber]);
    }
  } catch (error) {
    throw codeOf(error) === lockNotAvailable ? lockTimedOut('The rights', lockTimeoutMs, error) : error;
  } finally {
    // Not returned to the pool: its settings were changed, and a failed connection must not be reused.
    client.release(true);
  }
}

/** PostgreSQL's code for a lock that was not free in time. */
const lockNotAvailable = '55P03';

const lockTimedOut = (what: string, timeoutMs: number, cause: unknown): SchemaMismatch =>
  new SchemaMismatch(
    `${what} waited ${timeoutMs / 1_000} seconds for a lock of another transaction, and nothing of it was applied: run “tallybridge migrate” again, or with a longer --lock-timeout.`,
    { cause },
  );

/** Waits without a snapshot, because building an index concurrently waits for all older snapshots. */
async function becomeMigrator(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isOurs: boolean }>('select pg_try_advisory_lock($1) as "isOurs"', [
      lockNumber,
    ]);
    if (rows[0]?.isOurs === true) return;
    await sleep(waitMs);
  }
}

/** Lists the names of this program's migrations. */
export const listMigrations = async (): Promise<readonly string[]> => (await readMigrations()).map(({ name }) => name);

/**
 * Lists what `migrate` would apply.
 *
 * @throws SchemaMismatch if this program cannot use the database: a newer program removed something it uses, or a
 *   migration was changed afterward.
 */
export async function pendingMigrations({ pool }: Pick<Database, 'pool'>): Promise<readonly string[]> {
  return missingIn(await readMigrations(), await readApplied(pool)).map(({ name }) => name);
}

/**
 * Lists indexes and triggers that the migrations create and the database lacks or has disabled.
 *
 * @returns one text for each, for example `the index jobs_newest is missing`.
 */
export async function missingParts({ pool }: Pick<Database, 'pool'>): Promise<readonly string[]> {
  const sql = (await readMigrations()).map((one) => one.sql).join('\n');
  const named = (pattern: RegExp) => [...sql.matchAll(pattern)].map(([, name = '']) => name);
  const left = (made: RegExp, dropped: RegExp) => {
    const gone = new Set(named(dropped));
    return named(made).filter((name) => !gone.has(name));
  };
  const indexes = left(
    /create (?:unique )?index (?:concurrently )?(?:if not exists )?(\w+) on/gi,
    /drop index (?:concurrently )?(?:if exists )?(\w+)/gi,
  );
  const triggers = left(/create (?:constraint )?trigger (\w+)/gi, /drop trigger (?:if exists )?(\w+)/gi);
  const { rows } = await pool.query<{ text: string }>(
    `select 'the index ' || name || ' is missing' as text from unnest($1::text[]) name
      where not exists (select from pg_index i where i.indexrelid = to_regclass('public.' || name) and i.indisvalid)
     union all
     select 'the trigger ' || name || ' is missing or disabled' from unnest($2::text[]) name
      where not exists (select from pg_trigger t where t.tgname = name and t.tgenabled = 'O')`,
    [indexes, triggers],
  );
  return rows.map(({ text }) => text);
}

/**
 * Checks that a deployment can start on the database, and creates the login of its tenant transactions.
 *
 * @throws SchemaMismatch if migrations are pending, or this program cannot use the database.
 */
export async function assertMigrated(database: Database): Promise<void> {
  const pending = await pendingMigrations(database);
  if (pending.length > 0)
    throw new SchemaMismatch(
      `The database has ${pending.length} pending ${pending.length === 1 ? 'migration' : 'migrations'}: run “tallybridge migrate”, then start again.`,
    );
  if (database.tenantLogin === null) return;
  const client = await database.pool.connect();
  try {
    await prepareTenantLogin(client, database.tenantLogin);
  } finally {
    client.release();
  }
}

/** Names of this program's migrations, which do not change while it runs. */
let names: Promise<readonly string[]> | undefined;

/** Returns true if all migrations of this program were applied and the database accepts writes; one statement. */
export async function isWritable({ pool }: Database): Promise<boolean> {
  names ??= listMigrations();
  const { rows } = await pool.query<{ isWritable: boolean }>(
    `select current_setting('transaction_read_only') = 'off' and
            not exists (select unnest($1::text[]) except select name from schema_migrations) as "isWritable"`,
    [await names],
  );
  return rows[0]?.isWritable === true;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
  /** The migration that a program must know to work after this one, which removes something; null: none. */
  readonly requires: string | null;
}

async function readMigrations(): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(files.map(readMigration));
}

async function readMigration(file: string): Promise<Migration> {
  const sql = await readFile(join(folder, file), 'utf8');
  // Line endings differ between checkouts and are ignored.
  const hash = createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');
  const requires = /^-- Requires (\w+)/m.exec(sql)?.[1] ?? null;
  return { name: file.replace(/\.sql$/, ''), sql, hash, requires };
}

interface Applied {
  readonly hash: string;
  readonly requires: string | null;
}

/** Reads the migrations of a database, also of one without any. */
async function readApplied(client: Pick<PoolClient, 'query'>): Promise<ReadonlyMap<string, Applied>> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as exists`,
  );
  if (found[0]?.exists !== true) return new Map();
  const { rows } = await client.query<Applied & { readonly name: string }>(
    `select name, hash, requires from public.schema_migrations`,
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/**
 * Returns the migrations that the database lacks. A database of a newer release is accepted, unless it lacks something
 * that this program uses.
 */
function missingIn(known: readonly Migration[], applied: ReadonlyMap<string, Applied>): readonly Migration[] {
  const names = new Set(known.map(({ name }) => name));
  const missing = known.filter(({ name }) => !applied.has(name));
  for (const [name, { requires }] of applied) {
    const isUsable = names.has(name) || (missing.length === 0 && (requires === null || names.has(requires)));
    if (!isUsable)
      throw new SchemaMismatch(
        `The database was created by a newer Tallybridge (it has “${name}”): start that version, or use another database.`,
      );
  }
  for (const { name, hash } of known)
    if (applied.has(name) && applied.get(name)?.hash !== hash)
      throw new SchemaMismatch(
        `The database was migrated with a different text of “${name}”: migrations are never edited, restore the file.`,
      );
  return missing;
}

async function applyMissing(client: PoolClient, options: MigrateOptions): Promise<readonly string[]> {
  await client.query(
    `create table if not exists schema_migrations (
       name text primary key, hash text not null, applied_at timestamptz not null default now(), requires text
     )`,
  );
  const steps = missingIn(await readMigrations(), await readApplied(client)).filter(
    ({ name }) => options.only?.includes(name) ?? true,
  );
  for (const [index, step] of steps.entries()) {
    await applyMigration(client, step, options.lockTimeoutMs ?? defaultLockTimeoutMs);
    options.onApplied?.(step.name, index + 1, steps.length);
  }
  return steps.map(({ name }) => name);
}

/**
 * Applies one migration and records it.
 *
 * @throws SchemaMismatch if it fails; nothing of it remains.
 */
export async function applyMigration(
  client: Pick<PoolClient, 'query'>,
  { name, sql, hash, requires }: Migration,
  lockTimeoutMs: number,
): Promise<void> {
  const record = () =>
    client.query('insert into schema_migrations (name, hash, requires) values ($1, $2, $3)', [name, hash, requires]);
  try {
    if (isConcurrent(sql)) {
      await buildIndexes(client, sql, lockTimeoutMs);
      await record();
      return;
    }
    await client.query('begin');
    await client.query(sql);
    await record();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    if (codeOf(error) === lockNotAvailable) throw lockTimedOut(`“${name}”`, lockTimeoutMs, error);
    throw new SchemaMismatch(`The database could not be brought up to date (“${name}”): ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** Whether a migration builds indexes while other transactions write; PostgreSQL allows no transaction around it. */
export const isConcurrent = (sql: string): boolean => /\bindex concurrently\b/i.test(sql);

/** The only statements of a concurrent migration: it can be repeated after it was interrupted. */
const concurrentStatement =
  /^create (?:unique )?index concurrently if not exists (\w+) on [\s\S]+$|^drop index concurrently if exists \w+$/i;

async function buildIndexes(client: Pick<PoolClient, 'query'>, sql: string, lockTimeoutMs: number): Promise<void> {
  const statements = sql
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  // It waits for transactions that began earlier, without blocking others.
  await client.query('set lock_timeout = 0');
  for (const statement of statements) {
    const form = concurrentStatement.exec(statement);
    if (form === null)
      throw new Error(
        'a migration with “index concurrently” has only “create index concurrently if not exists” and “drop index concurrently if exists”',
      );
    const [, index] = form;
    if (index !== undefined) {
      // An interrupted build leaves an invalid index.
      const { rowCount } = await client.query(
        'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
        [`public.${index}`],
      );
      if (rowCount !== 0) await client.query(`drop index concurrently ${index}`);
    }
    await client.query(statement);
  }
  await client.query(`set lock_timeout = ${lockTimeoutMs}`);
}

/** Roles belong to the whole server: a process on another database of it may create them at the same time. */
async function prepareRoles(client: PoolClient): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      for (const role of roles) await prepareRole(client, role);
      return;
    } catch (error) {
      if (codeOf(error) === '42501')
        throw new SchemaMismatch(
          `The database user may not prepare the roles ${roles.join(', ')}: have an administrator create them with “nologin” and grant them to that user.`,
          { cause: error },
        );
      // Duplicate, or “tuple concurrently updated”: another process was faster.
      if (!['42710', '23505', 'XX000'].includes(codeOf(error)) || tries === 20) throw error;
      await sleep(25);
    }
  }
}

async function prepareRole(client: PoolClient, role: (typeof roles)[number]): Promise<void> {
  const { rows } = await client.query<{ rolsuper: boolean; rolbypassrls: boolean }>(
    'select rolsuper, rolbypassrls from pg_roles where rolname = $1',
    [role],
  );
  const found = rows[0];
  if (found === undefined) await client.query(`create role ${role} nologin nosuperuser nobypassrls`);
  else if (found.rolsuper || found.rolbypassrls)
    throw new SchemaMismatch(
      `The database role ${role} may bypass row-level security, so tenants would not be separated: run “alter role ${role} nosuperuser nobypassrls”.`,
    );
  try {
    await client.query(`set role ${role}`);
    await client.query('reset role');
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    await client.query(`grant ${role} to current_user`);
  }
}
