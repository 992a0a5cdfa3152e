import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { deployment } from '../support/deployment.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';
import { newRootFolder, stagesOf, type Container, type RootFolder } from './container.ts';

const root = resolve(import.meta.dirname, '..', '..');
const stages = stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8'));

/** The steps need namespaces and another user, which only root can use. */
const isRoot = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;

let folder: string;
let image: RootFolder;
let db: TestDatabase;
let fixture: ProcessFixture;
beforeAll(async () => {
  if (!isRoot) return;
  [folder, db, fixture] = await Promise.all([
    mkdtemp(join(tmpdir(), 'tallybridge-image-')),
    newDatabase({ isMigrated: false }),
    newProcessFixture('empty'),
  ]);
  const npmCache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  image = newRootFolder(join(folder, 'root'), npmCache);
  build();
}, 900_000);
afterAll(async () => {
  if (!isRoot) return;
  await image.close();
  await fixture.close();
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the steps of the stages build and runtime in a clean folder. */
function build(): void {
  let workFolder = '/';
  for (const { does, text } of [...(stages.get('build') ?? []), ...(stages.get('runtime') ?? [])]) {
    if (does === 'WORKDIR') mkdirSync(join(image.path, (workFolder = text)), { recursive: true });
    if (does === 'RUN') image.run(text, workFolder);
    if (does === 'COPY' && !text.startsWith('--from')) {
      const [target = '', ...sources] = text.split(' ').toReversed();
      for (const file of contextFiles())
        if (sources.some((one) => one === '.' || one === file)) {
          const name = sources.length === 1 && target.endsWith('/') ? join(target, file.split('/').at(-1) ?? '') : file;
          const path = join(image.path, workFolder, name);
          mkdirSync(dirname(path), { recursive: true });
          cpSync(join(root, file), path);
        }
    }
  }
}

/** Files of the repository that .dockerignore lets into the build. */
function contextFiles(): readonly string[] {
  const allowed = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  return execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => allowed.some((one) => matchesGlob(file, one) || matchesGlob(file, `${one}/**`)))
    .filter((file) => existsSync(join(root, file)));
}

/** The words of an instruction in JSON form. */
const wordsOf = (name: string): readonly string[] => {
  const text = stages.get('runtime')?.find(({ does }) => does === name)?.text ?? '';
  return JSON.parse(text.slice(text.indexOf('['))) as readonly string[];
};

const environment = async (role: string): Promise<Readonly<Record<string, string>>> => ({
  ...(await deployment(fixture)),
  DATABASE_URL: db.url,
  NODE_ENV: 'production',
  DATA_DIR: '/data',
  TALLYBRIDGE_ROLE: role,
  STOP_DELAY_SECONDS: '0',
});

/** Starts a command of the image with a free port, which its log names. */
async function startRole(command: string, role: string): Promise<Container & { readonly port: number }> {
  const container = image.start([...wordsOf('ENTRYPOINT'), command], {
    ...(await environment(role)),
    PORT: '0',
    WORKER_PORT: '0',
  });
  const port = await vi.waitFor(
    () => {
      const [, found] = /(?:http:\/\/[\w.]+:|with health and metrics on port )(\d+)/.exec(container.output()) ?? [];
      if (found === undefined) throw new Error(container.output());
      return Number(found);
    },
    { timeout: 60_000, interval: 100 },
  );
  return { ...container, port };
}

const statusOf = (pid: number) => readFileSync(`/proc/${pid}/status`, 'utf8');

test.skipIf(!isRoot)(
  'the steps of the Dockerfile build an image that migrates, serves, works and stops',
  async () => {
    expect(existsSync(join(image.path, 'app', 'dist', 'web', 'index.html'))).toBe(true);
    expect(existsSync(join(image.path, 'app', 'node_modules', 'vite'))).toBe(false);

    const migrated = image.start([...wordsOf('ENTRYPOINT'), 'migrate'], await environment('all'));
    expect([await migrated.ended, migrated.output()]).toEqual([0, expect.stringContaining('0001_baseline')]);

    const [server, worker] = await Promise.all([startRole('start', 'api'), startRole('worker', 'worker')]);
    for (const one of [server, worker]) {
      const status = statusOf(one.pid());
      expect(status).toMatch(/^NSpid:\t\d+\t1$/m);
      expect(status).toMatch(/^Uid:\t1000\t/m);
      expect(status).toMatch(/^CapBnd:\t0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    }
    const refused = image.start(['touch', '/app/x'], {});
    expect([await refused.ended, refused.output()]).toEqual([1, expect.stringContaining('Read-only file system')]);
    expect(await image.start(['touch', '/data/x'], {}).ended).toBe(0);

    expect((await fetch(`http://127.0.0.1:${server.port}/readyz`)).status).toBe(200);
    expect(await (await fetch(`http://127.0.0.1:${server.port}/login`)).text()).toContain('<title>Tallybridge</title>');
    const health = (port: number) => image.start(wordsOf('HEALTHCHECK'), { PORT: String(port) }).ended;
    expect(await health(server.port)).toBe(0);
    expect(await health(1)).toBe(1);

    for (const one of [server, worker]) {
      const began = performance.now();
      expect(await one.stop()).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
    }
  },
  300_000,
);

const systemdAnalyze = '/usr/bin/systemd-analyze';
test.skipIf(!existsSync(systemdAnalyze))('the units of systemd are valid, and protect the machine', async () => {
  const units = await mkdtemp(join(tmpdir(), 'tallybridge-units-'));
  try {
    for (const name of ['tallybridge.service', 'tallybridge-worker.service']) {
      const unit = readFileSync(join(root, 'packaging', 'systemd', name), 'utf8');
      // The program is not installed here.
      writeFileSync(join(units, name), unit.replaceAll(/^ExecStart=\S+/gm, 'ExecStart=/bin/true'));
      const { status, stderr } = spawnSync(systemdAnalyze, ['verify', join(units, name)], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const safety = ['security', '--offline=true', '--threshold=50', join(units, name)];
      expect(spawnSync(systemdAnalyze, safety, { encoding: 'utf8' }).status).toBe(0);
    }
  } finally {
    await rm(units, { recursive: true, force: true });
  }
});
