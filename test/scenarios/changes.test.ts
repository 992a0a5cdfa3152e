import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newApi, type TestApi } from '../support/api.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import type { JournalEntry, World } from '../support/world.ts';
import { eventually } from '../support/eventually.ts';

let api: TestApi;
let world: World;
beforeEach(async () => {
  api = await newApi();
  world = api.world;
  await world.saveSettings({ pay_sync_active: true });
});
afterEach(() => api.close());

const hour = 3_600;
const paidDate = async (psaId: number) => (await world.psaInvoice(psaId))['paidDate'] ?? null;

interface Sent {
  readonly status: number | null;
  readonly body: string;
}
const sandbox = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const answer = await fetch(`${world.quickbooks.url}/__sandbox${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return (await answer.json()) as JsonObject;
};
const deliveries = async () => (await sandbox('GET', '/webhooks'))['deliveries'] as unknown as readonly Sent[];
/** Turns on webhooks from QuickBooks. */
const listen = () => sandbox('POST', '/webhooks', { url: `${api.url}/webhooks/qbo` });
/** Waits until N received webhooks contain a text. */
const noted = (text: string, count = 1) =>
  eventually(async () => {
    const taken = (await deliveries()).filter(({ status, body }) => status === 200 && body.includes(text));
    expect(taken.length).toBeGreaterThanOrEqual(count);
  });

async function post(psaId: number): Promise<string> {
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  const id = (await world.store.readPosting('invoice', psaId))?.targetId;
  if (id === undefined || id === null) throw new Error(`invoice ${psaId} was not posted`);
  return id;
}
const pay = (id: string, amount: number) => payInvoice(world, id, amount);

/** Returns the requests to both services while `work` runs. */
async function asked(work: () => Promise<unknown>): Promise<{ psa: string[]; accounting: string[] }> {
  const journals = () => Promise.all([world.autotask.journal(), world.quickbooks.journal()]);
  const before = await journals();
  await work();
  const after = await journals();
  const said = (entries: readonly JournalEntry[], skip: number) =>
    entries.slice(skip).map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`);
  return { psa: said(after[0], before[0].length), accounting: said(after[1], before[1].length) };
}
const oneCycle = async () => {
  await world.advance(16 * 60);
  const before = world.transactions();
  await world.work();
  return world.transactions() - before;
};

describe('an idle cycle', () => {
  const everything = {
    inv_sync_active: true,
    void_sync_active: true,
    pay_sync_active: true,
    po_sync_active: true,
    exp_sync_active: true,
    pay_direction: 'both',
    po_payable_account: '20',
    exp_cash_advance_expense_account: '25',
    closed_period_policy: 'next_open_day',
  } as const;

  test('costs three calls to Autotask, none to QuickBooks and two transactions, with all syncs on', async () => {
    await world.saveSettings(everything);
    // First handles all documents in the age window.
    for (let round = 0; round < 2; round += 1) await oneCycle();
    const [logs, jobs] = [await world.logs(), await world.store.listJobs(100)];
    for (let round = 0; round < 2; round += 1) {
      let transactions = 0;
      const { psa, accounting } = await asked(async () => {
        transactions = await oneCycle();
      });
      // Without webhooks the feed is read once an hour, which is not due here.
      expect(accounting).toEqual([]);
      expect(psa.toSorted()).toEqual(['POST ExpenseReports/query', 'POST Invoices/query', 'POST PurchaseOrders/query']);
      expect(transactions).toBe(2);
    }
    expect(await world.logs()).toEqual(logs);
    expect(await world.store.listJobs(100)).toEqual(jobs);
  });

  test('costs two calls with purchase orders off', async () => {
    await world.saveSettings({ ...everything, po_sync_active: false });
    for (let round = 0; round < 2; round += 1) await oneCycle();
    const { psa, accounting } = await asked(oneCycle);
    expect([psa.length, accounting.length]).toEqual([2, 0]);
  });

  test('reads QuickBooks’ feed once an hour without webhooks, and once a day with them', async () => {
    await world.work();
    const readings = async (rounds: number, minutes: number) => {
      const { accounting } = await asked(async () => {
        for (let round = 0; round < rounds; round += 1) {
          await world.advance(minutes * 60);
          await world.work();
        }
      });
      return accounting.filter((call) => call.endsWith('/cdc')).length;
    };
    expect(await readings(8, 30)).toBe(4);
    await listen();
    await world.quickbooks.put('Customer', '58', { Notes: 'calls on Mondays' });
    await noted('"58"');
    expect(await readings(5, 4 * 60)).toBe(0);
    expect(await readings(1, 4 * 60)).toBe(1);
  }, 120_000);
});

describe('a webhook from QuickBooks', () => {
  test.each(['cloudevents', 'legacy'])(
    'shows an invoice as paid immediately, despite duplicates and any order (%s)',
    async (format) => {
      const id = await post(48_213);
      await listen();
      await world.quickbooks.behave({
        webhook_format: format === 'legacy' ? 'legacy' : 'cloudevents',
        webhook_duplicates: true,
        webhook_order: 'reversed',
        cdc_delay_seconds: 3_600,
      });
      await pay(id, 1966.25);
      // Wait for the duplicate, which would wake the tenant again.
      await noted(format === 'legacy' ? '"Payment"' : 'qbo.payment.', 2);
      // No cycle is due, so only the webhook woke the tenant.
      expect(await world.app.store.dueTenants(world.clock.now(), 10)).toEqual([world.tenant.tenantId]);
      const { accounting } = await asked(() => world.work());
      expect(accounting.filter((call) => call.endsWith('/cdc'))).toEqual([]);
      expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
      expect(await world.app.store.dueTenants(world.clock.now(), 10)).toEqual([]);
    },
  );

  test('about a deleted payment removes the paid date', async () => {
    const id = await post(48_213);
    await listen();
    await world.quickbooks.behave({ cdc_delay_seconds: 0 });
    await pay(id, 1966.25);
    await noted('qbo.payment.created');
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
    // The webhook contains only the payment; the feed has its invoice.
    await sandbox('POST', '/webhooks', {});
    const payment = (await world.quickbooks.list('Payment')).find((row) => row['TotalAmt'] === 1966.25);
    const paymentId = JSON.stringify(payment?.['Id'] ?? '').slice(1, -1);
    await world.quickbooks.remove('Payment', paymentId);
    await world.store.addToInbox([{ record: 'payment', id: paymentId }], { isNotification: true });
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
    await world.advance(121);
    await world.work();
    expect(await paidDate(48_213)).toBeNull();
  });

  test('costs no call when it is about unrelated invoices', async () => {
    await world.work();
    await listen();
    const [other] = await world.quickbooks.list('Invoice');
    await world.quickbooks.put('Invoice', JSON.stringify(other?.['Id'] ?? '').slice(1, -1), { PrivateNote: 'by hand' });
    await noted('qbo.invoice.deleted');
    const { psa, accounting } = await asked(() => world.work());
    expect([psa, accounting]).toEqual([[], []]);
    expect(await world.app.store.dueTenants(world.clock.now(), 10)).toEqual([]);
  });

  test('is stored while payments are off, and handled when they are turned on', async () => {
    await world.saveSettings({ pay_sync_active: false });
    const id = await post(48_213);
    await listen();
    await pay(id, 1966.25);
    await noted('qbo.payment.created');
    await world.work();
    expect(await world.app.store.dueTenants(world.clock.now(), 10)).toEqual([]);
    await world.saveSettings({ pay_sync_active: true });
    await world.advance(24 * hour);
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
  });

  test('that is lost is replaced by the daily reading, which then stops trusting webhooks', async () => {
    const id = await post(48_213);
    await listen();
    await world.quickbooks.put('Customer', '58', { Notes: 'calls on Mondays' });
    await noted('"58"');
    await sandbox('POST', '/webhooks', {});
    await world.advance(hour);
    await pay(id, 1966.25);
    await world.advance(hour);
    await world.work();
    expect(await paidDate(48_213)).toBeNull();
    await world.advance(24 * hour);
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
    expect(await world.store.readCdcState()).toMatchObject({ lastNotificationAt: null });
  });

  test('survives a service that does not respond, and is handled later', async () => {
    const id = await post(48_213);
    await listen();
    await pay(id, 1966.25);
    await noted('qbo.payment.created');
    await world.quickbooks.fault({ match: { path: '/query' }, action: { status: 503, body: '' } });
    await world.work();
    expect(await world.app.store.dueTenants(world.clock.now(), 10)).toEqual([]);
    await world.quickbooks.clearFaults();
    await world.advance(301);
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
  });
});

describe('POST /webhooks/qbo', () => {
  const realm = async () => {
    const connection = (await world.store.listConnections()).find(({ service }) => service === 'accounting');
    return connection?.externalId ?? '';
  };
  const verifier = async () => JSON.stringify((await sandbox('GET', '/credentials'))['webhookVerifier']).slice(1, -1);
  const event = (realmId: string, id: string, type = 'qbo.customer.updated.v1') => ({
    specversion: '1.0',
    id: crypto.randomUUID(),
    source: 'intuit.c2FuZGJveA==',
    type,
    datacontenttype: 'application/json',
    time: '2025-03-03T15:42:19Z',
    intuitentityid: id,
    intuitaccountid: realmId,
    data: {},
  });
  const signed = async (body: string, key?: string) => ({
    body,
    headers: {
      'content-type': 'application/json',
      'intuit-signature': createHmac('sha256', key ?? (await verifier()))
        .update(body)
        .digest('base64'),
    },
  });
  const noted = () => world.store.listInbox(['customer', 'invoice', 'payment'], 10_000);

  test('accepts a signed message once, even if it is replayed', async () => {
    const body = JSON.stringify([event(await realm(), '58')], null, 2);
    for (let time = 0; time < 3; time += 1)
      expect(await api.call('POST', '/webhooks/qbo', await signed(body))).toMatchObject({
        status: 200,
        body: { success: true, data: null },
      });
    expect(await noted()).toMatchObject([{ record: 'customer', id: '58' }]);
  });

  test('returns 401 for a forged signature, changed bytes and a missing signature', async () => {
    const body = JSON.stringify([event(await realm(), '58')]);
    const { headers } = await signed(body);
    for (const attempt of [
      await signed(body, 'a guess'),
      { body: body.replace('"58"', '"59"'), headers },
      { body: JSON.stringify(JSON.parse(body), null, 1), headers },
      { body, headers: { 'content-type': 'application/json' } },
    ])
      expect(await api.call('POST', '/webhooks/qbo', attempt)).toMatchObject({
        status: 401,
        body: { success: false, error: 'not_signed' },
      });
    expect(await noted()).toEqual([]);
  });

  test('ignores unknown companies and stores the others in the same message', async () => {
    const body = JSON.stringify([event('9999999999', '1'), event(await realm(), '58')]);
    expect((await api.call('POST', '/webhooks/qbo', await signed(body))).status).toBe(200);
    expect(await noted()).toMatchObject([{ id: '58' }]);
    const others = api.world.app.forTenant(api.otherTenantId).store;
    expect(await others.listInbox(['customer'], 10)).toEqual([]);
  });

  test('accepts a full message and refuses more events', async () => {
    const realmId = await realm();
    const events: unknown[] = [];
    for (let size = 2; size < 1_040_000;) {
      const one = event(realmId, String(1_000 + events.length), 'qbo.payment.updated.v1');
      events.push(one);
      size += JSON.stringify(one).length + 1;
    }
    const message = await signed(JSON.stringify(events));
    expect((await api.call('POST', '/webhooks/qbo', message)).status).toBe(200);
    expect((await noted()).length).toBe(events.length);
    const tooLong = await signed(JSON.stringify([...events, ...events]));
    expect((await api.call('POST', '/webhooks/qbo', tooLong)).status).toBe(413);
  });
});
