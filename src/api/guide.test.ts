import { afterAll, expect, test } from 'vitest';
import { newApi, people } from '#test/support/api.ts';

const api = await newApi();
afterAll(() => api.close());

test('the setup is new for a client, and is closed and opened for all its users', async () => {
  const token = await api.signIn(people.admin);
  const guide = async () => (await api.call('GET', '/api/my', { token })).data['guide'];
  expect(await guide()).toBe('new');
  for (const state of ['closed', 'open']) {
    const answer = await api.call('PUT', '/api/my/guide', { token, body: { guide: state } });
    expect([answer.status, answer.data]).toEqual([200, { guide: state }]);
    expect(await guide()).toBe(state);
  }
  const refused = await api.call('PUT', '/api/my/guide', { token, body: { guide: 'new' } });
  expect(refused.status).toBe(400);
});
