import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { leaseSeconds } from '#flows/sync/job/create-run.ts';
import { signIn } from '../support/api-client.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let db: TestDatabase;
let fixture: ProcessFixture;
beforeEach(async () => {
  [db, fixture] = await Promise.all([newDatabase(), newProcessFixture('empty')]);
});
afterEach(async () => {
  await fixture.close();
  await db.close();
});

const madeInAccounting = async (psaId: number): Promise<JsonObject[]> =>
  (await fixture.quickbooks.list('Invoice')).filter((row) =>
    String(row['PrivateNote']).startsWith(`Autotask invoice ${psaId}`),
  );
const psaNumber = async (psaId: number): Promise<unknown> =>
  (await fixture.autotask.list('Invoices')).find((row) => row['id'] === psaId)?.['invoiceNumber'];
const shared = { SECRET_KEY: 'a secret key that only this test knows' };
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 100 });

/** Starts a product that kills itself during the sync of an invoice, and returns the path of the job. */
async function killedAt(crash: string, psaId: number, before: (url: string) => Promise<void>): Promise<string> {
  const product = await fixture.start({ ...shared, DATABASE_URL: db.url, TALLYBRIDGE_CRASH: crash });
  await before(product.url);
  const client = await signIn(product.url);
  const { job } = await client.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [psaId], mode: 'live' });
  expect(await product.ended).toBe('SIGKILL');
  await db.passLeases(leaseSeconds);
  return `/api/my/jobs/${String((job as JsonObject)['id'])}`;
}

/** Waits until a product has finished an invoice that a killed one began. */
async function finishes(url: string, psaId: number, job: string): Promise<void> {
  const client = await signIn(url);
  await eventually(async () =>
    expect(await client.data('GET', job)).toMatchObject({
      job: { results: [{ entityid: psaId, outcome: 'succeeded' }] },
    }),
  );
  const made = await madeInAccounting(psaId);
  expect(made).toHaveLength(1);
  expect(await psaNumber(psaId)).toBe(made[0]?.['DocNumber']);
  const { logs } = await client.data('GET', '/api/my/logs');
  expect((logs as JsonObject[]).filter(({ entityid }) => entityid === psaId)).toMatchObject([
    { type: 'invoice', test: false, success: true },
  ]);
}

test('a product that is killed leaves exactly one of each invoice', async () => {
  // After QuickBooks applied the invoice, before the response was stored.
  const first = await killedAt('post:create_invoice:1:after', 48_213, async (url) => {
    const client = await signIn(url);
    await client.connectQuickBooks();
    await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  });
  expect(await madeInAccounting(48_213)).toHaveLength(1);
  expect(await psaNumber(48_213)).not.toBe('1042');

  // After the response was stored, before the write to Autotask, which is the second one of this process.
  const second = await killedAt('psa:write:2:before', 48_214, (url) => finishes(url, 48_213, first));
  const [made] = await madeInAccounting(48_214);
  expect(await psaNumber(48_214)).not.toBe(made?.['DocNumber'] ?? null);

  // Before the invoice was sent.
  const third = await killedAt('post:create_invoice:1:before', 48_304, (url) => finishes(url, 48_214, second));
  expect(await madeInAccounting(48_304)).toEqual([]);

  // A create that may still arrive is repeated only after 130 seconds, which this test does not wait for.
  const last = await signIn((await fixture.start({ ...shared, DATABASE_URL: db.url })).url);
  await eventually(async () =>
    expect(await last.data('GET', third)).toMatchObject({
      job: { results: [{ entityid: 48_304, outcome: 'pending' }] },
    }),
  );
  expect(await madeInAccounting(48_304)).toEqual([]);
}, 240_000);
