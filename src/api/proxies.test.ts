import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asOwner } from '#test/support/database.ts';
import { newApi, password, people, tokenOf, type TestApi } from '#test/support/api.ts';

/** Everything arrives from one proxy; who is behind it is told apart by what it adds, and by nothing else. */

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
  ['as many as are counted', 1, '203.0.113.7', '203.0.113.7'],
  ['by their network', ['127.0.0.0/8'], '203.0.113.7', '203.0.113.7'],
  ['without any', false, '203.0.113.7', '127.0.0.1'],
] as const)('behind proxies that are known %s', (_how, trustProxy, from, expected) => {
  let api: TestApi;
  beforeAll(async () => void (api = await newApi({ server: { trustProxy } })));
  afterAll(() => api.close());

  test('limits, sessions and the trail name the caller', async () => {
    const token = tokenOf(await logIn(api, from));
    expect(await sessionAddresses(api, token)).toEqual([expected]);
    await logIn(api, from, true);
    expect(await countedFor(api)).toEqual([`at ${expected}`]);
  });

  test('a caller does not choose an address by writing one first', async () => {
    await asOwner(api.world.database.url, async (client) => void (await client.query('delete from sign_in_failures')));
    for (const made of ['198.51.100.1', '198.51.100.2, 198.51.100.3']) await logIn(api, `${made}, ${from}`, true);
    expect(await countedFor(api)).toEqual([`at ${expected}`]);
  });
});
