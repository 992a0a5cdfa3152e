/**
 * Simulates business at full rate for hours against the product's process (on Linux): invoices are billed, synced, paid
 * and voided every minute, and a user opens the screens. Fails when a resource of the process grows with time, when a
 * document is lost or duplicated, or when the process ends unexpectedly.
 *
 *   npm run soak                                  eight hours, 30 invoices a minute
 *   npm run soak -- --minutes=20 --invoices=60
 *   npm run soak -- --speed=12                    eight hours in forty minutes: all clocks are advanced
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { JsonObject } from '#core/values/json.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { Client } from 'pg';
import { silentLogger } from '#test/support/logger.ts';
import { signIn, type ApiClient } from '#test/support/api-client.ts';
import { newProcessFixture, type ProcessFixture, type ProductProcess } from '#test/support/process-fixture.ts';
import { submitted, textOf } from './seed.ts';
import { findingsOf, medians, type Sample } from './soak-findings.ts';
import { inspectHeap, inspectOption } from './soak-heap.ts';

const minuteMs = 60_000;
const companies = [175, 176, 178, 180] as const;
const sampleInvoice = 48_213;

/** The sample invoice and its billing items, the template of every invoice of the soak. */
interface Business {
  readonly invoice: JsonObject;
  readonly items: readonly JsonObject[];
}

/** Returns the fields for a new record from an existing one. */
const copyOf = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'id'));

async function readBusiness({ autotask }: ProcessFixture): Promise<Business> {
  const invoice = (await autotask.list('Invoices')).find((one) => one['id'] === sampleInvoice);
  if (invoice === undefined) throw new Error('The sample data has no invoice to copy.');
  const items = (await autotask.list('BillingItems')).filter((one) => one['invoiceID'] === sampleInvoice);
  return { invoice, items };
}

/** Ids of new records: far above those of the sample data. */
const next = { invoice: 900_001, item: 9_000_001 };

/** Bills copies of the sample invoice to companies in turn. @returns their ids. */
async function bill(
  { autotask }: ProcessFixture,
  { invoice, items }: Business,
  count: number,
  now: string,
): Promise<number[]> {
  const ids: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const companyID = companies[turn % companies.length] ?? companies[0];
    const id = next.invoice++;
    for (const item of items)
      await autotask.put('BillingItems', next.item++, { ...copyOf(item), companyID, invoiceID: id });
    const fields = { companyID, batchID: id, invoiceNumber: '', createDateTime: now };
    await autotask.put('Invoices', id, { ...copyOf(invoice), ...fields });
    ids.push(id);
  }
  return ids;
}

async function openScreens(api: ApiClient): Promise<void> {
  for (const path of [
    '/api/my',
    '/api/my/logs?page=1&page_size=10',
    '/api/my/attention',
    '/api/my/month',
    '/api/my/jobs',
  ])
    await api.data('GET', path);
}

/** Pays the newest of these invoices in QuickBooks and voids the one before in the PSA. */
async function payAndVoid(
  { autotask, quickbooks }: ProcessFixture,
  ids: readonly number[],
  now: string,
): Promise<void> {
  const [voided, paid] = ids.slice(-2);
  const posted = (await quickbooks.list('Invoice')).find((one) => originOf(one) === paid);
  if (posted !== undefined)
    await quickbooks.add('Payment', {
      CustomerRef: posted['CustomerRef'] ?? null,
      TxnDate: textOf(posted, 'TxnDate'),
      TotalAmt: Number(posted['TotalAmt']),
      Line: [{ Amount: Number(posted['TotalAmt']), LinkedTxn: [{ TxnId: textOf(posted, 'Id'), TxnType: 'Invoice' }] }],
    });
  if (voided !== undefined) await autotask.put('Invoices', voided, { isVoided: true, voidedDate: now });
}

const originOf = (one: JsonObject): number | null => {
  const [, id] = /^(?:Voided - )?Autotask invoice (\d+)\b/.exec(textOf(one, 'PrivateNote')) ?? [];
  return id === undefined ? null : Number(id);
};

/** Reads the figures of the process from its metrics, and of its database from the operating system. */
async function measure(
  product: ProductProcess,
  databaseDir: string,
  { jobSeconds, aliveMb, rows }: { readonly jobSeconds: number; readonly aliveMb: number; readonly rows: number },
): Promise<Sample> {
  const text = await (await fetch(`${product.url}/metrics`)).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN);
  return {
    memoryMb: Math.round(figure('process_resident_memory_bytes') / 1024 / 1024),
    aliveMb,
    handles: figure('process_open_fds'),
    connections: connectionsOf(databaseDir),
    lagMs: Math.round(figure('nodejs_eventloop_lag_p50_seconds') * 1_000),
    jobSeconds,
    unfinished: rows,
    unhandled: figure('tallybridge_unhandled_rejections_total'),
  };
}

/** Process title of a server process for a connection: user, database, and client address. */
const connectionTitle = /^postgres: \S+ \S+ (\[local\]|\S+\(\d+\))/;

/** Returns the number of connections of the embedded database, from its server processes. */
function connectionsOf(databaseDir: string): number {
  const postmaster = readFileSync(join(databaseDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const isChild = new RegExp(`^PPid:\\s+${postmaster}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'));
        return isChild && connectionTitle.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      } catch {
        // The process has ended meanwhile.
        return false;
      }
    }).length;
}

/** Returns billed documents that do not exist exactly once in QuickBooks. */
async function wrongInvoices({ quickbooks }: ProcessFixture, billed: readonly number[]): Promise<string[]> {
  const counts = new Map<number, number>();
  for (const one of await quickbooks.list('Invoice')) {
    const origin = originOf(one);
    if (origin !== null) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return billed
    .filter((id) => counts.get(id) !== 1)
    .map((id) => `invoice ${id} is in QuickBooks ${counts.get(id) ?? 0} times`);
}

/** Simulated time, which runs faster than the machine's by advancing the clocks. */
interface Time {
  now(): string;
  /**
   * Lets the rest of a minute pass.
   *
   * @param passedMs milliseconds since the minute began.
   */
  endMinute(passedMs: number): Promise<void>;
}

/**
 * Advances the clocks of both sandboxes and of the deployment. To each process this looks as if another process had
 * already seen a later time (decision 18).
 *
 * @param speed minutes of business in a minute of the machine.
 */
const timeOf = ({ autotask, quickbooks }: ProcessFixture, databaseUrl: string, speed: number): Time => {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs).toISOString(),
    async endMinute(passedMs) {
      const restMs = Math.max(0, minuteMs / speed - passedMs);
      await delay(restMs);
      const movedMs = Math.max(0, minuteMs - passedMs - restMs);
      if (speed === 1 || movedMs === 0) return;
      aheadMs += movedMs;
      await Promise.all([autotask.advance(movedMs / 1_000), quickbooks.advance(movedMs / 1_000)]);
      const client = new Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query('update deployment_clock set ahead_ms = ahead_ms + $1', [Math.round(movedMs)]);
      await client.end();
    },
  };
};

/** Tries of a read that the product cannot answer. A product that stays unavailable longer has failed. */
const readTries = 6;
/** Lines of the product's log that are printed when the soak aborts. */
const shownLines = 20;

/** Minutes between garbage collections, after which live memory is measured. */
const collectedMinutes = 10;
/** Minutes after which the simulated user signs in again. */
const sessionMinutes = 20;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '480' },
      invoices: { type: 'string', default: '30' },
      speed: { type: 'string', default: '1' },
    },
  });
  const [minutes, invoices, speed] = [Number(values.minutes), Number(values.invoices), Number(values.speed)];
  const databaseDir = await mkdtemp(join(tmpdir(), 'tallybridge-soak-'));
  const postgres = await startEmbeddedPostgres({ dataDir: databaseDir, logger: silentLogger });
  const fixture = await newProcessFixture('empty');
  try {
    const product = await fixture.start({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a secret key that only the soak knows',
      NODE_OPTIONS: inspectOption,
    });
    const heap = inspectHeap(product.output());
    let aliveMb = await heap.aliveMb();
    const end = { code: null as string | number | null };
    void product.ended.then((code) => (end.code = code));
    const waits: string[] = [];
    const enter = () =>
      signIn(product.url, undefined, undefined, { tries: readTries, onWait: (path) => void waits.push(path) });
    let api = await enter();
    await api.connectQuickBooks();
    await api.data('POST', '/api/my/settings/', {
      inv_default_income_account: '2',
      inv_create_item_automatically: true,
      inv_sync_active: true,
      pay_sync_active: true,
      void_sync_active: true,
    });
    const time = timeOf(fixture, postgres.url, speed);
    const business = await readBusiness(fixture);
    const billed: number[] = [];
    const samples: Sample[] = [];
    try {
      for (let minute = 1; minute <= minutes && end.code === null; minute += 1) {
        const began = performance.now();
        if (minute % sessionMinutes === 0) api = await enter();
        const ids = await bill(fixture, business, invoices, time.now());
        billed.push(...ids);
        const jobBegan = performance.now();
        await submitted(api, '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: ids });
        const jobSeconds = Math.round((performance.now() - jobBegan) / 100) / 10;
        await payAndVoid(fixture, ids, time.now());
        await openScreens(api);
        const { groups } = (await api.data('GET', '/api/my/attention')) as { groups?: readonly unknown[] };
        if (minute % collectedMinutes === 0) aliveMb = await heap.aliveMb();
        const rows = groups?.length ?? 0;
        samples.push(await measure(product, databaseDir, { jobSeconds, aliveMb, rows }));
        if (minute % 10 === 0 || minute === minutes) console.log(`minute ${minute}`, JSON.stringify(samples.at(-1)));
        await time.endMinute(performance.now() - began);
      }
    } catch (error) {
      // The client receives only a short message. The log of the product has the reason.
      for (const line of product.output().trimEnd().split('\n').slice(-shownLines)) console.log(line);
      throw error;
    }
    const findings = [
      ...(end.code === null ? [] : [`the process ended unexpectedly (${end.code})`]),
      ...findingsOf(samples),
      ...(await wrongInvoices(fixture, billed)),
    ];
    console.table(medians(samples));
    for (const finding of findings.slice(0, 20)) console.log(`- ${finding}`);
    console.log(`${waits.length} reads were retried${waits.length === 0 ? '' : `: ${waits.slice(0, 5).join(', ')}`}`);
    console.log(`${billed.length} invoices in ${samples.length} minutes, ${findings.length} findings`);
    return findings.length === 0 ? 0 : 1;
  } finally {
    await fixture.close();
    await postgres.stop();
    await rm(databaseDir, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = await main();
