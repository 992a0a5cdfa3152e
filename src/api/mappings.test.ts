import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newApi, people, type Answered } from '#test/support/api.ts';
import { mapping } from '#test/support/mappings.ts';

const api = await newApi();
const [admin, other] = await Promise.all([api.signIn(people.admin), api.signIn(people.other)]);
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

test('saves mappings by source, changes them by ID, filters them, and deletes them with a null target', async () => {
  const saved = await save([item('29', '21'), item('30', '22')]);
  expect(saved.data).toMatchObject({
    message: '2 mappings saved.',
    xrefs: [
      { target_value: '21', target_value_label: 'Remote Support' },
      { target_value: '22', target_value_label: 'Onsite Support' },
    ],
  });
  const [first] = await list('?namespace=ItemBilling&source_value=29');
  expect(first).toMatchObject({ namespace: 'ItemBilling', target_value: '21', source_value_label: 'code 29' });

  const changed = await save([item('29', '24', { id: String(first?.['id']) }), item('30', null)]);
  expect(changed.data).toMatchObject({ message: '1 mapping saved, 1 deleted.' });
  expect(await list()).toMatchObject([{ id: first?.['id'], source_value: '29', target_value: '24' }]);

  const deleted = await api.call('DELETE', `/api/my/xrefs/${String(first?.['id'])}`, { token: admin });
  expect(deleted.status).toBe(200);
  expect(await list()).toEqual([]);
});

test("another client's mapping appears not to exist and remains", async () => {
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

test('rejects a mapping between the wrong types of records and names the right ones', async () => {
  const answer = await save([item('1', '200', { source_entity: 'LineOfBusiness' })], admin, 'LineOfBusiness');
  expect([answer.status, answer.body?.['message']]).toEqual([
    400,
    'A LineOfBusiness mapping leads from LineOfBusiness to Class, not from LineOfBusiness to Item.',
  ]);
  expect(await list('?namespace=LineOfBusiness')).toEqual([]);
});

test('suggests targets for unmapped billing codes only', async () => {
  await save([item('29', null), item('30', '22')]);
  const answer = await api.call('GET', '/api/my/xrefs/suggest/ItemBilling', { token: admin });
  const suggested = answer.data['suggested_xrefs'] as unknown as JsonObject[];
  expect(suggested).toContainEqual({
    source_value: '29',
    target_value: '21',
    target_value_label: 'Remote Support',
    score: 95,
    reason: 'Same name',
  });
  expect(suggested.filter((one) => one['source_value'] === '30')).toEqual([]);
});

test('logs every change of mappings in the audit trail', async () => {
  await save([item('61', '24')]);
  const { data } = await api.call('GET', '/api/my/audit', { token: admin });
  expect(data['events']).toContainEqual(
    expect.objectContaining({
      action: 'mappings.saved',
      after: [{ source: 'code 61', target: 'Managed Workstation', sourceValue: '61', targetValue: '24' }],
    }),
  );
});

test('rejects invalid targets with an error per mapping and saves nothing', async () => {
  await api.world.quickbooks.put('Item', '999', {
    Id: '999',
    Name: 'Toner',
    FullyQualifiedName: 'Toner',
    Type: 'Category',
    Active: true,
  });
  const answer = await save([item('43', '21'), item('44', '999'), item('52', '31'), item('51', '4711')]);
  expect(answer.status).toBe(422);
  expect(answer.body?.['errors']).toEqual([
    {
      key: 'xrefs.1.target_value',
      error: '“Toner” is a category in QuickBooks, which cannot be used on a line. Choose an item.',
    },
    {
      key: 'xrefs.2.target_value',
      error: '“AP-620 Access point” has no income account in QuickBooks, so it cannot be sold.',
    },
    { key: 'xrefs.3.target_value', error: 'QuickBooks has no item with the id 4711.' },
  ]);
  expect(await list('?namespace=ItemBilling&source_value=43')).toEqual([]);
  const account = await save(
    [item('41', '1', { source_entity: 'ExpenseCategory', target_entity: 'Account' })],
    admin,
    'ExpenseCategoryBillable',
  );
  expect([account.status, account.body?.['message']]).toEqual([
    422,
    '“Service Income” is no expense account. Choose an active expense account. Nothing was saved.',
  ]);
});

test('a QuickBooks custom field holds one PSA field', async () => {
  const field = (source_value: string, target_value: string | null) =>
    item(source_value, target_value, {
      source_value_label: source_value,
      source_entity: 'Field',
      target_entity: 'CustomField',
    });
  const saveFields = (...xrefs: JsonObject[]) => save(xrefs, admin, 'SalesCustomField');
  const both = await saveFields(field('InvoiceNumber', '1'), field('OrderNumber', '1'));
  expect([both.status, both.body?.['message']]).toEqual([
    422,
    'One custom field cannot carry both “InvoiceNumber” and “OrderNumber”. Nothing was saved.',
  ]);
  expect((await saveFields(field('InvoiceNumber', '1'))).status).toBe(200);
  const second = await saveFields(field('OrderNumber', '1'));
  expect([second.status, second.body?.['errors']]).toEqual([
    422,
    [
      {
        key: 'xrefs.0.target_value',
        error: 'One custom field cannot carry both “InvoiceNumber” and “OrderNumber”.',
      },
    ],
  ]);
  // The other mapping released this field, so it is free.
  expect((await saveFields(field('OrderNumber', '1'), field('InvoiceNumber', null))).status).toBe(200);
  expect(await list('?namespace=SalesCustomField')).toMatchObject([{ source_value: 'OrderNumber', target_value: '1' }]);
  await saveFields(field('OrderNumber', null));
});

test('row 37: a request may contain each source once', async () => {
  const answer = await save([item('43', '21'), item('43', '22')]);
  expect([answer.status, answer.body?.['errors']]).toEqual([
    422,
    [{ key: 'xrefs.1.source_value', error: '“code 43” is named twice.' }],
  ]);
});

test('does not overwrite a mapping that another user changed, and names it', async () => {
  await save([item('43', '21')]);
  const late = await save([item('43', '22', { was: null })]);
  expect([late.status, late.body?.['error'], late.body?.['message']]).toEqual([
    409,
    'changed_meanwhile',
    '“code 43”: You, in another window, changed this to “Remote Support” after you opened it. Nothing was saved.',
  ]);
  expect((await save([item('43', '22', { was: '21' })])).status).toBe(200);
  // The answer of this call was lost, so the user saves the same again.
  expect((await save([item('43', '22', { was: '21' })])).status).toBe(200);
});

test('of parallel changes to a mapping, only the first succeeds', async () => {
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(['21', '22', '24'].map((target) => save([item('51', target, { was: null })])));
    const [first, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect([first?.status, ...others.map(({ status, body }) => [status, body?.['error']])]).toEqual([
      200,
      [409, 'changed_meanwhile'],
      [409, 'changed_meanwhile'],
    ]);
    const [winner] = (first?.data['xrefs'] ?? []) as unknown as JsonObject[];
    const current = await list('?namespace=ItemBilling&source_value=51');
    expect(current).toEqual([winner]);
    // One user edits a mapping that another user deletes; of two users who change it, only the first succeeds.
    const was = String(winner?.['target_value']);
    const next = was === '21' ? '22' : '21';
    const [one, two] = await Promise.all([
      save([item('51', next, { id: String(winner?.['id']), was })]),
      save([item('51', null, { id: String(winner?.['id']), was })]),
    ]);
    expect([one.status, two.status].toSorted()).toEqual([200, 409]);
    await save([item('51', null)]);
  }
  await save([item('51', '21')]);
  const [seen] = await list('?namespace=ItemBilling&source_value=51');
  await save([item('51', null)]);
  const late = await save([item('51', '22', { id: String(seen?.['id']), was: '21' })]);
  expect([late.status, late.body?.['message']]).toEqual([
    409,
    '“code 51”: You, in another window, changed this to “not mapped” after you opened it. Nothing was saved.',
  ]);
});

test('saves thousands of mappings as one change with one undo', async () => {
  const change = (changes: unknown, more: object = {}) =>
    api.call('POST', '/api/my/xrefs/ItemBilling/multiple', { token: admin, body: { changes, ...more } });
  const history = async () =>
    (await api.call('GET', '/api/my/mappings/ItemBilling/history', { token: admin })).data[
      'changes'
    ] as unknown as JsonObject[];
  const many = Array.from({ length: 6_000 }, (_, index) => [String(700_000 + index), '21', null]);
  const saved = await change(many);
  expect([saved.status, saved.data]).toEqual([200, { xrefs: [], message: '6,000 mappings saved.' }]);
  const [bulk] = await history();
  expect(bulk).toMatchObject({ records: 6_000, undoable: 6_000 });
  expect(bulk?.['after']).toHaveLength(1_000);
  // One mapping that is not what the user saw refuses the whole change.
  const late = await change([...many.slice(0, 2_000).map(([source]) => [source, '22', '21']), ['700001', '22', null]]);
  expect([late.status, (await history())[0]?.['id']]).toEqual([422, bulk?.['id']]);
  const stale = await change(many.map(([source], index) => [source, '22', index === 5_999 ? '24' : '21']));
  expect([stale.status, stale.body?.['error']]).toEqual([409, 'changed_meanwhile']);
  const all = await change(many.map(([source]) => [source, '22', '24']));
  expect([all.body?.['message'], Object.keys(all.body?.['errors'] ?? {}).length]).toEqual([
    expect.stringMatching(
      /^6,000 mappings were changed after you opened them: .* and 5,980 more\. Nothing was saved\.$/,
    ),
    100,
  ]);
  await change([['700003', '22', '21']]);
  const undone = await api.call('POST', '/api/my/mappings/ItemBilling/undo', {
    token: admin,
    body: { change: String(bulk?.['id']) },
  });
  expect(undone.data['message']).toBe('The change was undone. 1 mapping that was changed since stays as it is.');
  expect(
    (await list('?namespace=ItemBilling')).filter((one) => String(one['source_value']).startsWith('70')),
  ).toMatchObject([{ source_value: '700003', target_value: '22' }]);
  expect((await change(many, { xrefs: [] })).status).toBe(400);
  expect((await api.call('POST', '/api/my/xrefs/ItemBilling/multiple', { token: admin, body: {} })).status).toBe(400);
  await change([['700003', null, '22']]);
});

test("undoes a change once for parallel requests, and keeps another user's change", async () => {
  const changes = async () =>
    (await api.call('GET', '/api/my/mappings/ItemBilling/history', { token: admin })).data[
      'changes'
    ] as unknown as JsonObject[];
  const undo = async (change: unknown) =>
    api.call('POST', '/api/my/mappings/ItemBilling/undo', { token: admin, body: { change: String(change) } });
  await save([item('51', '21')]);
  await save([item('51', '22')]);
  const [newest] = await changes();
  const answers = await Promise.all([1, 2, 3].map(() => undo(newest?.['id'])));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  expect(await list('?namespace=ItemBilling&source_value=51')).toMatchObject([{ target_value: '21' }]);
  // A reverted change is in the history and cannot be reverted again.
  const [undone] = await changes();
  expect(undone).toMatchObject({ action: 'mappings.undone', after: [{ target: 'Remote Support' }] });
  expect((await undo(undone?.['id'])).body?.['error']).toBe('changed_meanwhile');
  await save([item('51', '24')]);
  const [third] = await changes();
  await save([item('43', '21')]);
  expect((await undo(third?.['id'])).data).toEqual({ message: 'The change was undone.' });
  expect(await list('?namespace=ItemBilling&source_value=51')).toMatchObject([{ target_value: '21' }]);
  expect(await list('?namespace=ItemBilling&source_value=43')).toMatchObject([{ target_value: '21' }]);
});

test('a dry run reports what would be saved and saves nothing', async () => {
  await save([item('44', null)]);
  const body = { xrefs: [item('44', '21')], dry_run: true };
  const answer = await api.call('POST', '/api/my/xrefs/ItemBilling/multiple', { token: admin, body });
  expect(answer.data).toEqual({ xrefs: [], message: '1 mapping saved.' });
  expect(await list('?namespace=ItemBilling&source_value=44')).toEqual([]);
});

test('the table shows every record with the state of its mapping', async () => {
  await save([item('61', '24')]);
  const table = async () =>
    (await api.call('GET', '/api/my/mappings/ItemBilling?refresh=true', { token: admin })).data as {
      rows: { source_value: string; label: string; state: string | null; state_text: string | null }[];
    };
  const row = async () => (await table()).rows.find((one) => one.source_value === '61');
  expect(await row()).toMatchObject({ label: 'Managed Workstation', state: 'ok', state_text: null });
  const found = await api.call('GET', '/api/my/mappings/ItemBilling/targets?q=work', { token: admin });
  expect(found.data).toEqual({ options: [{ value: '24', text: 'Managed Workstation', detail: null }], total: 1 });
  const first = await api.call('GET', '/api/my/mappings/ItemBilling/targets?limit=1', { token: admin });
  expect(first.data['options']).toHaveLength(1);
  expect(first.data['total']).toBeGreaterThan(1);
  await api.world.quickbooks.put('Item', '24', { Active: false });
  expect(await row()).toMatchObject({
    state: 'unusable',
    state_text: '“Managed Workstation” is inactive in QuickBooks.',
  });
  await api.world.quickbooks.put('Item', '24', { Active: true });
});

test('lists employees, suggests vendors for them, and maps them like companies', async () => {
  const read = async (path: string) => (await api.call('GET', path, { token: admin })).data;
  const rows = (await read('/api/my/mappings/Employee'))['rows'] as readonly JsonObject[];
  expect(rows).toContainEqual(
    expect.objectContaining({ source_value: '21', label: 'Betty Decker', is_active: true, xref: null }),
  );
  expect((await read('/api/my/xrefs/suggest/Employee'))['suggested_xrefs']).toContainEqual(
    expect.objectContaining({ source_value: '21', target_value: '91', target_value_label: 'v-Decker, Betty' }),
  );
  const xref = {
    source_entity: 'Resource',
    source_value: '21',
    source_value_label: 'Betty Decker',
    target_entity: 'Vendor',
    target_value: '91',
    target_value_label: null,
  };
  expect((await save([xref], admin, 'Employee')).status).toBe(200);
  expect(await list('?namespace=Employee')).toMatchObject([{ target_value_label: 'v-Decker, Betty' }]);
  expect((await read('/api/my/mappings/Employee/history'))['changes']).toMatchObject([
    { after: [{ source: 'Betty Decker', target: 'v-Decker, Betty' }] },
  ]);
});

test('flags companies that share a customer until a user confirms a mapping', async () => {
  const { store } = api.world;
  const to = (source: string) => ({ ...mapping('Customer', source, '59'), targetLabel: 'Birch Legal LLP' });
  await store.saveMappings([to('176'), to('179')]);
  const texts = async () => {
    const { data } = await api.call('GET', '/api/my/mappings/Customer?refresh=true', { token: admin });
    return (data['rows'] as readonly JsonObject[])
      .filter((row) => ['176', '179'].includes(String(row['source_value'])))
      .map((row) => row['state_text']);
  };
  expect(await texts()).toEqual(
    Array(2).fill(expect.stringMatching(/^2 companies post to this customer: .+176\).+179\)/)),
  );
  const saved = { source_entity: 'Company', source_value: '179', source_value_label: null, target_entity: 'Customer' };
  const xref = { ...saved, target_value: '59', target_value_label: null };
  expect((await save([xref], admin, 'Customer')).status).toBe(200);
  expect(await texts()).toEqual([null, null]);
});

test('the table shows each change at once despite caching', async () => {
  const targetOf = async (value: string) => {
    const { rows } = (await api.call('GET', '/api/my/mappings/ItemBilling', { token: admin })).data as {
      rows: { source_value: string; xref: { target_value: string } | null }[];
    };
    return rows.find((row) => row.source_value === value)?.xref?.target_value;
  };
  for (const target of ['21', '22', null, '21']) {
    await save([item('30', target)]);
    expect([await targetOf('30'), await targetOf('30')]).toEqual([target ?? undefined, target ?? undefined]);
  }
  const theirs = await api.call('GET', '/api/my/xrefs?namespace=ItemBilling', { token: other });
  expect(theirs.data['subscription_xrefs']).toEqual([]);
});

test('totals amounts by mapping target', async () => {
  const { data } = await api.call('GET', '/api/my/mappings/ItemBilling/usage', { token: admin });
  expect(data).toMatchObject({ days: 90, currency: 'USD' });
  expect(Object.keys(data['usage'] as object)).toContain('29');
});

test('undoes the last change once, and not after a newer change', async () => {
  await save([item('62', '21')]);
  await save([item('62', '22')]);
  const history = async () =>
    (await api.call('GET', '/api/my/mappings/ItemBilling/history', { token: admin })).data['changes'] as unknown as {
      id: string;
      username: string;
      before: unknown;
      after: unknown;
    }[];
  const [newest, older] = await history();
  expect(newest).toMatchObject({
    username: people.admin,
    before: [{ source: 'code 62', source_value: '62', target: 'Remote Support' }],
    after: [{ source: 'code 62', source_value: '62', target: 'Onsite Support' }],
  });
  const undo = (id: string) =>
    api.call('POST', '/api/my/mappings/ItemBilling/undo', { token: admin, body: { change: id } });
  expect((await undo(older?.id ?? '')).status).toBe(409);
  expect((await undo(newest?.id ?? '')).status).toBe(200);
  expect(await list('?namespace=ItemBilling&source_value=62')).toMatchObject([{ target_value: '21' }]);
  expect((await undo(newest?.id ?? '')).status).toBe(409);
});

test('expense reports are ready once each waiting category has an account', async () => {
  const missing = async () => {
    const { data } = await api.call('GET', '/api/my', { token: admin });
    const kinds = data['kinds'] as unknown as { kind: string; missing: { text: string }[] }[];
    return kinds.find(({ kind }) => kind === 'expense_report')?.missing.map(({ text }) => text);
  };
  const categories = (
    (await api.call('GET', '/api/my/mappings/ExpenseCategoryNonBillable', { token: admin })).data as {
      rows: { source_value: string; label: string }[];
    }
  ).rows;
  const map = async (kind: 'Billable' | 'NonBillable', label: string, account: string) =>
    save(
      [
        {
          ...item(categories.find((row) => row.label === label)?.source_value ?? '', account),
          source_entity: 'ExpenseCategory',
          target_entity: 'Account',
        },
      ],
      admin,
      `ExpenseCategory${kind}`,
    );
  expect(await missing()).toEqual(['Map expense categories to accounts.']);
  expect((await map('Billable', 'Travel', '11')).status).toBe(200);
  // One mapping is not enough: the other categories still wait, and each of their reports would fail.
  expect(await missing()).toEqual([
    'Map these expense categories to accounts: “Meals” (non-billable), “Mileage” (non-billable), “Toner” (non-billable) and 1 more.',
  ]);
  for (const label of ['Meals', 'Mileage', 'Travel']) await map('NonBillable', label, '12');
  expect(await missing()).toEqual(['Map these expense categories to accounts: “Toner” (non-billable).']);
  await map('NonBillable', 'Toner', '12');
  expect(await missing()).toEqual([]);
});

test('requires both connections to map', async () => {
  await api.call('PUT', '/api/my/qbo/disconnect/', { token: admin });
  expect((await save([item('29', '21')])).status).toBe(409);
});
