import { afterAll, beforeAll, expect, test } from 'vitest';
import { newApi, people, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let token: string;
beforeAll(async () => {
  api = await newApi();
  token = await api.signIn(people.admin);
});
afterAll(() => api.close());

const currencies = (kind: string, ids: readonly number[]) =>
  api.call('POST', `/api/my/${kind}/sync/currencies`, { token, body: { ids } });

/** Invoices of the sample world: of a customer in US dollars, and of one in Canadian dollars. */
const inDollars = 48213;
const inCanadianDollars = 48308;

test('each invoice is told with the currency that its amount is in, in the order of what was asked', async () => {
  const { status, data } = await currencies('invoices', [inDollars, inCanadianDollars, 999_999]);
  expect(status).toBe(200);
  expect(data).toEqual({
    currencies: [
      { entityid: inDollars, currency: 'USD' },
      { entityid: inCanadianDollars, currency: 'CAD' },
    ],
  });
});

test('an expense report is in the PSA’s own currency', async () => {
  expect((await currencies('expense-reports', [1207])).data).toEqual({
    currencies: [{ entityid: 1207, currency: 'USD' }],
  });
});

test('at most a thousand are asked for at once, and never none', async () => {
  const many = Array.from({ length: 1_001 }, (_, index) => index + 1);
  expect((await currencies('invoices', many)).status).toBe(400);
  expect((await currencies('invoices', [])).status).toBe(400);
  expect((await currencies('purchase-orders', [3310])).status).toBe(404);
});
