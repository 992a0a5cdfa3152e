import { afterAll, describe, expect, test } from 'vitest';
import { Client } from 'pg';
import { newTenant } from '#test/support/attempts.ts';
import { asOwner, enterTenant, newDatabase, testSecretKey } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { tenantLogin } from './tenant-login.ts';

/** Reads and writes under the store's role, but with statements that have no tenant condition. */
const db = await newDatabase();
const owner = new Client({ connectionString: db.url });
await owner.connect();
const ours = (await newTenant(db.store)).tenantId;
const theirs = (await newTenant(db.store)).tenantId;
afterAll(async () => {
  await owner.end();
  await db.close();
});

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isGenerated: boolean;
}

const rowsOf = async <T extends object>(statement: string, values: readonly unknown[] = []): Promise<readonly T[]> =>
  (await owner.query<T>(statement, [...values])).rows;

const tenantTables = async (): Promise<readonly string[]> => {
  const rows = await rowsOf<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p')
        and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
      order by 1`,
  );
  return rows.map((row) => row.name);
};

const columnsOf = (table: string) =>
  rowsOf<Column>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
            a.attgenerated <> '' or a.attidentity <> '' as "isGenerated"
       from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`,
    [table],
  );

/** Inserts a row of a tenant into any table, ignoring all constraints except the column types. */
async function insertRow(table: string, tenantId: string): Promise<void> {
  const columns = (await columnsOf(table)).filter((column) => !column.isGenerated);
  const values = columns.map((column) => (column.name === 'tenant_id' ? `'${tenantId}'` : sample(column.type)));
  const checks = await rowsOf<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [table],
  );
  for (const { name } of checks) await owner.query(`alter table ${table} drop constraint "${name}"`);
  await owner.query(`set session_replication_role = replica`);
  await owner.query(
    `insert into ${table} (${columns.map((one) => one.name).join(', ')}) values (${values.join(', ')})`,
  );
  await owner.query(`reset session_replication_role`);
}

const sample = (type: string): string =>
  type === 'uuid'
    ? 'gen_random_uuid()'
    : type === 'boolean'
      ? 'false'
      : /^(bigint|integer|numeric)$/.test(type)
        ? '1'
        : type === 'date' || type.startsWith('timestamp')
          ? 'now()'
          : type.endsWith('[]')
            ? `'{}'`
            : type.startsWith('json')
              ? `'{}'`
              : `md5(random()::text)`;

/** Runs one statement as a role; returns the number of rows, or `refused`. */
async function attempt(role: string, tenantId: string | null, statement: string): Promise<number | 'refused'> {
  await owner.query('begin');
  try {
    if (tenantId !== null) await enterTenant(owner, tenantId);
    await owner.query(`set local role ${role}`);
    return (await owner.query(statement)).rowCount ?? 0;
  } catch (error) {
    if (error instanceof Error && /permission denied|row-level security/.test(error.message)) return 'refused';
    throw error;
  } finally {
    await owner.query('rollback');
  }
}

describe('row-level security', () => {
  test('is enabled and forced on every tenant table', async () => {
    const tables = await tenantTables();
    expect(tables.length).toBeGreaterThan(15);
    const rows = await rowsOf<{ name: string }>(
      `select relname as name from pg_class where relname = any ($1) and relrowsecurity and relforcerowsecurity order by 1`,
      [[...tables, 'tenants']],
    );
    expect(rows.map(({ name }) => name)).toEqual([...tables, 'tenants'].sort());
  });

  test('hides and protects rows of other tenants in every table from any statement', async () => {
    const open: string[] = [];
    for (const table of await tenantTables()) {
      await insertRow(table, theirs);
      await insertRow(table, ours);
      for (const bound of [ours, null]) {
        const where = `tenant_id = '${theirs}'`;
        const statements = {
          select: `select 1 from ${table} where ${where}`,
          update: `update ${table} set tenant_id = tenant_id where ${where}`,
          take: `update ${table} set tenant_id = '${ours}' where ${where}`,
          delete: `delete from ${table} where ${where}`,
        };
        for (const [verb, statement] of Object.entries(statements)) {
          const outcome = await attempt('tallybridge_app', bound, statement);
          if (outcome !== 0 && outcome !== 'refused') open.push(`${verb} ${table} (${outcome})`);
        }
        const columns = (await columnsOf(table)).filter((column) => !column.isGenerated);
        const foreign = columns.map((one) => (one.name === 'tenant_id' ? `'${theirs}'` : sample(one.type)));
        const insert = `insert into ${table} (${columns.map((one) => one.name).join(', ')}) values (${foreign.join(', ')})`;
        if ((await attempt('tallybridge_app', bound, insert)) !== 'refused') open.push(`insert ${table}`);
      }
      // Row-level security lets our own rows through: a role that may read sees one row, not two.
      const own = await attempt('tallybridge_app', ours, `select 1 from ${table}`);
      if (own !== 'refused') expect([table, own]).toEqual([table, 1]);
    }
    expect(open).toEqual([]);
  });

  test('hides other tenants', async () => {
    expect(await attempt('tallybridge_app', ours, 'select 1 from tenants')).toBe(1);
    expect(await attempt('tallybridge_app', null, 'select 1 from tenants')).toBe(0);
    expect(
      await attempt('tallybridge_app', ours, `update tenants set status = 'cancelled' where id = '${theirs}'`),
    ).toBe(0);
  });

  test('postings, logs, and audit events are never deleted; logs and audit events never change', async () => {
    for (const table of ['postings', 'logs', 'log_details', 'audit_events'])
      expect([table, await attempt('tallybridge_app', ours, `delete from ${table}`)]).toEqual([table, 'refused']);
    expect(await attempt('tallybridge_app', ours, `update logs set message = ''`)).toBe('refused');
    expect(await attempt('tallybridge_app', ours, `update log_details set transcript = ''`)).toBe('refused');
    expect(await attempt('tallybridge_app', ours, `update audit_events set action = ''`)).toBe('refused');
  });

  test('the cross-tenant role reads no documents, secrets, mappings, or settings', async () => {
    const closed = [
      'data_keys',
      'settings',
      'mappings',
      'reference_data',
      'postings',
      'logs',
      'log_details',
      'audit_events',
    ];
    for (const table of closed)
      expect([table, await attempt('tallybridge_root', null, `select 1 from ${table}`)]).toEqual([table, 'refused']);
    for (const column of ['name', 'user_name', 'external_id', 'credentials', '*'])
      expect(await attempt('tallybridge_root', null, `select ${column} from connections`)).toBe('refused');
    expect(await attempt('tallybridge_root', null, 'select target_id from notifications')).toBe('refused');
    expect(await attempt('tallybridge_root', null, 'select body from attempts')).toBe('refused');
    expect(await attempt('tallybridge_root', null, 'select submitted_by from jobs')).toBe('refused');
  });

  test.each(['superuser', 'bypassrls'])('startup rejects a tenant login with %s', async (power) => {
    const secretKey = `a separate key: ${power}`;
    const { name } = tenantLogin(secretKey);
    const open = async () => {
      const database = await openDatabase(db.url, { logger: silentLogger, secretKey });
      return migrate(database).finally(() => database.close());
    };
    await open();
    await asOwner(db.url, async (client) => {
      await client.query(`alter role ${name} ${power}`);
      await expect(open()).rejects.toThrow(
        `The database user ${name} may bypass row-level security, so clients would not be separated: run “alter role ${name} nosuperuser nobypassrls”.`,
      );
      await client.query(`drop role ${name}`);
    });
  });

  test('no role may bypass row-level security, and only the restricted tenant login may log in', async () => {
    const rows = await rowsOf<{ readonly rolname: string }>(
      `select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as may, rolcanlogin,
              array(select pg_get_userbyid(m.roleid)::text from pg_auth_members m where m.member = r.oid) as is
         from pg_roles r where rolname like 'tallybridge\\_%' and rolname not like '%\\_owner' order by 1`,
    );
    const role = (rolname: string, rolcanlogin = false, is: readonly string[] = []) => ({
      rolname,
      may: false,
      rolcanlogin,
      is,
    });
    // The server is shared with tests that use other keys; their logins have the same rights as this one.
    const logins = rows.flatMap(({ rolname }) => (rolname.startsWith('tallybridge_tenant_') ? [rolname] : []));
    expect(logins).toContain(tenantLogin(testSecretKey).name);
    expect(rows).toEqual([
      ...['app', 'purge', 'root'].map((name) => role(`tallybridge_${name}`)),
      ...logins.map((name) => role(name, true, ['tallybridge_app'])),
    ]);
  });

  test('no role can disable row-level security, change its rights, or bypass it', async () => {
    const statements = (table: string) => [
      `alter table ${table} disable row level security`,
      `alter table ${table} no force row level security`,
      `drop policy own_tenant on ${table}`,
      `create policy everything on ${table} using (true)`,
      `truncate ${table}`,
      `create trigger t before insert on ${table} for each row execute function current_tenant()`,
    ];
    const others = [
      'alter role current_user bypassrls',
      'create role another',
      'select rolpassword from pg_authid',
      `select pg_read_file('postgresql.conf')`,
      `copy tenants to program 'cat'`,
      'create table public.mine (a int)',
      `create function public.mine() returns int language sql security definer as 'select 1'`,
    ];
    const open: string[] = [];
    for (const role of ['tallybridge_app', 'tallybridge_root'])
      for (const statement of [...(await tenantTables()).flatMap(statements), ...others]) {
        const outcome = await attempt(role, ours, statement).catch((error: unknown) => String(error));
        const isRefused = outcome === 'refused' || /must be (owner|superuser)|permission denied/.test(String(outcome));
        if (!isRefused) open.push(`${role}: ${statement} (${outcome})`);
      }
    expect(open).toEqual([]);
    const around = await rowsOf<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm', 'f')
          and not coalesce(c.reloptions, '{}') @> '{security_invoker=true}'
        union all
       select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef`,
    );
    // The search returns only rows of the bound tenant; the others bind the tenant, which has separate tests.
    expect(
      around.map(({ name }) => name).sort(),
      'views, foreign tables, and functions with the owner’s rights',
    ).toEqual(['binding_mac', 'current_tenant', 'enter_tenant', 'noted_gaps', 'search_logs']);
  });

  test('restricted roles cannot turn off row-level security', async () => {
    for (const table of await tenantTables()) {
      await owner.query('begin');
      await owner.query('set local role tallybridge_app');
      await owner.query('set local row_security = off');
      const outcome = await owner.query(`select * from ${table} limit 1`).then(
        () => 'open',
        (error: unknown) => String(error),
      );
      await owner.query('rollback');
      expect([table, outcome]).toEqual([table, expect.stringMatching(/row-level security|permission denied/)]);
    }
  });

  test('a tenant binding ends with its transaction', async () => {
    await db.database.forTenant(ours, (tx) => tx.selectFrom('tenants').select('id').execute());
    const client = await db.database.pool.connect();
    const { rows } = await client.query<{ tenant: string | null; role: string }>(
      `select current_tenant()::text as tenant, current_setting('role') as role`,
    );
    client.release();
    expect(rows).toEqual([{ tenant: null, role: 'none' }]);
  });

  test('a failed transaction leaves no binding to a later tenant', async () => {
    await expect(db.database.forTenant(theirs, () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped');
    const seen = await db.database.forTenant(ours, (tx) => tx.selectFrom('tenants').select('id').execute());
    expect(seen).toEqual([{ id: ours }]);
  });
});

test('every table has a comment', async () => {
  const uncommented = await rowsOf(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname <> 'schema_migrations' and obj_description(oid, 'pg_class') is null`,
  );
  expect(uncommented).toEqual([]);
});
