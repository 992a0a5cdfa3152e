import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttps, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { instant } from '#core/values/dates.ts';
import { certificateFor } from '#test/support/certificate.ts';
import { runCommand, runHere } from '#test/support/command.ts';
import { asOwner, newDatabase, testSecretKey, type TestDatabase } from '#test/support/database.ts';
import { takeBackup } from '#test/support/backup.ts';
import { apiUser, deployment } from '#test/support/deployment.ts';
import { silentLogger } from '#test/support/logger.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { newProcessFixture, type ProcessFixture } from '#test/support/process-fixture.ts';
import { watchForRestores } from '#store/restore-watch.ts';
import { runChecks } from './doctor.ts';
import { readVersion } from './version.ts';

let folder: string;
let fixture: ProcessFixture;
let good: Readonly<Record<string, string>>;
let servers: Server[] = [];
let db: TestDatabase;

/** A proxy with a certificate; it answers like the product, or with 421 as if it did not pass the domain. */
async function newProxy(name: string, validDays: number, { status = 200, isTrusting = false } = {}) {
  const { cert, key } = certificateFor('localhost', validDays);
  await writeFile(join(folder, `${name}.pem`), cert);
  const server = createHttps({ cert, key }, (request, response) => {
    response.statusCode = request.url === '/healthz' ? 200 : status;
    const caller = isTrusting ? request.headers['x-forwarded-for'] : '127.0.0.1';
    response.end(JSON.stringify({ success: true, data: { alive: true, version: readVersion(), caller } }));
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { APP_URL: `https://localhost:${port}`, NODE_EXTRA_CA_CERTS: join(folder, `${name}.pem`) };
}

beforeAll(async () => {
  [folder, fixture] = await Promise.all([
    mkdtemp(join(tmpdir(), 'tallybridge-doctor-')),
    newProcessFixture('migrated'),
  ]);
  good = {
    ...(await deployment(fixture)),
    SECRET_KEY: testSecretKey,
    AUTOTASK_URL: fixture.autotask.url,
    QBO_API_URL: fixture.quickbooks.url,
    TRUST_PROXY: '1',
    TALLYBRIDGE_ROLE: 'api',
    METRICS_TOKEN: 'Yq3uT8wZ1sVb6nKe0pLr5xJc2hGd9mFa',
    ...(await newProxy('good', 90)),
  };
});
afterAll(async () => {
  for (const server of servers) server.close();
  servers = [];
  await fixture.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  db = await newDatabase();
});
afterEach(() => db.close());

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly text: string;
  readonly fix?: string;
}

// Tests run with and without built screens.
const problemsOf = (findings: readonly Finding[]) =>
  findings.filter(({ check, state }) => state === 'problem' && check !== 'screens');

/** Examines a deployment in this process. */
async function examine(variables: Readonly<Record<string, string>> = {}) {
  const all = { ...good, ...variables, folder, DATABASE_URL: variables['DATABASE_URL'] ?? db.url };
  const file = variables['NODE_EXTRA_CA_CERTS'] ?? good['NODE_EXTRA_CA_CERTS'] ?? '';
  const usual = getCACertificates();
  // Node reads the variable only when it starts.
  if (file !== '') setDefaultCACertificates([...usual, await readFile(file, 'utf8')]);
  let findings: readonly Finding[] = [];
  const { code } = await runHere(async () => {
    const outcome = await runChecks();
    findings = outcome.data['findings'] as unknown as readonly Finding[];
    return outcome;
  }, all);
  setDefaultCACertificates(usual);
  const texts = findings.map(({ text }) => text);
  return { code, restore: findings.find(({ check }) => check === 'restore'), problems: problemsOf(findings), texts };
}

test('a good deployment has no problem', async () => {
  const { code, output } = await runCommand(['doctor', '--json'], { folder, ...good, DATABASE_URL: db.url });
  const { data } = JSON.parse(output) as { readonly data: { readonly findings: readonly Finding[] } };
  expect(problemsOf(data.findings)).toEqual([]);
  const checks = data.findings.map(({ check }) => check);
  for (const check of ['configuration', 'permissions', 'database', 'migrations', 'protection', 'secrets', 'clock'])
    expect(checks).toContain(check);
  for (const check of ['Autotask', 'QuickBooks', 'proxy', 'certificate', 'mail']) expect(checks).toContain(check);
  expect(code).toBe(data.findings.some(({ state }) => state === 'problem') ? 1 : 0);
});

test('warns about a copy of another database until a start has recorded it', async () => {
  expect((await examine()).restore).toBeUndefined();
  await asOwner(db.url, (owner) => owner.query('update deployment_clock set database_oid = 1'));
  expect((await examine()).restore).toMatchObject({
    state: 'warning',
    text: 'This database is a copy of another one.',
  });
  expect((await runCommand(['client', 'list'], { folder, ...good, DATABASE_URL: db.url })).code).toBe(0);
  const text = expect.stringMatching(/^The last one was recorded on /);
  expect((await examine()).restore).toEqual({ check: 'restore', state: 'ok', text });
});

/** Adds a client that is connected to Autotask. */
async function addClient(): Promise<void> {
  const { id } = await db.store.addTenant({ name: 'Wingtip', status: 'active', timeZone: 'UTC' });
  const connection = { service: 'psa', status: 'active', name: 'W', user: 'api', externalId: '4711' } as const;
  const { userName, secret } = await apiUser(fixture);
  await db.store
    .forTenant(id)
    .saveConnection(
      { ...connection, connectedAt: instant('2025-03-03T15:00:00Z'), problem: null },
      { userName, secret },
    );
}

test('accepts the tracking identifier that Autotask accepts', async () => {
  await addClient();
  const { problems, texts } = await examine();
  expect([problems, texts]).toEqual([[], expect.arrayContaining(['Autotask accepts the tracking identifier.'])]);
});

test('warns about a superuser', async () => {
  expect((await examine()).texts).toContain('The user of DATABASE_URL is a superuser.');
});

test('warns about a sender that no person reads', async () => {
  const mailbox = await startMailbox();
  try {
    const { problems, texts } = await examine({
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Tallybridge <no-reply@tallybridge.example>',
    });
    expect([problems, texts]).toEqual([
      [],
      expect.arrayContaining([expect.stringMatching(/^Replies to .* reach no one\.$/)]),
    ]);
  } finally {
    await mailbox.close();
  }
});

test('finds a restore that was not reported, and names the clients until their documents were searched', async () => {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  await addClient();
  const watch = await watchForRestores(db.database, dataDir, silentLogger);
  const backup = await takeBackup(db.url);
  await watch.check();
  watch.stop();
  await backup.restore();
  const found = await examine({ DATA_DIR: dataDir });
  expect([found.code, found.problems]).toEqual([
    1,
    [expect.objectContaining({ check: 'restore', text: expect.stringMatching(/^The database is older than/) })],
  ]);
  const next = await watchForRestores(db.database, dataDir, silentLogger);
  next.stop();
  expect((await examine({ DATA_DIR: dataDir })).restore).toMatchObject({
    state: 'warning',
    text: 'QuickBooks was not searched yet for documents that the ledger of 1 client may lack.',
  });
});

const alter = (statement: string) => async () => {
  await asOwner(db.url, (client) => client.query(statement));
  return {};
};
const set = (variables: Readonly<Record<string, string>>) => () => Promise.resolve(variables);

/** A misconfiguration, the check that finds it, and a part of its text. */
const planted: readonly (readonly [
  name: string,
  plant: () => Promise<Readonly<Record<string, string>>>,
  check: string,
  text: RegExp,
])[] = [
  ['a missing variable', set({ QBO_CLIENT_ID: '' }), 'configuration', /QBO_CLIENT_ID/],
  ['a weak key', set({ SECRET_KEY: 'a'.repeat(40) }), 'configuration', /SECRET_KEY.*too easy to guess/],
  ['a database that is down', set({ DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }), 'database', /cannot be reached/],
  [
    'pending migrations',
    alter(`delete from schema_migrations where name = '0001_baseline'`),
    'migrations',
    /Pending: 1/,
  ],
  ['a missing policy', alter('drop policy own_tenant on postings'), 'protection', /own_tenant of postings is missing/],
  [
    'row-level security that is off',
    alter('alter table jobs no force row level security'),
    'protection',
    /security of jobs is off/,
  ],
  [
    'another SECRET_KEY',
    async () => {
      await addClient();
      return { SECRET_KEY: 'quite another key than the one before' };
    },
    'secrets',
    /SECRET_KEY does not decrypt the connections of 1 client/,
  ],
  [
    'a wrong clock',
    alter(`create or replace function wall_clock_ms() returns bigint language sql volatile
      as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint + 600000 $$`),
    'clock',
    /600 seconds ahead of this machine/,
  ],
  [
    'a wrong tracking identifier',
    async () => {
      await addClient();
      return { AUTOTASK_INTEGRATION_CODE: 'ANOTHER0TRACKING0CODE000001' };
    },
    'Autotask',
    /accepts neither the tracking identifier nor/,
  ],
  ['a wrong Autotask address', set({ AUTOTASK_URL: 'http://127.0.0.1:2' }), 'Autotask', /ECONNREFUSED/],
  [
    'a wrong QuickBooks address',
    () => Promise.resolve({ QBO_DISCOVERY_URL: `${fixture.quickbooks.url}/nothing` }),
    'QuickBooks',
    /Unexpected response/,
  ],
  ['a wrong client secret', set({ QBO_CLIENT_SECRET: 'another' }), 'QuickBooks', /does not accept the client id/],
  ['a proxy that is not trusted', set({ TRUST_PROXY: '' }), 'proxy', /share the proxy’s address/],
  [
    'a proxy that changes the domain',
    () => newProxy('misdirected', 90, { status: 421 }),
    'proxy',
    /does not pass the Host header/,
  ],
  [
    'a proxy that passes forged addresses',
    () => newProxy('trusting', 90, { isTrusting: true }),
    'proxy',
    /choose their address/,
  ],
  [
    'an address instead of a domain',
    async () => {
      const { NODE_EXTRA_CA_CERTS } = await newProxy('addressed', 90);
      const [server] = servers.slice(-1);
      const { address, family, port } = (server ?? createHttps()).address() as AddressInfo;
      return { NODE_EXTRA_CA_CERTS, APP_URL: `https://${family === 'IPv6' ? `[${address}]` : address}:${port}` };
    },
    'certificate',
    /is not trusted/,
  ],
  ['equal ports', set({ PORT: '3001', WORKER_PORT: '3001' }), 'configuration', /PORT and WORKER_PORT are both 3001/],
  [
    'a name that does not resolve',
    set({ DATABASE_URL: 'postgres://a:b@database.invalid/c' }),
    'database',
    /is not known: check DATABASE_URL/,
  ],
  [
    'a database without writes',
    async () => ({ DATABASE_URL: `${db.url}?options=-c%20default_transaction_read_only%3Don` }),
    'database',
    /accepts no writes/,
  ],
  [
    'a policy that lets all rows through',
    alter('create policy everything on jobs to tallybridge_app using (true)'),
    'protection',
    /everything of jobs/,
  ],
  [
    'a policy that was widened',
    alter('alter policy own_tenant on jobs using (true or tenant_id = (select current_tenant()))'),
    'protection',
    /own_tenant of jobs is missing/,
  ],
  ['a missing index', alter('drop index drafts_newest_waiting'), 'schema', /index drafts_newest_waiting is missing/],
  [
    'a disabled trigger',
    alter('alter table reference_data disable trigger reference_data_set_updated_at'),
    'schema',
    /reference_data_set_updated_at is missing or disabled/,
  ],
  ['a certificate of no authority', set({ NODE_EXTRA_CA_CERTS: '' }), 'certificate', /is not trusted/],
  ['a certificate that expires soon', () => newProxy('old', 3), 'certificate', /expires in 2 days/],
  ['an unusable data folder', set({ DATA_DIR: '/dev/null/data' }), 'permissions', /cannot be used/],
  [
    'a secret that other users can read',
    async () => {
      const file = join(folder, 'client-secret');
      await writeFile(file, good['QBO_CLIENT_SECRET'] ?? '');
      await chmod(file, 0o644);
      return { QBO_CLIENT_SECRET: '', QBO_CLIENT_SECRET_FILE: file };
    },
    'permissions',
    /Other users can read/,
  ],
  [
    'an environment file that other users can read',
    async () => {
      const file = join(folder, 'env');
      await writeFile(file, 'LOG_LEVEL=info\n');
      await chmod(file, 0o644);
      return { TALLYBRIDGE_ENV_FILE: file };
    },
    'permissions',
    /Other users can read or change .*env/,
  ],
  [
    'a mail server that is down',
    set({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@tallybridge.example' }),
    'mail',
    /does not answer/,
  ],
];

test.each(planted)('finds %s', async (_name, plant, check, text) => {
  const { code, problems } = await examine(await plant());
  expect([code, problems]).toEqual([1, [expect.objectContaining({ check, text: expect.stringMatching(text) })]]);
});
