import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { signIn } from '../support/api-client.ts';
import { newDatabase, testSecretKey, type TestDatabase } from '../support/database.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';
import { withCompiledCode } from '../support/compiled-code.ts';

const root = resolve(import.meta.dirname, '..', '..');
let folder: string;
let db: TestDatabase;
let fixture: ProcessFixture;
beforeEach(async () => {
  [folder, db, fixture] = await Promise.all([
    mkdtemp(join(tmpdir(), 'tallybridge-release-')),
    newDatabase(),
    newProcessFixture('empty'),
  ]);
});
afterEach(async () => {
  await fixture.close();
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a program on the shared database. */
const start = () => fixture.start({ DATABASE_URL: db.url, SECRET_KEY: testSecretKey });

/** Copies the present program. */
function nextRelease(): string {
  const release = join(folder, 'next');
  for (const part of ['src', 'bin', 'package.json']) cpSync(join(root, part), join(release, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(release, 'node_modules'));
  return release;
}

/** Adds a migration to a release, and migrates the database with it. */
function migrateWith(release: string, name: string, sql: string): void {
  writeFileSync(join(release, 'src', 'store', 'migrations', `${name}.sql`), sql);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(release, 'src', 'main', 'cli.ts'), 'migrate'], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      DEMO: 'true',
      DATABASE_URL: db.url,
      SECRET_KEY: testSecretKey,
      DATA_DIR: join(folder, 'data'),
      ...withCompiledCode,
    },
  });
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('Applied:')]);
}

type Client = Awaited<ReturnType<typeof signIn>>;

async function connect(url: string): Promise<Client> {
  const client = await signIn(url);
  await client.connectQuickBooks();
  await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  return client;
}

async function sync(client: Client, ids: readonly number[]) {
  const { job } = await client.data('POST', '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: ids });
  const { id } = job as JsonObject;
  await vi.waitFor(
    async () =>
      expect(await client.data('GET', `/api/my/jobs/${String(id)}`)).toMatchObject({
        job: { status: 'finished', succeeded: ids.length },
      }),
    { timeout: 60_000, interval: 250 },
  );
}

/** Returns the ids of these invoices in QuickBooks, one for each document. The sample data has others. */
const posted = async (ids: readonly number[]) =>
  (await fixture.quickbooks.list('Invoice'))
    .map((row) => Number(/^Autotask invoice (\d+) · synced/.exec(String(row['PrivateNote']))?.[1]))
    .filter((id) => ids.includes(id))
    .toSorted();

const additive = `-- A future addition.
alter table postings add column future text;
create function future() returns integer language sql as 'select 1';
`;
const removal = '-- Requires 9998_addition\nalter table postings add column later text;\n';

test('a release and the next one run on the same database, until a later one removes something', async () => {
  // From 1.1 on, the commit of the previous minor release starts here.
  const old = await start();
  await sync(await connect(old.url), [48_213]);
  expect(await posted([48_213])).toEqual([48_213]);
  await old.stop();

  const present = await start();
  const client = await signIn(present.url);
  const next = nextRelease();
  migrateWith(next, '9998_addition', additive);
  await sync(client, [48_214]);
  await present.stop();

  const rolledBack = await start();
  await sync(await signIn(rolledBack.url), [48_304]);
  expect(await posted([48_213, 48_214, 48_304])).toEqual([48_213, 48_214, 48_304]);
  await rolledBack.stop();

  migrateWith(next, '9999_removal', removal);
  await expect(start()).rejects.toThrow('The database was created by a newer Tallybridge (it has “9999_removal”)');
}, 240_000);
