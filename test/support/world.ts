import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '#core/refusal.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Job, JobResult } from '#core/records/jobs.ts';
import type { LogEntry } from '#core/records/log.ts';
import { createListener } from '#store/listener.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import type { Kind } from '#core/kinds.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addSeconds, instant, type Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { App, Failpoint, TenantContext } from '#flows/context.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { compose, type Parts } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { createLogger } from '#main/logger.ts';
import { startSandboxes } from '#main/sandboxes.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { connectAccounting, connectServices } from './connect-services.ts';
import { newDatabase, type TestDatabase } from './database.ts';

/** “Today” of the sample data (domain reference, conventions), a Monday. */
export const today = '2025-03-03';
const began = (day: string): Instant => instant(`${day}T15:00:00Z`);

/** A clock that only the test moves. */
export interface MovableClock extends Clock {
  advance(seconds: number): void;
}

export function movableClock(start: Instant = began(today)): MovableClock {
  let now = start;
  return {
    now: () => now,
    advance(seconds) {
      now = addSeconds(now, seconds);
    },
  };
}

/** The control API of a sandbox service. */
export interface Control {
  readonly url: string;
  list(entity: string): Promise<readonly JsonObject[]>;
  /** @throws Error if there is none. */
  item(entity: string, id: string | number): Promise<JsonObject>;
  put(entity: string, id: string | number, change: JsonObject): Promise<void>;
  /** Creates a record like a user of the service, and returns it. */
  add(entity: string, record: JsonObject): Promise<JsonObject>;
  remove(entity: string, id: string | number): Promise<void>;
  fault(rule: JsonObject): Promise<void>;
  clearFaults(): Promise<void>;
  behave(switches: JsonObject): Promise<void>;
  journal(): Promise<readonly JournalEntry[]>;
  /** Emails that QuickBooks sent. */
  mails(): Promise<readonly JsonObject[]>;
  /** Revokes the product's access to QuickBooks. */
  revoke(): Promise<void>;
  /** Number of the newest request, or 0. */
  lastRequest(): Promise<number>;
  advance(seconds: number): Promise<void>;
  /** Resets to the sample data plus generated documents. */
  reset(counts: JsonObject): Promise<void>;
}

export interface JournalEntry {
  /** Counts requests from 1, without reuse. */
  readonly sequence: number;
  /** Time of the complete request, by the sandbox's clock. */
  readonly time: string;
  /** Real milliseconds until the response was sent. */
  readonly duration_ms: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Owner of the credentials; null when they were missing or wrong. */
  readonly owner: string | null;
  readonly request_body: string;
  readonly response_body: string;
  readonly status: number | null;
  readonly applied: boolean;
  /** The injected fault, or null. */
  readonly fault: string | null;
}

/**
 * Calls a sandbox's control API.
 *
 * @throws Error with the sandbox's message.
 */
async function control(url: string, path: string, method = 'GET', body?: JsonObject): Promise<JsonObject> {
  const answer = await fetch(`${url}/__sandbox${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? {} : (JSON.parse(text) as JsonObject);
}

export const controlOf = (url: string): Control => ({
  url,
  list: async (entity) => (await control(url, `/entities/${entity}`))['items'] as unknown as readonly JsonObject[],
  item: async (entity, id) => (await control(url, `/entities/${entity}/${id}`))['item'] as JsonObject,
  async put(entity, id, change) {
    await control(url, `/entities/${entity}/${id}`, 'PUT', change);
  },
  add: (entity, record) => control(url, `/entities/${entity}`, 'POST', record),
  async remove(entity, id) {
    await control(url, `/entities/${entity}/${id}`, 'DELETE');
  },
  async fault(rule) {
    await control(url, '/faults', 'POST', rule);
  },
  async clearFaults() {
    await control(url, '/faults', 'DELETE');
  },
  async behave(switches) {
    await control(url, '/behaviour', 'PUT', switches);
  },
  lastRequest: async () => Number((await control(url, '/journal?limit=0'))['last']),
  journal: async () => (await control(url, '/journal?since=0'))['entries'] as unknown as readonly JournalEntry[],
  mails: async () => (await control(url, '/mails'))['items'] as unknown as readonly JsonObject[],
  async revoke() {
    await control(url, '/revoke', 'POST');
  },
  async advance(seconds) {
    await control(url, '/clock', 'POST', { advance_seconds: seconds });
  },
  async reset(counts) {
    await control(url, '/reset', 'POST', counts);
  },
});

/** The product with both sandboxes, a separate database, and a clock that only the test moves. */
export interface World {
  readonly app: App;
  readonly tenant: TenantContext;
  readonly store: TenantStore;
  /** The database, to bypass the store. */
  readonly database: Pick<TestDatabase, 'url' | 'database' | 'boundTenants'>;
  readonly clock: MovableClock;
  readonly autotask: Control;
  readonly quickbooks: Control;
  /** Submits a job and works until the tenant is idle. */
  sync(
    kind: Kind,
    request: { mode: 'test' | 'live'; force?: boolean; revises?: boolean; psaIds?: readonly number[] },
    effect?: Failpoint,
  ): Promise<Job>;
  /** Works like a worker: unfinished attempts, queued jobs, and a cycle when due. */
  work(effect?: Failpoint, worker?: string): Promise<void>;
  /** Starts another process of the product. It shares only the services, the database and the clock. */
  start(effect: Failpoint): Promise<ProductProcess>;
  /** Runs the next cycle: moves all clocks by the interval and its jitter, then works. */
  cycle(): Promise<void>;
  /** Number of the store's tenant transactions. */
  readonly transactions: () => number;
  /** Moves the clocks of the product and both sandboxes. */
  advance(seconds: number): Promise<void>;
  saveSettings(change: Partial<Settings>): Promise<void>;
  /** Gives consent to QuickBooks again. */
  reconnectAccounting(): Promise<void>;
  logs(): Promise<readonly LogEntry[]>;
  resultOf(job: Job, psaId: number): JobResult | undefined;
  /** Returns the documents of an invoice in QuickBooks. */
  madeFor(psaId: number, entity?: 'Invoice' | 'CreditMemo'): Promise<JsonObject[]>;
  /** Returns an invoice from Autotask. */
  psaInvoice(id: number): Promise<JsonObject>;
  close(): Promise<void>;
}

/** A process of the product. */
export interface ProductProcess {
  readonly app: App;
  readonly tenant: TenantContext;
}

const actor = { username: 'admin@northwind-msp.example' };

export interface WorldOptions {
  readonly settings?: Partial<Settings>;
  /** The start date, at 15:00 UTC; default: the sample data's. */
  readonly today?: string;
  /** Autotask has lists and companies but no documents. */
  readonly hasNoDocuments?: boolean;
  /** Real wait times of a token refresh; default: as in the product. */
  readonly refreshLimits?: NonNullable<Parameters<typeof newDatabase>[0]>['refreshLimits'];
  /** The product's logger; default: none, or the console at TEST_LOG_LEVEL. */
  readonly logger?: Logger;
  readonly onCall?: NonNullable<Parts['onCall']>;
  /** A PSA other than Autotask, not yet connected. */
  readonly psa?: NonNullable<Parts['psa']>;
  /** Statements that change the schema. */
  readonly schema?: string;
  /** Address of a separate database server. */
  readonly server?: string;
  /** The mail server; default: emails are files. */
  readonly smtpUrl?: string;
}

/** Creates a world with both services connected and valid settings. */
export async function newWorld(options: WorldOptions = {}): Promise<World> {
  const day = options.today ?? today;
  const clock = movableClock(began(day));
  const [sandboxes, database, dataDir] = await Promise.all([
    startSandboxes({ autotask: 0, qbo: 0 }, { today: day }),
    newDatabase({
      clock,
      ...(options.refreshLimits && { refreshLimits: options.refreshLimits }),
      ...(options.schema && { schema: options.schema }),
      ...(options.server && { server: options.server }),
    }),
    mkdtemp(join(tmpdir(), 'tallybridge-world-')),
  ]);
  if (options.hasNoDocuments === true)
    await control(sandboxes.autotaskUrl, '/reset', 'POST', { today: day, empty: true });
  const logger = options.logger ?? createLogger(process.env['TEST_LOG_LEVEL'] ?? 'silent');
  let effect: Failpoint = () => undefined;
  const outside = await sandboxOutside(sandboxes);
  const announcements = createListener(database.url);
  await announcements.ensure();
  const start = (failpoint: Failpoint): Promise<App> =>
    compose({
      config: readConfig({
        DEMO: 'true',
        DATA_DIR: dataDir,
        ...(options.smtpUrl !== undefined && { SMTP_URL: options.smtpUrl }),
      }),
      appUrl: () => 'http://localhost:3000',
      outside,
      store: database.store,
      rateLimits: new RateLimits(),
      announcements,
      clock,
      logger,
      failpoint,
      ...(options.onCall && { onCall: options.onCall }),
      ...(options.psa && { psa: options.psa }),
      // Waiting moves all clocks, because time does not pass in tests.
      sleep: (milliseconds) => world.advance(milliseconds / 1_000),
    });
  const app = await start((name, when) => effect(name, when));
  const { id: tenantId } = await app.store.addTenant({
    name: 'Northwind IT Services',
    status: 'active',
    timeZone: 'America/Chicago',
  });
  const tenant = app.forTenant(tenantId);
  // The sandboxes' clocks run in real time, so their limits are only for tests of limits.
  await control(sandboxes.quickbooksUrl, '/limits', 'PUT', { enforce: false });
  if (options.psa === undefined) await connectServices(app, tenant, sandboxes);
  else await connectAccounting(app, tenant);
  // Entries never change.
  const readLogs = new Map<string, LogEntry>();

  const world: World = {
    app,
    tenant,
    store: tenant.store,
    database,
    clock,
    autotask: controlOf(sandboxes.autotaskUrl),
    quickbooks: controlOf(sandboxes.quickbooksUrl),
    async sync(kind, { mode, force = false, revises = false, psaIds }, hook) {
      const job = await submit(tenant, { kind, mode, force, revises, psaIds: psaIds ?? null, actor });
      await world.work(hook);
      const ended = await tenant.store.readJob(job.id);
      if (ended === null) throw new Error('job not found');
      return ended;
    },
    transactions: database.transactions,
    async work(hook, worker = 'test worker') {
      effect = hook ?? (() => undefined);
      try {
        await runTenantSession(tenant, worker, new AbortController().signal);
      } finally {
        // Later effects belong to another process or user.
        effect = () => undefined;
      }
    },
    async start(failpoint) {
      const other = await start(failpoint);
      return { app: other, tenant: other.forTenant(tenantId) };
    },
    async cycle() {
      await world.advance(16 * 60);
      await world.work();
    },
    async advance(seconds) {
      clock.advance(seconds);
      await Promise.all([
        world.autotask.advance(seconds),
        world.quickbooks.advance(seconds),
        database.passLeases(seconds),
      ]);
    },
    async saveSettings(change) {
      await tenant.store.saveSettings({ ...(await tenant.store.readSettings()), ...change }, actor);
    },
    reconnectAccounting: () => connectAccounting(app, tenant),
    async logs() {
      const { logs } = await tenant.store.listLogs({ page: 1, pageSize: 200, sort: 'LastModified', descending: false });
      const entries = [];
      // One after another, because each parallel read would open a connection.
      for (const head of logs) {
        const key = JSON.stringify(head);
        const entry = readLogs.get(key) ?? (await tenant.store.readLog(head.key));
        if (entry === null) throw new Refusal('not_found', 'not_found', head.key);
        readLogs.set(key, entry);
        entries.push(entry);
      }
      return entries;
    },
    resultOf: (job, psaId) => job.results.find((result) => result.psaId === psaId),
    async madeFor(psaId, entity = 'Invoice') {
      const note = new RegExp(`^(Voided - )?Autotask invoice ${psaId}[ ,]`);
      return (await world.quickbooks.list(entity)).filter((row) => note.test(String(row['PrivateNote'])));
    },
    psaInvoice: (id) => world.autotask.item('Invoices', id),
    async close() {
      await announcements.close();
      await Promise.all([sandboxes.stop(), database.close(), rm(dataDir, { recursive: true, force: true })]);
    },
  };
  await world.saveSettings({ inv_default_income_account: '2', po_default_expense_account: '14', ...options.settings });
  return world;
}
