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

const post = (path: string, body: unknown, type = 'application/json; charset=utf-8') =>
  fetch(`${world.sandbox.url}/webhooks/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const card = (content: object) => ({
  type: 'message',
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
});
const good = card({ type: 'AdaptiveCard', version: '1.4', body: [] });

describe('the receiver of chat messages', () => {
  test('accepts and stores messages of both chats', async () => {
    const slack = await post('slack/T0/B0/secret', { text: '*Hi* &amp; <https://a.example|there>' });
    expect([slack.status, await slack.text()]).toEqual([200, 'ok']);
    expect((await post('teams', good)).status).toBe(202);
    expect((await world.control('GET', 'chats')).body).toMatchObject({
      messages: [
        { chat: 'slack', status: 200, body: { text: '*Hi* &amp; <https://a.example|there>' } },
        { chat: 'teams', status: 202, body: { type: 'message' } },
      ],
    });
    expect((await fetch(`${world.sandbox.url}/webhooks/slack`)).status).toBe(405);
    expect((await post('other', {})).status).toBe(404);
  });

  test.each([
    ['slack', {}],
    ['slack', { text: ' ' }],
    ['slack', { text: 'a & b' }],
    ['slack', { text: '<!channel>' }],
    ['slack', '{'],
    ['teams', { text: 'Hi' }],
    ['teams', { type: 'message', attachments: [] }],
    ['teams', card({ type: 'AdaptiveCard', body: [] })],
    ['teams', card({ type: 'AdaptiveCard', version: '1.4', body: [], note: 'x'.repeat(28_000) })],
  ])('rejects a wrong message to %s', async (chat, body) => {
    expect((await post(chat, body)).status).toBe(400);
  });

  test('rejects other content types', async () => {
    expect((await post('slack', { text: 'Hi' }, 'text/plain')).status).toBe(400);
  });

  test.each([
    ['throttle', 429, '120'],
    ['fail', 500, null],
    ['gone', 404, null],
  ])('fails with the switch %s', async (chat_webhooks, status, wait) => {
    await world.control('PUT', 'behaviour', { chat_webhooks });
    for (const path of ['slack', 'teams']) {
      const answer = await post(path, path === 'slack' ? { text: 'Hi' } : good);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, wait]);
    }
  });
});
