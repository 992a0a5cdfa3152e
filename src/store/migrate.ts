import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
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

/** Makes every row-level policy look up the current tenant once per statement instead of once per row. */
const askOnce = `
do $$
declare
  one record;
begin
  for one in
    select tablename as name, case tablename when 'tenants' then 'id' else 'tenant_id' end as tenant
      from pg_policies where schemaname = 'public' and policyname = 'own_tenant' and qual not ilike '%select current_tenant()%'
  loop
    execute format(
      'alter policy own_tenant on %1$I using (%2$I = (select current_tenant())) with check (%2$I = (select current_tenant()))',
      one.name, one.tenant);
  end loop;
end $$`;

/**
 * Applies the missing migrations. If several processes call this at once, one works, and the others wait and find it
 * done.
 *
 * @returns the names of the migrations that this call applied.
 * @throws SchemaMismatch if a newer program created the database, or a migration was changed afterward.
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  const known = await readMigrations();
  const client = await database.pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [lockNumber]);
    try {
      await prepareRoles(client);
      const applied = await applyMissing(client, known);
      // If the database does not allow creating the login, the first transaction of a tenant detects and logs it.
      if (database.tenantLogin !== null) await prepareTenantLogin(client, database.tenantLogin);
      return applied;
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lockNumber]);
    }
  } finally {
    // Not returned to the pool: its settings were changed, and a failed connection must not be reused.
    client.release(true);
  }
}

/** Names of this program's migrations, which do not change while it runs. */
let names: Promise<readonly string[]> | undefined;

/** Returns true if all migrations of this program were applied and the database accepts writes; one statement. */
export async function isWritable({ pool }: Database): Promise<boolean> {
  names ??= readMigrations().then((known) => known.map(({ name }) => name));
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
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8');
      // Line endings differ between checkouts and are ignored.
      const hash = createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');
      return { name: file.replace(/\.sql$/, ''), sql, hash };
    }),
  );
}

async function applyMissing(client: PoolClient, known: readonly Migration[]): Promise<readonly string[]> {
  await client.query(
    `create table if not exists schema_migrations (
       name text primary key, hash text not null, applied_at timestamptz not null default now()
     )`,
  );
  const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from schema_migrations');
  const applied = new Map(rows.map((row) => [row.name, row.hash]));
  const newer = [...applied.keys()].find((name) => known.every((one) => one.name !== name));
  if (newer !== undefined)
    throw new SchemaMismatch(
      `The database was made by a newer Tallybridge (it has “${newer}”): start that version, or use another database.`,
    );
  const done: string[] = [];
  for (const migration of known) {
    const hash = applied.get(migration.name);
    if (hash === migration.hash) continue;
    if (hash !== undefined)
      throw new SchemaMismatch(
        `The database was made with another text of “${migration.name}”: migrations are never edited, restore the file.`,
      );
    await apply(client, migration);
    done.push(migration.name);
  }
  if (done.length > 0) {
    await client.query(grantPurge);
    await client.query(askOnce);
  }
  return done;
}

async function apply(client: PoolClient, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (name, hash) values ($1, $2)', [migration.name, migration.hash]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    const why = error instanceof Error ? error.message : String(error);
    throw new SchemaMismatch(`The database could not be brought up to date (“${migration.name}”): ${why}.`, {
      cause: error,
    });
  }
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
      `The database role ${role} may bypass row-level security, so tenants would not be kept apart: run “alter role ${role} nosuperuser nobypassrls”.`,
    );
  try {
    await client.query(`set role ${role}`);
    await client.query('reset role');
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    await client.query(`grant ${role} to current_user`);
  }
}
