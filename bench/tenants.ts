import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addSeconds, instant } from '#core/values/dates.ts';
import type { RootStore } from '#store/root-store.ts';
import { startSandboxes } from '#main/sandboxes.ts';
import { databaseClock } from '#store/clock.ts';
import { openDatabase } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { migrate } from '#store/migrate.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import { deployment } from '#test/support/deployment.ts';
import { silentLogger } from '#test/support/logger.ts';
import { controlOf } from '#test/support/world.ts';
import { Client } from 'pg';
import { quantile } from './compare.ts';
import { costOf, parentOf } from './cost.ts';
import { startFront, type Front } from './front.ts';

const secretKey = 'a secret key that only this comparison knows';
const intervalSeconds = 900;
/** Tenants that are created in parallel. */
const madeAtOnce = 8;
/** Duration of the measurement of the regular schedule. */
const pacedSeconds = 120;
/** Maximum wait for a condition, in milliseconds. */
const timeoutMs = 30 * 60_000;

/**
 * Measures how many idle tenants one worker process can serve. Tenants are connected and active, have every automatic
 * sync on and nothing to do. The database is real, the worker is a separate process, and Autotask is the sandbox behind
 * {@link startFront}. An idle cycle makes no call to QuickBooks.
 *
 * @param count number of tenants.
 * @param latencyMs additional latency of each response: real services need 150 to 300 ms.
 * @returns false when the cycles of all tenants do not fit into 15 minutes.
 */
export async function tenants(count: number, latencyMs: number): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-bench-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
    ends.push(() => postgres.stop());
    const sandboxes = await startSandboxes({ autotask: 0, qbo: 0 });
    ends.push(() => sandboxes.stop());
    const autotask = controlOf(sandboxes.autotaskUrl);
    const credentials = await fetch(`${sandboxes.autotaskUrl}/__sandbox/credentials`);
    const { users } = (await credentials.json()) as { users: readonly { userName: string; secret: string }[] };
    const [user] = users;
    if (user === undefined) throw new Error('no API user in the sandbox');
    await autotask.reset({ empty: true });
    await fetch(`${sandboxes.autotaskUrl}/__sandbox/limits`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ enforce: false }),
    });
    const front = await startFront(sandboxes.autotaskUrl, user.userName);
    ends.push(() => front.close());

    const began = performance.now();
    await populate(postgres.url, count, user.secret);
    console.log(`${count} tenants created in ${seconds(performance.now() - began)} s`);

    const watch = await watchOf(postgres.url, front);
    ends.push(() => watch.end());
    await watch.rest(count);
    const worker = startProcess({
      ...(await deployment({ autotask, quickbooks: controlOf(sandboxes.quickbooksUrl) })),
      DATABASE_URL: postgres.url,
      DATA_DIR: join(dataDir, 'worker'),
      AUTOTASK_URL: front.url,
      QBO_API_URL: sandboxes.quickbooksUrl,
      SECRET_KEY: secretKey,
    });
    ends.push(() => worker.stop());
    await watch.until('the worker listens', () => watch.isListening());
    await delay(5_000);
    console.log(`idle: ${megabytes((await costOf([worker.pid])).rssBytes)} MB`);

    front.slow(latencyMs);
    // The first cycle of a client after a start also looks up its zone.
    const perSecond = await watch.round('all due now', worker.pid);
    await watch.pace(worker.pid);
    const needed = count / intervalSeconds;
    const fits = perSecond >= needed;
    console.log(`needed: ${needed.toFixed(1)} cycles/s${fits ? '' : '  TOO SLOW'}`);
    const asked = await controlOf(sandboxes.quickbooksUrl).journal();
    console.log(`calls to QuickBooks: ${asked.filter(({ path }) => path.startsWith('/v3/')).length}`);
    return fits;
  } finally {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }
}

/** Creates connected tenants as on a quiet day: QuickBooks reported changes recently. */
async function populate(url: string, count: number, secret: string): Promise<void> {
  const quick = new URL(url);
  // Tenants lost in a crash are created again, so commits need not be durable.
  quick.searchParams.set('options', '-c synchronous_commit=off');
  const database = await openDatabase(quick.href, { logger: silentLogger });
  try {
    await migrate(database);
    const clock = await databaseClock(database, silentLogger);
    const store = createStore({ database, vault: createVault(secretKey), clock });
    for (let made = 0; made < count; made += madeAtOnce)
      await Promise.all(
        Array.from({ length: Math.min(madeAtOnce, count - made) }, (_, index) =>
          addTenant(store, made + index, secret),
        ),
      );
    clock.stop();
    await database.pool.query(
      'insert into cdc_states (tenant_id, last_notification_at, cursor, polled_at) select id, now(), now(), now() from tenants',
    );
    await database.pool.query('analyze');
  } finally {
    await database.close();
  }
}

async function addTenant(root: RootStore, number: number, secret: string): Promise<void> {
  const { id } = await root.addTenant({ name: `Tenant ${number}`, status: 'active', timeZone: 'America/Chicago' });
  const store = root.forTenant(id);
  const connectedAt = instant(Date.now());
  const connection = { status: 'active', name: `Tenant ${number}`, connectedAt, problem: null } as const;
  const userName = `${number}`;
  await store.saveConnection(
    { ...connection, service: 'psa', user: userName, externalId: `${number}` },
    { userName, secret },
  );
  await store.saveConnection(
    { ...connection, service: 'accounting', user: 'bench', externalId: `${number}` },
    {
      realmId: `${number}`,
      accessToken: `access ${number}`,
      accessTokenEndsAt: addSeconds(connectedAt, 86_400),
      refreshToken: `refresh ${number}`,
      refreshTokenEndsAt: addSeconds(connectedAt, 8_640_000),
    },
  );
  const on = { inv_sync_active: true, void_sync_active: true, pay_sync_active: true };
  const more = { po_sync_active: true, exp_sync_active: true, inv_default_income_account: '2' };
  await store.saveSettings({ ...(await store.readSettings()), ...on, ...more }, { username: 'bench' });
}

interface Process {
  readonly pid: number;
  stop(): Promise<void>;
}

function startProcess(environment: Readonly<Record<string, string>>): Process {
  // As in production, the log is written; its content is discarded.
  const nowhere = openSync('/dev/null', 'w');
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'src', 'main', 'start.ts')], {
    stdio: ['ignore', nowhere, 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', WORKER_PORT: '0', TALLYBRIDGE_ROLE: 'worker', ...environment },
  });
  closeSync(nowhere);
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Reads the database from outside the worker. */
async function watchOf(url: string, front: Front) {
  const client = new Client({ connectionString: url, application_name: 'bench' });
  await client.connect();
  const number = async (text: string, values: readonly unknown[] = []): Promise<number> => {
    const { rows } = await client.query<{ number: string }>(text, [...values]);
    return Number(rows[0]?.number ?? 0);
  };
  /**
   * Returns the number of tenants whose last kind was not checked since then; tenants that had their session become due
   * again later.
   */
  const waiting = (since: string) =>
    number(
      `select count(*) as number from tenants t
        where t.status = 'active' and not exists (
          select from sync_states s where s.tenant_id = t.id and s.kind = 'expense_report' and s.polled_at >= $1)`,
      [since],
    );
  const ownPid = await number('select pg_backend_pid() as number');
  const server = await parentOf(ownPid);
  /** Returns the database's processes except the one that runs this query. */
  const backends = async () => {
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity where pid <> $1', [ownPid]);
    return [server, ...rows.map(({ pid }) => pid)];
  };
  const transactions = () =>
    number('select xact_commit as number from pg_stat_database where datname = current_database()');

  async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (const from = performance.now(); !(await isSo()); await delay(500))
      if (performance.now() - from > timeoutMs) throw new Error(`timeout: ${what}`);
  }

  /** Measures the resources that the worker and the database use during some work. */
  async function measure(pid: number, work: () => Promise<void>) {
    const look = async () => ({
      at: performance.now(),
      ...(await costOf([pid])),
      database: await costOf(await backends()),
      transactions: await transactions(),
      // Each session of a tenant increments its fence.
      cycles: await number('select coalesce(sum(fence), 0) as number from leases'),
      calls: front.calls(),
    });
    const before = await look();
    await work();
    const after = await look();
    return {
      seconds: (after.at - before.at) / 1_000,
      cycles: after.cycles - before.cycles,
      cpuMs: after.cpuMs - before.cpuMs,
      databaseCpuMs: after.database.cpuMs - before.database.cpuMs,
      transactions: after.transactions - before.transactions,
      calls: after.calls.api - before.calls.api,
      zones: after.calls.zone - before.calls.zone,
      rssBytes: after.rssBytes,
    };
  }
  const described = ({ cycles, ...used }: Awaited<ReturnType<typeof measure>>): string =>
    [
      `${cycles} cycles in ${used.seconds.toFixed(1)} s = ${(cycles / used.seconds).toFixed(1)} per second`,
      `per cycle: ${(used.cpuMs / cycles).toFixed(2)} ms CPU in the worker, ${(used.databaseCpuMs / cycles).toFixed(2)} ms in the database`,
      `${(used.transactions / cycles).toFixed(2)} transactions, ${(used.calls / cycles).toFixed(2)} calls, ${(used.zones / cycles).toFixed(2)} for zones`,
      `${((used.cpuMs / used.seconds) * 0.1).toFixed(1)} % of a core, ${(used.transactions / used.seconds).toFixed(1)} transactions per second, ${megabytes(used.rssBytes)} MB`,
    ].join('; ');

  return {
    until,
    isListening: async () =>
      (await number(`select count(*) as number from pg_stat_activity where application_name = 'tallybridge wake'`)) > 0,
    /** Makes no tenant due for a while. */
    async rest(count: number) {
      await client.query(`update tenants set next_sync_at = now() + interval '1 day'`);
      await number('select count(*) as number from tenants').then((found) => {
        if (found < count) throw new Error('tenants are missing');
      });
    },
    /** Makes every tenant due now; returns the worker's cycles per second. */
    async round(what: string, pid: number): Promise<number> {
      await client.query(`update tenants set next_sync_at = now() + interval '1 day'`);
      const used = await measure(pid, async () => {
        const { rows } = await client.query<{ since: string }>('select now()::text as since');
        await client.query(`update tenants set next_sync_at = now() where name like 'Tenant %'`);
        await until(what, async () => (await waiting(rows[0]?.since ?? '')) === 0);
      });
      console.log(`${what}: ${described(used)}`);
      return used.cycles / used.seconds;
    },
    /**
     * Runs the real schedule: all tenants spread over the interval. Lateness is the time from being due to being done.
     */
    async pace(pid: number): Promise<void> {
      await client.query(
        `update tenants set next_sync_at = now() + interval '5 seconds' + random() * interval '${intervalSeconds} seconds'`,
      );
      await client.query('create table bench_due as select id, next_sync_at as due_at from tenants');
      await delay(15_000);
      const used = await measure(pid, () => delay(pacedSeconds * 1_000));
      const { rows } = await client.query<{ late: number }>(
        `select extract(epoch from s.polled_at - d.due_at)::float8 as late
           from bench_due d join sync_states s on s.tenant_id = d.id and s.kind = 'expense_report'
          where d.due_at < s.polled_at`,
      );
      const late = rows.map((row) => row.late);
      console.log(`regular schedule: ${described(used)}`);
      const lateness = [0.5, 0.99, 1].map((share) => quantile(late, share).toFixed(1)).join(' / ');
      console.log(`lateness of ${late.length} cycles: ${lateness} s (median / 99 % / maximum)`);
    },
    end: () => client.end(),
  };
}

const seconds = (ms: number) => (ms / 1_000).toFixed(0);
const megabytes = (bytes: number) => (bytes / 1_048_576).toFixed(0);
