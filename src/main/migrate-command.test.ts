import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand, runHere } from '#test/support/command.ts';
import { newDatabase, type TestDatabase } from '#test/support/database.ts';
import { listClients } from './clients.ts';
import { migrateDatabase } from './migrate-command.ts';

let db: TestDatabase;
let folder: string;
beforeEach(async () => {
  [db, folder] = await Promise.all([
    newDatabase({ isMigrated: false }),
    mkdtemp(join(tmpdir(), 'tallybridge-migrate-')),
  ]);
});
afterEach(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const run = (...words: readonly string[]) => runCommand(words, { folder, DATABASE_URL: db.url });
const clients = () => runHere(listClients, { folder, DATABASE_URL: db.url });

test('a deployment starts only after its database was migrated', async () => {
  const refused =
    /^(?:.*…\n)?The database has \d+ pending migrations?: run “tallybridge migrate”, then start again\.\n$/;
  expect(await run('worker')).toEqual({ code: 1, output: expect.stringMatching(refused) });
  expect(await clients()).toEqual({ code: 1, output: expect.stringMatching(refused) });
  const pending = await run('migrate', '--dry-run', '--json');
  expect(JSON.parse(pending.output)).toMatchObject({
    success: true,
    data: { pending: expect.arrayContaining(['0001_baseline']) },
  });
  expect(await run('migrate')).toEqual({ code: 0, output: expect.stringMatching(/^Applied:\n0001_baseline\n/) });
  const again = () => migrateDatabase({ isDryRun: false, lockTimeoutSeconds: 10 });
  expect(await runHere(again, { folder, DATABASE_URL: db.url })).toEqual({
    code: 0,
    output: 'No migration was pending.\n',
  });
  expect(await clients()).toEqual({ code: 0, output: 'There are no clients.\n' });
  expect(await run('migrate', '--lock-timeout', 'soon')).toMatchObject({
    code: 2,
    output: expect.stringContaining('It must be a whole number.'),
  });
});
