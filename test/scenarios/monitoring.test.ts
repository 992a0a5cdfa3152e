import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDatabase, setReadOnly, testSecretKey, type TestDatabase } from '../support/database.ts';
import { deployment } from '../support/deployment.ts';
import { newProcessFixture, type ProcessFixture, type ProductProcess } from '../support/process-fixture.ts';

const folder = join(resolve(import.meta.dirname, '..', '..'), 'docs', 'monitoring');
const rules = readFileSync(join(folder, 'alert-rules.yml'), 'utf8')
  .split('- alert: ')
  .slice(1)
  .map((text) => ({ name: text.split('\n')[0] ?? '', text }));
const metricsToken = 'Yq3uT8wZ1sVb6nKe0pLr5xJc2hGd9mFa';

let db: TestDatabase;
let fixture: ProcessFixture;
let server: ProductProcess;
let worker: ProductProcess;

beforeAll(async () => {
  [db, fixture] = await Promise.all([newDatabase(), newProcessFixture('empty')]);
  const start = async (role: string) =>
    fixture.start({
      ...(await deployment(fixture)),
      SECRET_KEY: testSecretKey,
      DATABASE_URL: db.url,
      DATA_DIR: join(fixture.dataDir, randomUUID()),
      METRICS_TOKEN: metricsToken,
      TALLYBRIDGE_ROLE: role,
    });
  [server, worker] = await Promise.all([start('api'), start('worker')]);
});
afterAll(async () => {
  await fixture.close();
  await db.close();
});

const read = (base: string, path: string) =>
  fetch(`${base}${path}`, { headers: { authorization: `Bearer ${metricsToken}` } });
const workerUrl = () => `http://127.0.0.1:${worker.monitoringPort}`;

test('alert rules use metrics that server or worker export', async () => {
  const pages = await Promise.all([server.url, workerUrl()].map(async (url) => (await read(url, '/metrics')).text()));
  const exported = new Set([...pages.join('\n').matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  const used = rules.flatMap(({ text }) => [...(/expr: (.*)/.exec(text)?.[1] ?? '').matchAll(/tallybridge_\w+/g)]);
  expect(used.length).toBeGreaterThan(rules.length);
  const missing = used.filter(([name]) => !exported.has(name.replace(/_(bucket|count)$/, '')));
  expect(missing.map(([name]) => name)).toEqual([]);
});

test('every alert has a severity, a duration and a runbook', () => {
  const headings = [...readFileSync(join(folder, '..', 'operate', 'runbooks.md'), 'utf8').matchAll(/^## (\w+)$/gm)].map(
    ([, name]) => name,
  );
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
