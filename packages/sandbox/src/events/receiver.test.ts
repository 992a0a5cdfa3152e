import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { World } from '../quickbooks/test-client.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  await world.control('DELETE', 'behaviour');
});
afterAll(() => world.close());

const secret = `whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`;

function post(path = '', by = secret) {
  const timestamp = '1741014000';
  const key = Buffer.from(by.slice('whsec_'.length), 'base64');
  const body = '{"type":"test"}';
  const signature = `v1,${createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64')}`;
  return fetch(`${world.sandbox.url}/webhooks/events${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,AAAA ${signature}` },
    body,
  });
}
const events = async () => (await world.control('GET', 'events')).body['events'];

describe('the receiver of events', () => {
  test('stores events, and verifies them once it knows a secret', async () => {
    expect((await post('/erp')).status).toBe(200);
    await world.control('POST', 'event-secrets', { secrets: [secret] });
    expect((await post()).status).toBe(200);
    expect((await post('', 'whsec_b3RoZXI=')).status).toBe(401);
    expect(await events()).toMatchObject([
      { path: '/webhooks/events/erp', id: 'evt_1', is_verified: null, status: 200, body: '{"type":"test"}' },
      { is_verified: true, status: 200 },
      { is_verified: false, status: 401 },
    ]);
    expect((await fetch(`${world.sandbox.url}/webhooks/events`)).status).toBe(405);
  });

  test.each([
    ['fail', 500],
    ['redirect', 302],
  ])('can %s', async (event_webhooks, status) => {
    await world.control('PUT', 'behaviour', { event_webhooks });
    expect((await post()).status).toBe(status);
  });
});
