import { afterAll, expect, test } from 'vitest';
import { kindNames, kinds } from '#core/kinds.ts';
import { newApi, people } from '#test/support/api.ts';

const api = await newApi();
const token = await api.signIn(people.admin);
afterAll(() => api.close());

interface Answer {
  readonly items: readonly { readonly id: number }[];
  readonly pageDetails: { readonly nextPageUrl: string | null; readonly prevPageUrl: string | null };
}
const filter = [{ field: 'isVoided', op: 'noteq', value: true }];
const ask = async (path: string, query: object): Promise<Answer> => {
  const { data } = await api.call('POST', path, { token, body: { query: { filter, ...query } } });
  return (data as unknown as { readonly response: Answer }).response;
};

test('pages through a query with our own links and returns each row once', async () => {
  const all = await ask('/api/my/autotask/Invoices/query', {});
  expect(all.pageDetails).toMatchObject({ nextPageUrl: null, prevPageUrl: null });
  expect(all.items.length).toBeGreaterThan(10);
  const found: number[] = [];
  let next: string | null = '/api/my/autotask/Invoices/query';
  for (let pages = 0; next !== null && pages < 20; pages += 1) {
    expect(next).toMatch(/^\/api\/my\/autotask\/Invoices\/query(\?after_id=\d+)?$/);
    const page: Answer = await ask(next, { MaxRecords: 4, includeFields: ['companyID'] });
    found.push(...page.items.map(({ id }) => id));
    next = page.pageDetails.nextPageUrl;
  }
  expect(found).toEqual(all.items.map(({ id }) => id));
});

test('finds an item by SKU, which QuickBooks does not filter by, and by full name once', async () => {
  const names = async (text: string) => {
    const { data } = await api.call(
      'GET',
      `/api/my/qbo/items?Name=${encodeURIComponent(text)}&attributes=Id|Name|Sku`,
      {
        token,
      },
    );
    return (data as { readonly items: readonly { readonly Sku?: string; readonly Name: string }[] }).items;
  };
  expect(await names('SW-24P')).toMatchObject([{ Sku: 'SW-24P' }]);
  expect(await names('no such item')).toEqual([]);
  expect((await names('ap-620')).filter(({ Sku }) => Sku === 'AP-620')).toHaveLength(1);
});

test.each(kindNames)('returns no running documents while nothing runs: %s', async (kind) => {
  const { data } = await api.call('GET', `/api/my/${kinds[kind].segment}/sync/under-way`, { token });
  expect(data).toEqual({ entityids: [] });
});

test('finds only items that a line can use, no categories or bundles', async () => {
  const names = async (text: string) =>
    (await api.call('GET', `/api/my/qbo/items?Name=${text}&attributes=Name|Type`, { token })).data;
  await api.world.quickbooks.add('Item', {
    Name: 'Retail shelf',
    FullyQualifiedName: 'Retail shelf',
    Type: 'Category',
  });
  await api.world.quickbooks.add('Item', { Name: 'Retail box', Type: 'Service', IncomeAccountRef: { value: '2' } });
  await api.world.advance(10);
  expect(await names('Retail')).toEqual({ items: [{ Name: 'Retail box', Type: 'Service' }] });
  expect(await names('Retail%20shelf')).toEqual({ items: [] });
});
