import { afterAll, afterEach, expect, test } from 'vitest';
import { newApi, people } from '#test/support/api.ts';

const api = await newApi();
const token = await api.signIn(people.admin);
afterAll(() => api.close());
afterEach(async () => {
  await api.world.quickbooks.clearFaults();
  await api.world.autotask.clearFaults();
});

const view = async () => (await api.call('GET', '/api/my', { token })).data;
const pauses = async () => (await view())['pauses'];
const fault = (code: string, detail: string) => ({
  Fault: { Error: [{ Message: 'Error', Detail: detail, code, element: '' }], type: 'ValidationFault' },
});

test.each([
  ['4001', "QueryValidationError: property 'Id' is not sortable"],
  ['4002', 'Query cannot be completed'],
  ['9999', 'A new rule'],
])('shows a refused list with the words of QuickBooks (%s) until that list is read', async (code, words) => {
  await api.world.quickbooks.fault({ match: { path: '/query$' }, action: { status: 400, body: fault(code, words) } });
  await expect(read()).rejects.toMatchObject({ about: { code: 'QBO_READ_REFUSED', next: 'stop_run' } });
  expect(await pauses()).toMatchObject([
    { service: 'qbo', code: 'QBO_READ_REFUSED', reason: expect.stringContaining(words), next_try_at: null },
  ]);
  // Another call succeeds, and the list is still refused.
  await (await api.world.tenant.accounting()).identify();
  expect(await pauses()).toHaveLength(1);
  expect(await tryAgain()).toMatchObject({ is_connected: false, message: expect.stringContaining(words) });
  await api.world.quickbooks.clearFaults();
  expect(await tryAgain()).toMatchObject({ is_connected: true });
  expect(await pauses()).toEqual([]);
});

const tryAgain = async () => (await api.call('PUT', '/api/my/connections/qbo/test', { token })).data;
const read = async () => (await api.world.tenant.accounting()).readReferenceData();

test('names an error inside QuickBooks instead of a missing response', async () => {
  const body = fault('10000', 'An application error has occurred.');
  await api.world.quickbooks.fault({ match: { path: '/query$' }, action: { status: 500, body } });
  await expect(read()).rejects.toMatchObject({ about: { code: 'QBO_UNAVAILABLE' } });
  const [pause] = (await pauses()) as { reason: string }[];
  expect(pause?.reason).toBe('QuickBooks reported an error: An application error has occurred.');
  await api.world.quickbooks.clearFaults();
  await read();
  expect(await pauses()).toEqual([]);
});

test('says that QuickBooks did not respond only if nothing came', async () => {
  await api.world.quickbooks.fault({ match: { path: '/query$' }, action: { reset: 'before' } });
  await expect(read()).rejects.toThrow(/did not respond/);
  await api.world.quickbooks.clearFaults();
  await api.world.quickbooks.fault({ match: { path: '/query$' }, action: { status: 503, body: '' } });
  await expect(read()).rejects.toThrow('QuickBooks responded with status 503.');
  expect(await pauses()).toMatchObject([{ reason: 'QuickBooks responded with status 503.' }]);
  await api.world.quickbooks.clearFaults();
  await read();
});

test('shows a refused list of Autotask in the same way', async () => {
  const invoices = async () =>
    (await api.world.tenant.psa()).readInvoices([48213]).then(
      () => null,
      (error: unknown) => error,
    );
  const body = { errors: ['The logged in Resource does not have the adequate permissions to query this entity type.'] };
  await api.world.autotask.fault({ match: { path: 'Invoices' }, action: { status: 500, body } });
  expect(await invoices()).toMatchObject({ about: { code: 'PSA_READ_REFUSED', next: 'stop_run' } });
  expect(await pauses()).toMatchObject([
    { service: 'autotask', code: 'PSA_READ_REFUSED', reason: expect.stringContaining('adequate permissions') },
  ]);
  await api.world.autotask.clearFaults();
  expect(await invoices()).toBeNull();
  expect(await pauses()).toEqual([]);
});

test('stops automatic syncs with the reason and a fix, once, until QuickBooks answers again', async () => {
  const { world } = api;
  await world.saveSettings({ inv_sync_active: true, sync_start_date: null, inv_max_age_days: 1 });
  const action = { status: 400, body: fault('4001', "property 'Id' is not sortable") };
  await world.quickbooks.fault({ match: { path: '/(query|batch)$' }, action });
  await world.cycle();
  await world.cycle();
  const message =
    /^QuickBooks Online refused to .*property 'Id' is not sortable[.] .* send this message to support[.]$/;
  expect((await view())['stopped']).toMatchObject([{ message: expect.stringMatching(message) }]);
  expect(await pauses()).toHaveLength(1);
  expect((await view())['connections']).toMatchObject([{ status: 'active' }, { status: 'active' }]);
  await world.quickbooks.clearFaults();
  await world.cycle();
  expect((await view())['stopped']).toEqual([]);
  expect(await pauses()).toEqual([]);
});
