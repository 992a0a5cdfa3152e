import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noticeRoles, type Notice } from '#core/notices.ts';
import { month } from '#core/reconciliation/month.ts';
import { instant } from '#core/values/dates.ts';
import { dueLanes, sendOutbox } from '#flows/outbox/send.ts';
import { testChat } from '#flows/notices/chats.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { removeOld } from '#flows/alerts/remove-old.ts';
import { newApi, password, people, type Answered, type TestApi } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';
import { eventually } from '#test/support/eventually.ts';
import { loggedIn } from '#test/support/month-end.ts';
import { startMessages } from '#worker/messages.ts';
import { newUser } from '#test/cases/sample-records.ts';

let api: TestApi;
beforeEach(async () => {
  api = await newApi();
});
afterEach(() => api.close());

const secret = 'B00SECRET-xyz-9876';
const path = '/api/my/webhooks';
const addressOf = (kind: string) => `${api.world.quickbooks.url}/webhooks/${kind}/T0/${secret}`;
const call = async (method: string, where = '', body?: unknown): Promise<Answered> =>
  api.call(method, `${path}${where}`, {
    token: await api.signIn(people.admin),
    ...(body !== undefined && { body }),
  });
const add = async (kind: 'slack' | 'teams', more: object = {}): Promise<string> => {
  const { status, data } = await call('POST', '', {
    kind,
    name: `Finance in ${kind}`,
    address: addressOf(kind),
    groups: ['month_signed', 'expiring'],
    ...more,
  });
  expect(status).toBe(200);
  return String(data['id']);
};
const list = async () => (await call('GET')).data['webhooks'] as readonly Readonly<Record<string, unknown>>[];
const signed: Notice = { kind: 'month_signed', by: 'ada <b>', month: month('2025-02'), as: 'preparer' };
const notify = (notice: Notice = signed, once?: string) =>
  api.world.store.addNotices([
    { notice, at: api.world.clock.now(), roles: noticeRoles(notice.kind), ...(once !== undefined && { once }) },
  ]);
const chats = async () => {
  const answer = await fetch(`${api.world.quickbooks.url}/__sandbox/chats`);
  const { messages } = (await answer.json()) as {
    readonly messages: readonly { readonly chat: string; readonly status: number; readonly body: object }[];
  };
  return messages;
};
const answer = (chat_webhooks: string) => api.world.quickbooks.behave({ chat_webhooks });
const work = () => sendOutbox(api.world.app, api.world.tenant.tenantId);

describe('chats of a client', () => {
  test('have a secret address, which is stored encrypted and never returned', async () => {
    const id = await add('slack');
    expect(await list()).toEqual([
      {
        id,
        kind: 'slack',
        name: 'Finance in slack',
        address_end: `${new URL(api.world.quickbooks.url).host}/…9876`,
        groups: ['expiring', 'month_signed'],
        created_by: people.admin,
        owner: { username: people.admin, is_active: true },
        created_at: api.world.clock.now(),
        delivered_at: null,
        failed_at: null,
        error: null,
      },
    ]);
    const rows = await asOwner(api.world.database.url, async (client) => {
      const { rows: found } = await client.query<{ row: string }>(
        'select to_jsonb(t)::text as row from chats t union all select to_jsonb(a)::text from audit_events a',
      );
      return found.map(({ row }) => row).join('\n');
    });
    expect(rows).toContain('webhook.added');
    expect(rows).not.toContain(secret);
  });

  test('are limited to five, also with concurrent requests, and change with an audit event', async () => {
    const token = await api.signIn(people.admin);
    const answers = await Promise.all(
      Array.from({ length: 7 }, (_, index) =>
        api.call('POST', path, {
          token,
          body: { kind: 'slack', name: `Chat ${index}`, address: addressOf('slack'), groups: ['expiring'] },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error: 'too_many_webhooks' });
    const id = String((await list())[0]?.['id']);
    expect((await call('PUT', `/${id}`, { name: ' Team  room ', groups: ['requests'] })).data).toMatchObject({
      name: 'Team room',
      groups: ['requests'],
    });
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    expect((await call('PUT', `/${id}`, { name: 'x', groups: ['requests'] })).status).toBe(404);
    expect((await call('POST', `/${id}/test`, {})).status).toBe(404);
    expect(await list()).toHaveLength(4);
    const { events } = await api.world.store.listAudit({ page: 1, pageSize: 50 });
    const actions = events.map(({ action }) => action).filter((action) => action.startsWith('webhook.'));
    expect(actions.toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'webhook.added'),
      'webhook.changed',
      'webhook.removed',
    ]);
  });

  test('refuse an address that is not public', async () => {
    for (const address of ['http://hooks.slack.com/services/x', 'https://10.0.0.1/x', 'no address']) {
      const refused = await call('POST', '', { kind: 'slack', name: 'Chat', address, groups: ['expiring'] });
      expect([address, refused.status, refused.body?.['error']]).toEqual([address, 422, 'validation_failed']);
    }
    expect(await list()).toEqual([]);
  });

  test('belong to administrators only', async () => {
    await add('slack');
    const passwordHash = await hashPassword(password);
    const username = 'accounting@northwind-msp.example';
    const { tenantId } = api.world.tenant;
    await api.world.app.store.addUser(newUser(username, { passwordHash, roles: ['accountant'], tenantId }));
    expect((await api.call('GET', path, { token: await api.signIn(username) })).status).toBe(403);
  });
});

describe('messages to chats', () => {
  test('are posted once for each target that wants them, with several workers', async () => {
    await add('slack');
    await add('teams');
    await add('slack', { name: 'Other', groups: ['failed_documents'] });
    await notify();
    await notify({ kind: 'connection_lost', service: 'QuickBooks Online' });
    await Promise.all([work(), work(), work()]);
    const sent = await chats();
    expect(sent.map(({ chat, status }) => `${chat} ${status}`).toSorted()).toEqual(['slack 200', 'teams 202']);
    const slack = sent.find(({ chat }) => chat === 'slack')?.body as { readonly text: string };
    expect(slack.text).toContain('*February 2025 was signed*\nada &lt;b&gt; signed as preparer.');
    expect(slack.text).toContain('/month-end/2025-02|Open in Tallybridge>');
    expect(JSON.stringify(sent.find(({ chat }) => chat === 'teams')?.body)).toContain('ada <b> signed as preparer.');
    const results = (await list()).map((one) => [one['name'], one['delivered_at'], one['error']].join(' '));
    expect(results.toSorted()).toEqual([
      `Finance in slack ${api.world.clock.now()} `,
      `Finance in teams ${api.world.clock.now()} `,
      'Other  ',
    ]);
    expect(await work()).toBe(0);
  });

  test('do not depend on what users have chosen for themselves, and repeat no notice that is saved once', async () => {
    await add('slack');
    const token = await api.signIn(people.admin);
    await api.call('PUT', '/api/my/notice-preferences', { token, body: { channels: { expiring: 'off' } } });
    const ending: Notice = { kind: 'api_key_ending', name: 'Report', endsAt: instant('2025-03-20T00:00:00Z') };
    await Promise.all([notify(ending, 'key 1'), notify(ending, 'key 1')]);
    const { tenantId } = api.world.tenant;
    const username = 'new@northwind-msp.example';
    await api.world.app.store.addUser(newUser(username, { tenantId }));
    await notify(ending, 'key 1');
    await work();
    expect(await chats()).toHaveLength(1);
  });

  test('are retried after a failure, with growing pauses, and the error is shown until a success', async () => {
    await add('slack');
    await answer('fail');
    await notify();
    await work();
    expect((await list())[0]).toMatchObject({
      delivered_at: null,
      failed_at: api.world.clock.now(),
      error: 'Slack has a problem (500). Tallybridge tries again.',
    });
    expect(await work()).toBe(0);
    expect(await chats()).toHaveLength(1);
    await api.world.advance(60);
    await work();
    expect(await chats()).toHaveLength(2);
    await answer('accept');
    await api.world.advance(119);
    expect(await work()).toBe(0);
    await api.world.advance(1);
    expect(await work()).toBe(1);
    expect((await list())[0]).toMatchObject({ delivered_at: api.world.clock.now(), error: null });
  });

  test('wait as long as the chat asks', async () => {
    await add('teams');
    await answer('throttle');
    await notify();
    await work();
    expect((await list())[0]).toMatchObject({
      error: 'Microsoft Teams limits messages (429). Tallybridge tries again.',
    });
    await answer('accept');
    await api.world.advance(119);
    expect(await work()).toBe(0);
    await api.world.advance(1);
    expect(await work()).toBe(1);
  });

  test('are dropped after the last try', async () => {
    await add('slack');
    await answer('fail');
    await notify();
    for (let tries = 0; tries < 12; tries += 1) {
      await work();
      await api.world.advance(3_600);
    }
    expect(await chats()).toHaveLength(8);
    expect((await list())[0]?.['error']).toBe('Slack has a problem (500). This message was dropped.');
    const { rows } = await asOwner(api.world.database.url, (client) =>
      client.query(`select content, ended_at is not null as ended from outbox where kind = 'chat'`),
    );
    expect(rows).toEqual([{ content: null, ended: true }]);
    await api.world.advance(31 * 86_400);
    await removeOld(api.world.app);
    const left = await asOwner(api.world.database.url, (client) => client.query('select 1 from outbox'));
    expect(left.rowCount).toBe(0);
  });

  test('are dropped at once when the chat rejects the address', async () => {
    await add('slack');
    await answer('gone');
    await notify();
    await work();
    await api.world.advance(86_400);
    expect(await work()).toBe(0);
    expect(await chats()).toHaveLength(1);
    expect((await list())[0]?.['error']).toBe(
      'Slack rejects this address (404). Remove it, create another webhook in Slack, and add its address. This message was dropped.',
    );
  });

  test('of a worker that died are sent again by another one, marked as a repetition', async () => {
    await add('slack');
    await notify();
    const { webhookSender } = api.world.app;
    const { store } = api.world.app;
    const { tenantId } = api.world.tenant;
    expect(await store.takeMessage(tenantId, api.world.clock.now())).not.toBeNull();
    expect(await work()).toBe(0);
    await api.world.advance(601);
    expect(await work()).toBe(1);
    expect(JSON.stringify(await chats())).toContain('you may have this message already');
    // The second worker dies too.
    await notify();
    await store.takeMessage(tenantId, api.world.clock.now());
    await api.world.advance(601);
    const post = () => Promise.reject(new Error('died'));
    const dying = { ...api.world.app, webhookSender: { ...webhookSender, post } };
    await expect(sendOutbox(dying, tenantId)).rejects.toThrow('died');
    await api.world.advance(601);
    expect(await work()).toBe(0);
    expect(await chats()).toHaveLength(1);
  });

  test('without a response from the chat are sent once more', async () => {
    await add('slack');
    const { webhookSender } = api.world.app;
    const bodies: string[] = [];
    const post: typeof webhookSender.post = (_address, body) => {
      bodies.push(body);
      return Promise.resolve({
        isDelivered: false,
        status: null,
        reason: 'late',
        waitMs: undefined,
        mayBePosted: true,
      });
    };
    const silent = { ...api.world.app, webhookSender: { ...webhookSender, post } };
    await notify();
    for (let tries = 0; tries < 5; tries += 1) {
      await sendOutbox(silent, api.world.tenant.tenantId);
      await api.world.advance(3_600);
    }
    expect(bodies.map((body) => body.includes('you may have this message already'))).toEqual([false, true]);
    expect((await list())[0]?.['error']).toBe('Slack did not answer (late). This message was dropped.');
  });

  test('of a client with a slow chat delay no other client', async () => {
    const { app } = api.world;
    const { tenantId } = api.world.tenant;
    const slow = Promise.withResolvers<undefined>();
    const post: typeof app.webhookSender.post = async (...sent) => {
      if (sent[0].includes('/slack/')) await slow.promise;
      return app.webhookSender.post(...sent);
    };
    await add('slack');
    for (let count = 0; count < 8; count += 1) await notify();
    const worker = startMessages({ ...app, webhookSender: { ...app.webhookSender, post } }, 'outbox');
    try {
      await eventually(async () => expect(await dueLanes(app, 10)).toEqual([tenantId]));
      const token = await api.signIn(people.other);
      const body = { kind: 'teams', name: 'Chat', address: addressOf('teams'), groups: ['month_signed'] };
      await api.call('POST', path, { token, body });
      const user = await app.store.findUser(people.other);
      await app.store
        .forTenant(user?.tenantId ?? '')
        .addNotices([{ notice: signed, at: api.world.clock.now(), roles: noticeRoles(signed.kind) }]);
      await eventually(async () => expect((await chats()).map(({ chat }) => chat)).toEqual(['teams']));
    } finally {
      slow.resolve(undefined);
      await worker.stop();
    }
  });

  test('disappear with their target', async () => {
    const id = await add('slack');
    await notify();
    await call('DELETE', `/${id}`);
    expect(await work()).toBe(0);
    expect(await chats()).toEqual([]);
  });

  test('can be tested', async () => {
    const id = await add('teams');
    expect((await call('POST', `/${id}/test`, {})).data).toEqual({ error: null });
    expect(JSON.stringify(await chats())).toContain('Test message');
    expect((await list())[0]).toMatchObject({ delivered_at: api.world.clock.now(), error: null });
    await answer('gone');
    const error =
      'Microsoft Teams rejects this address (404). Remove it, create another webhook in Microsoft Teams, and add its address.';
    expect((await call('POST', `/${id}/test`, {})).data).toEqual({ error });
    expect((await list())[0]).toMatchObject({ error });
  });

  test('wait for the answer to a test for three seconds', async () => {
    const { webhookSender } = api.world.app;
    const waits: unknown[] = [];
    const post: typeof webhookSender.post = (_address, _body, withinMs) => {
      waits.push(withinMs);
      return Promise.resolve({ isDelivered: true });
    };
    const principal = loggedIn(api.world, people.admin);
    await testChat(
      { ...api.world.app, webhookSender: { ...webhookSender, post } },
      api.world.tenant,
      principal,
      await add('slack'),
    );
    expect(waits).toEqual([3_000]);
  });
});
