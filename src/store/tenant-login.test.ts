import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase, testSecretKey, type TestDatabase } from '#test/support/database.ts';
import { keepingLogger } from '#test/support/fake-ports.ts';
import { silentLogger } from '#test/support/logger.ts';
import { openDatabase, type Database, type Tx } from './database.ts';
import { asLogin, tenantLogin } from './tenant-login.ts';

/**
 * SQL injected into a transaction of one client shows nothing of another client. The process has one connection, so
 * that the next transaction would find anything left behind by an earlier one.
 */
let db: TestDatabase;
let process: Database;
let ours: string;
let theirs: string;

beforeAll(async () => {
  db = await newDatabase();
  ours = (await newTenant(db.store)).tenantId;
  theirs = (await newTenant(db.store)).tenantId;
  process = await open();
});
afterEach(async () => {
  await process.close();
  process = await open();
});
afterAll(async () => {
  await process.close();
  await db.close();
});

const open = () => openDatabase(db.url, { logger: silentLogger, secretKey: testSecretKey, maxConnections: 1 });

const run = async (tx: Tx, statement: string): Promise<readonly Record<string, unknown>[]> =>
  (await sql.raw<Record<string, unknown>>(statement).execute(tx)).rows;

/** Runs statements in a transaction of our tenant; returns the result of the last one, or the error. */
const injected = (...statements: readonly string[]): Promise<unknown> =>
  process
    .forTenant(ours, async (tx) => {
      let shown: unknown;
      for (const statement of statements) shown = await run(tx, statement);
      return shown;
    })
    .catch((error: unknown) => (error instanceof Error ? error.message : error));

const bindingOf = (tenant: string) =>
  process.forTenant(tenant, async (tx) => {
    const [row] = await run(tx, `select current_setting('app.tenant') as token`);
    return String(row?.['token']);
  });

const allTenants = 'select id::text from tenants';

describe('an injected statement', () => {
  test('sees its own client, so these attacks could find data', async () => {
    expect(await injected(allTenants)).toEqual([{ id: ours }]);
  });

  test('cannot bind the transaction to another client by name', async () => {
    const own = await bindingOf(ours);
    for (const name of [theirs, `${theirs}.`, own.replace(ours, theirs), own.replace(/.$/, '0'), own, 'nonsense', ''])
      expect([name, await injected(`select set_config('app.tenant', '${name}', true)`, allTenants)]).toEqual([
        name,
        [],
      ]);
    const inOne = `select set_config('app.tenant', '${theirs}', true), query_to_xml('${allTenants}', false, false, '')::text as found`;
    expect(JSON.stringify(await injected(inOne))).not.toContain(`<id>`);
  });

  test("cannot use another transaction's binding token", async () => {
    const token = await bindingOf(theirs);
    expect(token).toContain(theirs);
    expect(await injected(`select set_config('app.tenant', '${token}', true)`, allTenants)).toEqual([]);
    const next = await db.database.forTenant(theirs, (tx) => run(tx, `select current_setting('app.tenant') as token`));
    expect(
      await injected(`select set_config('app.tenant', '${String(next[0]?.['token'])}', true)`, allTenants),
    ).toEqual([]);
  });

  test('cannot call functions that bind or sign, and reads no key', async () => {
    for (const statement of [
      `select enter_tenant('${theirs}', '')`,
      `select enter_tenant('${theirs}', null)`,
      `select enter_tenant('${theirs}', '${'0'.repeat(64)}')`,
      `select binding_mac('enter|${theirs}')`,
      `select binding_token('${theirs}')`,
      'select * from binding_key',
      `select query_to_xml('select * from binding_key', false, false, '')`,
      'select rolpassword from pg_authid',
    ])
      expect([statement, await injected(statement)]).toEqual([statement, expect.stringContaining('permission denied')]);
  });

  test('cannot change its role', async () => {
    const { name } = tenantLogin(testSecretKey);
    const owner = decodeURIComponent(new URL(db.url).username);
    for (const statement of [
      'set role tallybridge_root',
      'set role tallybridge_purge',
      `set role ${owner}`,
      `set session authorization ${owner}`,
      `select set_config('role', 'tallybridge_purge', true)`,
      `select set_config('session_authorization', '${owner}', true)`,
      'grant tallybridge_purge to current_user',
      'alter role current_user superuser',
      `alter function current_tenant() security invoker`,
      `create or replace function current_tenant() returns uuid language sql as 'select null::uuid'`,
    ])
      expect([statement, await injected(statement)]).toEqual([
        statement,
        expect.stringMatching(/permission denied|must be owner/),
      ]);
    for (const statement of [
      'reset role',
      'set role none',
      'reset session authorization',
      'set role tallybridge_app',
    ]) {
      expect([statement, await injected(statement, allTenants)]).toEqual([statement, [{ id: ours }]]);
      expect(await injected(statement, 'select session_user::text as name')).toEqual([{ name }]);
    }
  });

  test('leaves nothing on the connection that affects the next transaction', async () => {
    const attacks = [
      `set search_path = pg_temp, public`,
      `create temporary table tenants (id text)`,
      `create temporary table settings as select * from public.settings`,
      `create function pg_temp.current_tenant() returns uuid language sql as $$ select '${theirs}'::uuid $$`,
      `select set_config('app.tenant', '${theirs}', false)`,
    ];
    for (const attack of attacks) {
      await injected(attack);
      expect([attack, await process.forTenant(theirs, (tx) => run(tx, allTenants))]).toEqual([
        attack,
        [{ id: theirs }],
      ]);
      expect([attack, await injected(allTenants)]).toEqual([attack, [{ id: ours }]]);
    }
    expect(await process.forTenant(theirs, (tx) => run(tx, `select 'settings'::regclass::text as name`))).toEqual([
      { name: 'settings' },
    ]);
    expect(await injected(`select 'tenants'::regclass = 'public.tenants'::regclass as is_ours`)).toEqual([
      { is_ours: true },
    ]);
  });

  test('sees only the query text of another session, without values to bind it', async () => {
    // A session of the same login, which an injected statement also has.
    const own = new Client({ connectionString: asLogin(db.url, tenantLogin(testSecretKey)) });
    await own.connect();
    await process.forTenant(ours, (tx) => run(tx, allTenants));
    try {
      const seen = await asOwner(db.url, async (client) => {
        await client.query('begin');
        await client.query('lock table binding_key in access exclusive mode');
        // It waits at its binding, which reads the table.
        const bound = process.forTenant(theirs, (tx) => run(tx, allTenants));
        const look = async () =>
          (
            await own.query<{ query: string }>(
              `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).rows;
        await expect.poll(look).toHaveLength(1);
        const statements = await look();
        await client.query('rollback');
        expect(await bound).toEqual([{ id: theirs }]);
        return statements;
      });
      expect(seen).toEqual([{ query: expect.stringContaining('enter_tenant($1, $2)') }]);
      expect(JSON.stringify(seen)).not.toContain(theirs);
    } finally {
      await own.end();
    }
  });
});

describe('row-level security', () => {
  test('is evaluated once per statement, not per row, on every table', async () => {
    const { asking, plan } = await asOwner(db.url, async (client) => {
      const { rows } = await client.query<{ name: string; qual: string; with_check: string }>(
        `select tablename as name, qual, with_check from pg_policies where policyname = 'own_tenant'`,
      );
      const explained = await process.forTenant(ours, (tx) => run(tx, 'explain (costs off) select * from logs'));
      return { asking: rows, plan: explained.map((row) => row['QUERY PLAN']).join('\n') };
    });
    expect(asking.length).toBeGreaterThan(15);
    const once = /^\((id|tenant_id) = \( SELECT current_tenant\(\) AS current_tenant\)\)$/;
    expect(asking.filter(({ qual, with_check }) => !once.test(qual) || !once.test(with_check))).toEqual([]);
    expect(plan).toContain('InitPlan');
  });

  test('works without a separate login if the database allows none, and logs that', async () => {
    const logger = keepingLogger();
    const owner = { name: 'plain_injected_owner', password: 'only-this-test-knows-it' };
    await asOwner(db.url, async (client) => {
      await client.query(`create role ${owner.name} login nosuperuser password '${owner.password}'`);
      await client.query(`grant tallybridge_app to ${owner.name}`);
      await client.query(`grant select on binding_key to ${owner.name}`);
    });
    const secretKey = 'a secret without any database login';
    const other = await openDatabase(asLogin(db.url, owner), { logger, secretKey });
    try {
      expect(await other.forTenant(ours, (tx) => run(tx, allTenants))).toEqual([{ id: ours }]);
      const named = await other.forTenant(ours, async (tx) => {
        await run(tx, `select set_config('app.tenant', '${theirs}', true)`);
        return run(tx, allTenants);
      });
      expect(named).toEqual([]);
    } finally {
      await other.close();
      await asOwner(db.url, async (client) => {
        await client.query(`drop owned by ${owner.name}`);
        await client.query(`drop role ${owner.name}`);
      });
    }
    expect(JSON.stringify(logger.lines)).toContain('lets the login of the tenants not in');
  });

  test('rejects a superuser who sets a role, because an injected statement could disable it', async () => {
    const other = await openDatabase(db.url, { logger: silentLogger, secretKey: 'another secret without any login' });
    await expect(other.forTenant(ours, (tx) => run(tx, allTenants))).rejects.toThrow('may bypass row-level security');
    await other.close();
  });
});
