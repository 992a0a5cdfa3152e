import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hashCost } from '#flows/access/passwords.ts';
import { asOwner } from '#test/support/database.ts';
import { cookiesOf, newApi, password, people, tokenOf, type TestApi } from '#test/support/api.ts';

/** All requests come from one proxy; only the address that it adds identifies the caller. */

const logIn = (api: TestApi, from: string, wrong = false) =>
  api.call('POST', '/auth/login', {
    body: { username: people.admin, password: wrong ? 'wrong' : password },
    headers: { 'x-forwarded-for': from },
  });
const sessionAddresses = async (api: TestApi, token: string) =>
  ((await api.call('GET', '/api/my/sessions', { token })).data['sessions'] as { address: string }[]).map(
    ({ address }) => address,
  );
const countedFor = (api: TestApi) =>
  asOwner(api.world.database.url, async (client) => {
    const { rows } = await client.query<{ key: string }>(
      "select distinct key from sign_in_failures where key like 'at %' and key not like '% as %'",
    );
    return rows.map(({ key }) => key).toSorted();
  });

describe.each([
  ['by their number', 1, '203.0.113.7', '203.0.113.7'],
  ['by their network', ['127.0.0.0/8'], '203.0.113.7', '203.0.113.7'],
  ['as none', false, '203.0.113.7', '127.0.0.1'],
] as const)('behind proxies configured %s', (_how, trustProxy, from, expected) => {
  let api: TestApi;
  beforeAll(async () => void (api = await newApi({ server: { trustProxy } })));
  afterAll(() => api.close());

  test("limits, sessions, and the audit trail use the caller's address", async () => {
    const token = tokenOf(await logIn(api, from));
    expect(await sessionAddresses(api, token)).toEqual([expected]);
    await logIn(api, from, true);
    expect(await countedFor(api)).toEqual([`at ${expected}`]);
  });

  test('a caller cannot fake its address with a header', async () => {
    await asOwner(api.world.database.url, async (client) => void (await client.query('delete from sign_in_failures')));
    for (const forged of ['198.51.100.1', '198.51.100.2, 198.51.100.3']) await logIn(api, `${forged}, ${from}`, true);
    expect(await countedFor(api)).toEqual([`at ${expected}`]);
  });
});

const owner = { username: people.admin, password };

describe('callers behind a proxy', () => {
  let api: TestApi;
  beforeAll(async () => void (api = await newApi({ server: { trustProxy: 1, requestsPerMinute: { address: 150 } } })));
  afterAll(() => api.close());

  test('from one IPv6 network share every limit', async () => {
    const wrong = { username: people.admin, password: 'wrong' };
    const calls = [
      ['/auth/login', wrong],
      ['/auth/forgot-password', { email: people.admin }],
      ['/r1c/verify', { tenant_id: 'a', resource_id: '1' }],
      ['/register/validate-autotask-access', { api_user: 'a', api_secret: 'b' }],
      ['/auth/autotask/authorize', new URLSearchParams({ tenant_id: 'a', resource_id: '1', ...wrong }).toString()],
    ] as const;
    for (const [path, body] of calls)
      for (const from of ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '[2001:db8:1:2::7]:4711'])
        await api.call('POST', path, {
          body,
          headers: {
            'x-forwarded-for': from,
            ...(typeof body === 'string' && { 'content-type': 'application/x-www-form-urlencoded' }),
          },
        });
    const keys = await asOwner(api.world.database.url, async (client) => {
      const { rows } = await client.query<{ key: string }>(
        "select distinct key from sign_in_failures where key ~ 'at '",
      );
      return rows.map(({ key }) => key);
    });
    expect(keys.filter((key) => key.includes('2001:db8')).length).toBeGreaterThanOrEqual(4);
    for (const key of keys) expect(key).toMatch(/at 2001:db8:1:(2::\/64|0::\/56)( |$)/);
    const status = async (from: string) =>
      (await api.call('GET', '/healthz', { headers: { 'x-forwarded-for': from } })).status;
    for (let host = 1; host <= 150; host += 1) await status(`2001:db8:9:9::${host.toString(16)}`);
    expect([await status('2001:db8:9:9:ffff::1'), await status('2001:db8:9:8::1')]).toEqual([429, 200]);
  });

  test('from one IPv6 /56 share limits, with other networks of it', async () => {
    const login = (network: number) =>
      api.call('POST', '/auth/login', {
        body: { username: people.other, password: 'wrong' },
        headers: { 'x-forwarded-for': `2001:db8:7:${network.toString(16)}::1` },
      });
    for (let network = 0; network < 40; network += 1) expect((await login(network)).status).toBe(401);
    expect([(await login(40)).status, (await login(256)).status]).toEqual([429, 401]);
  });

  test('logins from 80 addresses wait behind a known browser, and the excess gets 503 with a retry time', async () => {
    // As in the product, so that many logins wait for their hashes.
    const quick = { ...hashCost };
    Object.assign(hashCost, { memory: 19_456, passes: 2 });
    onTestFinished(() => void Object.assign(hashCost, quick));
    const browser = { 'sec-fetch-site': 'same-origin' };
    const known = cookiesOf(await api.call('POST', '/auth/login', { body: owner, headers: browser }));
    let answered = 0;
    const unknownLogins = Array.from({ length: 80 }, async (_, index) => {
      const answer = await api.call('POST', '/auth/login', {
        body: { username: `unknown-${index}@example.com`, password },
        headers: { 'x-forwarded-for': `198.51.100.${index}` },
      });
      answered += Number(answer.status === 401);
      return answer;
    });
    // Some callers wait for a hash, so other callers have been rejected.
    await Promise.any(unknownLogins.map(async (one) => expect((await one).status).toBe(503)));
    const login = await api.call('POST', '/auth/login', { body: owner, headers: { ...browser, cookie: known } });
    expect(login.status).toBe(200);
    const servedBefore = answered;
    const answers = await Promise.all(unknownLogins);
    expect(servedBefore, 'the owner logged in first').toBeLessThan(answered);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
    const busy = answers.filter(({ status }) => status === 503);
    for (const { body, headers } of busy) {
      expect(body).toMatchObject({ success: false, error: 'too_busy' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // A login that was never checked does not count against an account.
    const counted = await asOwner(api.world.database.url, async (client) => {
      const { rows } = await client.query<{ count: string }>(
        "select count(distinct key) from sign_in_failures where key like 'as unknown-%'",
      );
      return Number(rows[0]?.count);
    });
    expect(counted).toBe(80 - busy.length);
  });
});
