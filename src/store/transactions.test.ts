import type { Socket } from 'node:net';
import { sql } from 'kysely';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newTenant } from '#test/support/attempts.ts';
import { newDatabase, type TestDatabase } from '#test/support/database.ts';
import { inTransactionOf } from './transactions.ts';

let db: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  db = await newDatabase();
  pool = new Pool({ connectionString: db.url, max: 1, pipeline: true });
  await pool.query('create table noted (id int primary key)');
});
afterAll(async () => {
  await pool.end();
  await db.close();
});

const opening = (text: string, ...values: readonly string[]) => ({ text, values });
const nothing = opening('select 1');
const noted = async () =>
  (await pool.query<{ id: number }>('select id from noted order by id')).rows.map(({ id }) => id);

test('what a transaction begins with holds for its first statement, and for no statement after its end', async () => {
  const marked = opening(`select set_config('app.mark', $1, true)`, 'here');
  const mark = await inTransactionOf(pool, marked, async (tx) => {
    const { rows } = await sql<{ mark: string }>`select current_setting('app.mark') as mark`.execute(tx);
    return rows[0]?.mark;
  });
  expect(mark).toBe('here');
  const { rows } = await pool.query<{ mark: string }>(`select current_setting('app.mark', true) as mark`);
  expect(rows[0]?.mark).toBe('');
});

test('a beginning that is refused is what is told, and nothing that was sent behind it is done', async () => {
  const first = inTransactionOf(pool, opening('select 1 / 0'), async (tx) => {
    await Promise.all([sql`insert into noted values (1)`.execute(tx), sql`insert into noted values (2)`.execute(tx)]);
  });
  await expect(first).rejects.toMatchObject({ code: '22012' });
  expect(await noted()).toEqual([]);
});

test('statements side by side are taken in the order they were asked for, and each gets its own answer', async () => {
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
  expect(await noted()).toEqual([10, 11]);
});

test('what fails is undone as a whole, and the connection serves the next', async () => {
  const failing = inTransactionOf(pool, nothing, async (tx) => {
    await sql`insert into noted values (20)`.execute(tx);
    throw new Error('thought better of it');
  });
  await expect(failing).rejects.toThrow('thought better of it');
  const refused = inTransactionOf(pool, nothing, async (tx) => {
    await sql`insert into noted values (21)`.execute(tx);
    await sql`insert into noted values (21)`.execute(tx);
  });
  await expect(refused).rejects.toMatchObject({ code: '23505' });
  expect(await noted()).toEqual([10, 11]);
});

test('a commit that came to nothing is told, although nobody heard of the failure before it', async () => {
  const unheard = inTransactionOf(pool, nothing, async (tx) => {
    await sql`insert into noted values (30)`.execute(tx);
    await sql`select 1 / 0`.execute(tx).catch(() => undefined);
  });
  await expect(unheard).rejects.toThrow(/rolled back/);
  expect(await noted()).toEqual([10, 11]);
});

test('a transaction without a statement costs the database nothing', async () => {
  const asked = vi.spyOn(Client.prototype, 'query');
  try {
    expect(await inTransactionOf(pool, opening('select 2'), async () => 7)).toBe(7);
    expect(asked).not.toHaveBeenCalled();
    await inTransactionOf(pool, opening('select 2'), (tx) => sql`select 3`.execute(tx));
    expect(asked).toHaveBeenCalled();
  } finally {
    asked.mockRestore();
  }
});

test('a statement that comes often is prepared once per connection, and answers each tenant with their own rows', async () => {
  const [one, other] = [await newTenant(db.store), await newTenant(db.store)];
  const idsOf = (tenantId: string) =>
    db.database.forTenant(tenantId, async (tx) => {
      const [found, prepared] = await Promise.all([
        tx.selectFrom('tenants').select(['id', 'name', 'status', 'time_zone']).execute(),
        sql<{ statement: string; uses: number }>`
          select statement, (generic_plans + custom_plans)::int as uses from pg_prepared_statements
           where statement = 'select "id", "name", "status", "time_zone" from "tenants"'`.execute(tx),
      ]);
      return { ids: found.map(({ id }) => id), prepared: prepared.rows };
    });
  let prepared: readonly { readonly uses: number }[] = [];
  for (let round = 0; round < 12; round += 1)
    for (const { tenantId } of [one, other]) {
      const answer = await idsOf(tenantId);
      expect(answer.ids).toEqual([tenantId]);
      prepared = answer.prepared;
    }
  expect(prepared).toHaveLength(1);
  expect(prepared[0]?.uses).toBeGreaterThan(15);
});

test('a statement with a limit of its own, or that takes all columns, is planned anew each time', async () => {
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

test('side by side, a statement that is prepared for the first time fails alone with its transaction', async () => {
  const often = sql<{ n: number }>`select count(*)::int as n from noted where id < ${1_000}`;
  for (let use = 0; use < 3; use += 1) await inTransactionOf(pool, nothing, (tx) => often.execute(tx));
  const fresh = new Pool({ connectionString: db.url, max: 1, pipeline: true });
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

test('statements that are asked for side by side leave in one piece with what begins their transaction', async () => {
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
