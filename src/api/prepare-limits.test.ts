import { afterAll, expect, test } from 'vitest';
import type { CloseReply } from '#contract/closes.ts';
import { instant } from '#core/values/dates.ts';
import { month } from '#core/reconciliation/month.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { newApi, people } from '#test/support/api.ts';

const api = await newApi();
const token = await api.signIn(people.admin);
afterAll(() => api.close());

const prepare = async (of: string) => {
  const { status, body } = await api.call('POST', `/api/my/closes/${of}/prepare`, { token });
  return [status, body?.['error'] ?? null];
};

test.each(['0000-01', '0001-12', '1999-12', '2023-12'])('rejects %s as before the first document', async (of) => {
  expect(await prepare(of)).toEqual([422, 'no_documents']);
});

test('prepares at most two months of a client in parallel', async () => {
  const { store, clock } = api.world.tenant;
  const now = clock.now();
  for (const of of ['2024-11', '2024-12']) await store.beginCloseRun(month(of), now, now, 2);
  expect(await prepare('2025-02')).toEqual([409, 'busy']);
  await store.endCloseRun(month('2024-11'), now, null);
  expect(await prepare('2025-02')).toEqual([200, null]);
  // A run whose process died does not count.
  await store.endCloseRun(month('2024-12'), now, null);
  await store.beginCloseRun(month('2024-12'), instant('2025-03-01T00:00:00Z'), now, 2);
  expect((await prepare('2025-03'))[0]).toBe(200);
});

test('begins two of several months requested in parallel', async () => {
  const { store, clock } = api.world.tenant;
  const now = clock.now();
  for (const of of ['2024-12', '2025-02', '2025-03']) await store.endCloseRun(month(of), now, null);
  const months = ['2024-07', '2024-08', '2024-09', '2024-10', '2024-11', '2024-12'].map(month);
  const outcomes = await Promise.all(months.map((of) => store.beginCloseRun(of, now, now, 2)));
  expect(outcomes.filter((outcome) => outcome === 'begun')).toHaveLength(2);
  expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(4);
  for (const of of months) await store.endCloseRun(of, now, null);
});

test('shows a user who refreshes very often the last reading instead of locking the month', async () => {
  const refresh = async () => {
    const { status, body } = await api.call('POST', '/api/my/closes/2025-02/prepare', { token });
    return [status, body?.['message'] ?? null];
  };
  const { store, clock } = api.world.tenant;
  for (let count = 0; count < 60; count += 1) {
    await refresh();
    await store.endCloseRun(month('2025-02'), clock.now(), null);
  }
  const [status, message] = await refresh();
  expect([status, message]).toEqual([
    200,
    expect.stringMatching(/^This month was read at .*\. After many refreshes, each month is read once a minute\.$/),
  ]);
  await api.world.advance(61);
  expect(await refresh()).toEqual([200, null]);
});

test('shows the last reading of a month while a large job of the client runs', async () => {
  const { tenant } = api.world;
  const read = async () => (await api.call('GET', '/api/my/closes/2025-02', { token })).data['close'] as CloseReply;
  const now = tenant.clock.now();
  for (const of of ['2024-12', '2025-02', '2025-03']) await tenant.store.endCloseRun(month(of), now, null);
  expect((await prepare('2025-02'))[0]).toBe(200);
  await expect.poll(async () => (await read()).is_preparing).toBe(false);
  const { prepared_at: preparedAt } = await read();
  expect(preparedAt).not.toBeNull();
  // A worker has the client and calls both services.
  const actor = { username: people.admin };
  await submit(tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: null, actor });
  expect(await tenant.store.acquireLease('a worker', 600)).not.toBeNull();
  expect(await read()).toMatchObject({ prepared_at: preparedAt, is_preparing: false });
});
