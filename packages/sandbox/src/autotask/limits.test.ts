import { expect, test } from 'vitest';
import { ids, start, where } from './testing.ts';
import { defaultUser } from './users.ts';

const version = 'Version';
const { userName } = defaultUser;

test('the hourly quota rejects calls with the threshold in the text and accepts calls again an hour later', async () => {
  const { api, control } = await start();
  await control('PUT', '/limits', { requests_per_hour: 4 });
  await control('PUT', '/behaviour', { quota_latency: false });
  for (let n = 0; n < 4; n += 1) expect((await api('GET', version)).status).toBe(200);
  const refused = await api('GET', version);
  expect([refused.status, refused.errors.join(), refused.headers.get('retry-after')]).toEqual([
    500,
    expect.stringContaining('request threshold'),
    null,
  ]);
  await control('POST', '/clock', { advance_seconds: 3599 });
  expect((await api('GET', version)).status).toBe(500);
  await control('POST', '/clock', { advance_seconds: 2 });
  expect((await api('GET', version)).status).toBe(200);
});

test('the rejection can be a 429, with or without Retry-After', async () => {
  const { api, control, behave } = await start();
  await control('PUT', '/limits', { requests_per_hour: 0 });
  await behave({ quota_answer: 'status_429' });
  expect((await api('GET', version)).status).toBe(429);
  await control('PUT', '/limits', { requests_per_hour: 1 });
  await behave({ quota_answer: 'status_429_retry_after', quota_latency: false });
  await api('GET', version);
  const refused = await api('GET', version);
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
});

test("ThresholdInformation shows the tenant's count, without rejected calls", async () => {
  const { api, control, send } = await start();
  await control('POST', '/credentials', { userName: 'second@northwind-msp.example', secret: 's' });
  await api('GET', version);
  await api('GET', version, undefined, { UserName: 'second@northwind-msp.example', Secret: 's' });
  await api('GET', version, undefined, { Secret: 'wrong' });
  await send('GET', `/ATServicesRest/V1.0/zoneInformation?user=${userName}`);
  expect((await api('GET', 'ThresholdInformation')).json).toMatchObject({
    currentTimeframeRequestCount: 3,
    externalRequestThreshold: 10_000,
  });
});

test('calls slow down from half of the quota on', async () => {
  const { api, control } = await start();
  await control('PUT', '/limits', { requests_per_hour: 8 });
  const time = async () => {
    const began = performance.now();
    await api('GET', version);
    return performance.now() - began;
  };
  // The fastest of three: a busy machine may slow down one or two.
  expect(Math.min(await time(), await time(), await time())).toBeLessThan(450);
  expect(await time()).toBeGreaterThan(490);
  await time();
  expect(await time()).toBeGreaterThan(990);
});

test('rejects a fourth parallel call to an endpoint with Itgenatr005; other endpoints work', async () => {
  const { api, behave } = await start();
  await behave({ latency_ms: 800 });
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => api('GET', 'Invoices/48213')),
    api('GET', 'Companies/175'),
    api('POST', 'BillingItems/query', { filter: [where('invoiceID', 'eq', 48213)] }),
  ]);
  expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 500]);
  expect(answers.find((answer) => answer.status === 500)?.errors[0]).toMatch(/^Itgenatr005: .*3 threads/);
  expect((await api('GET', 'Invoices/48213')).status).toBe(200);
});

test('counts threads per tracking code, and children under their own name', async () => {
  const { api, control, behave } = await start();
  await control('POST', '/credentials', {
    userName: 'second@northwind-msp.example',
    secret: 's',
    apiIntegrationCode: 'c',
  });
  const other = { UserName: 'second@northwind-msp.example', Secret: 's', ApiIntegrationCode: 'c' };
  await behave({ latency_ms: 800, threads_answer: 'status_429' });
  const answers = await Promise.all([
    ...Array.from({ length: 3 }, () => api('GET', 'PurchaseOrders/3310')),
    ...Array.from({ length: 3 }, () => api('GET', 'PurchaseOrders/3310', undefined, other)),
    ...Array.from({ length: 3 }, () => api('GET', 'PurchaseOrders/3310/Items')),
    api('POST', 'PurchaseOrderItems/query', { filter: [where('id', 'gt', 0)] }),
  ]);
  expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([
    ...Array.from({ length: 9 }, () => 200),
    429,
  ]);
});

test('the zone service has no thread limit and uses no quota', async () => {
  const { send, control, behave } = await start();
  await behave({ latency_ms: 50 });
  await control('PUT', '/limits', { requests_per_hour: 0, threads_per_endpoint: 1 });
  const zone = () => send('GET', `/ATServicesRest/V1.0/zoneInformation?user=${userName}`);
  expect((await Promise.all([zone(), zone(), zone(), zone(), zone()])).map((answer) => answer.status)).toEqual([
    200, 200, 200, 200, 200,
  ]);
});

test('limits can be turned off and changed', async () => {
  const { api, control } = await start();
  await control('PUT', '/limits', { requests_per_hour: 0 });
  expect((await api('GET', version)).status).toBe(500);
  await control('PUT', '/limits', { enforce: false });
  expect((await api('GET', version)).status).toBe(200);
  await control('PUT', '/limits', { enforce: true, requests_per_hour: null, requests_per_minute: 2 });
  await api('GET', version);
  expect((await api('GET', version)).status).toBe(429);
  await control('PUT', '/limits', { requests_per_minute: null, concurrent: 0 });
  expect((await api('GET', version)).status).toBe(429);
});

test('hides other lines of business from a restricted user without an error', async () => {
  const { api, query, control } = await start();
  await control('POST', '/credentials', { userName, linesOfBusiness: [2] });
  expect((await query('BillingItems', [where('invoiceID', 'eq', 48213)])).items).toMatchObject([
    { itemName: '24-inch monitor' },
  ]);
  expect(ids((await query('Invoices', [where('id', 'in', [48213, 48214, 48301])])).items)).toEqual([48213]);
  expect((await api('GET', 'Invoices/48214')).json).toEqual({ item: null });
  expect((await api('PATCH', 'Invoices', { id: 48214, invoiceNumber: '1' })).status).toBe(500);
  expect((await query('ExpenseReports', [where('id', 'gt', 0)])).items).toEqual([]);
  expect((await api('GET', 'Contracts/2001')).json).toEqual({ item: null });
  expect((await query('Companies', [where('id', 'eq', 175)])).items).toHaveLength(1);
  await control('POST', '/credentials', { userName, linesOfBusiness: null });
  expect((await query('BillingItems', [where('invoiceID', 'eq', 48213)])).items).toHaveLength(4);
});

test('hides costs from a user who may not read them', async () => {
  const { api, control } = await start();
  await control('POST', '/credentials', { userName, readCosts: false });
  expect((await api('GET', 'Products/801')).item).toMatchObject({ unitCost: null, unitPrice: 249 });
  expect((await api('GET', 'PurchaseOrderItems/33001')).item).toMatchObject({
    unitCost: null,
    internalCurrencyUnitCost: null,
    quantity: 4,
  });
});

test('rejects purchase orders without Procurement, or returns none when switched', async () => {
  const { api, query, behave } = await start();
  await behave({ module_procurement: false });
  expect((await query('PurchaseOrders', [where('id', 'gt', 0)])).status).toBe(500);
  expect((await api('GET', 'PurchaseOrders/3310/Items')).status).toBe(500);
  await behave({ procurement_off_answer: 'empty' });
  expect((await query('PurchaseOrders', [where('id', 'gt', 0)])).items).toEqual([]);
  expect((await api('POST', 'PurchaseOrders/query/count', { filter: [where('id', 'gt', 0)] })).json).toEqual({
    queryCount: 0,
  });
});

test('has one currency without Multi-currency and can hide API users from the resources', async () => {
  const { query, behave } = await start();
  const count = async (entity: string) => (await query(entity, [where('id', 'gt', 0)])).items.length;
  expect([await count('Currencies'), await count('Resources')]).toEqual([3, 6]);
  await behave({ module_multi_currency: false, api_users_listed: false });
  expect([await count('Currencies'), await count('Resources')]).toEqual([1, 5]);
});

test('totals without tax, tax rates as fractions, and the spelling of the ledger code can be switched', async () => {
  const { api, behave } = await start();
  expect((await api('GET', 'ExpenseItems/12001')).item).toHaveProperty('gLCode');
  await behave({
    invoice_total_includes_tax: false,
    tax_rate_form: 'fraction',
    gl_code_spelling: 'glCode',
    access_form: 'number',
  });
  expect((await api('GET', 'Invoices/48213')).item?.invoiceTotal).toBe(1925);
  expect((await api('GET', 'Taxes/1')).item?.taxRate).toBe(0.0825);
  expect((await api('GET', 'ExpenseItems/12001')).item).toHaveProperty('glCode');
  expect((await api('GET', 'Invoices/entityInformation')).json.info).toMatchObject({
    userAccessForUpdate: 1,
    userAccessForCreate: 0,
  });
});

test('a write with a lost response is applied, one cut before is not, and a late one is applied by the clock', async () => {
  const { api, control, journal } = await start();
  const patch = (invoiceNumber: string) => api('PATCH', 'Invoices', { id: 48213, invoiceNumber });
  const number = async () => (await control('GET', '/entities/Invoices/48213')).item?.invoiceNumber;
  const fault = (action: object) =>
    control('POST', '/faults', { match: { method: 'PATCH', path: '/invoices$' }, times: 1, action });
  await fault({ reset: 'before' });
  await expect(patch('1')).rejects.toThrow();
  expect(await number()).toBe('');
  await fault({ reset: 'after' });
  await expect(patch('2')).rejects.toThrow();
  expect(await number()).toBe('2');
  await fault({ reset: 'late', apply_after_seconds: 60 });
  await expect(patch('3')).rejects.toThrow();
  expect(await number()).toBe('2');
  await control('POST', '/clock', { advance_seconds: 60 });
  await expect.poll(number).toBe('3');
  expect((await journal()).map((entry) => entry.applied)).toEqual([false, true, true]);
});

test('maintenance answers every call with 200 and an HTML page', async () => {
  const { api, behave } = await start();
  await behave({ maintenance: true });
  const answer = await api('GET', 'Invoices/48213');
  expect([answer.status, answer.headers.get('content-type'), answer.json]).toEqual([
    200,
    expect.stringContaining('text/html'),
    {},
  ]);
});
