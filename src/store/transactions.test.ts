import { sql } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  const before = await pool.query<{ n: string }>('select txid_current()::text as n');
  expect(await inTransactionOf(pool, opening('select txid_current()'), async () => 7)).toBe(7);
  const after = await pool.query<{ n: string }>('select txid_current()::text as n');
  expect(Number(after.rows[0]?.n) - Number(before.rows[0]?.n)).toBe(1);
});
