import { sql } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newTenant } from '#test/support/attempts.ts';
import { newDatabase, type TestDatabase } from '#test/support/database.ts';
import { transactionsOn, type InTransaction } from './transactions.ts';

let db: TestDatabase;
let pool: Pool;
let inTransaction: InTransaction;
beforeAll(async () => {
  db = await newDatabase();
  pool = new Pool({ connectionString: db.url, max: 1 });
  pool.on('connect', (client) => client.on('error', () => undefined));
  inTransaction = transactionsOn(pool);
  await pool.query('create table noted (id int primary key)');
});
afterAll(async () => {
  await pool.end();
  await db.close();
});

const nothing = sql`select 1`;
const storedNumbers = async () =>
  (await pool.query<{ id: number }>('select id from noted order by id')).rows.map(({ id }) => id);

test('applies its opening statement to its statements and to none after its end', async () => {
  const marked = sql`select set_config('app.mark', ${'here'}, true)`;
  const mark = await inTransaction(marked, async (tx) => {
    const { rows } = await sql<{ mark: string }>`select current_setting('app.mark') as mark`.execute(tx);
    return rows[0]?.mark;
  });
  expect(mark).toBe('here');
  const { rows } = await pool.query<{ mark: string }>(`select current_setting('app.mark', true) as mark`);
  expect(rows[0]?.mark).toBe('');
});

test('reports a failed opening and executes nothing sent after it', async () => {
  const first = inTransaction(sql`select 1 / 0`, async (tx) => {
    await Promise.all([sql`insert into noted values (1)`.execute(tx), sql`insert into noted values (2)`.execute(tx)]);
  });
  await expect(first).rejects.toMatchObject({ code: '22012' });
  expect(await storedNumbers()).toEqual([]);
});

test('executes parallel statements in order and returns each result', async () => {
  const answers = await inTransaction(nothing, (tx) =>
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
  const failing = inTransaction(nothing, async (tx) => {
    await sql`insert into noted values (20)`.execute(tx);
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  const refused = inTransaction(nothing, async (tx) => {
    await sql`insert into noted values (21)`.execute(tx);
    await sql`insert into noted values (21)`.execute(tx);
  });
  await expect(refused).rejects.toMatchObject({ code: '23505' });
  expect(await storedNumbers()).toEqual([10, 11]);
});

test('reports a commit that was rolled back even if the earlier error was caught', async () => {
  const caught = inTransaction(nothing, async (tx) => {
    await sql`insert into noted values (30)`.execute(tx);
    await sql`select 1 / 0`.execute(tx).catch(() => undefined);
  });
  await expect(caught).rejects.toThrow(/rolled back/);
  expect(await storedNumbers()).toEqual([10, 11]);
});

test('executes no parallel statement after a failure ended the transaction', async () => {
  const failing = inTransaction(nothing, (tx) =>
    Promise.all([
      sql`select 1 / 0`.execute(tx),
      ...[40, 41, 42, 43].map((id) => sql`insert into noted values (${id})`.execute(tx).catch(() => undefined)),
    ]),
  );
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  await pool.query('select 1');
  expect(await storedNumbers()).toEqual([10, 11]);
});

test('reports the failure, not the failed rollback, when the connection is lost', async () => {
  const cut = inTransaction(nothing, (tx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx));
  await expect(cut).rejects.toMatchObject({ code: '57P01' });
  expect(await storedNumbers()).toEqual([10, 11]);
});

test('drops a connection whose session has become read-only', async () => {
  const pid = async () => (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  const [before, same] = [await pid(), await pid()];
  expect(same).toBe(before);
  await pool.query('set session characteristics as transaction read only');
  const refused = inTransaction(nothing, (tx) => sql`insert into noted values (50)`.execute(tx));
  await expect(refused).rejects.toMatchObject({ code: '25006' });
  expect(await pid()).not.toBe(before);
  await inTransaction(nothing, (tx) => sql`insert into noted values (51)`.execute(tx));
  expect(await storedNumbers()).toEqual([10, 11, 51]);
});

test('an empty list matches nothing, and “not in” an empty list matches everything', async () => {
  const idsOf = (operator: 'in' | 'not in') =>
    inTransaction(nothing, (tx) => tx.selectFrom('tenants').select('id').where('id', operator, []).execute());
  await newTenant(db.store);
  const [none, all] = [await idsOf('in'), await idsOf('not in')];
  expect([none.length, all.length]).toEqual([0, 1]);
});
