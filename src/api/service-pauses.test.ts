import { afterAll, expect, test } from 'vitest';
import { testConnection } from '#flows/connections/test-connection.ts';
import { eventually } from '#test/support/eventually.ts';
import { newApi, people } from '#test/support/api.ts';

const api = await newApi();
const token = await api.signIn(people.admin);
afterAll(() => api.close());

const pauses = async () => (await api.call('GET', '/api/my', { token })).data['pauses'];
const tryAgain = async (service: string) =>
  (await api.call('PUT', `/api/my/connections/${service}/test`, { token })).data['is_connected'];
const calls = () => api.world.quickbooks.lastRequest();

test('shows a QuickBooks limit with reason, start, and next attempt until a call succeeds', async () => {
  expect(await pauses()).toEqual([]);
  await eventually(async () =>
    expect((await api.call('GET', '/api/my?refresh=true', { token })).headers.get('still-reading')).toBeNull(),
  );
  const readAt = api.world.clock.now();
  const busy = { status: 429, headers: { 'Retry-After': '1800' }, body: '' };
  await api.world.quickbooks.fault({ match: {}, action: busy });
  expect(await tryAgain('qbo')).toBe(false);
  const since = api.world.clock.now();
  const [pause] = (await pauses()) as { next_try_at: string; since: string; data_from: string }[];
  // Screens show what was read before.
  expect(Date.parse(pause?.data_from ?? '')).toBeLessThanOrEqual(Date.parse(readAt));
  expect(Date.parse(pause?.data_from ?? '')).toBeGreaterThan(Date.parse(readAt) - 60_000);
  expect(pause).toMatchObject({ service: 'qbo', code: 'QBO_THROTTLED', reason: expect.stringMatching(/\w/) });
  expect(pause?.since.slice(0, 19)).toBe(since.slice(0, 19));
  expect(Date.parse(pause?.next_try_at ?? '') - Date.parse(since)).toBe(1_800_000);

  // Another attempt calls QuickBooks, although Tallybridge's own limiter is paused.
  api.world.clock.advance(60);
  const before = await calls();
  expect(await tryAgain('qbo')).toBe(false);
  expect(await calls()).toBeGreaterThan(before);
  expect(await pauses(), 'the start is unchanged').toMatchObject([{ since: pause?.since }]);

  await api.world.quickbooks.clearFaults();
  expect(await tryAgain('qbo')).toBe(true);
  expect(await pauses()).toEqual([]);
});

test('a sync during a pause is refused with its reason and end', async () => {
  const busy = { status: 429, headers: { 'Retry-After': '1800' }, body: '' };
  await api.world.autotask.fault({ match: {}, action: busy });
  await api.world.advance(3_600);
  expect(await tryAgain('autotask')).toBe(false);
  // With stored lists, the sync is accepted, and its job reports the pause.
  await api.world.store.dropCached('');
  const body = { invoice_ids: [48_213], mode: 'test' };
  const answer = await api.call('POST', '/api/my/invoices/sync/submit', { token, body });
  expect(answer).toMatchObject({
    status: 503,
    body: {
      message: expect.stringMatching(/^Autotask asked to pause all calls\. Please try again in (29|30) minutes\.$/),
    },
  });
  await api.world.autotask.clearFaults();
  expect(await tryAgain('autotask')).toBe(true);
});

test('shows an Autotask outage until a call succeeds', async () => {
  await api.world.autotask.fault({ match: {}, action: { status: 503, body: '' } });
  expect(await tryAgain('autotask')).toBe(false);
  expect(await pauses()).toMatchObject([{ service: 'autotask', code: 'PSA_UNAVAILABLE', next_try_at: null }]);
  await api.world.autotask.clearFaults();
  expect(await tryAgain('autotask')).toBe(true);
  expect(await pauses()).toEqual([]);
});

test.each(['psa', 'accounting'] as const)('ends a hanging connection test of %s after the timeout', async (service) => {
  const { world } = api;
  const fake = service === 'psa' ? world.autotask : world.quickbooks;
  await fake.fault({ match: {}, action: { hang_ms: 6_000 } });
  const startedAt = performance.now();
  expect(await testConnection(world.app, world.tenant, service, 300)).toMatchObject({
    isConnected: false,
    error: 'service_unavailable',
  });
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  await fake.clearFaults();
});

test('shows blocked reads until the end of the month, also to the operator', async () => {
  const operator = await api.signIn(people.sysadmin);
  const reads = async () => (await api.call('GET', '/api/metered-reads', { token: operator })).data;
  expect(await reads()).toMatchObject({ limit: 500_000, blocked_until: null });
  await api.world.quickbooks.behave({ metered_reads: 'blocked' });
  expect(await tryAgain('qbo')).toBe(false);
  expect(await pauses()).toMatchObject([{ service: 'qbo', code: 'QBO_READS_BLOCKED' }]);
  expect(await reads()).toMatchObject({ blocked_until: '2025-04-01' });
  expect((await api.call('GET', '/api/metered-reads', { token })).status).toBe(403);
  await api.world.quickbooks.behave({ metered_reads: 'open' });
  expect(await tryAgain('qbo')).toBe(true);
  expect(await reads()).toMatchObject({ blocked_until: null });
});
