import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSandboxes, type Sandboxes } from '#main/sandboxes.ts';
import { codeOf } from '#store/errors.ts';
import { Client } from 'pg';
import { connectServices } from '../support/connect-services.ts';
import { asOwner, passLeases } from '../support/database.ts';
import { startMailbox } from '../support/mailbox.ts';
import { sandboxDriver } from '../support/sandbox-driver.ts';
import type { Bundle } from './bundle.ts';
import { check, type Violation } from './checker.ts';
import { collect, type Evidence, type Party } from './evidence.ts';
import { sessionOf, type Flow, type Scene } from './flow.ts';
import { flowNamed } from './flows.ts';
import type { Server } from './server.ts';
import { openSweepProduct, refusedCode, type SweepTarget } from './sweep-product.ts';
import type { WorkerTask } from './worker.ts';

const root = resolve(import.meta.dirname, '..', '..');
/** “Today” of the sample data. The sweep starts the next afternoon, regardless of the real time. */
const today = '2025-03-03';
const startsAt = '2025-03-04T15:00:00.000Z';
/** Long enough for a lease to end, for the 130 seconds of a late write, and for two cycles with jitter. */
const leaseIsOverSeconds = 30;
const rounds = [leaseIsOverSeconds, 140, 17 * 60, 17 * 60] as const;
/** A worker normally needs a second. */
const maxWorkerMs = 60_000;
/** How long a process stays frozen, and how often its state is polled. */
const frozenMs = 500;
const pollMs = 10;

export interface Case {
  readonly flow: string;
  /** The writes that honor requestid (quickbooks reference 2.3). */
  readonly requestid: 'all' | 'none';
  /** Points where processes are killed or frozen, one after another, in the format of TALLYBRIDGE_CRASH. */
  readonly crashes: readonly string[];
}

export interface Outcome {
  readonly violations: readonly Violation[];
  /** Crash points that the process never reached. */
  readonly missed: readonly string[];
  /** Effects of the step in order, `name:count:moment`; empty when a process was killed. */
  readonly effects: readonly string[];
  readonly evidence: Evidence;
}

/** Runs cases one after another. One idle process is always started in advance. */
export interface Runner {
  run(testCase: Case): Promise<Outcome>;
  close(): Promise<void>;
}

export type Program = Pick<Bundle, 'worker' | 'compiled'>;

const fromSources: Program = {
  worker: join(import.meta.dirname, 'worker.ts'),
  compiled: join(root, '.cache', 'sweep'),
};

/**
 * Creates a runner.
 *
 * @param program a bundle, worth building for many cases; default: the sources.
 */
export function newRunner(server: Server, program: Program = fromSources): Runner {
  let warm = warmWorker(program);
  return {
    async run(testCase) {
      return runCase(server, testCase, () => {
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
  readonly ended: Promise<string | number>;
  readonly output: () => string;
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
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += String(chunk)));
  const ended = new Promise<string | number>((resolveEnd) =>
    child.once('close', (code, signal) => resolveEnd(signal ?? code ?? 0)),
  );
  const ready = new Promise<void>((resolveReady, reject) => {
    child.once('message', () => resolveReady());
    void ended.then((how) => reject(new Error(`a sweep worker ended with ${how}: ${output}`)));
  });
  ready.catch(() => undefined);
  return { child, ready, ended, output: () => output };
}

/** Runs a process until it freezes. Returns whether it froze, and a function that resumes it. */
async function freeze(
  worker: Worker,
  task: WorkerTask,
): Promise<{ readonly isStopped: boolean; readonly resume: () => Promise<string> }> {
  await worker.ready;
  worker.child.send(task);
  const { pid = 0 } = worker.child;
  const ended = worker.ended.then(() => false);
  const isStopped = async (): Promise<boolean> =>
    / T /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
  let state: boolean | undefined;
  while (state === undefined)
    state = (await isStopped()) ? true : await Promise.race([ended, delay(pollMs).then(() => undefined)]);
  if (state) await delay(frozenMs);
  return {
    isStopped: state,
    async resume() {
      worker.child.kill('SIGCONT');
      const ending = await worker.ended;
      // A process that finds its lease lost gives up.
      if (ending !== 0 && ending !== refusedCode)
        throw new Error(`a sweep worker ended with ${ending}: ${worker.output()}`);
      return worker.output();
    },
  };
}

/** Runs a process to its end. Returns whether it died at the crash point. */
async function runTask(
  worker: Worker,
  task: WorkerTask,
): Promise<{ readonly isDead: boolean; readonly output: string }> {
  await worker.ready;
  worker.child.send(task);
  const late = setTimeout(() => worker.child.kill('SIGTERM'), maxWorkerMs);
  const how = await worker.ended;
  clearTimeout(late);
  const output = worker.output();
  if (how !== 'SIGKILL' && how !== 0) throw new Error(`a sweep worker ended with ${how}: ${output}`);
  return { isDead: how === 'SIGKILL', output };
}

async function runCase(server: Server, testCase: Case, takeWorker: () => Worker): Promise<Outcome> {
  const flow = flowNamed(testCase.flow);
  const databaseUrl = await createDatabase(server);
  const sandboxes = await startSandboxes({ autotask: 0, qbo: 0 }, { today });
  const mailbox = flow.alerted === undefined ? null : await startMailbox();
  let frozen: Worker | undefined;
  try {
    const autotask = sandboxDriver(sandboxes.autotaskUrl, today);
    const quickbooks = sandboxDriver(sandboxes.quickbooksUrl, today);
    const { parties, target, secrets } = await connectTenant(
      { databaseUrl, sandboxes, smtpUrl: mailbox?.url ?? null },
      { autotask, quickbooks },
      flow,
      testCase,
    );
    const { expected, alerted = [] } = flow;
    const alertMails = () => mailbox?.mails() ?? [];
    const observed = { databaseUrl, autotask, quickbooks, parties, expected, alerted, alertMails, secrets };

    let now = startsAt;
    const effects: string[] = [];
    const counts = new Map<string, number>();
    let isRecording = false;
    const openProduct = () =>
      openSweepProduct(target, {
        now,
        effect(name, when) {
          if (!isRecording) return;
          const key = `${name}:${when}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
          effects.push(`${name}:${counts.get(key) ?? 0}:${when}`);
        },
      });
    const inProcess = async (use: (scene: Scene) => Promise<void>): Promise<void> => {
      const product = await openProduct();
      const advance = async (seconds: number): Promise<void> => {
        product.clock.advance(seconds);
        await Promise.all([
          autotask.advance(seconds),
          quickbooks.advance(seconds),
          asOwner(product.databaseUrl, (owner) => passLeases(owner, seconds)),
        ]);
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
    let output = '';
    let deaths = 0;
    if (testCase.crashes.length === 0) {
      isRecording = true;
      await inProcess(({ product }) =>
        flow.act === undefined ? sessionOf(flow, product, 'recorder') : flow.act(product),
      );
      isRecording = false;
    }
    let resumeFrozen = (): Promise<string> => Promise.resolve('');
    for (const [at, crash] of testCase.crashes.entries()) {
      if (at > 0) await inProcess(({ advance }) => advance(leaseIsOverSeconds));
      const task = { target, now, flow: flow.name, isRecovery: at > 0, owner: `victim ${at}`, crash };
      if (crash.endsWith(':stop')) {
        frozen = takeWorker();
        const { isStopped, resume } = await freeze(frozen, task);
        if (isStopped) deaths += 1;
        else missed.push(crash);
        resumeFrozen = resume;
        continue;
      }
      const { isDead, output: lines } = await runTask(takeWorker(), task);
      output += lines;
      if (isDead) deaths += 1;
      else missed.push(crash);
      violations.push(...check(await collect({ ...observed, deaths, output }), 'now'));
    }
    await inProcess(async ({ product, advance }) => {
      for (const seconds of rounds) {
        await advance(seconds);
        await sessionOf(flow, product, 'successor');
        await flow.repeat?.(product);
      }
    });
    if (frozen !== undefined) {
      output += await resumeFrozen();
      // Another worker picks up what the resumed process left, for example a job.
      await inProcess(async ({ product, advance }) => {
        await advance(leaseIsOverSeconds);
        await sessionOf(flow, product, 'successor');
      });
    }
    const evidence = await collect({ ...observed, deaths, output });
    violations.push(...check(evidence, 'quiet'));
    return { violations, missed, effects, evidence };
  } finally {
    // Leave no frozen process behind.
    frozen?.child.kill('SIGKILL');
    await Promise.all([sandboxes.stop(), mailbox?.close()]);
    await dropDatabase(server, databaseUrl);
  }
}

interface Drivers {
  readonly autotask: Scene['autotask'];
  readonly quickbooks: Scene['quickbooks'];
}

interface Services {
  readonly databaseUrl: string;
  readonly sandboxes: Sandboxes;
  readonly smtpUrl: string | null;
}

/** Creates a tenant with both services connected and its settings saved, and sets the services' clocks. */
async function connectTenant(
  { databaseUrl, sandboxes, smtpUrl }: Services,
  { autotask, quickbooks }: Drivers,
  flow: Flow,
  { requestid }: Case,
): Promise<{ readonly parties: readonly Party[]; readonly target: SweepTarget; readonly secrets: readonly string[] }> {
  await Promise.all([
    quickbooks.call('PUT', '/limits', { enforce: false }),
    quickbooks.behave({ requestid, ...flow.switches }),
    setClock(autotask),
    setClock(quickbooks),
  ]);
  const { autotaskUrl, quickbooksUrl } = sandboxes;
  const nowhere = '00000000-0000-4000-8000-000000000000';
  const target = { databaseUrl, autotaskUrl, quickbooksUrl, smtpUrl };
  const product = await openSweepProduct({ ...target, tenantId: nowhere }, { now: startsAt });
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

async function setClock(driver: Scene['autotask']): Promise<void> {
  const { now } = (await driver.call('GET', '/clock')) as { now: string };
  await driver.advance((Date.parse(startsAt) - Date.parse(now)) / 1_000);
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

/** Retries while another process copies the template. */
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
