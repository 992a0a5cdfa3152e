import { Pool } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyDatabase } from '#test/support/backup.ts';
import { asOwner, newDatabase, type TestDatabase } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { isUnrecordedCopy, markRestored, noticeRestore } from './restored.ts';
import { newUser } from '#test/cases/sample-records.ts';

let db: TestDatabase;
let copy: TestDatabase;
beforeEach(async () => {
  [db, copy] = await Promise.all([newDatabase(), newDatabase({ isMigrated: false })]);
  await start(db);
});
afterEach(() => Promise.all([db.close(), copy.close()]));

let warnings: string[] = [];
async function start({ database }: TestDatabase): Promise<void> {
  warnings = [];
  const logger = { ...silentLogger, warn: (_fields: unknown, text: string) => void warnings.push(text) };
  await noticeRestore(database.pool, logger);
}

const one = async ({ url }: TestDatabase, select: string) =>
  (await asOwner(url, (owner) => owner.query(select))).rows[0] as unknown;
const restores = async (of: TestDatabase) => ({
  gaps: await one(of, 'select gaps from deployment_clock'),
  events: (await of.store.listDeploymentEvents(10)).map(({ actor, action }) => `${actor}: ${action}`),
});
const none = { gaps: { gaps: 0 }, events: [] };
const noticed = { gaps: { gaps: 1 }, events: ['start: database.restored'] };

test('the first start of a database, and later ones, notice no restore', async () => {
  expect(warnings).toEqual([]);
  await start(db);
  expect([warnings, await restores(db)]).toEqual([[], none]);
});

test('a copy in another database is noticed once, and ends the sessions', async () => {
  const { id } = await db.store.addUser(newUser('wendy@wingtip.example', { roles: ['sysadmin'] }));
  await asOwner(db.url, (owner) =>
    owner.query(
      `insert into sessions (jti, user_id, roles, created_at, ends_at, last_used_at)
       values ('x', $1, '{}', now(), now(), now())`,
      [id],
    ),
  );
  await copyDatabase(db.url, copy);
  expect([await isUnrecordedCopy(db.database.pool), await isUnrecordedCopy(copy.database.pool)]).toEqual([false, true]);
  await start(copy);
  expect(warnings).toEqual([expect.stringMatching(/^The database is a copy of another one/)]);
  expect(await restores(copy)).toEqual(noticed);
  expect(await one(copy, 'select from sessions')).toBeUndefined();
  expect(await isUnrecordedCopy(copy.database.pool)).toBe(false);
  await start(copy);
  expect([warnings, await restores(copy)]).toEqual([[], noticed]);
});

test('a copy that several processes start on at once is noticed once', async () => {
  await copyDatabase(db.url, copy);
  await Promise.all([start(copy), start(copy), start(copy)]);
  expect(await restores(copy)).toEqual(noticed);
});

test('a copy on another server is noticed', async () => {
  await asOwner(db.url, (owner) => owner.query('update deployment_clock set server_id = server_id - 1'));
  await start(db);
  expect(await restores(db)).toEqual(noticed);
});

test('a restore that an operator reported is not noticed again', async () => {
  await copyDatabase(db.url, copy);
  await asOwner(copy.url, (owner) => markRestored(owner));
  await start(copy);
  expect(await restores(copy)).toEqual({ gaps: { gaps: 1 }, events: ['command line: database.restored'] });
});

test('a restore from a version that stored no place can be reported', async () => {
  await asOwner(db.url, (owner) =>
    owner.query('alter table deployment_clock drop column server_id, drop column database_oid'),
  );
  await asOwner(db.url, (owner) => markRestored(owner));
  expect(await restores(db)).toMatchObject({ gaps: { gaps: 1 } });
});

test('a server that does not tell its identifier is no restore, and the oid is compared', async () => {
  await asOwner(copy.url, (owner) => owner.query('revoke execute on function pg_control_system from public'));
  await copyDatabase(db.url, copy);
  await asOwner(copy.url, (owner) => owner.query('update deployment_clock set server_id = null, database_oid = null'));
  const limited = new Pool({ connectionString: copy.url, options: '-c role=tallybridge_root' });
  try {
    await noticeRestore(limited, silentLogger);
    expect(await one(copy, 'select server_id, database_oid > 0 as oid from deployment_clock')).toEqual({
      server_id: null,
      oid: true,
    });
    await asOwner(copy.url, (owner) => owner.query('update deployment_clock set database_oid = 1'));
    expect(await isUnrecordedCopy(limited)).toBe(true);
  } finally {
    await limited.end();
  }
  await asOwner(copy.url, (owner) => owner.query('update deployment_clock set database_oid = null'));
  await start(copy);
  expect(await one(copy, 'select server_id is null as unknown from deployment_clock')).toEqual({ unknown: false });
  expect(await restores(copy)).toEqual(none);
});
