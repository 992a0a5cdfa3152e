import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { newApi, password, people, type Answered, type TestApi } from '#test/support/api.ts';

/** Two users of the same client, who opened each form before either of them saved it. */
let api: TestApi;
const tokens = { ann: '', ben: '' };
const ann = 'ann@northwind-msp.example';
beforeAll(async () => {
  api = await newApi();
  const passwordHash = await hashPassword(password);
  const tenantId = api.world.tenant.tenantId;
  await api.world.app.store.addUser({ username: ann, passwordHash, roles: ['clientadmin'], tenantId, isActive: true });
  [tokens.ann, tokens.ben] = await Promise.all([api.signIn(ann), api.signIn(people.admin)]);
});
afterAll(() => api.close());

const as = (who: keyof typeof tokens, method: string, path: string, body?: object): Promise<Answered> =>
  api.call(method, path, { token: tokens[who], ...(body !== undefined && { body }) });
const get = async (path: string): Promise<JsonObject> => (await as('ann', 'GET', path)).data;
const outcome = ({ status, body }: Answered) => [status, body?.['error'] ?? null, body?.['message'] ?? null];

/** A form with two fields: how it is read, and how fields are saved with the values that the user saw. */
interface TestedForm {
  readonly read: () => Promise<JsonObject>;
  readonly save: (who: keyof typeof tokens, changes: object, was?: object) => Promise<Answered>;
  /** Field, first value, and the values that Ann and Ben want. */
  readonly field: readonly [string, unknown, unknown, unknown];
  /** A field that only Ben edits, and its new value. */
  readonly other: readonly [string, unknown, unknown];
  /** Name of the field and Ann's value, for people. */
  readonly text: readonly [string, string];
}

let chat = '';
let endpoint = '';
const forms: Readonly<Record<string, TestedForm>> = {
  Settings: {
    read: async () => (await get('/api/my/settings'))['settings'] as JsonObject,
    save: (who, changes, was) => as(who, 'POST', '/api/my/settings/', { ...changes, ...(was && { was }) }),
    field: ['inv_max_age_days', 14, 20, 30],
    other: ['inv_group_invoice_lines', false, true],
    text: ['Invoice max age', '20'],
  },
  'Item Settings': {
    read: async () => (await get('/api/my/item-settings'))['item_settings'] as JsonObject,
    save: (who, changes, was) => as(who, 'POST', '/api/my/item-settings/', { ...changes, ...(was && { was }) }),
    field: ['labor', 'billing_code', 'role', 'fixed'],
    other: ['charge', 'billing_code', 'product'],
    text: ['Labour', 'Role'],
  },
  Chat: {
    read: async () => ((await get('/api/my/webhooks'))['webhooks'] as unknown as JsonObject[])[0] ?? {},
    save: (who, changes, was) => as(who, 'PUT', `/api/my/webhooks/${chat}`, { ...changes, ...(was && { was }) }),
    field: ['name', 'Sales', 'Finance', 'Support'],
    other: ['groups', ['failed_documents'], ['failed_documents', 'sync_paused']],
    text: ['Name', 'Finance'],
  },
};

beforeAll(async () => {
  const added = await as('ann', 'POST', '/api/my/webhooks', {
    kind: 'slack',
    name: 'Sales',
    address: 'https://hooks.slack.com/services/T0/B0/one',
    groups: ['failed_documents'],
  });
  chat = String(added.data['id']);
  const made = await as('ann', 'POST', '/api/my/webhook-endpoints', {
    address: 'https://erp.example.com/events',
    events: ['document.posted'],
  });
  endpoint = String((made.data['endpoint'] as JsonObject | undefined)?.['id']);
});

describe.each(Object.entries(forms))('%s', (_name, { read, save, field, other, text }) => {
  const [key, first, anns, bens] = field;
  const [otherKey, otherFirst, otherNew] = other;
  const reset = () => save('ann', { [key]: first, [otherKey]: otherFirst });

  test.each([
    ['Ann first', 'ann', 'ben'],
    ['Ben first', 'ben', 'ann'],
  ] as const)('keeps both users’ changes of different fields: %s', async (_order, one, two) => {
    await reset();
    const saves = {
      ann: () => save('ann', { [key]: anns }, { [key]: first }),
      ben: () => save('ben', { [otherKey]: otherNew }, { [otherKey]: otherFirst }),
    };
    expect([(await saves[one]()).status, (await saves[two]()).status]).toEqual([200, 200]);
    expect(await read()).toMatchObject({ [key]: anns, [otherKey]: otherNew });
  });

  test('refuses the second change of the same field, names it, and saves nothing', async () => {
    await reset();
    expect((await save('ann', { [key]: anns }, { [key]: first })).status).toBe(200);
    const late = await save('ben', { [key]: bens, [otherKey]: otherNew }, { [key]: first, [otherKey]: otherFirst });
    const error = `${ann} changed this to “${text[1]}” after you opened it.`;
    expect(outcome(late)).toEqual([409, 'changed_meanwhile', `“${text[0]}”: ${error} Nothing was saved.`]);
    expect(late.body?.['errors']).toEqual([{ key, error }]);
    expect(await read()).toMatchObject({ [key]: anns, [otherKey]: otherFirst });
    // Ben overwrites after having seen it.
    expect((await save('ben', { [key]: bens }, { [key]: anns })).status).toBe(200);
    expect(await read()).toMatchObject({ [key]: bens });
  });

  test('accepts the same value from both, one winner of parallel saves, and programs without expected values', async () => {
    await reset();
    await save('ann', { [key]: anns }, { [key]: first });
    expect((await save('ben', { [key]: anns }, { [key]: first })).status).toBe(200);
    await reset();
    const both = await Promise.all([
      save('ann', { [key]: anns }, { [key]: first }),
      save('ben', { [key]: bens }, { [key]: first }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await save('ben', { [key]: first })).status).toBe(200);
    expect(await read()).toMatchObject({ [key]: first });
  });

  test('parallel saves of different fields lose nothing', async () => {
    await reset();
    await Promise.all([save('ann', { [key]: anns }), save('ben', { [otherKey]: otherNew })]);
    expect(await read()).toMatchObject({ [key]: anns, [otherKey]: otherNew });
  });
});

test('a setting that an edit relies on is checked as well', async () => {
  const settings = (who: 'ann' | 'ben', body: object) => as(who, 'POST', '/api/my/settings/', body);
  await settings('ann', { require_approval: true });
  await settings('ann', { require_approval: false, was: { require_approval: true } });
  const late = await settings('ben', { po_sync_active: true, was: { po_sync_active: false, require_approval: true } });
  expect([late.status, late.body?.['errors']]).toEqual([
    409,
    [{ key: 'require_approval', error: `${ann} changed this to “Off” after you opened it.` }],
  ]);
  expect(await forms['Settings']?.read()).toMatchObject({ po_sync_active: false });
});

test.each([
  ['settings', { inv_max_age_days: 14 }, { inv_max_age_days: 33 }],
  ['item-settings', { service: 'item_name' }, { service: 'fixed' }],
])('Restore Defaults of %s does not revert what the user did not see', async (path, seen, changed) => {
  await as('ben', 'POST', `/api/my/${path}/`, seen);
  await as('ann', 'POST', `/api/my/${path}/`, changed);
  const late = await as('ben', 'POST', `/api/my/${path}/reset`, { was: seen });
  expect([late.status, late.body?.['error']]).toEqual([409, 'changed_meanwhile']);
  expect((await as('ben', 'POST', `/api/my/${path}/reset`, { was: changed })).status).toBe(200);
  expect((await as('ben', 'POST', `/api/my/${path}/reset`)).status).toBe(200);
});

test('the time zone, an own notice and a client’s status are checked', async () => {
  const { time_zone: zone } = await get('/api/my/time-zone');
  const set = (time_zone: string, was: unknown) => as('ben', 'PUT', '/api/my/time-zone', { time_zone, was });
  expect((await set('Europe/Paris', zone)).status).toBe(200);
  const late = await set('UTC', zone);
  expect(outcome(late)).toEqual([
    409,
    'changed_meanwhile',
    '“Time zone”: You, in another window, changed this to “Europe/Paris” after you opened it. Nothing was saved.',
  ]);

  const notice = (channel: string, was: string) =>
    as('ann', 'PUT', '/api/my/notice-preferences', { channels: { approval: channel }, was: { approval: was } });
  expect([(await notice('email', 'app')).status, (await notice('digest', 'app')).status]).toEqual([200, 409]);
  const [digest, channel] = await Promise.all([
    as('ann', 'PUT', '/api/my/notice-preferences', { digest_hour: 5 }),
    as('ann', 'PUT', '/api/my/notice-preferences', { channels: { expiring: 'email' } }),
  ]);
  expect([digest.status, channel.status]).toEqual([200, 200]);
  const saved = await get('/api/my/notice-preferences');
  expect(saved['digest_hour']).toBe(5);
  expect(saved['preferences']).toContainEqual({ group: 'expiring', channel: 'email' });

  const sysadmin = await api.signIn(people.sysadmin);
  const change = (status: string, was: string) =>
    api.call('PUT', `/api/clients/${api.otherTenantId}/status`, {
      token: sysadmin,
      body: { status, reason: 'Not paid.', was: { status: was } },
    });
  expect((await change('cancelled', 'pending')).status).toBe(200);
  expect((await change('suspended', 'pending')).status).toBe(409);
});

test('an endpoint keeps another user’s events, and its secret is rotated once', async () => {
  const change = (who: 'ann' | 'ben', events: string[], was: string[]) =>
    as(who, 'PUT', `/api/my/webhook-endpoints/${endpoint}`, { events, was: { events: was } });
  expect((await change('ann', ['document.posted', 'month.signed'], ['document.posted'])).status).toBe(200);
  expect((await change('ben', ['month.signed'], ['document.posted'])).body).toMatchObject({
    error: 'changed_meanwhile',
    errors: [
      { key: 'events', error: expect.stringMatching(/^ann@.* changed this to “document.posted, month.signed”/) },
    ],
  });
  const rotate = (who: 'ann' | 'ben') =>
    as(who, 'POST', `/api/my/webhook-endpoints/${endpoint}/secret`, { was: { old_secret_ends_at: null } });
  const both = await Promise.all([rotate('ann'), rotate('ben')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test('actions on users act only on the state that they are for', async () => {
  const invited = await as('ann', 'POST', '/api/my/users/invitations', { email: 'cy@example.com', name: 'Cy' });
  const { id } = invited.data['user'] as { id: string };
  const withdraw = (who: 'ann' | 'ben') => as(who, 'DELETE', `/api/my/users/invitations/${id}`);
  expect((await Promise.all([withdraw('ann'), withdraw('ben')])).map(({ status }) => status).toSorted()).toEqual([
    200, 404,
  ]);
});

const bothOrders = [
  ['Ann first', 'ann', 'ben'],
  ['Ben first', 'ben', 'ann'],
] as const;

test.each(bothOrders)('a chat or an endpoint that changed meanwhile is not deleted: %s', async (_order, one, two) => {
  const address = 'https://hooks.slack.com/services/T0/B0/two';
  const seen = { name: 'Old', groups: ['failed_documents'] };
  const { id } = (await as(one, 'POST', '/api/my/webhooks', { kind: 'slack', address, ...seen })).data;
  const webhook = `/api/my/webhooks/${String(id)}`;
  await as(one, 'PUT', webhook, { name: 'New', was: { name: 'Old' } });
  const late = await as(two, 'DELETE', webhook, { was: seen });
  expect([late.status, late.body?.['errors']]).toEqual([
    409,
    [{ key: 'name', error: expect.stringMatching(/ changed this to “New” after you opened it\.$/) }],
  ]);
  expect((await as(two, 'DELETE', webhook, { was: { ...seen, name: 'New' } })).status).toBe(200);
  expect((await as(one, 'PUT', webhook, { name: 'Newer', was: { name: 'New' } })).status).toBe(404);

  const events = ['document.posted'];
  const made = await as(one, 'POST', '/api/my/webhook-endpoints', {
    address: 'https://two.example.com/events',
    events,
  });
  const path = `/api/my/webhook-endpoints/${String((made.data['endpoint'] as JsonObject)['id'])}`;
  await as(one, 'PUT', path, { events: ['month.signed'], was: { events } });
  expect(outcome(await as(two, 'DELETE', path, { was: { events } })).slice(0, 2)).toEqual([409, 'changed_meanwhile']);
  expect((await as(two, 'DELETE', path, { was: { events: ['month.signed'] } })).status).toBe(200);
});

test.each(bothOrders)('an endpoint that another user paused is not resumed: %s', async (_order, one, two) => {
  const set = (who: 'ann' | 'ben', paused: boolean, was: boolean) =>
    as(who, 'PUT', `/api/my/webhook-endpoints/${endpoint}/paused`, { paused, was: { paused: was } });
  expect([(await set(one, true, false)).status, (await set(two, true, false)).status]).toEqual([200, 200]);
  // The screen of the second user showed an endpoint that failed, not one that was paused.
  expect((await set(two, false, false)).body).toMatchObject({
    error: 'changed_meanwhile',
    errors: [{ key: 'paused', error: expect.stringMatching(/ changed this to “Paused” after you opened it\.$/) }],
  });
  expect((await set(two, false, true)).status).toBe(200);
});

test.each(bothOrders)('a mapping that changed meanwhile is not deleted: %s', async (_order, one, two) => {
  const save = async (who: 'ann' | 'ben', target: string) =>
    (
      (
        await as(who, 'POST', '/api/my/xrefs/ItemBilling/multiple', {
          xrefs: [
            {
              source_entity: 'BillingCode',
              source_value: '29',
              source_value_label: 'Labour',
              target_entity: 'Item',
              target_value: target,
              target_value_label: null,
            },
          ],
        })
      ).data['xrefs'] as unknown as JsonObject[]
    )[0];
  const first = await save(two, '21');
  const changed = await save(one, '22');
  expect(changed).toMatchObject({ id: first?.['id'], target_value: '22' });
  const remove = (was: string) => as(two, 'DELETE', `/api/my/xrefs/${String(first?.['id'])}`, { was });
  const name = one === 'ann' ? ann : people.admin;
  expect(outcome(await remove('21'))).toEqual([
    409,
    'changed_meanwhile',
    expect.stringMatching(`: ${name} changed this to “.+” after you opened it. Nothing was saved.$`),
  ]);
  expect((await remove('22')).status).toBe(200);
});

test.each(bothOrders)('a user is deactivated, reactivated and removed once: %s', async (_order, one, two) => {
  const username = `${one}.guest@northwind-msp.example`;
  const { tenantId } = api.world.tenant;
  const passwordHash = await hashPassword(password);
  await api.world.app.store.addUser({ username, passwordHash, roles: ['accountant'], tenantId, isActive: true });
  const users = (await get(`/api/my/users?q=${one}.guest`))['users'] as unknown as JsonObject[];
  const act = (who: 'ann' | 'ben', method: string, action: string) =>
    as(who, method, `/api/my/users/${String(users[0]?.['id'])}${action}`);
  const both = async (method: string, action: string) => [
    (await act(one, method, action)).status,
    (await act(two, method, action)).status,
  ];
  expect(await both('POST', '/deactivate')).toEqual([200, 409]);
  expect(await both('POST', '/reactivate')).toEqual([200, 409]);
  // A user whom another administrator reactivated is not removed.
  expect(await both('DELETE', '')).toEqual([409, 409]);
  await act(one, 'POST', '/deactivate');
  expect(await both('DELETE', '')).toEqual([200, 404]);
});

const providerPath = '/api/my/sign-in-provider';
const provider = {
  kind: 'google',
  issuer: 'https://accounts.google.com',
  client_id: 'first',
  domains: ['northwind-msp.example'],
  covers_second_step: false,
};

test.each(bothOrders)('a sign-in provider that changed meanwhile is not replaced: %s', async (_order, one, two) => {
  const name = one === 'ann' ? ann : people.admin;
  await as(one, 'DELETE', providerPath);
  const save = (who: 'ann' | 'ben', changes: object, was: object | null, secret = true) =>
    as(who, 'PUT', providerPath, {
      ...provider,
      ...(secret && { client_secret: 'secret' }),
      ...changes,
      ...(was && { was }),
    });
  const none = { kind: null, issuer: null, client_id: null, domains: null, covers_second_step: null };
  expect((await save(one, {}, none)).status).toBe(200);
  // Both set up the first provider.
  expect((await save(two, { client_id: 'other' }, none)).body).toMatchObject({
    error: 'changed_meanwhile',
    errors: [{ key: 'client_id', error: `${name} changed this to “first” after you opened it.` }],
  });
  // The answer of a save was lost: the same user saves the same again.
  expect((await save(one, {}, none)).status).toBe(200);
  expect((await save(one, { covers_second_step: true }, provider, false)).status).toBe(200);
  expect((await save(two, { client_id: 'second' }, provider)).body).toMatchObject({
    errors: [{ key: 'covers_second_step', error: `${name} changed this to “On” after you opened it.` }],
  });
  const stored = { ...provider, covers_second_step: true };
  expect((await get(providerPath))['provider']).toMatchObject(stored);
  expect((await as(two, 'DELETE', providerPath, { was: provider })).status).toBe(409);
  expect((await as(two, 'DELETE', providerPath, { was: stored })).status).toBe(200);
});

test('of parallel saves of a sign-in provider, only the first succeeds', async () => {
  const none = { client_id: null };
  const both = await Promise.all(
    (['ann', 'ben'] as const).map((who) =>
      as(who, 'PUT', providerPath, { ...provider, client_id: who, client_secret: 'secret', was: none }),
    ),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test('company sign-in is required only for the provider that was seen', async () => {
  await as('ben', 'DELETE', providerPath);
  await as('ben', 'PUT', providerPath, { ...provider, client_secret: 'secret' });
  const [at, actor] = [api.world.clock.now(), { username: ann }];
  const event = { at, actor, action: 'sign_in_provider.tested', subject: null, before: null, after: null };
  await api.world.tenant.store.markProviderTested({ issuer: provider.issuer, clientId: 'first' }, at, event);
  const require = (is_required: boolean, client_id: string) =>
    as('ben', 'PUT', `${providerPath}/requirement`, {
      is_required,
      break_glass: people.admin,
      was: { issuer: provider.issuer, client_id },
    });
  expect((await require(true, 'second')).body).toMatchObject({
    error: 'changed_meanwhile',
    message: '“Client ID”: You, in another window, changed this to “first” after you opened it. Nothing was saved.',
  });
  // The answer of the first call was lost.
  expect([(await require(true, 'first')).status, (await require(true, 'first')).status]).toEqual([200, 200]);
  expect((await require(false, 'first')).status).toBe(200);
  tokens.ann = await api.signIn(ann);
});

test('another company that was connected meanwhile is not disconnected', async () => {
  const disconnect = (name: string) => as('ben', 'PUT', '/api/my/qbo/disconnect/', { was: { name } });
  const connected = async () =>
    (await api.world.tenant.store.listConnections()).find(({ service }) => service === 'accounting');
  const name = (await connected())?.name ?? '';
  expect(await disconnect('Old Company')).toMatchObject({
    status: 409,
    body: {
      error: 'changed_meanwhile',
      message: `“Company”: Another user changed this to “${name}” after you opened it. Nothing was saved.`,
    },
  });
  expect((await connected())?.status).toBe('active');
  // The answer of the first call was lost.
  expect([(await disconnect(name)).status, (await disconnect(name)).status]).toEqual([200, 200]);
  expect((await connected())?.status).toBe('inactive');
});
