import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Client } from 'pg';
import type { Settings } from '#core/settings/definitions.ts';
import type { NewSession } from '#core/records/sessions.ts';
import { instant } from '#core/values/dates.ts';
import { mailLane } from '#core/records/outbox.ts';
import type { JsonObject } from '#core/values/json.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { login } from '#flows/access/login.ts';
import { ProcessEnded, type App, type Failpoint, type TenantContext } from '#flows/context.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { approveDrafts } from '#flows/approval/decide.ts';
import { readRun } from '#flows/approval/read.ts';
import { maintainConnections } from '#flows/connections/refresh-tokens.ts';
import { compose } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { startSandboxes, type Sandboxes } from '#main/sandboxes.ts';
import { openDatabase, type Database } from '#store/database.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#store/embedded-postgres.ts';
import { missingProtection } from '#store/protection.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import { runCommand } from '../support/command.ts';
import { connectServices } from '../support/connect-services.ts';
import { asOwner } from '../support/database.ts';
import { silentLogger } from '../support/logger.ts';
import { controlOf, movableClock, type Control, type MovableClock } from '../support/world.ts';
import { newUser, newSession } from '#test/cases/sample-records.ts';

const keys = { source: 'Yq3uT8wZ1sVb6nKe0pLr5xJc2hGd9mFa', target: 'cR7vN2kXw4Jd9sQz1bTf6mHy8gLp3aEu' };
const actor = { username: 'wendy@wingtip.example' };
const password = 'Wingtip-Passw0rd!';
/** The clocks of the products begin before the machine's, which the commands use. */
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** One deployment on its database, whose owner may create roles and nothing else. */
interface Cell {
  readonly url: string;
  readonly secretKey: string;
  readonly database: Database;
  readonly app: App;
  readonly run: (
    words: readonly string[],
    other?: Readonly<Record<string, string>>,
  ) => Promise<{ code: number; output: string }>;
  readonly work: (tenant: TenantContext, hook?: Failpoint) => Promise<void>;
}

let folder: string;
let server: EmbeddedPostgres;
let sandboxes: Sandboxes;
let quickbooks: Control;
let autotask: Control;
let clock: MovableClock;
let source: Cell;
let target: Cell;
/** Gets no client. */
let elsewhere: Cell;
let other: { readonly id: string; readonly before: Content };
let ours: TenantContext;
let file: string;
/** A session in the source. */
let session: NewSession;
/** The client in the source, right before the move. */
let before: Content;

async function newCell(name: string, secretKey: string): Promise<Cell> {
  await asOwner(server.url, (client) => client.query(`create database ${name} owner ops`));
  const url = new URL(server.url);
  [url.username, url.password, url.pathname] = ['ops', 'p', `/${name}`];
  const run: Cell['run'] = (words, variables = {}) =>
    runCommand(words, { folder, DATABASE_URL: url.href, SECRET_KEY: secretKey, ...variables });
  expect(await run(['migrate'])).toEqual({ code: 0, output: expect.stringContaining('Applied:') });
  const database = await openDatabase(url.href, { logger: silentLogger, secretKey });
  let effect: Failpoint = () => undefined;
  const app = await compose({
    config: readConfig({ DEMO: 'true', DATA_DIR: folder }),
    appUrl: () => `http://${name}.example`,
    outside: await sandboxOutside(sandboxes),
    store: createStore({ database, vault: createVault(secretKey), clock }),
    rateLimits: new RateLimits(),
    clock,
    logger: silentLogger,
    failpoint: (at, when) => effect(at, when),
    sleep: (milliseconds) => advance(milliseconds / 1_000),
  });
  return {
    url: url.href,
    secretKey,
    database,
    app,
    run,
    async work(tenant, hook) {
      effect = hook ?? (() => undefined);
      try {
        await runTenantSession(tenant, `worker of the ${name}`, new AbortController().signal);
      } finally {
        effect = () => undefined;
      }
    },
  };
}

async function advance(seconds: number): Promise<void> {
  clock.advance(seconds);
  await Promise.all([autotask.advance(seconds), quickbooks.advance(seconds)]);
}

const superuser = <T>({ url }: Cell, use: (client: Client) => Promise<T>): Promise<T> => {
  const own = new URL(server.url);
  own.pathname = new URL(url).pathname;
  return asOwner(own.href, use);
};

type Content = Readonly<Record<string, readonly JsonObject[]>>;

/** Columns that differ in the other deployment on purpose. */
const adapted: Readonly<Record<string, readonly string[]>> = {
  tenants: [
    'status',
    'status_reason',
    'next_sync_at',
    'moved_at',
    'before_move',
    'gaps_settled',
    'ledger_gaps_settled',
  ],
  leases: ['owner', 'ends_at', 'fence'],
  data_keys: ['root_key_id', 'wrapped'],
  second_factors: ['root_key_id', 'wrapped_key'],
  connections: ['external_hash'],
  reference_data: ['updated_at'],
};
/** Tables that contain nothing that belongs to a client. */
const ofDeployment = [
  'binding_key',
  'concurrency_permits',
  'data_folders',
  'deployment_clock',
  'deployment_events',
  'metered_read_alerts',
  'rate_limits',
  'schema_migrations',
  'sign_in_failures',
  'unexpected_answers',
];
const leftBehind = ['one_time_tokens', 'sessions', 'sign_in_links'];

/** Returns the rows of every other table that name the client or one of its users. */
const contentOf = (cell: Cell, tenantId: string): Promise<Content> =>
  superuser(cell, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
         and relname <> all ($1) order by 1`,
      [[...ofDeployment, ...leftBehind]],
    );
    const content: Record<string, readonly JsonObject[]> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: JsonObject }>(
        `select to_jsonb(t) - $2::text[] as row from ${name} t
          where to_jsonb(t)::text ~ (select string_agg(id::text, '|') from (select id from users where tenant_id = $1 union all select $1) ids)
          order by to_jsonb(t)::text`,
        [tenantId, adapted[name] ?? []],
      );
      content[name] = rows.map(({ row }) => row);
    }
    return content;
  });

/** Values of columns that constraints or references restrict. */
const special: Readonly<Record<string, string>> = {
  'close_decisions.decision': `'accept'`,
  'close_signatures.close_id': '(select id from closes limit 1)',
  'close_signatures.signed_as': `'preparer'`,
  'closes.month': `'2025-02'`,
  'api_keys.scope': `'read'`,
  'sign_in_providers.kind': `'other'`,
  'outbox.kind': `'mail'`,
  'webhook_deliveries.endpoint_id': '(select id from webhook_endpoints limit 1)',
  'invitations.email': `'new@wingtip.example'`,
};
const samples: Readonly<Record<string, string>> = {
  text: `'x'`,
  uuid: 'gen_random_uuid()',
  json: `'{}'`,
  jsonb: `'{}'`,
  'timestamp with time zone': 'now()',
  'text[]': `'{}'`,
  boolean: 'false',
};

/** Adds a row to each table without rows of the client, so that the comparison covers all tables. */
async function fillEmptyTables(cell: Cell, tenantId: string, userId: string): Promise<void> {
  const content = await contentOf(cell, tenantId);
  const referenced = ['closes', 'chats', 'webhook_endpoints', 'second_factors', 'sign_in_providers'];
  const filled = new Set<string>();
  await superuser(cell, async (client) => {
    for (const table of [...referenced, ...Object.keys(content)]) {
      if (filled.has(table)) continue;
      filled.add(table);
      if (content[table]?.length !== 0) continue;
      const { rows: columns } = await client.query<{ name: string; type: string }>(
        `select attname::text as name, format_type(atttypid, null) as type from pg_attribute a
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and (attnotnull and not atthasdef and attidentity = '' or attname = 'tenant_id')`,
        [table],
      );
      const values = columns.map(({ name, type }) =>
        name === 'tenant_id'
          ? `'${tenantId}'`
          : name === 'user_id'
            ? `'${userId}'`
            : (special[`${table}.${name}`] ?? samples[type] ?? '1'),
      );
      await client.query(`insert into ${table} (${columns.map(({ name }) => name).join()}) values (${values.join()})`);
    }
  });
}

const madeFor = async (psaId: number): Promise<readonly JsonObject[]> =>
  (await quickbooks.list('Invoice')).filter(({ PrivateNote: note }) =>
    new RegExp(`^Autotask invoice ${psaId}[ ,]`).test(String(note)),
  );
const noted = async (): Promise<readonly string[]> =>
  (await quickbooks.list('Invoice'))
    .flatMap(({ PrivateNote: note }) => /^Autotask invoice (\d+)\b/.exec(String(note))?.[1] ?? [])
    .toSorted();

/** Invoices in the sample data. */
let seeded: ReadonlySet<string>;
const postedIds = async () => (await noted()).filter((id) => !seeded.has(id));
const submitInvoices = (tenant: TenantContext, psaIds: readonly number[] | null, mode: 'live' | 'test' = 'live') =>
  submit(tenant, { kind: 'invoice', mode, force: false, psaIds, actor });
const save = async ({ store }: TenantContext, change: Partial<Settings>) =>
  store.saveSettings({ ...(await store.readSettings()), ...change }, actor);
const asWendy = (cell: Cell) =>
  login(cell.app, { username: actor.username, password, address: '::1', knownDevice: null });

/** Returns the open gaps of a client, after which records are searched that a restore lost. */
const gapsOf = async ({ store }: TenantContext) => {
  const session = await store.openSession('a test', 1, clock.now());
  if (session === null) throw new Error('the client is taken');
  await store.closeSession(session.lease, null);
  return session;
};

/** An invoice whose outcome is unknown when the client is moved. */
const unknown = 48_304;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallybridge-moved-'));
  [server, sandboxes] = await Promise.all([
    startEmbeddedPostgres({ dataDir: join(folder, 'server'), logger: silentLogger }),
    startSandboxes({ autotask: 0, qbo: 0 }, { today: yesterday }),
  ]);
  await asOwner(server.url, (client) => client.query(`create role ops login createrole nosuperuser password 'p'`));
  [quickbooks, autotask] = [controlOf(sandboxes.quickbooksUrl), controlOf(sandboxes.autotaskUrl)];
  clock = movableClock(instant(`${yesterday}T00:00:00Z`));
  [source, target] = [await newCell('source', keys.source), await newCell('target', keys.target)];
  elsewhere = await newCell('elsewhere', keys.target);
  await superuser(source, (client) => client.query('update deployment_clock set gaps = 3'));

  const realms = (await (await fetch(`${quickbooks.url}/__sandbox/credentials`)).json()) as {
    realms: { realmId: string }[];
  };
  const untouched = await target.app.store.addTenant({ name: 'Untouched', status: 'active', timeZone: 'UTC' });
  await connectServices(
    target.app,
    target.app.forTenant(untouched.id),
    sandboxes,
    realms.realms[1]?.realmId,
    'another',
  );
  // Its numbers are lower than those of the client that comes.
  for (const id of [untouched.id]) other = { id, before: await contentOf(target, id) };

  seeded = new Set(await noted());
  const { id } = await source.app.store.addTenant({ name: 'Wingtip', status: 'active', timeZone: 'America/Chicago' });
  ours = source.app.forTenant(id);
  await connectServices(source.app, ours, sandboxes);
  const user = await source.app.store.addUser(
    newUser(actor.username, { passwordHash: await hashPassword(password), tenantId: id }),
  );
  await save(ours, { inv_default_income_account: '2', pay_sync_active: true });
  await submitInvoices(ours, [48_213, 48_214]);
  await source.work(ours);
  await save(ours, { require_approval: true, inv_sync_active: true });
  await advance(16 * 60);
  await source.work(ours);
  await quickbooks.behave({ requestid: 'none' });
  await submitInvoices(ours, [unknown]);
  const dies = source.work(ours, (name, when) => {
    if (name === 'post:create_invoice' && when === 'after') throw new ProcessEnded('the worker dies');
  });
  await expect(dies).rejects.toThrow('the worker dies');
  await source.app.store.beginSecondFactor(user.id, 'JBSWY3DPEHPK3PXP', clock.now());
  await submitInvoices(ours, [48_310], 'test');
  await superuser(source, async (client) => {
    // The administrators know of this failure already.
    await client.query(
      `insert into logs (tenant_id, key, at, type, psa_id, is_test, is_manual, success, message)
       values ($1, 'known', now(), 'invoice', 1, false, false, false, 'x')`,
      [id],
    );
    await client.query('update alert_states set is_pending = false');
  });
  await fillEmptyTables(source, id, user.id);
  session = newSession(randomUUID(), user, clock.now());
  expect(await source.app.store.addSession(session)).toBe(true);
  before = await contentOf(source, id);
  file = join(folder, 'wingtip.client.gz');
  const out = await source.run(['client', 'move', id, file]);
  expect(out).toEqual({
    code: 0,
    output: expect.stringMatching(/^Wingtip stopped here, and \d+ rows are in .+ now\. Next: /),
  });
}, 240_000);
afterAll(async () => {
  await Promise.all([source, target, elsewhere].map(({ database }) => database.close()));
  await Promise.all([sandboxes.stop(), server.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const moveIn = (
  cell: Cell,
  path = file,
  variables: Readonly<Record<string, string>> = { SOURCE_SECRET_KEY: keys.source },
) => cell.run(['client', 'import', path], variables);
const lastRequests = () => Promise.all([quickbooks.lastRequest(), autotask.lastRequest()]);

test('a client continues in another deployment: nothing is lost, and no document is posted twice', async () => {
  const id = ours.tenantId;
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
  expect(await madeFor(unknown)).toHaveLength(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = gunzipSync(await readFile(file)).toString();
  for (const secret of ['JBSWY3DPEHPK3PXP', keys.source]) expect(text).not.toContain(secret);

  expect(await moveIn(target)).toEqual({ code: 0, output: expect.stringContaining('Wingtip is active here now.') });
  const after = await contentOf(target, id);
  const added = after['audit_events']?.filter(({ action }) => String(action).startsWith('tenant.moved_')) ?? [];
  expect(added.map(({ action }) => action).toSorted()).toEqual(['tenant.moved_in', 'tenant.moved_out']);
  const sorted = (rows: readonly JsonObject[] = []) => rows.map((row) => JSON.stringify(row)).toSorted();
  for (const table of Object.keys(after))
    expect([table, sorted(after[table])]).toEqual([
      table,
      sorted([...(before[table] ?? []), ...(table === 'audit_events' ? added : [])]),
    ]);
  expect(await contentOf(target, other.id)).toEqual(other.before);
  expect(await missingProtection(target.database.pool)).toEqual([]);

  const theirs = target.app.forTenant(id);
  const { events } = await theirs.store.listAudit({ page: 1, pageSize: 2 });
  expect(events.map(({ action }) => action)).toEqual(['tenant.moved_in', 'tenant.moved_out']);
  const [event] = await target.app.store.listDeploymentEvents(1);
  expect(event).toMatchObject({ action: 'tenant.moved_in', subject: id });
  expect((await theirs.store.listConnections()).map(({ status }) => status)).toEqual(['active', 'active']);
  expect(
    await target.app.store.findConnected('accounting', (await theirs.store.readAccountingCredentials())?.realmId ?? ''),
  ).toEqual([id]);
  expect(await asWendy(target)).toMatchObject({ client: { id } });
  const { gap, ledgerGap } = await gapsOf(theirs);
  expect([gap, ledgerGap]).toEqual([null, null]);

  // The import used the time of the machine.
  await advance(Math.max(0, Math.ceil((Date.now() - Date.parse(clock.now())) / 1_000)) + 3_600);
  await target.work(theirs);
  await advance(200);
  await target.work(theirs);
  expect(await madeFor(unknown)).toHaveLength(1);
  expect(await theirs.store.listUnfinished(clock.now())).toEqual([]);
  const { waiting } = await readRun(theirs);
  expect(waiting.length).toBeGreaterThan(2);
  await approveDrafts(theirs, actor, { ids: waiting.map((draft) => draft.id) });
  await target.work(theirs);
  const posted = await postedIds();
  expect(posted).toEqual(expect.arrayContaining(['48213', '48214', String(unknown)]));
  expect(posted.length).toBeGreaterThan(4);
  expect(new Set(posted).size).toBe(posted.length);
  const { logs } = await theirs.store.listLogs({ page: 1, pageSize: 200, sort: 'LastModified', descending: false });
  const ledger = await theirs.store.listPostings('invoice', posted.map(Number));
  for (const psaId of posted.map(Number)) {
    const [made] = await madeFor(psaId);
    expect(ledger.filter((one) => one.psaId === psaId)).toMatchObject([{ status: 'synced', targetId: made?.['Id'] }]);
    expect(logs.some((log) => log.psaId === psaId && log.success && !log.isTest)).toBe(true);
  }
  expect(await moveIn(target)).toEqual({ code: 1, output: 'Wingtip exists here already, so nothing was imported.\n' });
});

test('a client that was moved does nothing in its former deployment, and can be deleted there', async () => {
  const id = ours.tenantId;
  const requests = await lastRequests();
  expect((await source.run(['client', 'list'])).output).toContain(`${id}  moved      Wingtip\n`);
  expect(await source.app.store.readSession(session.jti, session.createdAt)).toBeNull();
  expect(await source.app.store.addSession({ ...session, jti: randomUUID() })).toBe(false);
  await advance(30 * 86_400);
  expect(await source.app.store.dueTenants(clock.now(), 10)).not.toContain(id);
  const leases = await superuser(source, (client) =>
    client.query(`select ends_at > now() + interval '100 years' as "isEndless" from leases where tenant_id = $1`, [id]),
  );
  expect(leases.rows).toEqual([{ isEndless: true }]);
  await source.work(ours);
  await maintainConnections(source.app, new AbortController().signal);
  for (const lane of [mailLane, id]) expect(await source.app.store.takeMessage(lane, clock.now())).toBeNull();
  expect(await ours.store.takeWebhookDelivery(clock.now())).toBeNull();
  expect(await ours.store.readAccountingCredentials({ evenIfLost: true })).toBeNull();
  await expect(asWendy(source)).rejects.toMatchObject({ code: 'client_moved' });
  expect(await source.app.store.readApiKey('x', instant('2000-01-01T00:00:00Z'))).toBeNull();
  expect(await source.run(['client', 'resume', id, '--reason', 'x'])).toEqual({
    code: 1,
    output: 'Wingtip was moved to another deployment: change its subscription there.\n',
  });
  expect(await source.app.store.readTenantDetail(id)).toMatchObject({
    status: 'suspended',
    reason: 'Moved to another deployment.',
  });
  expect(await source.run(['client', 'delete', id, 'Wingtip'])).toMatchObject({ code: 0 });
  expect(await contentOf(source, id)).toEqual(Object.fromEntries(Object.keys(before).map((table) => [table, []])));
  expect(await lastRequests()).toEqual(requests);
});

describe('an import changes nothing when', () => {
  const line = (change: (lines: readonly string[]) => readonly string[]) => async () => {
    const path = join(folder, `${randomUUID()}.gz`);
    await writeFile(
      path,
      gzipSync(
        `${change(
          gunzipSync(await readFile(file))
            .toString()
            .trimEnd()
            .split('\n'),
        ).join('\n')}\n`,
      ),
    );
    return path;
  };
  const clean = (...statements: readonly string[]) =>
    superuser(elsewhere, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  const cases: readonly {
    readonly why: string;
    readonly message: RegExp;
    readonly make?: () => Promise<string | undefined>;
    readonly variables?: Readonly<Record<string, string>>;
    readonly undo?: () => Promise<void>;
  }[] = [
    {
      why: 'the key of the other deployment is not set',
      variables: {},
      message: /set SOURCE_SECRET_KEY to the SECRET_KEY of/,
    },
    { why: 'that key is wrong', variables: { SOURCE_SECRET_KEY: keys.target }, message: /set SOURCE_SECRET_KEY to/ },
    {
      why: 'that key is too short',
      variables: { SOURCE_SECRET_KEY: 'short' },
      message: /^SOURCE_SECRET_KEY cannot be used/,
    },
    {
      why: 'the file was cut off',
      message: /is damaged or cannot be read/,
      async make() {
        const path = join(folder, 'cut.gz');
        await writeFile(path, (await readFile(file)).subarray(0, -20));
        return path;
      },
    },
    {
      why: 'a row is missing',
      message: /is incomplete/,
      make: line((lines) => lines.filter((one) => !one.includes(actor.username) || !one.includes('clientadmin'))),
    },
    {
      why: 'a row belongs to another client',
      message: /is damaged or was changed/,
      make: line((lines) =>
        lines.map((one) => one.replace(new RegExp(`^${ours.tenantId}(?=\taccounting)`), randomUUID())),
      ),
    },
    {
      why: 'a user was made a system administrator',
      message: /is damaged or was changed/,
      make: line((lines) => lines.map((one) => one.replace('{clientadmin}', '{sysadmin}'))),
    },
    {
      why: 'a user has an unknown role',
      message: /is damaged or was changed/,
      make: line((lines) => lines.map((one) => one.replace('{clientadmin}', '{clientadmin,operator}'))),
    },
    {
      why: 'it is a backup',
      message: /is not a file of a client of Tallybridge/,
      make: line((lines) => lines.map((one) => one.replace('tallybridge client', 'tallybridge backup'))),
    },
    {
      why: 'it is of another version',
      message: /with another version of the database: upgrade both/,
      make: line(([head = '', ...lines]) => [head.replace('"migrations":[', '"migrations":["0000_older",'), ...lines]),
    },
    {
      why: 'a user exists',
      message: /^wendy@wingtip\.example is a user of another client here/,
      async make() {
        await elsewhere.app.store.addUser(newUser(actor.username, { roles: ['sysadmin'] }));
        return undefined;
      },
      undo: () => clean('delete from users'),
    },
    {
      why: 'its QuickBooks company is connected to another client',
      message: /is connected to another client here: disconnect it there first/,
      async make() {
        const { id } = await elsewhere.app.store.addTenant({ name: 'Fabrikam', status: 'active', timeZone: 'UTC' });
        await connectServices(elsewhere.app, elsewhere.app.forTenant(id), sandboxes, undefined, 'another');
        return undefined;
      },
      undo: () => clean('delete from connections', 'delete from data_keys', 'delete from tenants'),
    },
  ];
  test.each(cases)('$why', async ({ message, make, variables, undo }) => {
    const path = await make?.();
    expect(await moveIn(elsewhere, path, variables)).toEqual({ code: 1, output: expect.stringMatching(message) });
    await undo?.();
    expect(await contentOf(elsewhere, ours.tenantId)).toEqual(
      Object.fromEntries(Object.keys(before).map((table) => [table, []])),
    );
  });
});

test('a move that was given up is undone after a confirmation; one without a file is undone at once', async () => {
  const { id } = await source.app.store.addTenant({ name: 'Tailspin', status: 'active', timeZone: 'UTC' });
  const { store } = source.app.forTenant(id);
  const statusOf = async () => (await source.app.store.findTenant(id))?.status;
  expect(await source.run(['client', 'move', id, join(folder, 'nowhere', 'x.gz')])).toEqual({
    code: 1,
    output: expect.stringMatching(/cannot be written \(ENOENT\): choose another place/),
  });
  expect(await statusOf()).toBe('active');
  const path = join(folder, 'tailspin.gz');
  expect(await source.run(['client', 'move-undo', id, '--imported-nowhere'])).toEqual({
    code: 1,
    output: 'Tailspin was not moved.\n',
  });
  expect(await source.run(['client', 'move', id, path])).toMatchObject({ code: 0 });
  expect(await source.run(['client', 'move', id, path])).toEqual({
    code: 1,
    output: expect.stringContaining('exists already'),
  });
  expect(await statusOf()).toBe('suspended');
  expect(await store.openSession('a worker', 12, clock.now())).toBeNull();
  expect(await source.run(['client', 'move-undo', id])).toEqual({
    code: 1,
    output: expect.stringMatching(/^If Tailspin is active in two deployments, every document is posted twice/),
  });
  expect(await source.run(['client', 'move-undo', id, '--imported-nowhere'])).toEqual({
    code: 0,
    output: 'Tailspin is active here again.\n',
  });
  const { events } = await store.listAudit({ page: 1, pageSize: 9 });
  expect(events.map(({ action }) => action)).toEqual([
    'tenant.move_undone',
    'tenant.moved_out',
    'tenant.move_undone',
    'tenant.moved_out',
  ]);
  await advance(86_400);
  expect(await store.openSession('a worker', 12, clock.now())).not.toBeNull();
  // A worker has the client now.
  const event = { at: clock.now(), actor, action: 'tenant.moved_out', subject: null, before: null, after: null };
  expect(await store.beginMove(event)).toBe(false);
  expect(await statusOf()).toBe('active');
});

test('a move waits for a message that is being sent and for tokens that are being renewed', async () => {
  const { id } = await source.app.store.addTenant({ name: 'Litware', status: 'active', timeZone: 'UTC' });
  await superuser(source, (client) =>
    client.query(
      `insert into outbox (tenant_id, kind, recipient, created_at, next_try_at, taken_at)
       values ($1, 'mail', 'a@b.example', now(), now(), now())`,
      [id],
    ),
  );
  await superuser(source, async (client) => {
    const lock = [`refresh of tokens ${id}`];
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', lock);
    const path = join(folder, 'litware.gz');
    const out = source.run(['client', 'move', id, path]);
    const isMoved = async () => expect(await source.app.store.listMovedTenants()).toContain(id);
    await vi.waitFor(isMoved, { timeout: 60_000, interval: 50 });
    await delay(500);
    expect(existsSync(path)).toBe(false);
    for (const words of [
      ['move', id, `${path}.2`],
      ['move-undo', id, '--imported-nowhere'],
    ])
      expect(await source.run(['client', ...words])).toEqual({
        code: 1,
        output: expect.stringMatching(/^Another command is moving this client, so nothing was changed/),
      });
    await client.query('update outbox set ended_at = now() where tenant_id = $1', [id]);
    await delay(1_000);
    expect(existsSync(path)).toBe(false);
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
    expect(await out).toMatchObject({ code: 0 });
  });
});

test('a client moves back after its former rows were deleted, and an open gap stays open', async () => {
  const { id } = await source.app.store.addTenant({ name: 'Proseware', status: 'pending', timeZone: 'UTC' });
  // A restore of the source, after which no session of the client ran.
  await superuser(source, (client) => client.query('update tenants set ledger_gaps_settled = 2 where id = $1', [id]));
  const [there, back] = [join(folder, 'there.gz'), join(folder, 'back.gz')];
  expect(await source.run(['client', 'move', id, there])).toMatchObject({ code: 0 });
  const both = { SECRET_KEY: `${keys.target},${keys.source}` };
  expect(await target.run(['client', 'import', there], both)).toEqual({
    code: 0,
    output: expect.stringContaining('Proseware is pending here now.'),
  });
  await advance(Math.max(0, Math.ceil((Date.now() - Date.parse(clock.now())) / 1_000)) + 3_600);
  const { gap, ledgerGap } = await gapsOf(target.app.forTenant(id));
  expect([gap, ledgerGap]).toEqual([null, expect.any(Number)]);
  expect(await target.run(['client', 'move', id, back])).toMatchObject({ code: 0 });
  const moveBack = () => source.run(['client', 'import', back], { SOURCE_SECRET_KEY: keys.target });
  expect(await moveBack()).toEqual({
    code: 1,
    output: expect.stringMatching(/^Proseware was moved away from here and its rows still exist: delete them/),
  });
  expect(await source.run(['client', 'delete', id, 'Proseware'])).toMatchObject({ code: 0 });
  expect(await moveBack()).toMatchObject({ code: 0 });
  const { events } = await source.app.forTenant(id).store.listAudit({ page: 1, pageSize: 9 });
  expect(events.map(({ action }) => action)).toEqual([
    'tenant.moved_in',
    'tenant.moved_out',
    'tenant.moved_in',
    'tenant.moved_out',
  ]);
});
