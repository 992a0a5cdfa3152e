import { fork, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '#core/settings/definitions.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { compose } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { databaseClock } from '#store/clock.ts';
import { openDatabase } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { migrate } from '#store/migrate.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import { connectServices } from '#test/support/connect-services.ts';
import { silentLogger } from '#test/support/logger.ts';
import { controlOf, type Control, type JournalEntry } from '#test/support/world.ts';
import { Client } from 'pg';
import { costOf, parentOf, peakOf } from './cost.ts';
import { isBatch, isWriteBack, printTimeline } from './job-timeline.ts';
import { countsStatements, forgetStatements, reportStatements } from './statements.ts';

const secretKey = 'a secret key that only this comparison knows';
const actor = { username: 'bench' };
const timeoutMs = 30 * 60_000;
/** `BENCH_STATEMENTS=1` also prints the SQL statements of the job; counting them slows the database slightly. */
const showsStatements = process.env['BENCH_STATEMENTS'] === '1';
/** Documents of a warm-up job before the measured one, which creates customers, items and mappings. */
const warmUp = 30;
const linesPerInvoice = 5;
const invoicesPerCustomer = 4;
/** Every tenth customer is new in QuickBooks, and every tenth invoice has one of ten new items. */
const [newEvery, newItems] = [10, 10] as const;
/** Polling interval for the end of a job; long enough not to affect the count of transactions. */
const pollEveryMs = 1_000;

/** Latencies of the services (milliseconds) and their limits: the conditions under which the lower bounds hold. */
const latency = {
  psaCall: 250,
  psaThreads: 3,
  accountingQuery: 150,
  accountingObject: 300,
  accountingAtOnce: 10,
  accountingObjectsAMinute: 450,
} as const;

/**
 * Runs a job of invoices with five lines against both sandboxes with the latencies of the real services. Reports its
 * duration next to the lower bound from limits and latencies, when the first document is in QuickBooks, and the cost of
 * a document.
 *
 * @param count number of invoices.
 * @param numbering `psa`: invoices keep their numbers; `accounting`: QuickBooks numbers them one at a time.
 * @returns false when an invoice is missing from QuickBooks.
 */
export async function job(count: number, numbering: 'psa' | 'accounting'): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-bench-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  try {
    const services = await startServices();
    ends.push(() => services.stop());
    const { autotask, quickbooks } = services;
    const postgres = await startPostgres(dataDir);
    ends.push(() => postgres.stop());
    const product = await composeProduct(postgres.url, dataDir, services);
    ends.push(() => product.close());
    const usesPsa = numbering === 'psa';
    await quickbooks.put('Preferences', 1, { SalesFormsPrefs: { CustomTxnNumbers: usesPsa } });
    await product.save({
      inv_default_income_account: '2',
      inv_numbering_option: usesPsa ? 'autotask' : 'qbo',
    });

    // An established company already has items and customers in QuickBooks.
    await autotask.reset({ empty: false, invoices: warmUp, lines_per_invoice: linesPerInvoice });
    const first = startWorker(postgres.url, dataDir, services);
    await product.run(null);
    await first.stop();
    const customers = Math.ceil(count / invoicesPerCustomer);
    await autotask.reset({
      invoices: warmUp + count,
      lines_per_invoice: linesPerInvoice,
      companies: customers,
      seed: 7,
    });
    await addNewRecords(autotask, quickbooks);
    for (const { id } of await autotask.list('Invoices')) {
      if (Number(id) <= 100_000 + warmUp) await autotask.remove('Invoices', Number(id));
      else if (usesPsa) await autotask.put('Invoices', Number(id), { invoiceNumber: `N${Number(id)}` });
    }
    await product.restLimits();
    await autotask.behave({ latency_ms: latency.psaCall });
    await quickbooks.behave({ latency_ms: latency.accountingQuery, batch_item_ms: latency.accountingObject });

    const observed = await observer(postgres.url);
    ends.push(() => observed.close());
    const before = { autotask: await autotask.lastRequest(), quickbooks: await quickbooks.lastRequest() };
    const worker = startWorker(postgres.url, dataDir, services);
    ends.push(() => worker.stop());
    await observed.ready();
    const cost = await observed.cost(worker.pid);
    if (showsStatements) await forgetStatements(observed.client);
    const began = Date.now();
    const { succeeded: done, seconds } = await product.run(count);
    const calls = {
      autotask: await callsAfter(before.autotask, autotask),
      quickbooks: await callsAfter(before.quickbooks, quickbooks),
    };
    report({ count, numbering, seconds, began, calls, done, used: between(cost, await observed.cost(worker.pid)) });
    if (showsStatements) await reportStatements(observed.client, count);
    return done === count;
  } finally {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }
}

/** Lets nine of ten generated customers exist in QuickBooks, and some generated invoices have items that do not. */
async function addNewRecords(autotask: Control, quickbooks: Control): Promise<void> {
  const generated = (await autotask.list('Companies')).filter(({ id }) => Number(id) > 10_000);
  for (const [index, company] of generated.entries())
    if (index % newEvery !== 0)
      await quickbooks.add('Customer', { DisplayName: company['companyName'] ?? '', Active: true });
  const like = (await autotask.list('BillingCodes')).find(({ id }) => id === 52);
  for (let item = 0; item < newItems; item += 1)
    await autotask.add('BillingCodes', {
      ...like,
      id: 9_000 + item,
      name: `New goods ${item + 1}`,
      externalNumber: '',
    });
  const lines = (await autotask.list('BillingItems')).filter(({ id }) => Number(id) > 20_000_000);
  for (const { id } of lines) {
    const place = Number(id) - 20_000_001;
    const invoice = place / linesPerInvoice;
    if (invoice % newEvery === 0)
      await autotask.put('BillingItems', Number(id), {
        billingCodeID: 9_000 + ((invoice / newEvery) % newItems),
        billingItemType: 4,
      });
  }
}

/**
 * Returns the calls that a service received after a given one. For a long job its journal has only the newest calls and
 * their number.
 */
async function callsAfter(last: number, service: Control): Promise<Calls> {
  const entries = (await service.journal()).filter(({ sequence }) => sequence > last);
  return { entries, count: (await service.lastRequest()) - last };
}

/** Starts a separate PostgreSQL; it is restarted when it counts statements. */
async function startPostgres(dataDir: string) {
  const first = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  if (!showsStatements) return first;
  const client = new Client({ connectionString: first.url });
  await client.connect();
  await client.query(countsStatements);
  await client.end();
  await first.stop();
  return startEmbeddedPostgres({ dataDir, logger: silentLogger });
}

interface Services {
  readonly autotaskUrl: string;
  readonly quickbooksUrl: string;
  readonly autotask: Control;
  readonly quickbooks: Control;
  stop(): Promise<void>;
}

async function startServices(): Promise<Services> {
  const child = fork(join(import.meta.dirname, 'job-services.ts'));
  const urls = await new Promise<{ autotaskUrl: string; quickbooksUrl: string }>((done) =>
    child.once('message', done as never),
  );
  return {
    ...urls,
    autotask: controlOf(urls.autotaskUrl),
    quickbooks: controlOf(urls.quickbooksUrl),
    stop: () => ended(child, () => child.disconnect()),
  };
}

async function ended(child: ChildProcess, ask: () => void): Promise<void> {
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  ask();
  await gone;
}

async function composeProduct(url: string, dataDir: string, services: Services) {
  const database = await openDatabase(url, { logger: silentLogger });
  await migrate(database);
  const clock = await databaseClock(database, silentLogger);
  const store = createStore({ database, vault: createVault(secretKey), clock });
  const app = await compose({
    config: readConfig({ DEMO: 'true', DATA_DIR: dataDir }),
    appUrl: () => 'http://localhost:3000',
    outside: await sandboxOutside(services),
    store,
    rateLimits: new RateLimits(),
    clock,
    logger: silentLogger,
    failpoint: () => undefined,
  });
  const { id } = await app.store.addTenant({ name: 'Bench', status: 'active', timeZone: 'America/Chicago' });
  const tenant = app.forTenant(id);
  await connectServices(app, tenant, services);
  return {
    async save(change: Partial<Settings>) {
      await tenant.store.saveSettings({ ...(await tenant.store.readSettings()), ...change }, actor);
    },
    /** Lets the next worker begin as if the last one had ended a while ago: its minute of calls is over. */
    async restLimits() {
      await database.pool.query(`update leases set ends_at = ends_at - interval '2 minutes'`);
    },
    async run(count: number | null): Promise<{ readonly succeeded: number; readonly seconds: number }> {
      const { id: jobId } = await submit(tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: null, actor });
      for (const from = performance.now(); performance.now() - from < timeoutMs; await delay(pollEveryMs)) {
        const { rows } = await database.pool.query<{ ms: string | null }>(
          'select extract(epoch from finished_at - created_at) * 1000 as ms from jobs where id = $1',
          [jobId],
        );
        const lasted = rows[0]?.ms ?? null;
        if (lasted === null) continue;
        const job = await tenant.store.readJob(jobId);
        if (job !== null) {
          const succeeded = job.results.filter(({ outcome }) => outcome === 'succeeded').length;
          if (count !== null && succeeded !== count)
            console.log(
              job.status,
              job.message,
              JSON.stringify(job.results.filter(({ outcome }) => outcome !== 'succeeded').slice(0, 3)),
            );
          return { succeeded, seconds: Number(lasted) / 1_000 };
        }
      }
      throw new Error('the job did not end in time');
    },
    async close() {
      clock.stop();
      await database.close();
    },
  };
}

function startWorker(databaseUrl: string, dataDir: string, services: Services) {
  const child = spawn(
    process.execPath,
    [
      ...(process.env['BENCH_NODE_ARGS'] ?? '').split(' ').filter(Boolean),
      join(import.meta.dirname, '..', 'src', 'main', 'start.ts'),
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        DEMO: 'true',
        PORT: '0',
        WORKER_PORT: '0',
        TALLYBRIDGE_ROLE: 'worker',
        LOG_LEVEL: 'error',
        DATABASE_URL: databaseUrl,
        DATA_DIR: join(dataDir, 'worker'),
        AUTOTASK_URL: services.autotaskUrl,
        QBO_API_URL: services.quickbooksUrl,
        SECRET_KEY: secretKey,
      },
    },
  );
  return { pid: child.pid ?? 0, stop: () => ended(child, () => child.kill('SIGTERM')) };
}

/** Resources used up to a moment. */
interface Cost {
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly databaseMs: number;
  readonly transactions: number;
  readonly sessions: number;
  readonly walBytes: number;
}

const between = (before: Cost, after: Cost): Cost => ({
  cpuMs: after.cpuMs - before.cpuMs,
  peakBytes: after.peakBytes,
  databaseMs: after.databaseMs - before.databaseMs,
  transactions: after.transactions - before.transactions,
  sessions: after.sessions - before.sessions,
  walBytes: after.walBytes - before.walBytes,
});

/** Reads measurements of the database and the worker from another process. */
async function observer(url: string) {
  const client = new Client({ connectionString: url, application_name: 'bench' });
  await client.connect();
  const number = async (text: string) => Number((await client.query<{ number: string }>(text)).rows[0]?.number ?? 0);
  const server = await parentOf(await number('select pg_backend_pid() as number'));
  return {
    /** Waits until the worker listens for work. */
    async ready(): Promise<void> {
      while ((await number(`select count(*) as number from pg_stat_activity where query ilike 'listen%'`)) === 0)
        await delay(100);
      await delay(1_000);
    },
    async cost(worker: number): Promise<Cost> {
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name <> 'bench'`,
      );
      return {
        cpuMs: (await costOf([worker])).cpuMs,
        peakBytes: await peakOf(worker),
        databaseMs: (await costOf([server, ...rows.map(({ pid }) => pid)])).cpuMs,
        transactions: await number(
          'select xact_commit as number from pg_stat_database where datname = current_database()',
        ),
        sessions: await number('select sessions as number from pg_stat_database where datname = current_database()'),
        walBytes: await number(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as number`),
      };
    },
    client,
    close: () => client.end(),
  };
}

interface Calls {
  readonly entries: readonly JournalEntry[];
  readonly count: number;
}

interface Report {
  readonly count: number;
  readonly numbering: 'psa' | 'accounting';
  readonly seconds: number;
  /** Time at which the job was submitted, in milliseconds since the epoch. */
  readonly began: number;
  readonly calls: { readonly autotask: Calls; readonly quickbooks: Calls };
  readonly done: number;
  readonly used: Cost;
}

/**
 * Returns the minimum time that any program needs, in seconds. It includes reading, the first call, and one write-back
 * for each document on the threads that the PSA allows. When QuickBooks numbers the documents, they are posted one at a
 * time.
 */
function floorOf(count: number, numbering: 'psa' | 'accounting'): number {
  const { psaCall, psaThreads, accountingQuery, accountingObject } = latency;
  const beginning = 2 * psaCall + accountingQuery + psaCall;
  const each = numbering === 'psa' ? psaCall / psaThreads : accountingObject;
  const end = numbering === 'psa' ? accountingObject : psaCall;
  return (beginning + end + count * each) / 1_000;
}

/**
 * Returns the same when each object of a batch counts as one call of the per-minute limit, which is unknown for the
 * real service. The last objects then leave that many minutes later.
 */
function floorOfCounted(count: number): number {
  const minutes = Math.ceil(count / latency.accountingObjectsAMinute) - 1;
  return 60 * minutes + floorOf(count - latency.accountingObjectsAMinute * minutes, 'psa');
}

function report({ count, numbering, seconds, began, calls, done, used }: Report): void {
  const { autotask, quickbooks } = calls;
  const all = [...autotask.entries, ...quickbooks.entries].map((entry) => ({
    ...entry,
    at: Date.parse(entry.time) - began,
  }));
  const callCount = autotask.count + quickbooks.count;
  const gone = callCount - all.length;
  if (gone > 0)
    console.log(`the journals dropped the oldest ${gone} calls; the following figures by kind and time omit them`);
  const batches = all.filter(isBatch);
  const writes = all.filter(isWriteBack);
  if (process.env['BENCH_TIMELINE'] !== undefined) printTimeline(all);
  const ofInvoices = batches.filter(({ request_body: body }) => body.includes('"Invoice"'));
  const first = Math.min(...ofInvoices.map(({ at, duration_ms: lasted }) => at + lasted)) / 1_000;
  const floor = floorOf(count, numbering);
  const counted = numbering === 'psa' ? Math.max(floor, floorOfCounted(count)) : floor;
  const ofCounted =
    counted === floor
      ? ''
      : ` (${counted.toFixed(1)} s and ${(seconds / counted).toFixed(2)} if objects count as calls)`;
  const each = (value: number, digits: number): string => (value / count).toFixed(digits);
  console.log(
    `${done} of ${count}, numbered by the ${numbering}, in ${seconds.toFixed(1)} s; lower bound ${floor.toFixed(1)} s, ratio ${(seconds / floor).toFixed(2)}${ofCounted}; first document in QuickBooks after ${first.toFixed(1)} s`,
  );
  console.log(
    `calls per document: ${each(callCount, 3)} (${autotask.count} + ${quickbooks.count}; ${batches.length} batches, ${writes.length} write-backs); rejected: ${all.filter(({ status }) => status === 429).length}`,
  );
  console.log(
    `per document: worker ${each(used.cpuMs, 1)} ms, database ${each(used.databaseMs, 1)} ms, ${each(used.transactions, 1)} transactions, ${each(used.walBytes / 1_000, 1)} kB of WAL; ${used.sessions} database connections; worker ${(used.peakBytes / 1_048_576).toFixed(0)} MB maximum; load ${loadavg()[0]?.toFixed(1)}`,
  );
}
