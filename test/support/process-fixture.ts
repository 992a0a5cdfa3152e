import { spawn, type ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withCompiledCode } from './compiled-code.ts';
import { newDataFolder } from './data-folder.ts';
import { controlOf, type Control } from './world.ts';
import { startSandboxes, type Sandboxes } from '#main/sandboxes.ts';

const root = resolve(import.meta.dirname, '..', '..');
const wholeProduct = join('src', 'main', 'start.ts');
const startTimeoutMs = 60_000;
const stopTimeoutMs = 40_000;

/** The product in a separate process, as `npm start` runs it. */
export interface ProductProcess {
  /** `none` for a worker process. */
  readonly url: string;
  /** Port for health and metrics of a worker; 0 for another process. */
  readonly monitoringPort: number;
  /** Resolves with the signal or exit code. */
  readonly ended: Promise<string | number>;
  /** The process id. */
  readonly pid: number;
  /** Returns the output of both streams. */
  output(): string;
  /** Stops the process like Ctrl-C and waits for it. */
  stop(): Promise<void>;
}

/** A data folder and both sandboxes. They stay when a product process is killed. */
export interface ProcessFixture {
  readonly dataDir: string;
  readonly autotask: Control;
  readonly quickbooks: Control;
  /** @param program path from the root of the project; default: the product. */
  start(environment?: Readonly<Record<string, string>>, program?: string): Promise<ProductProcess>;
  close(): Promise<void>;
}

/**
 * Creates a data folder without clients, and sandboxes with the sample data and today's date.
 *
 * @param dataFolder `empty` for a first start on a new machine.
 */
export async function newProcessFixture(dataFolder: 'empty' | 'migrated' = 'migrated'): Promise<ProcessFixture> {
  const [dataDir, sandboxes] = await Promise.all([newDataFolder(dataFolder), startSandboxes({ autotask: 0, qbo: 0 })]);
  const running = new Set<ProductProcess>();
  return {
    dataDir,
    autotask: controlOf(sandboxes.autotaskUrl),
    quickbooks: controlOf(sandboxes.quickbooksUrl),
    async start(environment = {}, program = wholeProduct) {
      const product = await startProcess(dataDir, sandboxes, environment, program);
      running.add(product);
      void product.ended.then(() => running.delete(product));
      return product;
    },
    async close() {
      await Promise.all([...running].map((product) => product.stop()));
      await endDatabase(dataDir, sandboxes);
      await sandboxes.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The database server survives a kill. The next product adopts it and stops it. */
async function endDatabase(dataDir: string, sandboxes: Sandboxes): Promise<void> {
  const { readOrNull } = await import('#store/data-folder.ts');
  if ((await readOrNull(join(dataDir, 'postgres', 'data', 'postmaster.pid'))) === null) return;
  await (await startProcess(dataDir, sandboxes, {}, wholeProduct)).stop();
}

async function startProcess(
  dataDir: string,
  sandboxes: Pick<Sandboxes, 'autotaskUrl' | 'quickbooksUrl'>,
  environment: Readonly<Record<string, string>>,
  program: string,
): Promise<ProductProcess> {
  const child = spawn(process.execPath, [join(root, program)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      DEMO: 'true',
      PORT: '0',
      WORKER_PORT: '0',
      DATA_DIR: dataDir,
      AUTOTASK_URL: sandboxes.autotaskUrl,
      QBO_API_URL: sandboxes.quickbooksUrl,
      LOG_LEVEL: 'warn',
      ...withCompiledCode,
      ...environment,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<string | number>((done) => child.once('exit', (code, signal) => done(signal ?? code ?? 0)));
  const url = await announcedUrl(child, ended);
  return {
    url,
    monitoringPort: Number(/metrics on port (\d+)/.exec(printed)?.[1] ?? 0),
    ended,
    pid: child.pid ?? 0,
    output: () => printed,
    async stop() {
      child.kill('SIGTERM');
      await within(ended, stopTimeoutMs, 'the product did not stop');
    },
  };
}

/** Returns the URL that the product prints when it is ready. */
async function announcedUrl(child: ChildProcess, ended: Promise<string | number>): Promise<string> {
  let printed = '';
  const announced = new Promise<string>((found) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const url =
        /running at (http:\S+)/.exec(printed)?.[1] ?? (/worker is running/.test(printed) ? 'none' : undefined);
      if (url !== undefined) found(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
  const died = ended.then((how) => Promise.reject(new Error(`the product ended with ${how}: ${printed}`)));
  return within(Promise.race([announced, died]), startTimeoutMs, 'the product did not start');
}

async function within<T>(promise: Promise<T>, ms: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(message)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
