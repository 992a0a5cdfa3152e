import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takeBackup, type Backup } from '#test/support/backup.ts';
import { asOwner, newDatabase, setReadOnly, type TestDatabase } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import type { DatabaseUnavailable } from './errors.ts';
import { isOlderThanRemembered, watchForRestores, type RestoreWatch } from './restore-watch.ts';
import { markRestored } from './restored.ts';

let db: TestDatabase;
let folder: string;
let watches: RestoreWatch[] = [];
beforeEach(async () => {
  [db, folder] = await Promise.all([newDatabase(), mkdtemp(join(tmpdir(), 'tallybridge-watch-'))]);
});
afterEach(async () => {
  for (const watch of watches) watch.stop();
  watches = [];
  await Promise.all([db.close(), rm(folder, { recursive: true })]);
});

/** Starts a process with a data folder. */
async function start(dataDir = folder, of = db): Promise<RestoreWatch> {
  const watch = await watchForRestores(of.database, dataDir, silentLogger);
  watches.push(watch);
  return watch;
}
const file = () => join(folder, 'database.json');
const events = async () => (await db.store.listDeploymentEvents(10)).map(({ actor, action }) => `${actor}: ${action}`);
const isOlder = () => isOlderThanRemembered(db.database.pool, folder);

test('the first start, later ones, and running processes notice no restore', async () => {
  const first = await start();
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  const second = await start();
  for (const watch of [first, second, first, first, second]) await watch.check();
  await start();
  expect([await events(), await isOlder()]).toEqual([[], false]);
});

describe('after the same database was restored', () => {
  let backup: Backup;
  let running: RestoreWatch;
  beforeEach(async () => {
    running = await start();
    backup = await takeBackup(db.url);
    await running.check();
  });

  test('a process that starts records it once', async () => {
    await backup.restore();
    expect(await isOlder()).toBe(true);
    await start();
    await start();
    expect([await events(), await isOlder()]).toEqual([['start: database.restored'], false]);
  });

  test('a running process records it, and those of the same folder do not repeat it', async () => {
    const [other, elsewhere] = [await start(), await start(await mkdtemp(join(folder, 'other-')))];
    backup = await takeBackup(db.url);
    for (const watch of [running, other, elsewhere]) await watch.check();
    await backup.restore();
    await Promise.all([running, other, elsewhere].map((watch) => watch.check()));
    for (const watch of [elsewhere, other, running]) await watch.check();
    expect(await events()).toEqual(['process: database.restored']);
  });

  test('it is noticed although a process of another folder has worked since', async () => {
    await backup.restore();
    const elsewhere = await start(await mkdtemp(join(folder, 'other-')));
    for (let times = 0; times < 5; times += 1) await elsewhere.check();
    expect(await events()).toEqual([]);
    await running.check();
    expect(await events()).toEqual(['process: database.restored']);
  });

  test('a report of the operator is not repeated', async () => {
    await backup.restore();
    await asOwner(db.url, (owner) => markRestored(owner));
    await running.check();
    await start();
    expect([await events(), await isOlder()]).toEqual([['command line: database.restored'], false]);
  });

  test('each restore is recorded', async () => {
    await backup.restore();
    await running.check();
    await running.check();
    await backup.restore();
    await running.check();
    expect(await events()).toEqual(['process: database.restored']);
    const { rows } = await asOwner(db.url, (owner) => owner.query('select gaps from deployment_clock'));
    expect(rows).toEqual([{ gaps: 1 }]);
  });

  test('a lost connection is checked before work continues', async () => {
    await backup.restore();
    await running.verify();
    expect(await events()).toEqual([]);
    await asOwner(db.url, (owner) =>
      owner.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      ),
    );
    await expect.poll(() => running.verify().then(events, () => [])).toEqual(['process: database.restored']);
  });
});

test('a backup from before the first start of a folder is noticed', async () => {
  const backup = await takeBackup(db.url);
  await start();
  await backup.restore();
  expect(await isOlder()).toBe(true);
  await start();
  expect(await events()).toEqual(['start: database.restored']);
});

test('a folder that was used with another database remembers nothing about this one', async () => {
  const other = await newDatabase();
  try {
    const watch = await start(folder, other);
    for (let times = 0; times < 3; times += 1) await watch.check();
    expect(await isOlder()).toBe(false);
    await start();
    expect(await events()).toEqual([]);
  } finally {
    await other.close();
  }
});

test.each(['', '{', '[]', '{"beat": "many"}'])(
  'a damaged file (%s) remembers nothing, and is replaced',
  async (text) => {
    await writeFile(file(), text);
    await start();
    expect([await events(), await isOlder()]).toEqual([[], false]);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ beat: 1, gaps: 0 });
  },
);

test('a folder that is not writable does not stop the process', async () => {
  const watch = await start(join(folder, 'missing'));
  await watch.check();
  expect(await events()).toEqual([]);
});

test('a database that cannot be written is reported as such', async () => {
  const watch = await start();
  await setReadOnly(db.url, true);
  await expect
    .poll(() =>
      watch.check().then(
        () => null,
        (error: unknown) => (error as DatabaseUnavailable).failure,
      ),
    )
    .toBe('read_only');
  await setReadOnly(db.url, false);
  await expect
    .poll(() =>
      watch.verify().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect(await events()).toEqual([]);
});
