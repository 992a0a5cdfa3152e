import { afterAll, expect, test } from 'vitest';
import { newApi, people } from '#test/support/api.ts';

const api = await newApi();
const token = await api.signIn(people.admin);
afterAll(() => api.close());

const describe = (kind: string, ids: readonly number[]) =>
  api.call('POST', `/api/my/${kind}/sync/describe`, { token, body: { ids } });

/** Invoices of the sample data: one for a customer in US dollars, one in Canadian dollars. */
const inDollars = 48213;
const inCanadianDollars = 48308;

test('returns the customer and currency of each invoice', async () => {
  const { status, data } = await describe('invoices', [inDollars, inCanadianDollars, 999_999]);
  expect(status).toBe(200);
  expect(data).toEqual({
    documents: [
      { entityid: inDollars, party: 'Acme Dental', currency: 'USD', awaits_approval: false, on_hold: false },
      { entityid: inCanadianDollars, party: 'Maple Clinic', currency: 'CAD', awaits_approval: false, on_hold: false },
    ],
  });
});

test('returns the vendor of a purchase order without an amount', async () => {
  expect((await describe('purchase-orders', [3310])).data).toEqual({
    documents: [{ entityid: 3310, party: 'Ingram Supplies', currency: null, awaits_approval: false, on_hold: false }],
  });
});

test("returns the employee of an expense report in the PSA's currency", async () => {
  expect((await describe('expense-reports', [1207])).data).toEqual({
    documents: [{ entityid: 1207, party: 'Betty Decker', currency: 'USD', awaits_approval: false, on_hold: false }],
  });
});

test('accepts 1 to 1,000 documents', async () => {
  const many = Array.from({ length: 1_001 }, (_, index) => index + 1);
  expect((await describe('invoices', many)).status).toBe(400);
  expect((await describe('invoices', [])).status).toBe(400);
});

test('five hundred documents need as many calls as one', async () => {
  const calls = async (ids: readonly number[]) => {
    const before = await api.world.autotask.journal();
    await describe('invoices', ids);
    return (await api.world.autotask.journal()).length - before.length;
  };
  await describe('invoices', [inDollars]);
  const many = Array.from({ length: 500 }, (_, index) => inDollars - index);
  expect(await calls(many)).toBe(await calls([inDollars]));
});
