import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { signIn } from '../support/api-client.ts';
import { asOwner, newDatabase, setReadOnly } from '../support/database.ts';
import { withCompiledCode } from '../support/compiled-code.ts';
import { newProcessFixture } from '../support/process-fixture.ts';

const start = join(resolve(import.meta.dirname, '..', '..'), 'src', 'main', 'start.ts');

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

/** Lines for the steps of a start, e.g. “Starting the database…”. */
const stepLines = /^.*…\n/gm;

/** Runs the program of `npm start` until it exits; returns its output without the step lines. */
function attempt(environment: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [start], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        LOG_LEVEL: 'silent',
        ...withCompiledCode,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.once('exit', (code) => done({ code, printed: printed.replace(stepLines, '').trim() }));
  });
}

/** One sentence without a stack trace. */
const plainSentence = /^[^\n]{20,400}[.]$/;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallybridge-start-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('invalid input at the start fails with one sentence', () => {
  // readConfig has tests for each variable.
  test.each([
    [
      'an invalid configuration, with all its errors',
      { PORT: '70000', DATABASE_URL: 'not a URL', SECRET_KEY: 'short' },
      /PORT.*DATABASE_URL.*SECRET_KEY/,
    ],
    [
      'a database that does not respond',
      {
        DEMO: 'true',
        DATABASE_URL: 'postgres://somebody:hidden-word@127.0.0.1:1/none',
        SANDBOX_AUTOTASK_PORT: '0',
        SANDBOX_QBO_PORT: '0',
      },
      /127\.0\.0\.1/,
    ],
  ])('%s', async (name, environment, names) => {
    const dataDir = join(folder, name.replaceAll(/\W/g, '-'));
    const { code, printed } = await attempt({ DATA_DIR: dataDir, ...environment });
    expect([code, printed]).toEqual([1, expect.stringMatching(plainSentence)]);
    expect(printed).toMatch(names);
    expect(printed).not.toContain('hidden-word');
  });

  // No user, not even root, can create a folder in a device.
  test.each([
    ['is a file', () => join(folder, 'a-file')],
    ['cannot be created', () => '/dev/null/data'],
  ])('a data folder that %s', async (_, path) => {
    await writeFile(join(folder, 'a-file'), 'mine');
    const { code, printed } = await attempt({ DATA_DIR: path(), SANDBOX_AUTOTASK_PORT: '0', SANDBOX_QBO_PORT: '0' });
    expect([code, printed]).toEqual([1, expect.stringMatching(plainSentence)]);
    expect(printed).toContain(path());
  });

  test('a port in use, with no process left running', async () => {
    const taken = createServer();
    const port = await new Promise<number>((found) =>
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        found(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
    const dataDir = join(folder, 'taken-port');
    const environment = { DATA_DIR: dataDir, SANDBOX_AUTOTASK_PORT: '0', SANDBOX_QBO_PORT: '0' };
    const app = await attempt({ ...environment, PORT: String(port) });
    expect([app.code, app.printed]).toEqual([1, expect.stringMatching(plainSentence)]);
    expect(app.printed).toContain(`Port ${port} is used by another program`);
    const sandbox = await attempt({ ...environment, PORT: '0', SANDBOX_QBO_PORT: String(port) });
    expect([sandbox.code, sandbox.printed]).toEqual([1, expect.stringContaining('SANDBOX_QBO_PORT')]);
    await new Promise((closed) => taken.close(closed));
    // The database that was started was stopped cleanly and its lock released.
    expect(await readdir(dataDir)).not.toContain('tallybridge.lock');
    expect(await readdir(join(dataDir, 'postgres', 'data'))).not.toContain('postmaster.pid');
  }, 120_000);
});

test('a data folder belongs to one product at a time, and keeps its data although Autotask does not respond later', async () => {
  const fixture = await newProcessFixture('empty');
  try {
    const first = await fixture.start({ TALLYBRIDGE_CRASH: 'store.addSession:1:before:reject' });
    const second = await attempt({
      DATA_DIR: fixture.dataDir,
      PORT: '0',
      SANDBOX_AUTOTASK_PORT: '0',
      SANDBOX_QBO_PORT: '0',
    });
    expect([second.code, second.printed]).toEqual([1, expect.stringMatching(plainSentence)]);
    expect(second.printed).toContain(fixture.dataDir);
    const client = await signIn(first.url);
    // An unhandled rejection is logged and counted, and does not end the process.
    await expect.poll(() => first.output()).toContain('process.unhandled_rejection');
    expect(first.output()).toContain('a rejection planted by this test');
    await client.connectQuickBooks();
    await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2', inv_max_age_days: 21 });
    const metrics = await (await fetch(`${first.url}/metrics`)).text();
    expect(metrics).toContain('tallybridge_unhandled_rejections_total 1');
    expect(metrics).toMatch(
      /tallybridge_outside_calls_total\{service="accounting",operation="read CompanyInfo",status="200"\} [1-9]/,
    );
    // Metrics of the process that serves HTTP.
    expect(metrics).toMatch(/^nodejs_eventloop_lag_p50_seconds \d/m);
    await first.stop();
    expect(await first.ended).toBe(0);

    await fixture.autotask.fault({ match: { path: '.*' }, action: { status: 503, body: '' } });
    const again = await signIn((await fixture.start()).url);
    expect(await again.data('GET', '/api/my')).toMatchObject({
      client: { name: 'Northwind IT Services' },
      settings: { inv_max_age_days: 21 },
      settings_valid: true,
      connections: [{ service: 'autotask', status: 'active' }, { status: 'active' }],
    });
  } finally {
    await fixture.close();
  }
}, 180_000);

/** Another address of a database, where every connection is cut until it is opened. */
async function doorTo(url: string) {
  const target = new URL(url);
  const tried = Promise.withResolvers<void>();
  let isOpen = false;
  const door = createServer((from) => {
    from.on('error', () => from.destroy());
    if (!isOpen) {
      tried.resolve();
      from.destroy();
      return;
    }
    const to = connect(Number(target.port), target.hostname);
    to.on('error', () => from.destroy());
    from.pipe(to).pipe(from);
    from.on('close', () => to.destroy());
  });
  await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
  const address = door.address();
  const shown = new URL(url);
  shown.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: shown.href,
    tried: tried.promise,
    open: () => (isOpen = true),
    close: () => new Promise<void>((closed) => door.close(() => closed())),
  };
}

test('a database that goes away during the start is one sentence', async () => {
  const db = await newDatabase();
  const { hostname, port } = new URL(db.url);
  const sockets = new Set<Socket>();
  // Passes everything to the database, until the process prepares the demo.
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    server.pipe(client);
    client.on('data', (chunk: Buffer) => {
      if (chunk.includes('pg_advisory_lock($1)')) {
        proxy.close();
        for (const socket of sockets) socket.destroy();
      } else server.write(chunk);
    });
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  const url = new URL(db.url);
  url.port = String((proxy.address() as AddressInfo).port);
  try {
    const ports = { PORT: '0', SANDBOX_AUTOTASK_PORT: '0', SANDBOX_QBO_PORT: '0' };
    const { code, printed } = await attempt({
      DATA_DIR: join(folder, 'gone'),
      DATABASE_URL: url.href,
      DEMO: 'true',
      ...ports,
    });
    expect([code, printed]).toEqual([1, expect.stringMatching(plainSentence)]);
    expect(printed).toMatch(/database/);
  } finally {
    await db.close();
  }
});

test('a process that starts together with its database becomes ready with it', async () => {
  const database = await newDatabase({ isMigrated: false });
  const fixture = await newProcessFixture('empty');
  const door = await doorTo(database.url);
  try {
    const shared = { DATABASE_URL: door.url, SECRET_KEY: 'a secret key that only this test knows' };
    const worker = fixture.start({ ...shared, TALLYBRIDGE_ROLE: 'worker' });
    await Promise.race([door.tried, worker]);
    door.open();
    expect((await worker).url).toBe('none');
  } finally {
    await fixture.close();
    await door.close();
    await database.close();
  }
}, 120_000);

test('a process that starts during a failover is ready once the database accepts writes', async () => {
  const database = await newDatabase();
  const fixture = await newProcessFixture('empty');
  try {
    await setReadOnly(database.url, true);
    const product = fixture.start({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
    const sessions = () =>
      asOwner(database.url, async (client) => {
        const { rowCount } = await client.query(
          `select 1 from pg_stat_activity where datname = current_database() and application_name like 'tallybridge %'`,
        );
        return rowCount;
      });
    await Promise.race([vi.waitFor(async () => expect(await sessions()).not.toBe(0), { timeout: 60_000 }), product]);
    await setReadOnly(database.url, false);
    expect((await product).url).toMatch(/^http/);
  } finally {
    await fixture.close();
    await database.close();
  }
}, 120_000);
