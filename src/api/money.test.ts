import { afterAll, expect, test } from 'vitest';
import type { MoneyReply } from '#contract/money.ts';
import { sum, decimal } from '#core/values/decimal.ts';
import type { TenantContext } from '#flows/context.ts';
import { readMoney } from '#flows/overview/money.ts';
import { newApi, people } from '#test/support/api.ts';

const api = await newApi();
const token = await api.signIn(people.admin);
afterAll(() => api.close());

const read = async () => (await api.call('GET', '/api/my/money', { token })).data as unknown as MoneyReply;

test('is empty before the first sync', async () => {
  expect(await read()).toMatchObject({
    from: '2025-02-02',
    through: '2025-03-03',
    days: [],
    this_month: { from: '2025-03-01', through: '2025-03-03', invoices: 0, invoiced: '0', posted: '0' },
    last_month: { from: '2025-02-01', through: '2025-02-03' },
    hours_from: '2025-03-02T16:00:00.000Z',
    hours: [],
  });
});

test('adds up invoices that a test has read, then what a sync has posted, without calling a service', async () => {
  const { world } = api;
  await world.sync('invoice', { mode: 'test' });
  const tested = await read();
  const totalOf = (key: 'invoiced' | 'posted', reply: MoneyReply) => sum(reply.days.map((day) => decimal(day[key])));
  expect([tested.currency, totalOf('posted', tested), tested.hours]).toEqual(['USD', '0', []]);
  const known = (await world.logs()).filter(
    ({ on, currency }) => on !== null && on >= '2025-02-02' && currency === 'USD',
  );
  expect(known.length).toBeGreaterThan(3);
  expect(totalOf('invoiced', tested)).toBe(sum(known.map(({ amount }) => amount ?? decimal('0'))));

  await world.sync('invoice', { mode: 'live' });
  const calls = [await world.autotask.lastRequest(), await world.quickbooks.lastRequest()];
  const posted = await read();
  expect([await world.autotask.lastRequest(), await world.quickbooks.lastRequest()]).toEqual(calls);
  const documents = (
    await world.store.listPostings(
      'invoice',
      known.map(({ psaId }) => psaId),
    )
  ).filter(({ status }) => status === 'synced');
  expect(documents.length).toBeGreaterThan(1);
  expect(posted.days.reduce((count, day) => count + day.posted_invoices, 0)).toBe(documents.length);
  expect(Number(totalOf('invoiced', posted))).toBeGreaterThanOrEqual(Number(totalOf('posted', posted)));
  expect(posted.hours.map(({ type, at }) => [type, at])).toEqual([['invoice', '2025-03-03T15:00:00.000Z']]);
});

test('is read once for parallel calls, and again only after a new log entry or a minute', async () => {
  const { app, tenant } = api.world;
  let reads = 0;
  const counted = (context: TenantContext): TenantContext => ({
    ...context,
    store: new Proxy(context.store, {
      get(target, name) {
        if (name === 'readInOneTransaction') reads += 1;
        return Reflect.get(target, name) as unknown;
      },
    }),
  });
  const context = counted(app.forTenant(tenant.tenantId));
  await Promise.all([readMoney(context), readMoney(context), readMoney(context)]);
  await readMoney(context);
  expect(reads).toBeLessThanOrEqual(1);
  await api.world.advance(61);
  await readMoney(context);
  const afterMinute = reads;
  await readMoney(context);
  expect(reads).toBe(afterMinute);
  await api.world.sync('invoice', { mode: 'test' });
  await readMoney(context);
  expect(reads).toBe(afterMinute + 1);
});

test('takes days from the time zone of the client', async () => {
  const saved = await api.call('PUT', '/api/my/time-zone', { token, body: { time_zone: 'Pacific/Kiritimati' } });
  expect([saved.status, (await read()).through]).toEqual([200, '2025-03-04']);
});

test('is not for users without the client', async () => {
  const sysadmin = await api.signIn(people.sysadmin);
  expect((await api.call('GET', '/api/my/money', { token: sysadmin })).status).toBe(403);
});
