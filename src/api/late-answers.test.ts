import { afterAll, expect, test } from 'vitest';
import { newApi, people } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';

const api = await newApi({ server: { patienceMs: 300 } });
const token = await api.signIn(people.admin);
afterAll(() => api.close());

test('a response with stored data has the header until the new data arrived', async () => {
  const ask = async (refresh = '') => {
    const path = `/api/my/mappings/ItemBilling${refresh}`;
    const { status, headers, data } = await api.call('GET', path, { token });
    return { status, isStillReading: headers.get('still-reading') === 'yes', items: data['target_count'] };
  };
  const answered = async () => {
    const answer = await eventually(async () => {
      const one = await ask();
      // If the first read does not finish in time, there is no cached data to return.
      expect(one.isStillReading).toBe(false);
      return one;
    });
    expect(answer.status).toBe(200);
    return answer;
  };
  const { items } = await answered();
  await api.world.quickbooks.fault({ match: {}, action: { delay_ms: 3_000 } });
  await api.world.quickbooks.put('Item', '21', { Active: false });
  // A busy machine may need longer than the rest of the wait to read stored data. Then the user tries again.
  await eventually(async () =>
    expect(await ask('?refresh=true')).toEqual({ status: 200, isStillReading: true, items }),
  );
  expect(await answered()).toMatchObject({ items: Number(items) - 1 });
});

test('a slow search returns 503 with the header, and its result on retry', async () => {
  const body = { query: { filter: [{ field: 'id', op: 'gt', value: 48_200 }] } };
  const search = () => api.call('POST', '/api/my/autotask/Invoices/query', { token, body });
  await api.world.autotask.fault({ match: { path: '/Invoices/query' }, times: 1, action: { delay_ms: 1_500 } });
  const refused = await search();
  expect([refused.status, refused.headers.get('still-reading')]).toEqual([503, 'yes']);
  await eventually(async () => expect((await search()).status).toBe(200));
});
