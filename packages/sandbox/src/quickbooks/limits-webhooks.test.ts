import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Client, invoiceOf, World } from './test-client.ts';

/** Waits until a check passes, for at most a minute. */
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 25 });

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  await world.control('DELETE', 'behaviour');
  await world.control('PUT', 'limits', { enforce: false });
  northwind = await world.connect();
});
afterAll(() => world.close());

describe('the published limits', () => {
  beforeEach(async () => {
    await world.control('DELETE', 'limits');
  });

  test('are on by default', async () => {
    expect((await world.control('GET', 'limits')).body).toEqual({
      enforce: true,
      requests_per_minute: 500,
      requests_per_second: 10,
      concurrent: 10,
      batches_per_minute: 40,
      reports_per_minute: 200,
    });
  });

  test('reject the eleventh request in a second with XML and without Retry-After', async () => {
    for (let n = 0; n < 10; n += 1) expect((await northwind.get('preferences')).status).toBe(200);
    const refused = await northwind.get('preferences');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toBe('application/xml');
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(refused.text).toContain(
      '<Fault type="SERVICE"><Error code="3001"><Message>message=ThrottleExceeded; errorCode=003001; statusCode=429</Message><Detail>The request limit was reached.  Try again later</Detail></Error></Fault>',
    );
    await world.advance(1);
    expect((await northwind.get('preferences')).status).toBe(200);
  });

  test('after the monthly limit, reads and batches are refused, and single writes are taken', async () => {
    await world.control('PUT', 'limits', { enforce: false });
    await world.behave({ metered_reads: 'blocked' });
    const batch = () =>
      northwind.post('batch', { BatchItemRequest: [{ bId: '1', operation: 'create', Invoice: invoiceOf(10) }] });
    expect((await northwind.get('preferences')).status).toBe(429);
    expect((await batch()).status).toBe(429);
    expect((await northwind.post('invoice', invoiceOf(10))).status).toBe(200);
    await world.behave({ metered_batches: 'queries' });
    expect((await batch()).status).toBe(200);
  });

  test('are separate per company', async () => {
    await world.control('PUT', 'limits', { requests_per_second: 1 });
    expect((await northwind.get('preferences')).status).toBe(200);
    expect((await northwind.get('preferences')).status).toBe(429);
    const other = await world.connect(world.sandbox.credentials.realms[1]?.realmId);
    expect((await other.get('preferences')).status).toBe(200);
  });

  test('cover requests and batches per minute, and batch items individually', async () => {
    await world.control('PUT', 'limits', { requests_per_second: null, requests_per_minute: 5, batches_per_minute: 2 });
    const batch = (items: number) =>
      northwind.post('batch', {
        BatchItemRequest: Array.from({ length: items }, (_, n) => ({
          bId: String(n),
          Query: 'select count(*) from Item',
        })),
      });
    expect((await batch(3)).status).toBe(200);
    expect((await batch(3)).status).toBe(429);
    await world.behave({ batch_counts_items: false });
    expect((await batch(3)).status).toBe(200);
    expect((await batch(1)).status).toBe(429);
    await world.advance(60);
    expect((await batch(1)).status).toBe(200);
  });

  test('allow ten parallel calls and release the slot afterward', async () => {
    await world.control('PUT', 'limits', { requests_per_second: null, concurrent: 1 });
    await world.control('POST', 'faults', { match: { path: 'companyinfo' }, times: 1, action: { delay_ms: 300 } });
    const slow = northwind.get(`companyinfo/${northwind.realmId}`);
    await eventually(async () => expect((await northwind.get('preferences')).status).toBe(429));
    expect((await slow).status).toBe(200);
    expect((await northwind.get('preferences')).status).toBe(200);
  });

  test.each([
    ['seconds', /^60$/],
    ['date', /^Mon, 03 Mar 2025 \d\d:\d\d:\d\d GMT$|^Tue, 04 Mar 2025/],
  ])('Retry-After can be in %s, with the body as requested', async (form, header) => {
    await world.control('PUT', 'limits', { requests_per_second: 0 });
    await world.behave({ throttle_retry_after: form, throttle_body: 'as-asked' });
    const refused = await northwind.get('preferences');
    expect(refused.headers.get('retry-after')).toMatch(header);
    expect(refused.body).toMatchObject({ fault: { error: [{ code: '3001' }], type: 'SERVICE' } });
  });
});

describe('webhooks', () => {
  let server: Server;
  let url = '';
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  let status = 200;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(parts).toString('utf8') });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });
  beforeEach(async () => {
    received.length = 0;
    status = 200;
    await world.control('POST', 'webhooks', { url });
  });
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  const arrived = (count: number) => eventually(() => expect(received).toHaveLength(count));

  test('reports a change as CloudEvents with a signature of the raw body', async () => {
    await northwind.write('Invoice', invoiceOf(10));
    await arrived(1);
    const [call] = received;
    const expected = createHmac('sha256', world.sandbox.credentials.webhookVerifier)
      .update(call?.body ?? '')
      .digest('base64');
    expect(call?.headers['intuit-signature']).toBe(expected);
    expect(JSON.parse(call?.body ?? '')).toMatchObject([
      {
        specversion: '1.0',
        type: 'qbo.invoice.created.v1',
        intuitentityid: '9177',
        intuitaccountid: northwind.realmId,
        datacontenttype: 'application/json',
        data: {},
      },
    ]);
  });

  test.each([
    ['voided', 'application/json'],
    ['void', 'application/cloudevents+json'],
  ])('reports a void with the verb %s as %s', async (verb, type) => {
    await world.behave({ webhook_void_verb: verb, webhook_content_type: type });
    await northwind.post('invoice?operation=void', { Id: '9141', SyncToken: '0' });
    await arrived(1);
    expect(received[0]?.headers['content-type']).toBe(type);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject([{ type: `qbo.invoice.${verb}.v1` }]);
  });

  test('supports the legacy envelope with its operation names', async () => {
    await world.behave({ webhook_format: 'legacy' });
    await northwind.post('invoice?operation=void', { Id: '9141', SyncToken: '0' });
    await arrived(1);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      eventNotifications: [
        {
          realmId: northwind.realmId,
          dataChangeEvent: {
            entities: [
              { name: 'Invoice', id: '9141', operation: 'Void', lastUpdated: expect.stringMatching(/-0800$/) },
            ],
          },
        },
      ],
    });
  });

  test.each([
    ['cloudevents', { data: { deletedid: '58' }, type: 'qbo.customer.merged.v1' }],
    ['legacy', { name: 'Customer', id: '61', operation: 'Merge', deletedId: '58' }],
  ])('a merge includes the deleted record (%s)', async (format, event) => {
    await world.behave({ webhook_format: format });
    await world.control('POST', 'merge', { entity: 'Customer', into: '61', deleted: '58' });
    await arrived(1);
    const payload: unknown = JSON.parse(received[0]?.body ?? '');
    const events = Array.isArray(payload)
      ? (payload as unknown[])
      : (payload as { eventNotifications: { dataChangeEvent: { entities: unknown[] } }[] }).eventNotifications.flatMap(
          (one) => one.dataChangeEvent.entities,
        );
    expect(events).toContainEqual(expect.objectContaining(event));
  });

  test('a payment is reported with its invoice in any order', async () => {
    await world.behave({ changed_as_deleted: 'cdc' });
    await northwind.write('Payment', {
      CustomerRef: { value: '58' },
      TotalAmt: 20,
      Line: [{ Amount: 20, LinkedTxn: [{ TxnId: '9141', TxnType: 'Invoice' }] }],
    });
    await arrived(1);
    const [created, updated] = [{ type: 'qbo.payment.created.v1' }, { type: 'qbo.invoice.updated.v1' }];
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject([updated, created]);
    await world.behave({ webhook_order: 'as-happened' });
    await northwind.write('Payment', {
      CustomerRef: { value: '58' },
      TotalAmt: 20,
      Line: [{ Amount: 20, LinkedTxn: [{ TxnId: '9141', TxnType: 'Invoice' }] }],
    });
    await arrived(2);
    expect(JSON.parse(received[1]?.body ?? '')).toMatchObject([created, updated]);
  });

  test.each([
    ['cdc', 'updated'],
    ['cdc-and-webhooks', 'deleted'],
  ])('a change with the switch %j is reported as %s', async (changed_as_deleted, verb) => {
    await world.behave({ changed_as_deleted });
    await northwind.write('Customer', { Id: '61', SyncToken: '0', sparse: true, Notes: 'Changed' });
    await arrived(1);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject([{ type: `qbo.customer.${verb}.v1` }]);
  });

  test('retries a failed delivery after 10, then 20 seconds, and delays later ones', async () => {
    status = 500;
    await northwind.write('Invoice', invoiceOf(10));
    await arrived(1);
    await eventually(async () =>
      expect((await world.control('GET', 'webhooks')).body).toMatchObject({
        deliveries: [{ attempt: 1, status: 500 }],
      }),
    );
    await northwind.write('Invoice', invoiceOf(20));
    await world.advance(10);
    await arrived(2);
    expect(received[1]?.body).toBe(received[0]?.body);
    await eventually(async () =>
      expect((await world.control('GET', 'webhooks')).body).toMatchObject({ deliveries: [{}, { attempt: 2 }] }),
    );
    status = 200;
    await world.advance(20);
    await arrived(4);
    expect(JSON.parse(received[3]?.body ?? '')).toMatchObject([{ intuitentityid: '9178' }]);
  });

  test('repeats a failed delivery for days at the vendor’s intervals, and withholds later changes', async () => {
    const waits = [10, 20, 30, 300, 1_200, 7_200, 14_400, 21_600, 21_600, 21_600];
    const answered = (count: number) =>
      eventually(async () =>
        expect((await world.control('GET', 'webhooks')).body).toMatchObject({
          deliveries: Array.from({ length: count }, (_, n) => ({ attempt: n + 1 })),
        }),
      );
    status = 503;
    await northwind.write('Invoice', invoiceOf(10));
    await answered(1);
    await northwind.write('Invoice', invoiceOf(20));
    for (const [index, seconds] of waits.entries()) {
      await world.advance(seconds - 1);
      expect(received).toHaveLength(index + 1);
      await world.advance(1);
      await answered(index + 2);
    }
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    status = 200;
    await world.advance(21_600);
    await arrived(waits.length + 3);
    expect(JSON.parse(received.at(-1)?.body ?? '')).toMatchObject([{ intuitentityid: '9178' }]);
  });

  test('a switch duplicates every delivery; turning webhooks off stops them', async () => {
    await world.behave({ webhook_duplicates: true });
    await northwind.write('Invoice', invoiceOf(10));
    await arrived(2);
    expect(received[1]?.body).toBe(received[0]?.body);
    await world.control('POST', 'webhooks', {});
    await northwind.write('Invoice', invoiceOf(10));
    expect((await world.control('GET', 'webhooks')).body).toMatchObject({ url: null });
    expect(received).toHaveLength(2);
  });

  test('returns 400 for an invalid URL', async () => {
    expect(await world.control('POST', 'webhooks', { url: 'ftp://x' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('http') },
    });
  });
});
