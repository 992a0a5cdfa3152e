import type { Socket } from 'node:net';
import { sql, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector } from 'kysely';
import { Client, Pool } from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { newTenant } from '#test/support/attempts.ts';
import { newDatabase, testSecretKey } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { openDatabase } from './database.ts';
import { inTransactionOf, StatementCompiler } from './transactions.ts';

const db = await newDatabase();
const pool = newPool();
await pool.query('create table noted (id int primary key)');
afterAll(async () => {
  await pool.end();
  await db.close();
});

/** `end` resolves before the sockets are closed, so that the end of the database may still break a connection. */
function newPool(): Pool {
  const opened = new Pool({ connectionString: db.url, max: 1, pipeline: true });
  opened.on('error', () => undefined);
  return opened;
}

const opening = (text: string, ...values: readonly string[]) => ({ text, values });
const nothing = opening('select 1');
const storedNumbers = async () =>
  (await pool.query<{ id: number }>('select id from noted order by id')).rows.map(({ id }) => id);

test('applies its opening statement to the first statement and to none after its end', async () => {
  const marked = opening(`select set_config('app.mark', $1, true)`, 'here');
  const mark = await inTransactionOf(pool, marked, async (tx) => {
    const { rows } = await sql<{ mark: string }>`select current_setting('app.mark') as mark`.execute(tx);
    return rows[0]?.mark;
  });
  expect(mark).toBe('here');
  const { rows } = await pool.query<{ mark: string }>(`select current_setting('app.mark', true) as mark`);
  expect(rows[0]?.mark).toBe('');
});

test('reports a failed opening and executes nothing sent after it', async () => {
  const first = inTransactionOf(pool, opening('select 1 / 0'), async (tx) => {
    await Promise.all([sql`insert into noted values (1)`.execute(tx), sql`insert into noted values (2)`.execute(tx)]);
  });
  await expect(first).rejects.toMatchObject({ code: '22012' });
  expect(await storedNumbers()).toEqual([]);
});

test('executes parallel statements in order and returns each result', async () => {
  const answers = await inTransactionOf(pool, nothing, (tx) =>
    Promise.all([
      sql`insert into noted values (10)`.execute(tx),
      sql<{ n: number }>`select count(*)::int as n from noted`.execute(tx),
      sql`insert into noted values (11)`.execute(tx),
      sql<{ n: number }>`select count(*)::int as n from noted`.execute(tx),
    ]),
  );
  expect([answers[1].rows[0]?.n, answers[3].rows[0]?.n]).toEqual([1, 2]);
  expect(answers[0].numAffectedRows).toBe(1n);
  expect(await storedNumbers()).toEqual([10, 11]);
});

test('rolls back a failure completely, and the connection remains usable', async () => {
  const failing = inTransactionOf(pool, nothing, async (tx) => {
    await sql`insert into noted values (20)`.execute(tx);
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  const refused = inTransactionOf(pool, nothing, async (tx) => {
    await sql`insert into noted values (21)`.execute(tx);
    await sql`insert into noted values (21)`.execute(tx);
  });
  await expect(refused).rejects.toMatchObject({ code: '23505' });
  expect(await storedNumbers()).toEqual([10, 11]);
});

test('reports a commit that was rolled back even if the earlier error was caught', async () => {
  const caught = inTransactionOf(pool, nothing, async (tx) => {
    await sql`insert into noted values (30)`.execute(tx);
    await sql`select 1 / 0`.execute(tx).catch(() => undefined);
  });
  await expect(caught).rejects.toThrow(/rolled back/);
  expect(await storedNumbers()).toEqual([10, 11]);
});

test('a transaction without statements sends nothing to the database', async () => {
  const query = vi.spyOn(Client.prototype, 'query');
  try {
    expect(await inTransactionOf(pool, opening('select 2'), async () => 7)).toBe(7);
    expect(query).not.toHaveBeenCalled();
    await inTransactionOf(pool, opening('select 2'), (tx) => sql`select 3`.execute(tx));
    expect(query).toHaveBeenCalled();
  } finally {
    query.mockRestore();
  }
});

test('prepares a frequent statement once per connection, and each tenant gets its own rows', async () => {
  const [one, other] = [await newTenant(db.store), await newTenant(db.store)];
  // A reused database of another test may already keep as many statements as its connections may.
  const database = await openDatabase(db.url, { logger: silentLogger, secretKey: testSecretKey, maxConnections: 1 });
  const idsOf = (tenantId: string) =>
    database.forTenant(tenantId, async (tx) => {
      const [found, prepared] = await Promise.all([
        tx.selectFrom('tenants').select(['id', 'name', 'status', 'time_zone']).execute(),
        sql<{ statement: string; uses: number }>`
          select statement, (generic_plans + custom_plans)::int as uses from pg_prepared_statements
           where statement = 'select "id", "name", "status", "time_zone" from "tenants"'`.execute(tx),
      ]);
      return { ids: found.map(({ id }) => id), uses: prepared.rows.map((statement) => statement.uses) };
    });
  try {
    const uses: number[][] = [];
    for (let round = 0; round < 3; round += 1)
      for (const { tenantId } of [one, other]) {
        const found = await idsOf(tenantId);
        expect(found.ids).toEqual([tenantId]);
        uses.push(found.uses);
      }
    expect(uses).toEqual([[], [], [1], [2], [3], [4]]);
  } finally {
    await database.close();
  }
});

test('plans a statement with a separate limit or all columns each time', async () => {
  const marked = `marked ${Date.now()}`;
  const names = await inTransactionOf(pool, nothing, async (tx) => {
    for (let use = 0; use < 6; use += 1) {
      await sql`select id as ${sql.id(marked)} from noted limit ${use}`.execute(tx);
      await sql`select * from noted where ${sql.lit(marked)} <> ''`.execute(tx);
      await sql`select id from noted where ${sql.lit(marked)} <> ''`.execute(tx);
    }
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements where statement like ${`%${marked}%`}`.execute(tx);
    return rows.map(({ statement }) => statement);
  });
  expect(names).toEqual([`select id from noted where '${marked}' <> ''`]);
});

test('a newly prepared statement fails only with its own transaction in parallel use', async () => {
  const often = sql<{ n: number }>`select count(*)::int as n from noted where id < ${1_000}`;
  for (let use = 0; use < 3; use += 1) await inTransactionOf(pool, nothing, (tx) => often.execute(tx));
  const fresh = newPool();
  try {
    const failing = inTransactionOf(fresh, opening('select 1 / 0'), (tx) =>
      Promise.all([often.execute(tx), often.execute(tx)]),
    );
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const counts = await inTransactionOf(fresh, nothing, (tx) => Promise.all([often.execute(tx), often.execute(tx)]));
    expect(counts.map(({ rows }) => rows.length)).toEqual([1, 1]);
  } finally {
    await fresh.end();
  }
});

test('sends parallel statements in one packet with the opening', async () => {
  const client = await pool.connect();
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  client.release();
  const writes = [vi.spyOn(stream, '_write'), vi.spyOn(stream, '_writev')];
  const count = () => writes.reduce((sum, one) => sum + one.mock.calls.length, 0);
  const answers = await inTransactionOf(pool, nothing, (tx) =>
    Promise.all([1, 2, 3, 4].map((n) => sql<{ n: number }>`select ${n}::int as n`.execute(tx))),
  );
  expect(answers.map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3, 4]);
  // The other round trip is the commit.
  expect(count()).toBe(2);
  vi.restoreAllMocks();
});

const database = new Kysely<{ jobs: { id: string; total: number } }>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new StatementCompiler(),
  },
});
const conditionOf = (operator: 'in' | 'not in', ids: readonly string[]) =>
  database.selectFrom('jobs').select('id').where('id', operator, ids).compile();

test('an empty list matches nothing, and “not in” an empty list matches everything', () => {
  expect(conditionOf('in', []).sql).toBe('select "id" from "jobs" where false');
  expect(conditionOf('not in', []).sql).toBe('select "id" from "jobs" where true');
});

test('other lists and conditions are unchanged', () => {
  expect(conditionOf('in', ['a', 'b'])).toMatchObject({
    sql: 'select "id" from "jobs" where "id" in ($1, $2)',
    parameters: ['a', 'b'],
  });
  const more = database.selectFrom('jobs').select('id').where('total', '>', 3).compile();
  expect(more).toMatchObject({ sql: 'select "id" from "jobs" where "total" > $1', parameters: [3] });
});
