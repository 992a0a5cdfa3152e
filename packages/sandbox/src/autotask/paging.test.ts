import { expect, test } from 'vitest';
import { ids, start, where, type Answer } from './testing.ts';

const all = [where('id', 'gte', 100_001)];
const details = (answer: Answer) =>
  answer.json.pageDetails as {
    count: number;
    requestCount: number;
    prevPageUrl: string | null;
    nextPageUrl: string | null;
  };
const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

test.each([
  [499, [499]],
  [500, [500]],
  [501, [500, 1]],
  [1000, [500, 500]],
  [1001, [500, 500, 1]],
])('returns %i invoices in pages of 500 by ascending ID without duplicates or gaps', async (invoices, pages) => {
  const { query, api } = await start({ invoices, lines_per_invoice: 0 });
  const counts: number[] = [];
  const seen: unknown[] = [];
  let answer = await query('Invoices', all);
  for (;;) {
    counts.push(details(answer).count);
    seen.push(...ids(answer.items));
    const { nextPageUrl, requestCount } = details(answer);
    expect(requestCount).toBe(500);
    if (nextPageUrl === null) break;
    answer = await api('POST', nextPageUrl, { filter: all });
  }
  expect(counts).toEqual(pages);
  expect(seen).toEqual(range(100_001, invoices));
});

test('MaxRecords sets the page size, and later pages remain reachable', async () => {
  const { query, api } = await start({ invoices: 7, lines_per_invoice: 0 });
  const first = await query('Invoices', all, { MaxRecords: 3 });
  expect([ids(first.items), details(first).requestCount, details(first).prevPageUrl]).toEqual([
    range(100_001, 3),
    3,
    null,
  ]);
  const second = await api('POST', details(first).nextPageUrl ?? '', { filter: all, MaxRecords: 3 });
  expect(ids(second.items)).toEqual(range(100_004, 3));
  const third = await api('POST', details(second).nextPageUrl ?? '', { filter: all, MaxRecords: 3 });
  expect([ids(third.items), details(third).nextPageUrl]).toEqual([[100_007], null]);
  expect((await query('Invoices', all, { MaxRecords: 9999 })).json.pageDetails).toMatchObject({ requestCount: 500 });
});

test('pages backward through the same pages', async () => {
  const { api } = await start({ invoices: 7, lines_per_invoice: 0 });
  const search = encodeURIComponent(JSON.stringify({ filter: all, MaxRecords: 3 }));
  const first = await api('GET', `Invoices/query?search=${search}`);
  const second = await api('GET', details(first).nextPageUrl ?? '');
  const third = await api('GET', details(second).nextPageUrl ?? '');
  expect(ids(third.items)).toEqual([100_007]);
  const back = await api('GET', details(third).prevPageUrl ?? '');
  expect(ids(back.items)).toEqual(ids(second.items));
  const origin = await api('GET', details(back).prevPageUrl ?? '');
  expect([ids(origin.items), details(origin).prevPageUrl]).toEqual([ids(first.items), null]);
  expect(ids((await api('GET', details(origin).nextPageUrl ?? '')).items)).toEqual(ids(second.items));
});

test('a page link accepts only its original verb', async () => {
  const { query, api, behave } = await start({ invoices: 3, lines_per_invoice: 0 });
  const byPost = details(await query('Invoices', all, { MaxRecords: 2 })).nextPageUrl ?? '';
  const refused = await api('GET', byPost);
  expect([refused.status, refused.json]).toEqual([
    405,
    { Message: "The requested resource does not support http method 'GET'." },
  ]);
  await behave({ post_link_with_get: 'empty_page' });
  expect((await api('GET', byPost)).json).toMatchObject({ items: [], pageDetails: { nextPageUrl: null } });
  expect((await api('POST', byPost)).status).toBe(500);
  const search = encodeURIComponent(JSON.stringify({ filter: all, MaxRecords: 2 }));
  const byGet = details(await api('GET', `Invoices/query?search=${search}`)).nextPageUrl ?? '';
  expect((await api('POST', byGet, { filter: all })).status).toBe(405);
  expect(ids((await api('GET', byGet)).items)).toEqual([100_003]);
});

test('returns no next page link when the ID column is missing', async () => {
  const { query, behave } = await start({ invoices: 3, lines_per_invoice: 0 });
  const next = async (IncludeFields: string[]) =>
    details(await query('Invoices', all, { MaxRecords: 2, IncludeFields })).nextPageUrl;
  expect(await next(['invoiceTotal'])).toBeNull();
  expect(await next(['id', 'invoiceTotal'])).not.toBeNull();
  await behave({ pages_without_id: true });
  expect(await next(['invoiceTotal'])).not.toBeNull();
});

test('pages reflect changes: a removed record shifts nothing, a new one appears', async () => {
  const { query, api } = await start({ invoices: 6, lines_per_invoice: 0 });
  const filter = [...all, where('webServiceDate', 'notExist')];
  const first = await query('Invoices', filter, { MaxRecords: 2 });
  await api('PATCH', 'Invoices', { id: 100_003, webServiceDate: '2025-03-03T12:00:00Z' });
  await api('PATCH', 'Invoices', { id: 100_001, webServiceDate: '2025-03-03T12:00:00Z' });
  const second = await api('POST', details(first).nextPageUrl ?? '', { filter, MaxRecords: 2 });
  expect(ids(second.items)).toEqual([100_004, 100_005]);
});

test('rejects a modified page link', async () => {
  const { api } = await start();
  for (const paging of [
    '',
    'x',
    '{}',
    '{"pageSize":0,"nextIds":[1]}',
    '{"pageSize":501,"nextIds":[1]}',
    '{"pageSize":5}',
  ])
    expect(
      (await api('POST', `Invoices/query/next?paging=${encodeURIComponent(paging)}`, { filter: all })).status,
    ).toBe(500);
});

test('returns 404 for a GET query that is too long, and accepts it by POST', async () => {
  const { query, api } = await start();
  const filter = [
    where(
      'id',
      'in',
      Array.from({ length: 400 }, (_, n) => 48_213 + n),
    ),
  ];
  const search = encodeURIComponent(JSON.stringify({ filter }));
  expect(search.length).toBeGreaterThan(2100);
  expect((await api('GET', `Invoices/query?search=${search}`)).status).toBe(404);
  expect((await query('Invoices', filter)).items.length).toBeGreaterThan(10);
});
