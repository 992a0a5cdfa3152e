import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addSeconds } from '#core/values/dates.ts';
import { submit } from '#flows/sync/job/submit.ts';
import type { TenantContext } from '#flows/context.ts';
import { compose } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { databaseClock, type DatabaseClock } from '#store/clock.ts';
import { runCommand } from '../support/command.ts';
import { connectServices } from '../support/connect-services.ts';
import { asOwner, newDatabase, testSecretKey, type TestDatabase } from '../support/database.ts';
import { deployment } from '../support/deployment.ts';
import { silentLogger } from '../support/logger.ts';
import { newProcessFixture, type ProcessFixture, type ProductProcess } from '../support/process-fixture.ts';

const actor = { username: 'admin@northwind-msp.example' };
const batches = { method: 'POST', path: '/batch$' };
/** Beside those of the sample world, of which some fail. Fewer than a worker may post in a minute. */
const invoices = 250;
/** Twice the promised 5 s, because tests share the machine. */
const maxStopMs = 10_000;

let db: TestDatabase;
let fixture: ProcessFixture;
let clock: DatabaseClock;
let tenant: TenantContext;

beforeEach(async () => {
  [db, fixture] = await Promise.all([newDatabase(), newProcessFixture('empty')]);
  await fixture.autotask.reset({ invoices, lines_per_invoice: 1 });
  const sandboxes = { autotaskUrl: fixture.autotask.url, quickbooksUrl: fixture.quickbooks.url };
  clock = await databaseClock(db.database, silentLogger);
  const app = await compose({
    config: readConfig({ DEMO: 'true', DATA_DIR: tmpdir() }),
    appUrl: () => 'http://localhost:3000',
    outside: await sandboxOutside(sandboxes),
    store: db.store,
    rateLimits: new RateLimits({ isApi: true }),
    clock,
    logger: silentLogger,
    failpoint: () => undefined,
  });
  const { id } = await app.store.addTenant({
    name: 'Northwind IT Services',
    status: 'active',
    timeZone: 'America/Chicago',
  });
  tenant = app.forTenant(id);
  await connectServices(app, tenant, sandboxes);
  await tenant.store.saveSettings({ ...(await tenant.store.readSettings()), inv_default_income_account: '2' }, actor);
});
afterEach(async () => {
  clock.stop();
  await fixture.close();
  await db.close();
});

const start = async (environment: Readonly<Record<string, string>>): Promise<ProductProcess> =>
  fixture.start({
    ...(await deployment(fixture)),
    SECRET_KEY: testSecretKey,
    DATABASE_URL: db.url,
    DATA_DIR: join(fixture.dataDir, randomUUID()),
    ...environment,
  });
const startWorker = () => start({ TALLYBRIDGE_ROLE: 'worker' });

/** Returns which worker may post for the client; empty if none. */
const leaseOwner = (): Promise<string> =>
  asOwner(db.url, async (client) => {
    const { rows } = await client.query<{ owner: string | null }>('select owner from leases');
    return rows[0]?.owner ?? '';
  });

const posted = async () =>
  (await fixture.quickbooks.list('Invoice')).filter((row) => /Autotask invoice/.test(String(row['PrivateNote'])));

/**
 * Ends a worker as an operator does.
 *
 * @returns counts of attempts with an unknown outcome, and of those marked as sent; another worker may have sent them.
 */
async function stop(worker: ProductProcess) {
  const askedMs = performance.now();
  process.kill(worker.pid, 'SIGTERM');
  expect(await worker.ended).toBe(0);
  const stopMs = performance.now() - askedMs;
  const unfinished = await tenant.store.listUnfinished(addSeconds(clock.now(), 1_000));
  const unsure = unfinished.filter(({ state }) => state === 'unsure').length;
  const sent = unfinished.filter((one) => one.state === 'posting' && one.sentAt !== null).length;
  return { stopMs, unsure, sent };
}

async function expectAllOnce(jobId: string): Promise<void> {
  const job = await vi.waitFor(
    async () => {
      const read = await tenant.store.readJob(jobId);
      expect(read?.status).toBe('finished');
      return read;
    },
    { timeout: 120_000, interval: 200 },
  );
  const notes = (await posted()).map((row) => String(row['PrivateNote']).split(' ').slice(0, 3).join(' '));
  expect(new Set(notes).size).toBe(notes.length);
  expect(notes.length).toBeGreaterThan(invoices);
  expect(job?.results).toHaveLength(job?.total ?? 0);
  expect(job?.results.filter(({ outcome }) => outcome === 'pending')).toEqual([]);
}

test('a busy worker stops promptly, and another worker continues its job', async () => {
  await fixture.quickbooks.fault({ match: batches, action: { delay_ms: 300 } });
  const workers = await Promise.all([startWorker(), startWorker()]);
  const job = await submit(tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: null, actor });
  await vi.waitFor(async () => expect((await posted()).length).toBeGreaterThan(16), { timeout: 60_000, interval: 100 });
  const owner = await leaseOwner();
  const [first, second] = owner.includes(`:${workers[0].pid}:`) ? workers : workers.toReversed();
  if (first === undefined || second === undefined) throw new Error('two workers');
  const { stopMs, unsure } = await stop(first);
  expect(stopMs).toBeLessThanOrEqual(maxStopMs);
  // Another worker need not wait for the end of the lease.
  expect(await leaseOwner()).not.toBe(owner);
  const before = (await posted()).length;
  await vi.waitFor(async () => expect((await posted()).length).toBeGreaterThan(before), {
    timeout: 60_000,
    interval: 100,
  });
  expect(unsure).toBe(0);
  await expectAllOnce(job.id);
  await second.stop();
}, 240_000);

test.each([
  ['asks to wait', { status: 429, headers: { 'Retry-After': '20' }, body: '' }],
  ['is slow', { delay_ms: 3_000 }],
])(
  'a worker stops promptly while QuickBooks %s, and leaves nothing unsure',
  async (_what, action) => {
    const first = await startWorker();
    await fixture.quickbooks.fault({ match: batches, action });
    const job = await submit(tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: null, actor });
    await vi.waitFor(
      async () => expect((await fixture.quickbooks.journal()).some(({ path }) => path.endsWith('/batch'))).toBe(true),
      { timeout: 60_000, interval: 50 },
    );
    // The next calls wait now.
    await delay(500);
    const { stopMs, unsure, sent } = await stop(first);
    expect(stopMs).toBeLessThanOrEqual(maxStopMs);
    expect({ unsure, sent }).toEqual({ unsure: 0, sent: 0 });
    await fixture.quickbooks.clearFaults();
    const second = await startWorker();
    await expectAllOnce(job.id);
    await second.stop();
  },
  240_000,
);

test('a stopping server reports not ready, and serves until load balancers have noticed', async () => {
  const server = await start({ TALLYBRIDGE_ROLE: 'api', STOP_DELAY_SECONDS: '2' });
  const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status;
  expect(await statusOf('/readyz')).toBe(200);
  const askedMs = performance.now();
  process.kill(server.pid, 'SIGTERM');
  await expect.poll(() => statusOf('/readyz'), { interval: 20 }).toBe(503);
  expect(await statusOf('/api/environment')).toBe(200);
  expect(await server.ended).toBe(0);
  expect(performance.now() - askedMs).toBeGreaterThanOrEqual(2_000);
});

test('maintenance rests all workers, holds the work over a restart, and loses nothing', async () => {
  await fixture.quickbooks.fault({ match: batches, action: { delay_ms: 300 } });
  const [server, worker] = await Promise.all([start({ TALLYBRIDGE_ROLE: 'api' }), startWorker()]);
  const job = await submit(tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: null, actor });
  await vi.waitFor(async () => expect((await posted()).length).toBeGreaterThan(16), { timeout: 60_000, interval: 100 });
  expect((await db.store.listProcesses()).map(({ role, clients }) => [role, clients])).toEqual([
    ['api', 0],
    ['worker', 1],
  ]);
  const command = (words: readonly string[]) => runCommand(words, { folder: fixture.dataDir, DATABASE_URL: db.url });
  const on = await command(['maintenance', 'on', 'Until noon.']);
  expect(on).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /^Maintenance has been on since .* No work is in progress\. Users see: “Until noon\.”/,
    ),
  });
  const unfinished = await tenant.store.listUnfinished(addSeconds(clock.now(), 1_000));
  expect(unfinished.filter(({ state }) => state === 'unsure')).toEqual([]);
  const count = (await posted()).length;
  const later = await submit(tenant, { kind: 'purchase_order', mode: 'test', force: false, psaIds: null, actor });
  await worker.stop();
  const next = await startWorker();
  const asked = (path: string) => fetch(`${server.url}${path}`);
  await vi.waitFor(async () => expect((await asked('/api/my')).status).toBe(503), { timeout: 10_000, interval: 100 });
  expect((await asked('/readyz')).status).toBe(200);
  // The new worker looks for work when it starts, and every two seconds.
  await delay(3_000);
  expect([(await posted()).length, (await tenant.store.readJob(later.id))?.status]).toEqual([count, 'queued']);
  expect(await command(['maintenance', 'off'])).toMatchObject({ code: 0, output: 'Maintenance is off.\n' });
  await expectAllOnce(job.id);
  await Promise.all([server.stop(), next.stop()]);
}, 240_000);
