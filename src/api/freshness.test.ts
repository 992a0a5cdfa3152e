import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newApi, people } from '#test/support/api.ts';

/** A refresh on one screen also updates the data that other screens and checks use. */

const api = await newApi();
const token = await api.signIn(people.admin);
afterAll(() => api.close());

const get = async (path: string): Promise<JsonObject> => (await api.call('GET', path, { token })).data;

const setProcurement = (isOn: boolean) => api.world.autotask.behave({ module_procurement: isOn });

const orders = async (query = '') => {
  const { kinds } = (await get(`/api/my${query}`)) as unknown as {
    kinds: readonly { kind: string; missing: readonly { text: string }[] }[];
  };
  return kinds.find(({ kind }) => kind === 'purchase_order')?.missing.map(({ text }) => text) ?? [];
};
const needed = 'Enable Procurement in Autotask.';

test('shows disabled Procurement after a refresh of the subscription or modules, or after five minutes', async () => {
  expect(await orders()).not.toContain(needed);
  await setProcurement(false);
  expect(await orders()).not.toContain(needed);
  expect(await orders('?refresh=true')).toContain(needed);
  expect(await get('/api/my/autotask/modules')).toMatchObject({ modules: { procurement: false } });

  await setProcurement(true);
  expect(await get('/api/my/autotask/modules?refresh=true')).toMatchObject({ modules: { procurement: true } });
  expect(await orders()).not.toContain(needed);

  await setProcurement(false);
  api.world.clock.advance(301);
  expect(await orders()).toContain(needed);
  await setProcurement(true);
  expect(await orders('?refresh=true')).not.toContain(needed);
});

const lines = async (query = '') =>
  ((await get(`/api/my/autotask/lines-of-business${query}`))['lines_of_business'] as readonly JsonObject[]).map(
    (line) => line['fullyQualifiedName'],
  );

test('shows a renamed line of business in every list after a refresh on any screen', async () => {
  const rename = (name: string) => api.world.autotask.put('OrganizationalLevel2s', 1, { name });
  const rows = async () =>
    ((await get('/api/my/mappings/LineOfBusiness'))['rows'] as readonly JsonObject[]).map(({ label }) => label);
  const [before] = (await lines()).filter((name) => name === 'Hardware');
  expect([before, await rows()]).toEqual(['Hardware', expect.arrayContaining(['Hardware'])]);
  await rename('Hardware shop');
  expect(await lines()).toContain('Hardware');
  expect(await lines('?refresh=true')).toContain('Hardware shop');
  expect(await rows()).toContain('Hardware shop');
  await rename('Hardware store');
  await get('/api/my/mappings/LineOfBusiness?refresh=true');
  expect(await lines()).toContain('Hardware store');
  await rename('Hardware');
  await get('/api/my/qbo?refresh=true');
  expect(await lines()).toContain('Hardware');
});

test('counts an expense category of a waiting report after a refresh', async () => {
  const waits = async (query = '') => {
    const { kinds } = (await get(`/api/my${query}`)) as unknown as {
      kinds: readonly { kind: string; missing: readonly { text: string }[] }[];
    };
    return kinds.find(({ kind }) => kind === 'expense_report')?.missing.map(({ text }) => text) ?? [];
  };
  const { rows } = (await get('/api/my/mappings/ExpenseCategoryNonBillable')) as unknown as {
    rows: readonly { source_value: string; label: string }[];
  };
  const xrefs = (label: string) => ({
    xrefs: [
      {
        source_entity: 'ExpenseCategory',
        source_value: rows.find((row) => row.label === label)?.source_value ?? '',
        source_value_label: label,
        target_entity: 'Account',
        target_value: '12',
        target_value_label: 'Meals',
      },
    ],
  });
  for (const label of rows.map((row) => row.label))
    await api.call('POST', '/api/my/xrefs/ExpenseCategoryNonBillable/multiple', { token, body: xrefs(label) });
  const before = await waits();
  expect(before).toHaveLength(1);
  const item = (await api.world.autotask.list('ExpenseItems')).find(
    (one) => one['isBillableToCompany'] === true && one['isReimbursable'] !== false,
  );
  const id = Number(item?.['id']);
  await api.world.autotask.put('ExpenseItems', id, { isBillableToCompany: false });
  for (const one of await api.world.autotask.list('ExpenseItems'))
    if (one['isBillableToCompany'] === true)
      await api.world.autotask.put('ExpenseItems', Number(one['id']), { isBillableToCompany: false });
  expect(await waits()).toEqual(before);
  expect(await waits('?refresh=true')).toEqual([]);
});
