import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newApi, type TestApi } from '../support/api.ts';
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
/** QuickBooks sends its messages to us from now on. */
const listen = () => sandbox('POST', '/webhooks', { url: `${api.url}/webhooks/qbo` });
/** Waits until so many messages that mention this have been taken. */
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
const pay = (id: string, amount: number) =>
  world.quickbooks.add('Payment', {
    CustomerRef: { value: '58' },
    TxnDate: '2025-03-03',
    TotalAmt: amount,
    Line: [{ Amount: amount, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
  });

/** Runs `work` and returns the requests to both services meanwhile. */
async function asked(work: () => Promise<unknown>): Promise<{ psa: string[]; books: string[] }> {
  const journals = () => Promise.all([world.autotask.journal(), world.quickbooks.journal()]);
  const before = await journals();
  await work();
  const after = await journals();
  const said = (entries: readonly JournalEntry[], skip: number) =>
    entries.slice(skip).map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`);
  return { psa: said(after[0], before[0].length), books: said(after[1], before[1].length) };
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

  test('costs three calls to Autotask, none to QuickBooks and two transactions, with everything switched on', async () => {
    await world.saveSettings(everything);
    // Documents in the window are dealt with first: posted, voided, paid, left out.
    for (let round = 0; round < 2; round += 1) await oneCycle();
    const [logs, jobs] = [await world.logs(), await world.store.listJobs(100)];
    for (let round = 0; round < 2; round += 1) {
      let transactions = 0;
      const { psa, books } = await asked(async () => {
        transactions = await oneCycle();
      });
      // Without messages of QuickBooks its feed is read once an hour; this stays within one.
      expect(books).toEqual([]);
      expect(psa.toSorted()).toEqual(['POST ExpenseReports/query', 'POST Invoices/query', 'POST PurchaseOrders/query']);
      expect(transactions).toBe(2);
    }
    expect(await world.logs()).toEqual(logs);
    expect(await world.store.listJobs(100)).toEqual(jobs);
  });

  test('costs two calls with purchase orders off', async () => {
    await world.saveSettings({ ...everything, po_sync_active: false });
    for (let round = 0; round < 2; round += 1) await oneCycle();
    const { psa, books } = await asked(oneCycle);
    expect([psa.length, books.length]).toEqual([2, 0]);
  });

  test('reads the feed of QuickBooks once an hour while QuickBooks tells nothing, and once a day when it does', async () => {
    await world.work();
    const readings = async (rounds: number, minutes: number) => {
      const { books } = await asked(async () => {
        for (let round = 0; round < rounds; round += 1) {
          await world.advance(minutes * 60);
          await world.work();
        }
      });
      return books.filter((call) => call.endsWith('/cdc')).length;
    };
    expect(await readings(8, 30)).toBe(4);
    await listen();
    await world.quickbooks.put('Customer', '58', { Notes: 'calls on Mondays' });
    await noted('"58"');
    expect(await readings(5, 4 * 60)).toBe(0);
    expect(await readings(1, 4 * 60)).toBe(1);
  }, 120_000);
});

describe('a message of QuickBooks', () => {
  test.each(['cloudevents', 'legacy'])(
    'lets an invoice be shown as paid at once, however often and in whatever order it comes (%s)',
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
      // A duplicate that came later would wake the tenant once more.
      await noted(format === 'legacy' ? '"Payment"' : 'qbo.payment.', 2);
      // No cycle is due: the message alone woke the tenant.
      expect(await world.app.store.dueTenants(world.clock.now(), 10)).toEqual([world.tenant.tenantId]);
      const { books } = await asked(() => world.work());
      expect(books.filter((call) => call.endsWith('/cdc'))).toEqual([]);
      expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
      expect(await world.app.store.dueTenants(world.clock.now(), 10)).toEqual([]);
    },
  );

  test('of a payment that is gone takes the paid date back', async () => {
    const id = await post(48_213);
    await listen();
    await world.quickbooks.behave({ cdc_delay_seconds: 0 });
    await pay(id, 1966.25);
    await noted('qbo.payment.created');
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
    // Only the payment is told of: what it was applied to is known to the feed.
    await sandbox('POST', '/webhooks', {});
    const payment = (await world.quickbooks.list('Payment')).find((row) => row['TotalAmt'] === 1966.25);
    const paymentId = JSON.stringify(payment?.['Id'] ?? '').slice(1, -1);
    await world.quickbooks.remove('Payment', paymentId);
    await world.store.addToInbox([{ record: 'payment', id: paymentId }], { isWebhook: true });
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
    await world.advance(121);
    await world.work();
    expect(await paidDate(48_213)).toBeNull();
  });

  test('costs no call when it is about invoices of others', async () => {
    await world.work();
    await listen();
    const [other] = await world.quickbooks.list('Invoice');
    await world.quickbooks.put('Invoice', JSON.stringify(other?.['Id'] ?? '').slice(1, -1), { PrivateNote: 'by hand' });
    await noted('qbo.invoice.updated');
    const { psa, books } = await asked(() => world.work());
    expect([psa, books]).toEqual([[], []]);
    expect(await world.app.store.dueTenants(world.clock.now(), 10)).toEqual([]);
  });

  test('waits for nobody while payments are off, and is caught up with when they are turned on', async () => {
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

  test('that got lost is made up for by the daily reading, which then trusts messages no more', async () => {
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
    expect(await world.store.readCdcState()).toMatchObject({ lastWebhookAt: null });
  });

  test('survives a service that does not answer: it is looked at again', async () => {
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

  test('takes what is signed once, however often it is replayed', async () => {
    const body = JSON.stringify([event(await realm(), '58')], null, 2);
    for (let time = 0; time < 3; time += 1)
      expect(await api.call('POST', '/webhooks/qbo', await signed(body))).toMatchObject({
        status: 200,
        body: { success: true, data: null },
      });
    expect(await noted()).toMatchObject([{ record: 'customer', id: '58' }]);
  });

  test('answers 401 to a forged signature, to other bytes than were signed and to none', async () => {
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

  test('passes over a company that nobody is connected to, and notes the others of the same message', async () => {
    const body = JSON.stringify([event('9999999999', '1'), event(await realm(), '58')]);
    expect((await api.call('POST', '/webhooks/qbo', await signed(body))).status).toBe(200);
    expect(await noted()).toMatchObject([{ id: '58' }]);
    const others = api.world.app.forTenant(api.otherTenantId).store;
    expect(await others.listInbox(['customer'], 10)).toEqual([]);
  });

  test('takes as many events as fit into a message, and refuses more', async () => {
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
