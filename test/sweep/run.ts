import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSandboxes, type Sandboxes } from '#main/sandboxes.ts';
import { codeOf } from '#store/errors.ts';
import { Client } from 'pg';
import { connectServices } from '../support/connect-services.ts';
import { startMailbox } from '../support/mailbox.ts';
import { sandboxDriver } from '../support/sandbox-driver.ts';
import type { Bundle } from './bundle.ts';
import { check, type Violation } from './checker.ts';
import { collect, type Evidence, type Party } from './evidence.ts';
import { sessionOf, type Flow, type Scene } from './flow.ts';
import { flowNamed } from './flows.ts';
import type { Server } from './server.ts';
import { openSweepProduct, refusedCode, type SweepTarget } from './sweep-product.ts';
import type { Order } from './worker.ts';

const root = resolve(import.meta.dirname, '..', '..');
/** “Today” of the sample world; the sweep begins on the afternoon after it, whatever the time of day is here. */
const today = '2025-03-03';
const beginsAt = '2025-03-04T15:00:00.000Z';
/** Long enough for a lease to end; past the 130 seconds of a write that may come late; two cycles with their jitter. */
const leaseIsOverSeconds = 30;
const rounds = [leaseIsOverSeconds, 140, 17 * 60, 17 * 60] as const;
/** A worker of the sweep needs a second; what takes this long does not end at all. */
const longestMs = 60_000;
/** How long a process stands still at least, and how often it is looked at. */
const stoppedMs = 500;
const pollMs = 10;

/** One run of one flow. */
export interface Case {
  readonly flow: string;
  /** The writes that honour a requestid (quickbooks reference 2.3). */
  readonly requestid: 'all' | 'none';
  /**
   * Points at which processes die or stop, one after another, as TALLYBRIDGE_CRASH takes them; the last does neither.
   */
  readonly crashes: readonly string[];
}

export interface Outcome {
  readonly violations: readonly Violation[];
  /** Crashes whose effect did not come: the process went on to its end. */
  readonly missed: readonly string[];
  /** Effects in order, `name:count:moment`, of the step that was not killed; empty otherwise. */
  readonly effects: readonly string[];
  readonly evidence: Evidence;
}

/** Runs cases one after the other, with one process always warm. */
export interface Runner {
  run(wanted: Case): Promise<Outcome>;
  close(): Promise<void>;
}

/** The files that a worker process is started with. */
export type Program = Pick<Bundle, 'worker' | 'compiled'>;

const fromSources: Program = {
  worker: join(import.meta.dirname, 'worker.ts'),
  compiled: join(root, '.cache', 'sweep'),
};

/**
 * Starts to keep processes ready for {@link Runner.run}.
 *
 * @param program worth making for many cases; default: the sources as they are.
 */
export function newRunner(server: Server, program: Program = fromSources): Runner {
  let warm = warmWorker(program);
  return {
    async run(wanted) {
      return runCase(server, wanted, () => {
        const taken = warm;
        warm = warmWorker(program);
        return taken;
      });
    },
    async close() {
      const { child, ended } = warm;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Worker {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  /** Resolves with the signal or exit code. */
  readonly ended: Promise<string | number>;
  readonly printed: () => string;
}

function warmWorker({ worker, compiled }: Program): Worker {
  const child = fork(worker, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: compiled,
      ...(process.env['TEST_LOG_LEVEL'] === undefined ? {} : { TEST_LOG_LEVEL: process.env['TEST_LOG_LEVEL'] }),
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (printed += String(chunk)));
  const ended = new Promise<string | number>((done) =>
    child.once('close', (code, signal) => done(signal ?? code ?? 0)),
  );
  const ready = new Promise<void>((done, refuse) => {
    child.once('message', () => done());
    void ended.then((how) => refuse(new Error(`a worker of the sweep ended with ${how}: ${printed}`)));
  });
  ready.catch(() => undefined);
  return { child, ready, ended, printed: () => printed };
}

/** Lets a process work until it stands still; answers whether it does, and how it goes on. */
async function freeze(
  worker: Worker,
  order: Order,
): Promise<{ readonly isStopped: boolean; readonly goOn: () => Promise<string> }> {
  await worker.ready;
  worker.child.send(order);
  const { pid = 0 } = worker.child;
  const ended = worker.ended.then(() => false);
  const isStopped = async (): Promise<boolean> =>
    / T /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
  let state: boolean | undefined;
  while (state === undefined)
    state = (await isStopped()) ? true : await Promise.race([ended, delay(pollMs).then(() => undefined)]);
  if (state) await delay(stoppedMs);
  return {
    isStopped: state,
    async goOn() {
      worker.child.kill('SIGCONT');
      const ending = await worker.ended;
      // Everything went on without it: whoever finds that out gives up.
      if (ending !== 0 && ending !== refusedCode)
        throw new Error(`a worker of the sweep ended with ${ending}: ${worker.printed()}`);
      return worker.printed();
    },
  };
}

/** Lets a process do its part; answers whether it died by the crash that was asked for. */
async function obey(worker: Worker, order: Order): Promise<{ readonly isDead: boolean; readonly printed: string }> {
  await worker.ready;
  worker.child.send(order);
  const late = setTimeout(() => worker.child.kill('SIGTERM'), longestMs);
  const how = await worker.ended;
  clearTimeout(late);
  const printed = worker.printed();
  if (how !== 'SIGKILL' && how !== 0) throw new Error(`a worker of the sweep ended with ${how}: ${printed}`);
  return { isDead: how === 'SIGKILL', printed };
}

async function runCase(server: Server, wanted: Case, takeWorker: () => Worker): Promise<Outcome> {
  const flow = flowNamed(wanted.flow);
  const databaseUrl = await createDatabase(server);
  const sandboxes = await startSandboxes({ autotask: 0, qbo: 0 }, { today });
  const mailbox = flow.alerted === undefined ? null : await startMailbox();
  let frozen: Worker | undefined;
  try {
    const autotask = sandboxDriver(sandboxes.autotaskUrl, today);
    const quickbooks = sandboxDriver(sandboxes.quickbooksUrl, today);
    const { parties, target, secrets } = await connected(
      { databaseUrl, sandboxes, smtpUrl: mailbox?.url ?? null },
      { autotask, quickbooks },
      flow,
      wanted,
    );
    const { asked, alerted = [] } = flow;
    const alertMails = () => mailbox?.mails() ?? [];
    const observed = { databaseUrl, autotask, quickbooks, parties, asked, alerted, alertMails, secrets };

    let now = beginsAt;
    const effects: string[] = [];
    const counts = new Map<string, number>();
    let isReady = false;
    const productNow = () =>
      openSweepProduct(target, {
        now,
        effect(name, when) {
          if (!isReady) return;
          const key = `${name}:${when}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
          effects.push(`${name}:${counts.get(key) ?? 0}:${when}`);
        },
      });
    const inProcess = async (use: (scene: Scene) => Promise<void>): Promise<void> => {
      const product = await productNow();
      const advance = async (seconds: number): Promise<void> => {
        product.clock.advance(seconds);
        await Promise.all([autotask.advance(seconds), quickbooks.advance(seconds)]);
      };
      try {
        await use({ product, autotask, quickbooks, advance });
        now = product.clock.now();
      } finally {
        await product.close();
      }
    };

    await inProcess((scene) => flow.prepare(scene));
    const violations: Violation[] = [];
    const missed: string[] = [];
    let printed = '';
    let deaths = 0;
    if (wanted.crashes.length === 0) {
      isReady = true;
      await inProcess(({ product }) =>
        flow.act === undefined ? sessionOf(flow, product, 'recorder') : flow.act(product),
      );
      isReady = false;
    }
    let thaw = (): Promise<string> => Promise.resolve('');
    for (const [at, crash] of wanted.crashes.entries()) {
      if (at > 0) await inProcess(({ advance }) => advance(leaseIsOverSeconds));
      const order = { target, now, flow: flow.name, isRecovery: at > 0, owner: `victim ${at}`, crash };
      if (crash.endsWith(':stop')) {
        frozen = takeWorker();
        const { isStopped, goOn } = await freeze(frozen, order);
        if (isStopped) deaths += 1;
        else missed.push(crash);
        thaw = goOn;
        continue;
      }
      const { isDead, printed: lines } = await obey(takeWorker(), order);
      printed += lines;
      if (isDead) deaths += 1;
      else missed.push(crash);
      violations.push(...check(await collect({ ...observed, deaths, printed }), 'now'));
    }
    await inProcess(async ({ product, advance }) => {
      for (const seconds of rounds) {
        await advance(seconds);
        await sessionOf(flow, product, 'successor');
        await flow.repeat?.(product);
      }
    });
    if (frozen !== undefined) {
      printed += await thaw();
      // Work that it has left, e.g. a job, is taken up like any other.
      await inProcess(async ({ product, advance }) => {
        await advance(leaseIsOverSeconds);
        await sessionOf(flow, product, 'successor');
      });
    }
    const evidence = await collect({ ...observed, deaths, printed });
    violations.push(...check(evidence, 'quiet'));
    return { violations, missed, effects, evidence };
  } finally {
    // No process stays behind standing still, whatever went wrong.
    frozen?.child.kill('SIGKILL');
    await Promise.all([sandboxes.stop(), mailbox?.close()]);
    await dropDatabase(server, databaseUrl);
  }
}

interface Drivers {
  readonly autotask: Scene['autotask'];
  readonly quickbooks: Scene['quickbooks'];
}

/** Addresses of the database and the services that a case works with. */
interface Services {
  readonly databaseUrl: string;
  readonly sandboxes: Sandboxes;
  readonly smtpUrl: string | null;
}

/** A tenant with both services connected and its settings saved, in services that stand at the sweep's beginning. */
async function connected(
  { databaseUrl, sandboxes, smtpUrl }: Services,
  { autotask, quickbooks }: Drivers,
  flow: Flow,
  { requestid }: Case,
): Promise<{ readonly parties: readonly Party[]; readonly target: SweepTarget; readonly secrets: readonly string[] }> {
  await Promise.all([
    quickbooks.call('PUT', '/limits', { enforce: false }),
    quickbooks.behave({ requestid, ...flow.switches }),
    toBeginning(autotask),
    toBeginning(quickbooks),
  ]);
  const { autotaskUrl, quickbooksUrl } = sandboxes;
  const nowhere = '00000000-0000-4000-8000-000000000000';
  const target = { databaseUrl, autotaskUrl, quickbooksUrl, smtpUrl };
  const product = await openSweepProduct({ ...target, tenantId: nowhere }, { now: beginsAt });
  try {
    const { id: tenantId } = await product.app.store.addTenant({
      name: 'Northwind IT Services',
      status: 'active',
      timeZone: 'America/Chicago',
    });
    const tenant = product.app.forTenant(tenantId);
    await connectServices(product.app, tenant, sandboxes);
    const settings = await tenant.store.readSettings();
    const chosen = { inv_default_income_account: '2', po_default_expense_account: '14', ...flow.settings };
    await tenant.store.saveSettings({ ...settings, ...chosen }, { username: 'admin@northwind-msp.example' });
    const [psa, books] = [await tenant.store.readPsaCredentials(), await tenant.store.readAccountingCredentials()];
    if (psa === null || books === null) throw new Error('the tenant is not connected');
    return {
      parties: [books.realmId, ...(flow.secondRealmId === undefined ? [] : [flow.secondRealmId])].map((realmId) => ({
        tenantId,
        realmId,
        user: psa.userName,
      })),
      target: { ...target, tenantId },
      secrets: [psa.secret, books.accessToken, books.refreshToken],
    };
  } finally {
    await product.close();
  }
}

async function toBeginning(driver: Scene['autotask']): Promise<void> {
  const { now } = (await driver.call('GET', '/clock')) as { now: string };
  await driver.advance((Date.parse(beginsAt) - Date.parse(now)) / 1_000);
}

async function asAdmin<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** How often a template that somebody else is just copying is tried again. */
const copyTries = 200;

async function createDatabase({ url, template, prefix }: Server): Promise<string> {
  const name = `${prefix}sweep_${randomBytes(5).toString('hex')}`;
  await asAdmin(url, async (client) => {
    for (let tries = 1; ; tries += 1)
      try {
        await client.query(`create database ${name} template ${template}`);
        return;
      } catch (error) {
        if (codeOf(error) !== '55006' || tries === copyTries) throw error;
        await client.query('select pg_sleep(0.01)');
      }
  });
  const target = new URL(url);
  target.pathname = `/${name}`;
  return target.href;
}

const dropDatabase = (server: Server, databaseUrl: string): Promise<unknown> =>
  asAdmin(server.url, (client) =>
    client.query(`drop database if exists ${new URL(databaseUrl).pathname.slice(1)} with (force)`),
  );
