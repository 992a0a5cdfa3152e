import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { RootStore } from '#store/root-store.ts';
import { instant } from '#core/values/dates.ts';
import { newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';
import { removeOld } from './remove-old.ts';
import { newUser } from '#test/cases/sample-records.ts';

/** Thirteen months before March 31 is the last day of February, in a leap year. */
const now = instant('2025-03-31T12:00:00Z');
const clock = { now: () => now };
const recordsEnd = '2024-02-29T12:00:00Z';
const tracesEnd = '2025-03-01T12:00:00Z';
const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString();

let tenants: readonly string[];
const db = await newDatabase({ clock });
afterAll(() => db.close());
beforeEach(async () => {
  tenants = [(await newTenant(db.store)).tenantId, (await newTenant(db.store)).tenantId];
});

/** Runs a statement for each of the two tenants, passed as its first parameter. */
const forEach = (statement: string, ...values: unknown[]) =>
  asOwner(db.url, async (client) => {
    for (const tenant of tenants) await client.query(statement, [tenant, ...values]);
  });

/** Returns one text for each row of the two tenants in a table, sorted. A row of both tenants appears twice. */
const left = (table: string, text: string) =>
  asOwner(db.url, async (client) => {
    const { rows } = await client.query<{ text: string }>(
      `select ${text} as text from ${table} where tenant_id = any($1::uuid[]) order by 1`,
      [tenants],
    );
    return rows.map((row) => row.text);
  });

const addLogs = (key: string, at: string, count = 1) =>
  forEach(
    `with made as (
       insert into logs (tenant_id, key, at, type, psa_id, is_test, is_manual, success, message)
       select $1, $2 || n, $3, 'invoice', n, false, true, true, 'Done.' from generate_series(1, $4::int) n
       returning tenant_id, key)
     insert into log_details (tenant_id, key, transcript, problems) select tenant_id, key, 'text', '[]' from made`,
    key,
    at,
    count,
  );

const addJob = (name: string, finishedAt: string | null, attempt: 'done' | 'posting') =>
  forEach(
    `with job as (
       insert into jobs (tenant_id, kind, mode, force, trigger, log_level, same_as, status, created_at, finished_at)
       values ($1, 'invoice', 'test', false, 'manual', 'debug', $2::text,
               case when $3::timestamptz is null then 'running' else 'finished' end, '2023-01-01T00:00:00Z', $3)
       returning tenant_id, id), result as (
       insert into job_results (tenant_id, job_id, psa_id, outcome, message)
       select tenant_id, id, 1, 'succeeded', $2 from job)
     insert into attempts (tenant_id, job_id, kind, psa_id, mode, force, trigger, log_level, state, generation, revision,
                           started_at, transcript, warnings, body)
     select tenant_id, id, 'invoice', 1, 'test', false, 'manual', 'debug', $4, 1, 1,
            '2023-01-01T00:00:00Z', '[]', '[]', to_json($2::text) from job`,
    name,
    finishedAt,
    attempt,
  );

describe('logs and jobs', () => {
  test('removes rows older than 13 months with their details for every client, and no younger ones', async () => {
    await addLogs('old', justBefore(recordsEnd));
    await addLogs('young', recordsEnd);
    await addJob('old', justBefore(recordsEnd), 'done');
    await addJob('young', recordsEnd, 'done');
    await removeOld({ store: db.store, clock });
    const both = ['young', 'young'];
    expect(await left('logs', 'key')).toEqual(['young1', 'young1']);
    expect(await left('log_details', 'key')).toEqual(['young1', 'young1']);
    expect(await left('jobs', 'same_as')).toEqual(both);
    expect(await left('job_results', 'message')).toEqual(both);
    expect(await left('attempts', `body #>> '{}'`)).toEqual(both);
  });

  test('keeps them for as many months as the operator sets', async () => {
    await addLogs('old', justBefore(recordsEnd));
    await removeOld({ store: db.store, clock }, undefined, 14);
    expect(await left('logs', 'key')).toEqual(['old1', 'old1']);
    await removeOld({ store: db.store, clock }, undefined, 13);
    expect(await left('logs', 'key')).toEqual([]);
  });

  test('keeps unfinished ones of any age', async () => {
    await addJob('never ended', null, 'done');
    await addJob('holds an open attempt', justBefore(recordsEnd), 'posting');
    await removeOld({ store: db.store, clock });
    const both = ['holds an open attempt', 'holds an open attempt', 'never ended', 'never ended'];
    expect(await left('jobs', 'same_as')).toEqual(both);
    expect(await left('attempts', `body #>> '{}'`)).toEqual(both);
  });
});

describe('removing old rows', () => {
  /** Counts the rows of each chunk; calls `onChunk` after each. */
  const counted = (chunks: number[], onChunk?: () => void): RootStore => ({
    ...db.store,
    async removeOld(...wish) {
      const removed = await db.store.removeOld(...wish);
      chunks.push(removed);
      onChunk?.();
      return removed;
    },
  });

  test('proceeds in small chunks until none is left', async () => {
    await addLogs('old', justBefore(recordsEnd), 520);
    const chunks: number[] = [];
    await removeOld({ store: counted(chunks), clock });
    expect(chunks).toEqual([500, 500, 40, 0]);
    expect(await left('logs', 'key')).toEqual([]);
  });

  test('stops between two chunks when asked to', async () => {
    await addLogs('old', justBefore(recordsEnd), 300);
    const chunks: number[] = [];
    const stop = new AbortController();
    await removeOld({ store: counted(chunks, () => stop.abort()), clock }, stop.signal);
    expect(chunks).toEqual([500]);
    expect(await left('logs', 'key')).toHaveLength(100);
    await removeOld({ store: db.store, clock });
  });

  test('removes every row once with several workers', async () => {
    await addLogs('old', justBefore(recordsEnd), 300);
    const chunks: number[] = [];
    const store = counted(chunks);
    await Promise.all([removeOld({ store, clock }), removeOld({ store, clock })]);
    expect(await left('logs', 'key')).toEqual([]);
  });
});

test('removes sessions, codes, invitations, and emails 30 days after they ended', async () => {
  const { id: userId } = await db.store.addUser(newUser('ended@example.com', { roles: [] }));
  for (const [name, at] of [
    ['old', justBefore(tracesEnd)],
    ['young', tracesEnd],
  ] as const) {
    await forEach(
      `insert into sessions (jti, user_id, tenant_id, roles, created_at, last_used_at, ends_at)
       values ($2::text || $1::text, $3, $1::uuid, '{}', '2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z', $4)`,
      name,
      userId,
      at,
    );
    await forEach(
      `insert into one_time_tokens (hash, purpose, tenant_id, data, ends_at)
       values ($2::text || $1::text, 'test', $1::uuid, '{}', $3)`,
      name,
      at,
    );
    await forEach(
      `insert into invitations (tenant_id, email, name, token_hash, invited_by, invited_at, ends_at)
       values ($1::uuid, $2::text, '', $2::text || $1::text, 'a', '2025-01-01T00:00:00Z', $3)`,
      name,
      at,
    );
    await addMail(name, at);
  }
  await addMail('waiting', null);
  await removeOld({ store: db.store, clock });
  const both = ['young', 'young'];
  expect(await left('sessions', 'left(jti, 5)')).toEqual(both);
  expect(await left('one_time_tokens', 'left(hash, 5)')).toEqual(both);
  expect(await left('invitations', 'email')).toEqual(both);
  expect(await left('outbox', 'subject')).toEqual(['waiting', 'waiting', ...both]);
});

const addMail = (subject: string, endedAt: string | null) =>
  forEach(
    `insert into outbox (tenant_id, kind, recipient, subject, created_at, next_try_at, ended_at)
     values ($1, 'mail', 'a@example.com', $2, '2023-01-01T00:00:00Z', '2023-01-01T00:00:00Z', $3)`,
    subject,
    endedAt,
  );
