import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instant } from '#core/values/dates.ts';
import { createWebhookSender } from './sender.ts';

const clock = { now: () => instant('2026-11-23T10:00:00Z') };
let host = '';
const received: {
  readonly url: string | undefined;
  readonly type: string | undefined;
  readonly id?: string | undefined;
  readonly body: string;
}[] = [];
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const id = request.headers['webhook-id'];
    received.push({
      url: request.url,
      type: request.headers['content-type'],
      body: Buffer.concat(parts).toString(),
      ...(typeof id === 'string' && { id }),
    });
    const status = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 200);
    if (request.url?.endsWith('/late') === true) return undefined;
    if (request.url?.endsWith('/large') === true) return response.end('x'.repeat(200_000));
    if (request.url?.endsWith('/cut') === true) {
      response.writeHead(200, { 'Content-Length': '10' }).write('x');
      setTimeout(() => response.destroy(), 50);
      return undefined;
    }
    return response
      .writeHead(status, { 'Retry-After': '30', Location: '/200-elsewhere' })
      .end('the secret is repeated');
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('an address', () => {
  const { parseAddress } = createWebhookSender({ allowedHosts: ['127.0.0.1:4020'], clock });

  test.each([
    'https://hooks.slack.com/services/T0/B0/x',
    'https://prod-12.westus.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=x',
    'http://127.0.0.1:4020/webhooks/slack',
  ])('may be %s', (address) => {
    expect(parseAddress(address)?.href.replace(':443', '')).toBe(address.replace(':443', ''));
  });

  test.each([
    'http://hooks.slack.com/services/T0/B0/x',
    'https://user:password@hooks.slack.com/x',
    'https://hooks.slack.com:8443/x',
    'http://127.0.0.1:4021/webhooks/slack',
    'https://127.0.0.1/x',
    'https://127.0.0.1:4020@evil.example/x',
    'http://127.0.0.1:4020/__sandbox/reset',
    'http://127.0.0.1:4020/%5F_%73andbox/reset',
    'https://2130706433/x',
    'https://0x7f000001/x',
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://localhost/x',
    'https://db.internal/x',
    'https://database/x',
    'ftp://hooks.slack.com/x',
    'file:///etc/passwd',
    'hooks.slack.com/x',
    '',
    `https://hooks.slack.com/${'x'.repeat(2_000)}`,
  ])('may not be %s', (address) => {
    expect(parseAddress(address)).toBeNull();
  });

  test('may be on this machine in a demo, except the control address of a sandbox', () => {
    const demo = createWebhookSender({ allowedHosts: ['127.0.0.1:4020'], allowsLoopback: true, clock });
    const isAllowed = (address: string) => demo.parseAddress(address) !== null;
    expect(['http://localhost:8080/events', 'http://127.0.0.1:9000/x', 'http://[::1]:9000/x'].map(isAllowed)).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      ['http://127.0.0.1:4010/__sandbox/reset', 'http://localhost:4020//__SANDBOX', 'http://10.0.0.1/x'].map(isAllowed),
    ).toEqual([false, false, false]);
  });
});

describe('a message', () => {
  const sender = () => createWebhookSender({ allowedHosts: [host], clock });

  test('is posted once as JSON', async () => {
    received.length = 0;
    expect(await sender().post(`http://${host}/200/secret`, '{"text":"Hi"}')).toEqual({ isDelivered: true });
    expect(received).toEqual([{ url: '/200/secret', type: 'application/json; charset=utf-8', body: '{"text":"Hi"}' }]);
  });

  test('fails with the status and the requested wait, without the text of the answer, and follows no redirect', async () => {
    received.length = 0;
    for (const status of [302, 404, 429, 500])
      expect(await sender().post(`http://${host}/${status}`, '{}')).toEqual({
        isDelivered: false,
        status,
        reason: '',
        waitMs: 30_000,
      });
    expect(received).toHaveLength(4);
  });

  test('fails without an answer, without naming the host', async () => {
    const dead = createWebhookSender({ allowedHosts: ['127.0.0.1:1'], clock });
    const refused = await dead.post('http://127.0.0.1:1/x', '{}');
    expect(refused).toEqual({ isDelivered: false, status: null, reason: 'ECONNREFUSED', waitMs: undefined });
  });

  test('may have arrived if it was sent and not answered in time', async () => {
    const late = await sender().post(`http://${host}/late`, '{}', 100);
    expect(late).toMatchObject({ status: null, reason: 'no answer within 0.1 s', mayBePosted: true });
  });

  test('may reach a private address only at a configured host', async () => {
    const asked: [string, boolean, boolean][] = [];
    const webhooks = createWebhookSender({
      allowedHosts: [host],
      clock,
      transport: (request) => {
        asked.push([request.url.host, request.mayBePrivate, request.ownConnection]);
        return Promise.resolve({ status: 200, headers: { get: () => null }, text: '' });
      },
    });
    await webhooks.post(`http://${host}/200`, '{}');
    // The transport refuses a public name that resolves to a private address.
    await webhooks.post('https://hooks.slack.com/services/x', '{}');
    expect(asked).toEqual([
      [host, true, true],
      ['hooks.slack.com', false, true],
    ]);
  });

  test('with headers returns the status and the beginning of the answer', async () => {
    const answer = await sender().postWith(`http://${host}/500`, '{}', { 'webhook-id': 'evt_1' });
    expect(answer).toEqual({ status: 500, text: 'the secret is repeated', waitMs: 30_000 });
    expect(received.at(-1)?.id).toBe('evt_1');
  });

  test('is delivered by its status, even if the answer is too large or incomplete', async () => {
    expect(await sender().postWith(`http://${host}/200/large`, '{}', {})).toMatchObject({ status: 200 });
    expect(await sender().post(`http://${host}/200/cut`, '{}')).toEqual({ isDelivered: true });
  });

  test('is not sent to an address that is no longer allowed', async () => {
    received.length = 0;
    const later = createWebhookSender({ allowedHosts: [], clock });
    expect(await later.post(`http://${host}/200`, '{}')).toMatchObject({ reason: 'the address is not public' });
    expect(received).toEqual([]);
  });
});
