import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#store/embedded-postgres.ts';
import type { JsonObject } from '#core/values/json.ts';
import { signIn } from '../support/api-client.ts';
import { runCommand } from '../support/command.ts';
import { asOwner } from '../support/database.ts';
import { silentLogger } from '../support/logger.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let folder: string;
let fixture: ProcessFixture;
let servers: EmbeddedPostgres[] = [];
beforeEach(async () => {
  [folder, fixture] = await Promise.all([mkdtemp(join(tmpdir(), 'tallybridge-restored-')), newProcessFixture('empty')]);
});
afterEach(async () => {
  await fixture.close();
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts a new server, whose database belongs to a login that may create roles and nothing else. */
async function newServer(name: string): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDir: join(folder, name), logger: silentLogger });
  servers.push(server);
  await asOwner(server.url, async (client) => {
    await client.query(`create role ops login createrole nosuperuser password 'p'`);
    await client.query('create database deployment owner ops');
  });
  const url = new URL(server.url);
  [url.username, url.password, url.pathname] = ['ops', 'p', '/deployment'];
  return url.href;
}

const secret = { SECRET_KEY: 'a secret key that only this test knows' };
const run = async (url: string, ...words: readonly string[]) => {
  const { code, output } = await runCommand(words, { folder, ...secret, DATABASE_URL: url });
  expect([code, output]).toEqual([0, expect.any(String)]);
  return output;
};

async function syncInvoices(client: Awaited<ReturnType<typeof signIn>>, ids: readonly number[] | null) {
  const path = `/api/my/invoices/sync/submit${ids === null ? '/all' : ''}`;
  const { job } = await client.data('POST', path, { mode: 'live', ...(ids !== null && { invoice_ids: ids }) });
  const { id } = job as JsonObject;
  await vi.waitFor(
    async () =>
      expect(await client.data('GET', `/api/my/jobs/${String(id)}`)).toMatchObject({ job: { status: 'finished' } }),
    { timeout: 60_000, interval: 250 },
  );
}

const postedInvoices = async () =>
  (await fixture.quickbooks.list('Invoice'))
    .flatMap((row) => /^Autotask invoice (\d+) · synced/.exec(String(row['PrivateNote']))?.[1] ?? [])
    .toSorted();

test('a backup restored into a fresh server syncs on, and no document is posted twice', async () => {
  const first = await newServer('first');
  const before = await fixture.start({ ...secret, DATABASE_URL: first });
  const client = await signIn(before.url);
  await client.connectQuickBooks();
  await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  await syncInvoices(client, [48_213]);
  const file = join(folder, 'running.backup.gz');
  await run(first, 'backup', file);
  await syncInvoices(client, null);
  const posted = await postedInvoices();
  expect(posted).toContain('48213');
  expect(posted.length).toBeGreaterThan(3);
  expect(new Set(posted).size).toBe(posted.length);
  await before.stop();

  const second = await newServer('second');
  expect(await run(second, 'restore', file)).toMatch(/Next: start all processes\. Users log in again/);
  // Two documents that the ledger lost look unsynced in Autotask, too.
  for (const id of posted.filter((one) => one !== '48213').slice(0, 2))
    await fixture.autotask.put('Invoices', Number(id), { invoiceNumber: '', webServiceDate: null });
  const after = await fixture.start({ ...secret, DATABASE_URL: second });
  const again = await signIn(after.url);
  expect(await again.data('GET', '/api/my')).toMatchObject({
    connections: [{ status: 'active' }, { status: 'active' }],
  });
  await syncInvoices(again, null);
  expect(await postedInvoices()).toEqual(posted);
}, 240_000);

test('a deployment refuses a database that was restored without its policies, in one sentence', async () => {
  const url = await newServer('first');
  await run(url, 'migrate');
  for (const [damage, what] of [
    [
      'alter table postings disable row level security; drop policy own_tenant on postings',
      'row-level security of postings is off and 1 more',
    ],
    ['alter role tallybridge_root bypassrls', 'the role tallybridge_root may bypass row-level security'],
  ] as const) {
    await asOwner(asSuperuser(url), (owner) => owner.query(damage));
    const { code, output } = await runCommand(['client', 'list'], { folder, ...secret, DATABASE_URL: url });
    expect([code, output]).toEqual([
      1,
      `The database does not separate clients (${what}), for example after an incomplete restore: restore it into an empty database with “tallybridge restore”.\n`,
    ]);
  }
}, 120_000);

/** Returns the address of the same database with the server's own login. */
function asSuperuser(url: string): string {
  const own = new URL(servers[0]?.url ?? '');
  own.pathname = new URL(url).pathname;
  return own.href;
}
