import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newApi, people, type Answered, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let admin: string;
let other: string;
beforeAll(async () => {
  api = await newApi();
  [admin, other] = await Promise.all([api.signIn(people.admin), api.signIn(people.other)]);
});
afterAll(() => api.close());

const item = (source_value: string, target_value: string | null, more: JsonObject = {}) => ({
  source_entity: 'BillingCode',
  source_value,
  source_value_label: `code ${source_value}`,
  target_entity: 'Item',
  target_value,
  target_value_label: target_value === null ? null : `item ${target_value}`,
  ...more,
});
const save = (xrefs: readonly JsonObject[], token = admin, namespace = 'ItemBilling'): Promise<Answered> =>
  api.call('POST', `/api/my/xrefs/${namespace}/multiple`, { token, body: { xrefs } });
const list = async (query = '', token = admin): Promise<JsonObject[]> =>
  (await api.call('GET', `/api/my/xrefs${query}`, { token })).data['subscription_xrefs'] as unknown as JsonObject[];

test('mappings are saved by source, changed by id, narrowed, and deleted by a null target', async () => {
  const saved = await save([item('29', '21'), item('30', '22')]);
  expect(saved.data).toMatchObject({
    message: '2 mappings saved.',
    xrefs: [{ target_value: '21' }, { target_value: '22' }],
  });
  const [first] = await list('?namespace=ItemBilling&source_value=29');
  expect(first).toMatchObject({ namespace: 'ItemBilling', target_value: '21', source_value_label: 'code 29' });

  const changed = await save([item('29', '24', { id: String(first?.['id']) }), item('30', null)]);
  expect(changed.data).toMatchObject({ message: '1 mapping saved, 1 deleted.' });
  expect(await list()).toMatchObject([{ id: first?.['id'], source_value: '29', target_value: '24' }]);

  const gone = await api.call('DELETE', `/api/my/xrefs/${String(first?.['id'])}`, { token: admin });
  expect(gone.status).toBe(200);
  expect(await list()).toEqual([]);
});

test('another client’s mapping is answered as one that does not exist, and stays', async () => {
  await save([item('29', '21')]);
  const [mine] = await list();
  const id = String(mine?.['id']);
  const unknown = await api.call('DELETE', '/api/my/xrefs/00000000-0000-4000-8000-000000000000', { token: other });
  for (const answer of [
    await api.call('DELETE', `/api/my/xrefs/${id}`, { token: other }),
    await save([item('29', '22', { id })], other),
    await save([item('29', null, { id })], other),
  ]) {
    expect([answer.status, answer.body]).toEqual([404, unknown.body]);
  }
  expect(await list('', other)).toEqual([]);
  expect(await list()).toEqual([mine]);
});

test('a mapping between the wrong kinds of records saves nothing and says which are right', async () => {
  const answer = await save([item('1', '200', { source_entity: 'LineOfBusiness' })], admin, 'LineOfBusiness');
  expect([answer.status, answer.body?.['message']]).toEqual([
    400,
    'A LineOfBusiness mapping leads from LineOfBusiness to Class, not from LineOfBusiness to Item.',
  ]);
  expect(await list('?namespace=LineOfBusiness')).toEqual([]);
});

test('unmapped billing codes get a suggestion, mapped ones get none', async () => {
  await save([item('29', null), item('30', '22')]);
  const answer = await api.call('GET', '/api/my/xrefs/suggest/ItemBilling', { token: admin });
  const suggested = answer.data['suggested_xrefs'] as unknown as JsonObject[];
  expect(suggested).toContainEqual({
    source_value: '29',
    target_value: '21',
    target_value_label: 'Remote Support',
    score: 95,
  });
  expect(suggested.filter((one) => one['source_value'] === '30')).toEqual([]);
});

test('every change of mappings stands in the audit trail', async () => {
  await save([item('61', '24')]);
  const { data } = await api.call('GET', '/api/my/audit', { token: admin });
  expect(data['events']).toContainEqual(
    expect.objectContaining({ action: 'mappings.saved', after: [{ source: 'code 61', target: 'item 24' }] }),
  );
});
