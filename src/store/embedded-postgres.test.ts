import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { silentLogger } from '#test/support/logger.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
import { DatabaseUnavailable, DataFolderUnusable } from './errors.ts';
import { eventually } from '#test/support/eventually.ts';

let dataDir: string;
let running: EmbeddedPostgres | undefined;
beforeEach(async () => {
  dataDir = await mkdtemp(join(inject('postgres').dataDir, 'embedded-'));
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

const start = async () => (running = await startEmbeddedPostgres({ dataDir, logger: silentLogger }));

async function ask(url: string, query: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<{ value: unknown }>(query)).rows.map((row) => row.value);
  } finally {
    await client.end();
  }
}

const pidOf = async (): Promise<number> =>
  Number((await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);

test('the server uses UTF-8, is durable, listens on loopback only, and has its password in a private file', async () => {
  const { url } = await start();
  const setting = async (name: string) => (await ask(url, `select current_setting('${name}') as value`))[0];
  expect(await setting('server_encoding')).toBe('UTF8');
  expect(await setting('fsync')).toBe('on');
  expect(await setting('synchronous_commit')).toBe('on');
  expect(await setting('full_page_writes')).toBe('on');
  expect(await setting('listen_addresses')).toBe('127.0.0.1');
  expect(await setting('unix_socket_directories')).toBe('');
  expect(await setting('password_encryption')).toBe('scram-sha-256');
  expect(
    await ask(
      url,
      `select format('%s %s', datlocprovider, datlocale) as value from pg_database where datname = current_database()`,
    ),
  ).toEqual(['b C.UTF-8']);
  expect(await ask(url, `select upper('é') as value`)).toEqual(['É']);
  expect(url).toMatch(/^postgres:\/\/tallybridge:[\w-]{32}@127\.0\.0\.1:\d+\/tallybridge$/);
  expect((await stat(join(dataDir, 'postgres', 'password'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dataDir, 'postgres', 'data'))).mode & 0o077).toBe(0);
  await expect(ask(url.replace(/:[\w-]{32}@/, ':wrong@'), 'select 1 as value')).rejects.toThrow(/password/);
});

test('parallel starts share one server, and a stop ends it for all', async () => {
  const started = await Promise.all([start(), start(), start()]);
  expect(new Set(started.map((one) => one.url)).size).toBe(1);
  const pid = await pidOf();
  await Promise.all(started.map((one) => one.stop()));
  await started[0]?.stop();
  await expect(pidOf()).rejects.toThrow('ENOENT');
  // The system may take a moment to collect the ended process.
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
});

test('committed data survives a killed server and is recovered at the next start', async () => {
  const first = await start();
  await ask(first.url, 'create table kept as select 42 as value');
  const pid = await pidOf();
  process.kill(pid, 'SIGKILL');
  const second = await start();
  expect(await ask(second.url, 'select value from kept')).toEqual([42]);
  expect(await pidOf()).not.toBe(pid);
});

test('ignores a PID file that names another program', async () => {
  const first = await start();
  await first.stop();
  await writeFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), `${process.pid}\nx\n1\n1\n\n127.0.0.1\n`);
  expect(await ask((await start()).url, 'select 1 as value')).toEqual([1]);
});

test('restarts an unfinished initdb', async () => {
  await mkdir(join(dataDir, 'postgres', 'data.new'), { recursive: true });
  await writeFile(join(dataDir, 'postgres', 'data.new', 'PG_VERSION'), '18');
  expect(await ask((await start()).url, 'select 1 as value')).toEqual([1]);
});

test('rejects files of another major version with a clear message and leaves them unchanged', async () => {
  await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true });
  await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '17\n');
  const refused = startEmbeddedPostgres({ dataDir, logger: silentLogger });
  await expect(refused).rejects.toThrow(DatabaseUnavailable);
  await expect(refused).rejects.toThrow(/were written by PostgreSQL 17, and this program has PostgreSQL 18/);
  expect(await readFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), 'utf8')).toBe('17\n');
});

test('reports damaged files in one sentence with the path of the log', async () => {
  const first = await start();
  await first.stop();
  await rm(join(dataDir, 'postgres', 'data', 'global', 'pg_control'));
  running = undefined;
  const refused = startEmbeddedPostgres({ dataDir, logger: silentLogger });
  await expect(refused).rejects.toThrow(DatabaseUnavailable);
  await expect(refused).rejects.toThrow(/^The built-in PostgreSQL did not start: .*\. Its log is .*server\.log\.$/);
});

test('reports a read-only folder in one sentence', async () => {
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  await expect(startEmbeddedPostgres({ dataDir: file, logger: silentLogger })).rejects.toThrow(DataFolderUnusable);
});
