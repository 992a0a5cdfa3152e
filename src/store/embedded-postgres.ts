import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#core/ports/logger.ts';
import { Client } from 'pg';
import { ensureFolder, isRunning, lockFile, readOrNull } from './data-folder.ts';
import { codeOf, DatabaseUnavailable } from './errors.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import { isPassingFailure, failureLine } from './server-output.ts';

/** A running server that belongs to one data folder. */
export interface EmbeddedPostgres {
  /** Connection string of the product's database, including the password: never print it. */
  readonly url: string;
  /** Stops the server cleanly; clients are disconnected. May be called twice. */
  stop(): Promise<void>;
}

/** Pinned to this major version permanently: another one cannot read the files. */
const majorVersion = '18';
const user = 'tallybridge';
const database = 'tallybridge';
const startTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;
/** The server's log is started again beyond this size. */
const maxLogBytes = 5_000_000;

/**
 * Starts PostgreSQL under `dataDir`, or adopts the server that an earlier process left running there. It listens on
 * 127.0.0.1 only, on a free port, with a generated password. Every commit is written to disk before it is confirmed.
 *
 * @param options.dataDir the product's data folder; the server uses its `postgres` folder.
 * @throws DataFolderUnusable if the folder cannot be written.
 * @throws DatabaseUnavailable if the server cannot be started, with one plain sentence.
 */
export async function startEmbeddedPostgres(options: {
  readonly dataDir: string;
  readonly logger: Logger;
}): Promise<EmbeddedPostgres> {
  const home = join(await ensureFolder(options.dataDir), 'postgres');
  await ensureFolder(home);
  const place: Place = {
    home,
    data: join(home, 'data'),
    log: join(home, 'server.log'),
    password: await readPassword(join(home, 'password')),
  };
  const starting = await takeLock(join(home, 'starting.lock'));
  try {
    await checkVersion(place);
    const adopted = await adopt(place);
    const port = adopted ?? (await start(place, options.logger));
    options.logger.info({ port, isAdopted: adopted !== null }, 'the built-in PostgreSQL is ready');
    await createDatabase(place, port);
    return { url: addressOf(place, port, database), stop: () => stop(place) };
  } finally {
    await starting.release();
  }
}

interface Place {
  readonly home: string;
  readonly data: string;
  readonly log: string;
  readonly password: string;
}

/** Several simultaneous starts share one server: each waits until the previous one has finished. */
async function takeLock(path: string) {
  for (const endsAt = performance.now() + startTimeoutMs; ;) {
    const lock = await lockFile(path);
    if (typeof lock !== 'number') return lock;
    if (performance.now() > endsAt)
      throw new DatabaseUnavailable(
        `Process ${lock} has been starting the built-in PostgreSQL for too long: stop it first.`,
      );
    await sleep(20);
  }
}

async function readPassword(path: string): Promise<string> {
  try {
    await writeFile(path, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return readFile(path, 'utf8');
}

async function checkVersion({ data }: Place): Promise<void> {
  const found = (await readOrNull(join(data, 'PG_VERSION')))?.trim();
  if (found !== undefined && found !== majorVersion)
    throw new DatabaseUnavailable(
      `The files in ${data} were written by PostgreSQL ${found}, and this program has PostgreSQL ${majorVersion}: use the program version that created them, or set DATA_DIR to another folder.`,
    );
}

/** Returns the port of the server that already runs on this data folder; null if there is none. */
async function adopt(place: Place): Promise<number | null> {
  for (const endsAt = performance.now() + startTimeoutMs; performance.now() < endsAt;) {
    const running = await readPidFile(place);
    if (running === null || !(await isPostgres(running.pid))) return null;
    // A server that is starting, recovering or stopping rejects connections for a while.
    if (running.port !== null && (await answers(place, running.port))) return running.port;
    await sleep(50);
  }
  throw new DatabaseUnavailable(
    `A PostgreSQL server holds ${place.data} but does not answer: stop it first. Its log is ${place.log}.`,
  );
}

interface PidFile {
  readonly pid: number;
  readonly port: number | null;
}

async function readPidFile({ data }: Place): Promise<PidFile | null> {
  const text = await readOrNull(join(data, 'postmaster.pid'));
  if (text === null) return null;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  return { pid, port: Number.isSafeInteger(port) && port > 0 ? port : null };
}

/**
 * Returns false if the process id now belongs to another program. Checked on Linux only; elsewhere the process is
 * assumed to be PostgreSQL.
 */
async function isPostgres(pid: number): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const commandLine = await readOrNull(`/proc/${pid}/cmdline`);
  // A process that has ended but was not collected by its parent has no command line.
  return process.platform === 'linux' ? commandLine?.includes('postgres') === true : true;
}

async function answers(place: Place, port: number): Promise<boolean> {
  try {
    return await withClient(place, port, 'postgres', async (client) => {
      const { rows } = await client.query<{ data_directory: string }>('show data_directory');
      return rows[0]?.data_directory === place.data;
    });
  } catch {
    return false;
  }
}

async function start(place: Place, logger: Logger): Promise<number> {
  const binaries = await findPostgres(place.home);
  if ((await readOrNull(join(place.data, 'PG_VERSION'))) === null) await initialise(place, binaries);
  if ((await readPidFile(place)) !== null) await rm(join(place.data, 'postmaster.pid'), { force: true });
  if (((await stat(place.log).catch(() => null))?.size ?? 0) > maxLogBytes) await truncate(place.log);
  for (const endsAt = performance.now() + startTimeoutMs; ;) {
    const outcome = await tryStart(place, binaries);
    if ('port' in outcome) return outcome.port;
    const { reason, isPassing } = outcome;
    if (!isPassing || performance.now() > endsAt)
      throw new DatabaseUnavailable(`The built-in PostgreSQL did not start: ${reason} Its log is ${place.log}.`);
    logger.warn({ reason }, 'the built-in PostgreSQL did not start, trying again');
    await sleep(250);
  }
}

/** Builds the data folder under a draft name, so that an unfinished initdb never becomes the data folder. */
async function initialise({ home, data }: Place, binaries: PostgresBinaries): Promise<void> {
  const draft = join(home, 'data.new');
  await rm(draft, { recursive: true, force: true });
  const args = [
    `--pgdata=${draft}`,
    `--username=${user}`,
    '--auth=scram-sha-256',
    `--pwfile=${join(home, 'password')}`,
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  const { code, output } = await run(binaries, binaries.initdb, args);
  if (code !== 0)
    throw new DatabaseUnavailable(`The built-in PostgreSQL could not make its files: ${failureLine(output)}`);
  await rename(draft, data);
}

function run(binaries: PostgresBinaries, program: string, args: readonly string[]) {
  const [command, ...rest] = binaries.command(program, args);
  return new Promise<{ readonly code: number | null; readonly output: string }>((settle) => {
    const child = spawn(command, rest, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'], ...binaries.identity });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) => settle({ code: null, output: error.message }));
    child.once('close', (code) => settle({ code, output }));
  });
}

/** A server that accepts connections, or the message it failed with and whether a retry can succeed. */
type StartOutcome = { readonly port: number } | { readonly reason: string; readonly isPassing: boolean };

async function tryStart(place: Place, binaries: PostgresBinaries): Promise<StartOutcome> {
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    // Containers often have little shared memory, and no query here benefits from several processes.
    max_parallel_workers_per_gather: '0',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, ...args] = binaries.command(binaries.postgres, ['-D', place.data, ...flags]);
  const logSize = (await stat(place.log).catch(() => null))?.size ?? 0;
  const log = openSync(place.log, 'a', 0o600);
  // Detached: it outlives a killed parent, and the next start adopts it.
  const child = spawn(command, args, {
    cwd: place.home,
    env: environment(),
    detached: true,
    stdio: ['ignore', log, log],
    ...binaries.identity,
  });
  closeSync(log);
  let end: string | undefined;
  child.once('error', (error) => (end = `${error.message}.`));
  child.once('exit', (code, signal) => (end ??= `it ended at once (${signal ?? `code ${code}`}).`));
  child.unref();
  for (const endsAt = performance.now() + startTimeoutMs; performance.now() < endsAt; await sleep(15)) {
    if (end !== undefined) {
      const written = (await readFile(place.log)).subarray(logSize).toString();
      return { reason: failureLine(written) || end, isPassing: isPassingFailure(written) };
    }
    if ((await readPidFile(place))?.port === port && (await answers(place, port))) return { port };
  }
  return { reason: 'it does not take connections.', isPassing: false };
}

/** Passes only what the programs need: no `PG…` variable of the caller may redirect them. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '',
  LC_ALL: 'C',
  TZ: 'UTC',
  ...(process.env['SystemRoot'] === undefined ? {} : { SystemRoot: process.env['SystemRoot'] }),
});

function freePort(): Promise<number> {
  return new Promise((settle, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => settle(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function createDatabase(place: Place, port: number): Promise<void> {
  await withClient(place, port, 'postgres', async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
  });
}

/**
 * Disconnects clients and writes all commits to disk; a server that does not stop in time recovers at the next start.
 */
async function stop(place: Place): Promise<void> {
  const running = await readPidFile(place);
  if (running === null || !(await isPostgres(running.pid))) return;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(running.pid, signal);
    } catch (error) {
      if (codeOf(error) === 'ESRCH') return;
      throw error;
    }
    for (const endsAt = performance.now() + stopTimeoutMs; performance.now() < endsAt; await sleep(10))
      if (!(await isPostgres(running.pid))) return;
  }
  throw new DatabaseUnavailable(
    `The built-in PostgreSQL (process ${running.pid}) does not stop. Its log is ${place.log}.`,
  );
}

const addressOf = (place: Place, port: number, name: string): string =>
  `postgres://${user}:${place.password}@127.0.0.1:${port}/${name}`;

async function withClient<T>(
  place: Place,
  port: number,
  name: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: addressOf(place, port, name), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
