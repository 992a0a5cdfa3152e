import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxProgramJobs } from '#core/api-key.ts';
import { routes } from '#contract/routes.ts';
import type { RouteDefinition } from '#contract/define.ts';
import { newApi, people, type Answered, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let admin: string;
beforeAll(async () => {
  api = await newApi();
  admin = await api.signIn(people.admin);
});
afterAll(() => api.close());

const keys = (method: string, path = '', body?: unknown, token = admin): Promise<Answered> =>
  api.call(method, `/api/my/api-keys${path}`, { token, ...(body === undefined ? {} : { body }) });

interface Created {
  readonly id: string;
  readonly secret: string;
}

async function create(scope: 'read' | 'sync', days = 30, name = 'Nightly report'): Promise<Created> {
  const { status, data } = await keys('POST', '', { name, scope, days });
  expect(status).toBe(200);
  const { id } = data['key'] as { id: string };
  return { id, secret: String(data['secret']) };
}

describe('an API key', () => {
  test('is shown once; the list and the database do not have it', async () => {
    const { id, secret } = await create('read');
    expect(secret).toMatch(/^tbk_[\w-]{43}$/);
    const { data } = await keys('GET');
    expect((data['keys'] as { id: string }[]).find((key) => key.id === id)).toMatchObject({
      name: 'Nightly report',
      scope: 'read',
      created_by: people.admin,
      owner: { username: people.admin, is_active: true },
      is_expired: false,
    });
    expect(JSON.stringify(data)).not.toContain(secret);
    expect(JSON.stringify(await api.world.store.listApiKeys())).not.toContain(secret);
  });

  test('reads what its scope allows, and its use is recorded', async () => {
    const { id, secret } = await create('read');
    for (const path of ['/api/my', '/api/my/jobs', '/api/my/runs', '/api/my/logs', '/api/my/closes', '/api/my/money'])
      expect([path, (await api.call('GET', path, { token: secret })).status]).toEqual([path, 200]);
    const { data } = await keys('GET');
    const used = (data['keys'] as { id: string; last_used_at: string }[]).find((key) => key.id === id);
    expect(used?.last_used_at).toMatch(/^2025-03-03T15:0/);
  });

  test.each([
    ['GET', '/api/my/users'],
    ['GET', '/api/my/api-keys'],
    ['GET', '/api/my/sessions'],
    ['GET', '/auth/account'],
    ['GET', '/api/my/settings'],
    ['POST', '/api/my/api-keys'],
    ['POST', '/auth/logout'],
  ])('is rejected by %s %s', async (method, path) => {
    const { secret } = await create('sync');
    const answer = await api.call(method, path, {
      token: secret,
      ...(method === 'POST' ? { body: { name: 'More', scope: 'sync', days: 300 } } : {}),
    });
    expect(answer).toMatchObject({ status: 403, body: { message: expect.stringMatching(/does not accept API keys/) } });
  });

  test('lists what would be synced and the mappings with the scope for syncs, and the proof of any month', async () => {
    const [reads, syncs] = [await create('read'), await create('sync')];
    const statusOf = async (path: string, { secret }: Created) =>
      (await api.call('GET', path, { token: secret })).status;
    for (const path of [
      '/api/my/invoices/sync/eligible',
      '/api/my/invoices/sync/under-way',
      '/api/my/xrefs',
      '/api/my/mappings',
      '/api/my/mappings/ItemBilling',
    ])
      expect([path, await statusOf(path, reads), await statusOf(path, syncs)]).toEqual([path, 403, 200]);
    const body = { ids: [48_213] };
    const described = await api.call('POST', '/api/my/invoices/sync/describe', { token: syncs.secret, body });
    expect(described.status).toBe(200);
    for (const month of ['2025-02', '2024-07'])
      expect([month, await statusOf(`/api/my/closes/${month}`, reads)]).toEqual([month, 200]);
  });

  test('is named with its scope in the reference of each call', async () => {
    const { text } = await api.call('GET', '/api/docs');
    const partOf = (id: string) => new RegExp(`<details id="${id}">.*\\n<p>([^\\n]*)</p>`).exec(text)?.[1];
    expect(partOf('listEligible')).toBe('Needs a session, or an API key with the scope <code>sync</code>.');
    expect(partOf('readClose')).toBe('Needs a session, or an API key with the scope <code>read</code>.');
    expect(partOf('createApiKey')).toBe('Needs a session.');
  });

  test('starts a sync only with the scope for it, and the job and the audit trail name the key', async () => {
    const [reads, syncs] = [await create('read'), await create('sync', 30, 'Billing run')];
    const submit = (token: string) =>
      api.call('POST', '/api/my/invoices/sync/submit', { token, body: { invoice_ids: [48_213], mode: 'test' } });
    expect(await submit(reads.secret)).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/scope “sync”/) },
    });
    const { status, data } = await submit(syncs.secret);
    expect(status).toBe(200);
    const { id } = data['job'] as { id: string };
    expect((await api.world.store.readJob(id))?.submittedBy).toEqual({ username: 'API key “Billing run”' });
  });

  test('starts a limited number of syncs at once, and users of the client do not wait for it', async () => {
    await api.world.work();
    const flood = await create('sync', 30, 'Flood');
    const submit = (id: number, token = flood.secret) =>
      api.call('POST', '/api/my/invoices/sync/submit', { token, body: { invoice_ids: [id], mode: 'test' } });
    const calls = Array.from({ length: 200 }, (_, n) => submit(50_000 + n));
    const startedAt = performance.now();
    expect((await api.call('GET', '/api/my', { token: admin })).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(maxProgramJobs.ofKey);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(200 - maxProgramJobs.ofKey);
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
      message: '20 syncs of this API key wait or run. Wait until one of them ends, or send more documents in one call.',
    });
    expect((await submit(60_000, admin)).status).toBe(200);
    await api.world.work();
    expect((await submit(60_001)).status).toBe(200);
  });

  test('stops working when it is revoked, and when it expires', async () => {
    const [revoked, expiring] = [await create('read'), await create('read', 1)];
    const statusOf = async ({ secret }: Created) => (await api.call('GET', '/api/my', { token: secret })).status;
    expect(await statusOf(revoked)).toBe(200);
    expect((await keys('DELETE', `/${revoked.id}`)).status).toBe(200);
    expect(await statusOf(revoked)).toBe(401);
    expect((await keys('DELETE', `/${revoked.id}`)).status).toBe(404);
    await api.world.advance(86_400 - 1);
    expect(await statusOf(expiring)).toBe(200);
    await api.world.advance(1);
    expect(await statusOf(expiring)).toBe(401);
    admin = await api.signIn(people.admin);
    const { data } = await keys('GET');
    expect(
      (data['keys'] as { id: string; is_expired: boolean }[]).find(({ id }) => id === expiring.id)?.is_expired,
    ).toBe(true);
  });

  test('is limited in number', async () => {
    const { data } = await keys('GET');
    const free = 20 - (data['keys'] as unknown[]).length;
    const answers = await Promise.all(
      Array.from({ length: free + 2 }, () => keys('POST', '', { name: 'Many', scope: 'read', days: 1 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(free);
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({
      status: 409,
      body: { message: 'A client has at most 20 API keys. Revoke one first.' },
    });
  });

  test('can only be used for calls of a client that are not about users, sessions or settings', () => {
    const accepting = Object.entries(routes as Record<string, RouteDefinition>).filter(
      ([, { apiKey }]) => apiKey !== undefined,
    );
    for (const [name, { path, client, apiKey, method }] of accepting) {
      expect([name, client]).not.toEqual([name, undefined]);
      expect(path).toMatch(/^\/api\/my(?!\/(users|sessions|api-keys|settings|item_settings)\b)/);
      if (method !== 'GET') expect([name, apiKey]).toEqual([name, 'sync']);
    }
    expect(accepting.length).toBeGreaterThan(10);
  });
});
