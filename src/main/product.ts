import { Registry } from 'prom-client';
import { readMonth } from '#core/metered-reads.ts';
import type { Announcements } from '#core/ports/announcements.ts';
import type { MaintenanceWatch } from '#core/records/maintenance.ts';
import type { Logger } from '#core/ports/logger.ts';
import { ProcessStopping } from '#core/stopping.ts';
import type { CallRecord } from '#connectors/http-client.ts';
import type { PsaEntry } from '#connectors/psa-entry.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { takeUnexpected } from '#connectors/unexpected.ts';
import { checkProviderAccounts } from '#flows/access/provider-checks.ts';
import { removeOld } from '#flows/alerts/remove-old.ts';
import { noteEndings } from '#flows/alerts/note-endings.ts';
import { noteDrafts } from '#flows/notices/note-drafts.ts';
import { mailNotices } from '#flows/notices/mail-notices.ts';
import { sendDigests } from '#flows/alerts/send-digests.ts';
import { proveOpenMonths } from '#flows/close/prove-open-months.ts';
import { saveUnexpectedAnswers } from '#flows/connections/unexpected-answers.ts';
import { alertAboutReads } from '#flows/connections/watch-service.ts';
import { maintainConnections } from '#flows/connections/refresh-tokens.ts';
import { ensureFolder } from '#store/data-folder.ts';
import type { Database } from '#store/database.ts';
import { createListener } from '#store/listener.ts';
import { leaseOwner, newProcessId, processName } from '#store/processes.ts';
import { watchForRestores, type RestoreWatch } from '#store/restore-watch.ts';
import type { App } from '#flows/context.ts';
import { startHousekeeping } from '#worker/housekeeping.ts';
import { watchMaintenance } from '#worker/maintenance.ts';
import { startMessages } from '#worker/messages.ts';
import { startWorker } from '#worker/worker.ts';
import { compose, type Outside } from './compose.ts';
import { ConfigurationError, type Config } from './config.ts';
import { crashHook } from './crash.ts';
import { sandboxOutside, seedDemo } from './demo.ts';
import { chooseDemoUsers, type DemoUser, disableDemoUsers } from './demo-users.ts';
import {
  measureClock,
  measureDeployment,
  measureDocuments,
  measureMaintenance,
  measureOutsideCalls,
  measurePool,
  measureReads,
  measureStalls,
  measureUnexpected,
  measureVersion,
} from './metrics.ts';
import { openStore } from './open-store.ts';
import type { Sandboxes } from './sandboxes.ts';
import { printStep } from './start-up.ts';
import { watchUnhandled } from './unhandled.ts';
import { readVersion } from './version.ts';

/** A running product. */
export interface Product {
  /** Address for users; undefined for a worker process. */
  readonly url: string | undefined;
  /** Port for health and metrics of a worker process. */
  readonly monitoringPort: number | undefined;
  readonly sandboxes: Pick<Sandboxes, 'autotaskUrl' | 'quickbooksUrl'> | undefined;
  /** Users who may log in to a demo; empty outside demo mode. */
  readonly demoUsers: readonly DemoUser[];
  /** Users of an earlier demo that this start disabled. */
  readonly disabledUsers: readonly string[];
  /** Stops all started parts, in reverse order. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** The environment's crash instruction, for tests only. */
  readonly crash?: string | undefined;
  /** The PSA that companies connect; the registry's if absent. */
  readonly psa?: PsaEntry | undefined;
  /** Migrates the database of a deployment, too. */
  readonly migrates?: boolean;
}

/**
 * Starts all parts of this process: database, migrations, sandboxes in demo mode, API and worker. If a later step
 * fails, the started parts are stopped again.
 *
 * @throws ConfigurationError, DataFolderUnusable, DatabaseUnavailable or SchemaMismatch, each with one plain sentence.
 */
export async function startProduct(options: StartOptions): Promise<Product> {
  const { config, logger } = options;
  const ends: (() => Promise<unknown>)[] = [];
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort(new ProcessStopping());
    for (let end = ends.pop(); end !== undefined; end = ends.pop())
      await end().catch((error: unknown) => logger.error({ error }, 'a part did not end cleanly'));
  };
  try {
    const dataDir = await ensureFolder(config.dataDir);
    printStep(config, `${config.databaseUrl === undefined ? 'Starting' : 'Connecting to'} the database…`);
    const [opened, sandboxes] = await Promise.all([
      openWatched(config, dataDir, logger, ends, options.migrates === true),
      demoSandboxes(config, ends),
    ]);
    const { connectionString, database, clock, secretKey, store, restores, processId } = opened;

    // With port 0 the address is known only after the server listens; it is not needed before.
    let monitoringPort: number | undefined;
    let url = config.appUrl ?? `http://localhost:${config.port}`;
    const metrics = new Registry();
    measureStore(metrics, opened, config);
    const onCall = await callListener(config, metrics, logger, ends);
    const unwatch = watchUnhandled(logger, metrics);
    ends.push(async () => unwatch());
    printStep(config, config.isDemo ? 'Preparing the demo…' : 'Starting the services…');
    const demo = config.isDemo ? await chooseDemoUsers(config.isExposedDemo, dataDir) : null;
    const announcements = createListener(connectionString);
    const app = await compose({
      config: { ...config, dataDir },
      ...(demo !== null && { demoUsers: demo.users }),
      appUrl: () => url,
      outside: outsideOf(config, sandboxes === undefined ? undefined : await sandboxOutside(sandboxes)),
      store,
      rateLimits: new RateLimits({ isApi: config.role === 'api' }),
      announcements,
      stopping: stopping.signal,
      clock,
      logger,
      failpoint: crashHook(options.crash),
      onCall,
      onDocument: measureDocuments(metrics),
      ...(options.psa && { psa: options.psa }),
    });
    if (demo !== null && sandboxes !== undefined)
      await oneAtATime(database, () => seedDemo(app, sandboxes.autotaskUrl, demo, !sandboxes.areForeign));
    const disabledUsers = config.isDemo ? [] : await disableDemoUsers(app);
    if (disabledUsers.length > 0)
      logger.warn({ users: disabledUsers }, 'disabled the users of an earlier demo: their password is public');

    ends.push(() => announcements.close(), countReads(app), saveUnexpected(app, metrics));
    const maintenance = await followMaintenance(app, metrics, ends);
    const serving = { app, metrics, config, ends, stopping: stopping.signal, maintenance };
    if (config.role === 'worker') {
      const { openWorkerPort } = await import('./worker-port.ts');
      const port = await openWorkerPort(serving);
      ends.push(() => port.close());
      monitoringPort = port.port;
    } else {
      // A worker process does not load the HTTP server.
      const { serveApi } = await import('./serve-api.ts');
      const { quickbooksUrl } = sandboxes ?? {};
      const port = await serveApi({ ...serving, secretKey, announcements, quickbooksUrl });
      url = config.appUrl ?? `http://localhost:${port}`;
    }
    if (config.role !== 'api') ends.push(startWork({ ...serving, announcements, restores, processId }));
    return {
      url: config.role === 'worker' ? undefined : url,
      monitoringPort,
      sandboxes,
      demoUsers: demo?.users ?? [],
      disabledUsers,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Returns the listener for calls to services, which measures them. With a collector, it also sends traces and metrics;
 * otherwise the SDK is not loaded.
 */
async function callListener(
  { collector, role }: Config,
  registry: Registry,
  logger: Logger,
  ends: (() => Promise<unknown>)[],
): Promise<(call: CallRecord) => void> {
  const measure = measureOutsideCalls(registry);
  if (collector === undefined) return measure;
  const { startTelemetry } = await import('./telemetry.ts');
  const telemetry = startTelemetry({ collector, registry, version: readVersion(), role, logger });
  ends.push(() => telemetry.stop());
  return (call) => {
    measure(call);
    telemetry.noteCall(call);
  };
}

/** Opens the database, and notices a restore that no operator reported. */
async function openWatched(
  config: Config,
  dataDir: string,
  logger: Logger,
  ends: (() => Promise<unknown>)[],
  migrates: boolean,
) {
  const processId = newProcessId();
  const connectionName = processName(config.role, readVersion(), processId);
  const opened = await openStore(config, dataDir, logger, ends, { migrates, connectionName });
  const restores = await watchForRestores(opened.database, dataDir, logger);
  ends.push(() => Promise.resolve(restores.stop()));
  return { ...opened, restores, processId };
}

function measureStore(
  metrics: Registry,
  { store, clock, database }: Awaited<ReturnType<typeof openStore>>,
  { reads, role }: Config,
): void {
  measureVersion(metrics, readVersion(), role);
  measureStalls(metrics, () => store.countStalledTenants(clock.now()));
  measureReads(metrics, () => store.countMeteredReads(readMonth(clock.now())), reads.calls);
  measureClock(metrics, clock);
  measureDeployment(metrics, () => store.readDeploymentTotals(clock.now()));
  measurePool(metrics, database.pool);
}

async function followMaintenance(
  app: App,
  metrics: Registry,
  ends: (() => Promise<unknown>)[],
): Promise<MaintenanceWatch> {
  const watch = await watchMaintenance(app);
  ends.push(() => watch.stop());
  measureMaintenance(metrics, watch);
  return watch;
}

/** Saves the counted reads regularly. @returns a function that saves the last ones. */
function countReads({ logger, readCounter }: App): () => Promise<unknown> {
  const counting = startHousekeeping({ logger, chores: { reads: () => readCounter.save() } });
  return async () => {
    await counting.stop();
    await readCounter.save();
  };
}

/** Saves the answers that contradict a fact regularly. @returns a function that saves the last ones. */
function saveUnexpected(app: App, metrics: Registry): () => Promise<unknown> {
  const count = measureUnexpected(metrics);
  const save = () => saveUnexpectedAnswers(app, takeUnexpected, count);
  const saving = startHousekeeping({ logger: app.logger, chores: { unexpected: save } });
  return async () => {
    await saving.stop();
    await save();
  };
}

/** Starts the worker and the scheduled tasks. @returns a function that stops them. */
function startWork({
  app,
  config: { retentionMonths },
  announcements,
  restores,
  maintenance,
  processId,
}: {
  readonly app: App;
  readonly config: Pick<Config, 'retentionMonths'>;
  readonly announcements: Announcements;
  readonly restores: RestoreWatch;
  readonly maintenance: MaintenanceWatch;
  readonly processId: string;
}): () => Promise<unknown> {
  const { logger } = app;
  const worker = startWorker({
    announcements,
    store: app.store,
    clock: app.clock,
    logger,
    forTenant: (id) => app.forTenant(id),
    maintenance,
    verify: () => restores.verify(),
    owner: leaseOwner(processId),
  });
  const housekeeping = startHousekeeping({
    logger,
    chores: {
      digests: (signal) => sendDigests(app, signal),
      endings: (signal) => noteEndings(app, signal),
      drafts: (signal) => noteDrafts(app, signal),
      notices: (signal) => mailNotices(app, signal),
      removal: (signal) => removeOld(app, signal, retentionMonths),
      maintenance: (signal) => maintainConnections(app, signal),
      reads: () => alertAboutReads(app),
    },
  });
  // Proving a month takes seconds, and emails must not wait for it.
  const proofs = startHousekeeping({
    logger,
    chores: { proofs: async (signal) => maintenance.current() === null && (await proveOpenMonths(app, signal)) },
  });
  // Nothing waits for slow providers.
  const accounts = startHousekeeping({ logger, chores: { accounts: (signal) => checkProviderAccounts(app, signal) } });
  const outbox = startMessages(app, 'outbox');
  const webhooks = startMessages(app, 'webhooks');
  return () =>
    Promise.all([worker.stop(), housekeeping.stop(), proofs.stop(), accounts.stop(), outbox.stop(), webhooks.stop()]);
}

type DemoSandboxes = Pick<Sandboxes, 'autotaskUrl' | 'quickbooksUrl'> & {
  /** The sandboxes and their data outlive this process. */
  readonly areForeign: boolean;
};

/** A demo starts its own sandboxes, unless the addresses of running ones (`npm run sandbox`) are configured. */
async function demoSandboxes(config: Config, ends: (() => Promise<unknown>)[]): Promise<DemoSandboxes | undefined> {
  if (!config.isDemo) return undefined;
  if (config.autotask.url !== undefined && config.qbo.apiUrl !== undefined)
    return { autotaskUrl: config.autotask.url, quickbooksUrl: config.qbo.apiUrl, areForeign: true };
  const { startSandboxes } = await import('./sandboxes.ts');
  const sandboxes = await startSandboxes(config.sandboxes);
  ends.push(() => sandboxes.stop());
  return { ...sandboxes, areForeign: false };
}

/** Number of the advisory lock; any number that nothing else in the database uses. */
const demoLock = 7_326_401;

/**
 * Runs the work in one process at a time: processes that share a database may start at once, and each finds what the
 * previous one created.
 */
async function oneAtATime(database: Database, work: () => Promise<void>): Promise<void> {
  const client = await database.pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [demoLock]);
    await work();
  } finally {
    // The lock ends with its session.
    client.release(true);
  }
}

/**
 * Returns the addresses of the services. A configured address wins over the sandboxes; a sandbox host may be called
 * only because it is configured here.
 *
 * @throws ConfigurationError if a value is neither configured nor provided by a sandbox.
 */
export function outsideOf(config: Config, sandbox: Outside | undefined): Outside {
  const { autotask, qbo } = config;
  const outside = {
    autotaskUrl: autotask.url ?? sandbox?.autotaskUrl,
    integrationCode: autotask.integrationCode ?? sandbox?.integrationCode,
    qboDiscoveryUrl: qbo.discoveryUrl ?? sandbox?.qboDiscoveryUrl,
    qboApiUrl: qbo.apiUrl ?? sandbox?.qboApiUrl,
    qboClientId: qbo.clientId ?? sandbox?.qboClientId,
    qboClientSecret: qbo.clientSecret ?? sandbox?.qboClientSecret,
  };
  const { autotaskUrl, integrationCode, qboDiscoveryUrl, qboApiUrl, qboClientId, qboClientSecret } = outside;
  if (
    autotaskUrl === undefined ||
    integrationCode === undefined ||
    qboDiscoveryUrl === undefined ||
    qboApiUrl === undefined ||
    qboClientId === undefined ||
    qboClientSecret === undefined
  )
    throw new ConfigurationError('The services are configured only in part: set every AUTOTASK_… and QBO_… variable.');
  const qboWebhookVerifier = qbo.webhookVerifier ?? sandbox?.qboWebhookVerifier;
  const configured = [autotask.url, qbo.discoveryUrl, qbo.apiUrl].flatMap((url) =>
    url === undefined ? [] : [new URL(url).host],
  );
  return {
    autotaskUrl,
    integrationCode,
    qboDiscoveryUrl,
    qboApiUrl,
    qboClientId,
    qboClientSecret,
    qboWebhookVerifier,
    ...(sandbox?.documentPages === undefined || qbo.apiUrl !== undefined
      ? {}
      : { documentPages: sandbox.documentPages }),
    allowedHosts: [...new Set([...configured, ...(sandbox?.allowedHosts ?? [])])],
  };
}
