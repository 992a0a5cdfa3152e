import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ids, start, where } from './testing.ts';
import { defaultUser } from './users.ts';

const { userName, secret, apiIntegrationCode } = defaultUser;
const known = { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };

test('returns the zone without credentials as its own URL with a trailing slash', async () => {
  const { sandbox, send } = await start();
  const zone = await send(
    'GET',
    `/atservicesrest/v1.0/zoneInformation?User=${encodeURIComponent(userName)}`,
    undefined,
    {},
  );
  expect(zone.json).toEqual({
    zoneName: 'Sandbox',
    url: `${sandbox.url}/ATServicesRest/`,
    webUrl: `${sandbox.url}/`,
    ci: 20250303,
  });
});

test('returns a 500 with errors for an unknown or missing user of the zone service', async () => {
  const { send } = await start();
  for (const user of ['unknown@example.com', '']) {
    const answer = await send('GET', `/ATServicesRest/V1.0/ZoneInformation?user=${user}`, undefined, {});
    expect([answer.status, answer.errors]).toEqual([500, ['Zone information could not be determined']]);
  }
});

test('returns a 500 with a message or an empty 401 for a wrong tracking code', async () => {
  const { send, behave } = await start();
  const wrong = { ...known, ApiIntegrationCode: 'ANOTHER0TRACKING0CODE000001' };
  const ask = () => send('GET', '/ATServicesRest/V1.0/Companies/0', undefined, wrong);
  const first = await ask();
  expect([first.status, first.errors]).toEqual([500, ['IntegrationCode is invalid.']]);
  await behave({ tracking_identifier_answer: 'status_401' });
  const second = await ask();
  expect([second.status, second.text]).toEqual([401, '']);
});

test('decodes a gzip body', async () => {
  const { sandbox, behave } = await start();
  const patch = (invoiceNumber: string) =>
    fetch(`${sandbox.url}/ATServicesRest/V1.0/Invoices`, {
      method: 'PATCH',
      headers: { ...known, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: new Uint8Array(gzipSync(JSON.stringify({ id: 48213, invoiceNumber }))),
    });
  const stored = async () => {
    const answer = await fetch(`${sandbox.url}/ATServicesRest/V1.0/Invoices/48213`, { headers: known });
    return ((await answer.json()) as { item: { invoiceNumber: string } }).item.invoiceNumber;
  };
  expect((await patch('G-1')).status).toBe(200);
  expect(await stored()).toBe('G-1');
  await behave({ gzip_bodies: false });
  expect((await patch('G-2')).status).toBe(415);
  expect(await stored()).toBe('G-1');
});

test.each([
  ['all', ['P-1', null]],
  ['no_nulls', ['P-1', '2025-03-01T12:00:00Z']],
  ['nothing', ['', '2025-03-01T12:00:00Z']],
])('a successful PATCH stores %s', async (stores, expected) => {
  const { api, control, behave } = await start();
  const before = { invoiceNumber: '', webServiceDate: '2025-03-01T12:00:00Z' };
  await control('PUT', '/entities/Invoices/48213', before);
  await behave({ patch_stores: stores });
  const answer = await api('PATCH', 'Invoices', { id: 48213, invoiceNumber: 'P-1', webServiceDate: null });
  expect(answer.json).toEqual({ itemId: 48213 });
  const { item } = await api('GET', 'Invoices/48213');
  expect([item?.['invoiceNumber'], item?.['webServiceDate']]).toEqual(expected);
});

test('returns the versions without credentials, and has no zone service of version 2.0', async () => {
  const { send } = await start();
  const answer = await send('GET', '/atservicesrest/versionInformation', undefined, {});
  expect(answer.json).toEqual({ apiVersions: ['V1.0', 'V2.0'] });
  const zones = await send('GET', `/ATServicesRest/V2.0/zoneInformation?user=${userName}`, undefined, {});
  expect(zones.status).toBe(404);
});

test.each([
  ['the tracking code is missing', { UserName: userName, Secret: secret }],
  ['the user is missing', { Secret: secret, ApiIntegrationCode: apiIntegrationCode }],
  ['the secret is missing', { UserName: userName, ApiIntegrationCode: apiIntegrationCode }],
  ['the secret is wrong', { ...known, Secret: 'wrong' }],
  ['the user is unknown', { ...known, UserName: 'unknown@example.com' }],
])('returns 401 when %s', async (_what, headers: Record<string, string>) => {
  const { send, journal } = await start();
  const answer = await send('GET', '/ATServicesRest/V1.0/Companies/0', undefined, headers);
  expect([answer.status, answer.text]).toEqual([401, '']);
  expect((await journal()).at(-1)).toMatchObject({ owner: null, status: 401 });
});

test('ignores the case of header names and user name', async () => {
  const { send } = await start();
  const answer = await send('GET', '/ATServicesRest/V1.0/Companies/0', undefined, {
    username: userName.toUpperCase(),
    SECRET: secret,
    apiintegrationCODE: apiIntegrationCode,
  });
  expect(answer.item).toMatchObject({ id: 0, companyName: 'Northwind IT Services' });
});

test('an administrator can lock, deactivate, change, and add API users', async () => {
  const { api, control } = await start();
  const save = (fields: object) => control('POST', '/credentials', { userName, ...fields });
  const status = async (headers?: Record<string, string>) =>
    (await api('GET', 'Companies/0', undefined, headers)).status;
  expect(await status()).toBe(200);
  await save({ locked: true });
  expect(await status()).toBe(401);
  await save({ locked: false, secret: 'changed' });
  expect([await status(), await status({ Secret: 'changed' })]).toEqual([401, 200]);
  await save({ active: false });
  expect(await status({ Secret: 'changed' })).toBe(401);
  await control('POST', '/credentials', {
    userName: 'second@northwind-msp.example',
    secret: 's',
    apiIntegrationCode: 'c',
  });
  expect(await status({ UserName: 'second@northwind-msp.example', Secret: 's', ApiIntegrationCode: 'c' })).toBe(200);
  expect((await control('GET', '/credentials')).json.users).toHaveLength(3);
  expect((await control('POST', '/credentials', { userName: '' })).status).toBe(400);
  expect((await control('POST', '/credentials', { userName, linesOfBusiness: ['one'] })).status).toBe(400);
  await control('POST', '/reset', {});
  expect(await status()).toBe(200);
});

test('locks the user after too many wrong secrets until an administrator unlocks it', async () => {
  const { api, control, behave } = await start();
  await behave({ lock_after_failures: 3 });
  for (let n = 0; n < 2; n += 1) await api('GET', 'Version', undefined, { Secret: 'wrong' });
  expect((await api('GET', 'Version')).status).toBe(200);
  for (let n = 0; n < 2; n += 1) await api('GET', 'Version', undefined, { Secret: 'wrong' });
  expect((await api('GET', 'Version')).status).toBe(200);
  for (let n = 0; n < 3; n += 1) await api('GET', 'Version', undefined, { Secret: 'wrong' });
  expect((await api('GET', 'Version')).status).toBe(401);
  await control('POST', '/credentials', { userName, locked: false });
  expect((await api('GET', 'Version')).status).toBe(200);
});

test('ignores the case of paths', async () => {
  const { send } = await start();
  const answer = await send(
    'POST',
    '/atservicesREST/v1.0/INVOICES/Query',
    { FILTER: [where('ID', 'eq', 48213)] },
    known,
  );
  expect(ids(answer.items)).toEqual([48213]);
  const search = encodeURIComponent(JSON.stringify({ filter: [where('id', 'eq', 48213)] }));
  expect(
    ids((await send('GET', `/ATServicesRest/V1.0/Invoices/query?SEARCH=${search}`, undefined, known)).items),
  ).toEqual([48213]);
  expect((await send('GET', '/atservicesrest/v1.0/invoices/48213', undefined, known)).item).toMatchObject({
    id: 48213,
  });
});

test('returns 200 with a null item for a missing record', async () => {
  const { api } = await start();
  const answer = await api('GET', 'Invoices/1');
  expect([answer.status, answer.json]).toEqual([200, { item: null }]);
});

test.each([
  ['GET', 'Nothing/query'],
  ['GET', 'Nothing'],
  ['GET', 'Invoices/abc'],
  ['GET', 'Invoices/48213/Nothing'],
  ['POST', 'Invoices/query/sum'],
  ['GET', 'Invoices/entityInformation/nothing'],
])('%s %s is not found', async (method, path) => {
  const { api, behave } = await start();
  const page = await api(method, path);
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  await behave({ not_found_body: 'message' });
  expect((await api(method, path)).json).toEqual({ Message: expect.any(String) });
});

test.each([
  ['PATCH', 'Invoices/48213'],
  ['DELETE', 'Invoices/48213'],
  ['POST', 'Invoices'],
  ['GET', 'Invoices'],
  ['PATCH', 'BillingCodes'],
  ['PATCH', 'PurchaseOrderItems'],
  ['DELETE', 'PurchaseOrders/3310/Items/33001'],
  ['PUT', 'Invoices/query'],
  ['POST', 'Invoices/entityInformation'],
  ['POST', 'Version'],
  ['POST', 'zoneInformation'],
])('%s %s is not allowed', async (method, path) => {
  const { api } = await start();
  const answer = await api(method, path, method === 'GET' || method === 'DELETE' ? undefined : { id: 48213 });
  expect(answer.status).toBe(405);
  expect(answer.json).toEqual({ Message: `The requested resource does not support http method '${method}'.` });
});

test('the body of a 401 can be a list of errors or a web page', async () => {
  const { api, behave } = await start();
  await behave({ unauthorized_body: 'errors' });
  expect((await api('GET', 'Version', undefined, { Secret: 'x' })).errors).toEqual(['Unauthorized.']);
  await behave({ unauthorized_body: 'html' });
  expect((await api('GET', 'Version', undefined, { Secret: 'x' })).text).toContain('<html>');
});

test("modules, version, threshold, and token have the vendor's shapes", async () => {
  const { api, behave } = await start();
  const modules = async () => (await api('GET', 'Modules')).json.modules as { key: number; value: boolean }[];
  expect(await modules()).toContainEqual({ key: 65, value: true });
  expect(await modules()).toContainEqual({ key: 70, value: true });
  await behave({ module_procurement: false, module_key_multi_currency: 24 });
  expect(await modules()).toContainEqual({ key: 65, value: false });
  expect(await modules()).toContainEqual({ key: 24, value: true });
  expect((await api('GET', 'Version')).json).toEqual({
    majorVersion: expect.any(String),
    minorVersion: expect.any(String),
    build: expect.any(String),
    customerType: expect.any(String),
  });
  expect((await api('GET', 'Authenticate')).json).toEqual({
    authToken: expect.any(String),
    expiration: expect.any(String),
  });
  expect((await api('GET', 'ThresholdInformation')).json).toEqual({
    externalRequestThreshold: 10_000,
    requestThresholdTimeframe: 60,
    currentTimeframeRequestCount: 7,
  });
});

test('two servers are independent', async () => {
  const [one, two] = await Promise.all([start(), start()]);
  await one.api('PATCH', 'Invoices', { id: 48213, invoiceNumber: '1042' });
  expect((await one.api('GET', 'Invoices/48213')).item?.invoiceNumber).toBe('1042');
  expect((await two.api('GET', 'Invoices/48213')).item?.invoiceNumber).toBe('');
});

test('API users of two tenants have separate companies, records, and quotas', async () => {
  const { api, control, send } = await start();
  const users = (await control('GET', '/credentials')).json.users as readonly Record<string, unknown>[];
  const second = users.find(({ userName }) => userName === 'api.user@lakeside-tech.example') ?? {};
  const headers = {
    UserName: String(second.userName),
    Secret: String(second.secret),
    ApiIntegrationCode: String(second.apiIntegrationCode),
  };
  const zone = async (user: string) =>
    (await send('GET', `/ATServicesRest/V1.0/zoneInformation?user=${user}`, undefined, {})).json.ci;
  expect(await zone('api.user@lakeside-tech.example')).toBe(20_250_304);
  expect(await zone('api.user@northwind-msp.example')).toBe(20_250_303);
  const names = async (own?: Record<string, string>) =>
    (await api('GET', 'Companies/0', undefined, own)).item?.companyName;
  expect([await names(), await names(headers)]).toEqual(['Northwind IT Services', 'Lakeside Technology Partners']);
  await api('PATCH', 'Companies', { id: 175, companyNumber: 'L-1' }, headers);
  expect((await api('GET', 'Companies/175', undefined, headers)).item?.companyNumber).toBe('L-1');
  expect((await api('GET', 'Companies/175')).item?.companyNumber).toBe('');
  expect((await control('GET', '/entities/Companies/175?tenant=20250304')).json.item).toMatchObject({
    companyNumber: 'L-1',
  });
  expect((await control('GET', '/entities/Companies/175?tenant=1')).status).toBe(400);
  await control('PUT', '/limits', { requests_per_hour: 4 });
  expect((await api('GET', 'Companies/0', undefined, headers)).status).toBe(200);
  expect((await api('GET', 'Companies/0', undefined, headers)).status).not.toBe(200);
  expect((await api('GET', 'Companies/0')).status).toBe(200);
});
