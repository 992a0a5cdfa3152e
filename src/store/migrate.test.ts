import { afterEach, expect, test } from 'vitest';
import { asOwner, newDatabase, type TestDatabase } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { openDatabase, type Database } from './database.ts';
import { DatabaseUnavailable, SchemaMismatch } from './errors.ts';
import { applyMigration, assertMigrated, isWritable, migrate, pendingMigrations } from './migrate.ts';

let db: TestDatabase | undefined;
afterEach(async () => {
  await db?.close();
  db = undefined;
});

const empty = async () => (db = await newDatabase({ isMigrated: false }));

test('parallel processes apply each migration once', async () => {
  const { url, store } = await empty();
  const processes = await Promise.all([1, 2, 3].map(() => openDatabase(url, { logger: silentLogger })));
  expect(await store.ready()).toBe(false);
  const applied = await Promise.all(processes.map((one) => migrate(one)));
  expect(applied.filter((names) => names.length > 0)).toEqual([expect.arrayContaining(['0001_baseline'])]);
  expect(await store.ready()).toBe(true);
  for (const one of processes) expect(await migrate(one)).toEqual([]);
  await Promise.all(processes.map((one) => one.close()));
});

test('migrates several databases of one server in parallel despite shared roles', async () => {
  const databases = await Promise.all([1, 2, 3].map(() => newDatabase({ isMigrated: false })));
  await Promise.all(databases.map(({ database }) => migrate(database)));
  for (const one of databases) {
    expect(await isWritable(one.database)).toBe(true);
    await one.close();
  }
});

const addFuture = (url: string, requires: string | null) =>
  asOwner(url, (client) =>
    client.query(`insert into schema_migrations (name, hash, requires) values ('9999_from_the_future', 'x', $1)`, [
      requires,
    ]),
  );

test('accepts a database of a newer program that removed nothing it uses', async () => {
  const { url, database } = (db = await newDatabase());
  await addFuture(url, null);
  await assertMigrated(database);
  expect(await migrate(database)).toEqual([]);
  await asOwner(url, (client) => client.query(`update schema_migrations set requires = '0001_baseline'`));
  await assertMigrated(database);
  expect(await isWritable(database)).toBe(true);
});

test('a deployment does not start with pending migrations', async () => {
  const { database } = await empty();
  expect((await pendingMigrations(database)).slice(0, 1)).toEqual(['0001_baseline']);
  await expect(assertMigrated(database)).rejects.toThrow(
    /^The database has \d+ pending migrations?: run “tallybridge migrate”, then start again\.$/,
  );
  await migrate(database);
  await assertMigrated(database);
  expect(await pendingMigrations(database)).toEqual([]);
});

test('a migration that does not get its lock in time changes nothing', async () => {
  const { url } = (db = await newDatabase());
  const sql = 'alter table tenants add column note text; alter table connections add column note text;';
  const step = { name: '9999_notes', sql, hash: 'x', requires: null };
  const notes = await asOwner(url, (client) =>
    asOwner(url, async (other) => {
      await other.query('begin');
      await other.query('lock table connections in access exclusive mode');
      await client.query('set lock_timeout = 50');
      await expect(applyMigration(client, step, 50)).rejects.toThrow(
        '“9999_notes” waited 0.05 seconds for a lock of another transaction, and nothing of it was applied',
      );
      return client.query(
        `select from pg_attribute where attrelid = 'tenants'::regclass and attname = 'note'
          union all select from schema_migrations where name = '9999_notes'`,
      );
    }),
  );
  expect(notes.rowCount).toBe(0);
});

test('builds an index while others write, and again after it was interrupted', async () => {
  const { url } = (db = await newDatabase());
  await asOwner(url, async (client) => {
    await client.query(`create table numbers as select unnest(array[1, 1]) as n`);
    const sql = '-- Finds numbers.\ncreate unique index concurrently if not exists numbers_n on numbers (n);\n';
    const build = () => applyMigration(client, { name: '9999_concurrent', sql, hash: 'x', requires: null }, 1_000);
    await expect(build()).rejects.toThrow(/“9999_concurrent”.*could not create unique index/);
    await client.query('delete from numbers where ctid = (select min(ctid) from numbers)');
    await build();
    const { rows } = await client.query(`select indisvalid from pg_index where indexrelid = 'numbers_n'::regclass`);
    expect(rows).toEqual([{ indisvalid: true }]);
    const mixed = { name: '9999_mixed', sql: `${sql}drop table numbers;`, hash: 'x', requires: null };
    await expect(applyMigration(client, mixed, 1_000)).rejects.toThrow('has only “create index concurrently');
  });
});

test('rejects a database of a newer program with a clear message and leaves it unchanged', async () => {
  const { url, database } = (db = await newDatabase());
  await addFuture(url, '9998_near_future');
  const refused = migrate(database);
  await expect(refused).rejects.toThrow(SchemaMismatch);
  await expect(refused).rejects.toThrow('created by a newer Tallybridge (it has “9999_from_the_future”)');
});

test('rejects a migration that was edited after it was applied', async () => {
  const { url, database } = (db = await newDatabase());
  await asOwner(url, (client) => client.query(`update schema_migrations set hash = 'x'`));
  await expect(migrate(database)).rejects.toThrow('never edited');
});

test('rolls back a failed migration completely', async () => {
  const { url, database } = await empty();
  await asOwner(url, (client) => client.query('create table postings (id integer)'));
  await expect(migrate(database)).rejects.toThrow(SchemaMismatch);
  const tables = await asOwner(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    );
    return rows.map((row) => row.name);
  });
  expect(tables).toEqual(['postings', 'schema_migrations']);
});

/** Uses a login that owns the database and has no other rights, as a careful administrator would set it up. */
async function asPlainOwner(use: (database: Database) => Promise<void>): Promise<void> {
  const { url, store } = await empty();
  await store.ready();
  const name = new URL(url).pathname.slice(1);
  const owner = `${name}_owner`;
  await asOwner(url, async (client) => {
    await client.query(`create role ${owner} login password 'p' nosuperuser createrole`);
    await client.query(`alter database ${name} owner to ${owner}`);
    // Created and granted by an administrator.
    for (const role of ['tallybridge_app', 'tallybridge_root', 'tallybridge_purge'])
      await client.query(
        `do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`,
      );
    await client.query(`grant tallybridge_app, tallybridge_root, tallybridge_purge to ${owner}`);
  });
  const login = new URL(url);
  login.username = owner;
  login.password = 'p';
  const database = await openDatabase(login.href, { logger: silentLogger });
  try {
    await migrate(database);
    await use(database);
  } finally {
    await database.close();
    await asOwner(url, async (client) => {
      await client.query(`alter database ${name} owner to current_user`);
      await client.query(`reassign owned by ${owner} to current_user`);
      await client.query(`drop owned by ${owner}`);
      await client.query(`drop role ${owner}`);
    });
  }
}

const addTenants = (database: Database) =>
  database.acrossTenants((tx) =>
    tx
      .insertInto('tenants')
      .values(['A', 'B', 'C'].map((name) => ({ name, status: 'pending', time_zone: 'UTC' })))
      .returning('id')
      .execute(),
  );

test('migrates and runs with a restricted login under row-level security', () =>
  asPlainOwner(async (database) => {
    // The login owns the tables, and a tenant's transaction still sees only that tenant.
    for (const { id } of await addTenants(database))
      expect(await database.forTenant(id, (tx) => tx.selectFrom('tenants').select('id').execute())).toEqual([{ id }]);
  }));

test('reports an unusable database in one sentence with its location and without its password', async () => {
  const { url } = await empty();
  const change = (edit: (target: URL) => void): string => {
    const target = new URL(url);
    edit(target);
    return target.href;
  };
  const cases: readonly (readonly [string, RegExp])[] = [
    ['postgres://u:canary@127.0.0.1:1/none', /^The database at 127\.0\.0\.1:1\/none cannot be reached: /],
    ['postgres://u:canary@host.invalid/none', /^The database host of host\.invalid:5432\/none is not known: /],
    [change((target) => (target.pathname = '/canary_none')), /does not exist: /],
    [change((target) => (target.password = 'canary-wrong')), /refuses this user or password: /],
    ['canary', /^DATABASE_URL is not an address: /],
  ];
  for (const [wrong, sentence] of cases) {
    const refused = await openDatabase(wrong, { logger: silentLogger }).then(
      () => new Error('opened'),
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(DatabaseUnavailable);
    expect(refused).toHaveProperty('message', expect.stringMatching(sentence));
    expect(String(refused)).not.toMatch(/canary(?!_none)/);
  }
});
