import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { runHere } from '#test/support/command.ts';
import { withCompiledCode } from '#test/support/compiled-code.ts';
import { connectServices } from '#test/support/connect-services.ts';
import { newDatabase, testSecretKey } from '#test/support/database.ts';
import { deployment } from '#test/support/deployment.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import { forOperator } from './operator-context.ts';
import { verifyServices } from './verify-command.ts';

const [fixture, db, folder] = await Promise.all([
  newProcessFixture(),
  newDatabase(),
  mkdtemp(join(tmpdir(), 'tallybridge-verify-')),
]);
afterAll(async () => {
  await fixture.close();
  await db.close();
  await rm(folder, { recursive: true });
});
const { quickbooks, autotask } = fixture;
for (const { url } of [quickbooks, autotask])
  await fetch(`${url}/__sandbox/limits`, { method: 'PUT', body: JSON.stringify({ enforce: false }) });

const variables = {
  ...(await deployment(fixture)),
  folder,
  SECRET_KEY: testSecretKey,
  DATABASE_URL: db.url,
  AUTOTASK_URL: autotask.url,
  QBO_API_URL: quickbooks.url,
};
const connect = () =>
  forOperator(async (context) => {
    const app = await context.app();
    const { id } = await app.store.addTenant({ name: 'Test accounts', status: 'active', timeZone: 'UTC' });
    const urls = { autotaskUrl: autotask.url, quickbooksUrl: quickbooks.url };
    await connectServices(app, app.forTenant(id), urls);
    return { text: id, data: {} };
  });
const client = (await runHere(connect, variables)).output.trim();
const unconnected = (await db.store.addTenant({ name: 'New', status: 'active', timeZone: 'UTC' })).id;
const verify = (options: Parameters<typeof verifyServices>[1] = {}, id = client, more = {}) =>
  runHere(() => verifyServices(id, options), { ...variables, ...more });

const marked = async () =>
  (await quickbooks.list('Invoice')).filter(({ PrivateNote }) => String(PrivateNote).includes('Tallybridge verif'));

beforeEach(() => Promise.all([quickbooks, autotask].map((one) => one.behave({ latency_ms: 0 }))));

test('reads only, and reports what holds', async () => {
  const report = join(folder, 'report.md');
  const before = (await quickbooks.journal()).filter(({ applied }) => applied).length;
  const { code, output } = await verify({ report });
  expect(output).not.toMatch(/^differs/m);
  expect(code).toBe(0);
  expect(output).toMatch(/\d\d hold, 0 differ, \d+ not tried\.\nThe report is in /);
  expect((await quickbooks.journal()).filter(({ applied }) => applied)).toHaveLength(before);
  const text = await readFile(report, 'utf8');
  expect(text).toMatch(/^# Services verified on \d{4}-\d\d-\d\d\n/);
  expect(text).toContain('| Q32 | More than 1,000 rows per page are refused | holds |  |');
  for (const secret of ['sandbox-Secret-1', 'SANDBOX0TRACKING0CODE000001', 'Northwind', 'Acme', 'api.user@'])
    expect(text).not.toContain(secret);
  // Earlier evidence is not overwritten.
  expect((await verify({ report })).code).toBe(1);
  expect(await readFile(report, 'utf8')).toBe(text);
});

test('ends with 1 and shows both shapes if a fact differs', async () => {
  await quickbooks.behave({ address_coordinates: true });
  const { code, output } = await verify();
  await quickbooks.behave({ address_coordinates: false });
  expect(code).toBe(1);
  expect(output).toContain('           expected {"withLat":0}\n           seen     {"withLat":');
});

test('writes marked documents only on request, and removes them', async () => {
  const { output } = await verify({ write: true, writeAutotask: '20250303' });
  expect(output).toMatch(/^holds {6}Q11: /m);
  expect(output).toMatch(/^holds {6}A23: /m);
  expect(await marked()).toEqual([]);
  const numbers = (await autotask.list('Invoices')).map(({ invoiceNumber }) => invoiceNumber);
  expect(numbers).not.toContain('TALLYBRIDGE-VERIFY');
});

test('refuses to write to a production company, and to another Autotask database', async () => {
  const production = { QBO_API_URL: 'https://quickbooks.api.intuit.com' };
  expect(await verify({ write: true }, client, production)).toMatchObject({
    code: 1,
    output: expect.stringContaining('--write creates documents, so it works only with a sandbox company'),
  });
  expect(await verify({ writeAutotask: '1' })).toMatchObject({
    code: 1,
    output: expect.stringContaining('another Autotask database than 1'),
  });
});

test('tries nothing without connections', async () => {
  const { code, output } = await verify({}, unconnected);
  expect([code, output]).toEqual([0, expect.stringMatching(/^0 hold, 0 differ, \d\d not tried\.$/m)]);
});

test('removes the marked documents after Ctrl-C', async () => {
  await quickbooks.behave({ latency_ms: 40 });
  const cli = resolve(import.meta.dirname, 'cli.ts');
  const { folder: cwd, ...environment } = variables;
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: cwd, ...withCompiledCode, ...environment };
  const child = spawn(process.execPath, [cli, 'verify-services', client, '--write'], { cwd, env, stdio: 'ignore' });
  const ended = new Promise((done) => child.once('exit', done));
  await expect.poll(async () => (await marked()).length).toBeGreaterThan(0);
  child.kill('SIGINT');
  await ended;
  expect(await marked()).toEqual([]);
});
