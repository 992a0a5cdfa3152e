import { afterAll, beforeAll, expect, test } from 'vitest';
import { newApi, people, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let token: string;
beforeAll(async () => {
  api = await newApi();
  token = await api.signIn(people.admin);
});
afterAll(() => api.close());

const save = (body: object) => api.call('POST', '/api/my/settings/', { token, body });
const settings = async () =>
  (await api.call('GET', '/api/my/settings', { token })).data['settings'] as Readonly<Record<string, unknown>>;

test('the first automatic switch sets the sync start date, and Restore Defaults keeps it', async () => {
  expect(await settings()).toMatchObject({ sync_start_date: null });
  expect((await save({ inv_sync_active: true, inv_max_age_days: 20 })).status).toBe(200);
  const { sync_start_date: day } = await settings();
  expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
  await api.world.advance(40 * 86_400);
  token = await api.signIn(people.admin);
  const { status, data } = await api.call('POST', '/api/my/settings/reset', { token });
  expect(status).toBe(200);
  expect(data['settings']).toMatchObject({ sync_start_date: day, inv_sync_active: false, inv_max_age_days: 14 });
  expect(await settings()).toMatchObject({ sync_start_date: day, inv_sync_active: false });
  await save({ inv_default_income_account: '2', inv_sync_active: true });
  expect(await settings()).toMatchObject({ sync_start_date: day, inv_sync_active: true });
});

test('the time zone comes from a list, is logged in the audit trail, and dates later documents', async () => {
  const zone = () => api.call('GET', '/api/my/time-zone', { token });
  const set = (time_zone: unknown) => api.call('PUT', '/api/my/time-zone', { token, body: { time_zone } });
  const { data } = await zone();
  const before = String(data['time_zone']);
  expect(data['zones']).toEqual(expect.arrayContaining(['UTC', 'America/Chicago', 'Pacific/Kiritimati', before]));

  const { status, body } = await set('Mars/Olympus');
  expect([status, body?.['error'], body?.['errors']]).toEqual([
    422,
    'settings_invalid',
    [{ key: 'time_zone', error: 'Choose a time zone from the list.' }],
  ]);
  expect((await set('')).body?.['errors']).toEqual([{ key: 'time_zone', error: 'Choose a time zone.' }]);
  expect((await zone()).data['time_zone']).toBe(before);

  // The same moment has a different date across the date line; the month on the Overview shows it.
  expect((await set('Pacific/Kiritimati')).data).toEqual({ time_zone: 'Pacific/Kiritimati' });
  expect((await zone()).data['time_zone']).toBe('Pacific/Kiritimati');
  expect((await api.call('GET', '/api/my', { token })).data).toMatchObject({ time_zone: 'Pacific/Kiritimati' });
  const { events } = await api.world.store.listAudit({ page: 1, pageSize: 5, text: 'time zone' });
  expect(events).toMatchObject([{ action: 'time_zone.saved', before, after: 'Pacific/Kiritimati' }]);
  await set('Pacific/Kiritimati');
  expect((await api.world.store.listAudit({ page: 1, pageSize: 5, text: 'time zone' })).events).toHaveLength(1);
});
