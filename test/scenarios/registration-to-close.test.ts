import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import type { TenantContext } from '#flows/context.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { eventually } from '../support/eventually.ts';
import { newApi, cookiesOf, tokenOf, type Answered, type TestApi } from '../support/api.ts';
import { payInvoice } from '../support/pay-invoice.ts';

/** A client from its registration to the end of its first month, using the API of the screens. */
let api: TestApi;
let token: string;
/** Cookies of the logged-in user. */
let kept: string;
let tenant: TenantContext;
beforeAll(async () => {
  api = await newApi();
  // The sample company is not registered yet.
  await api.world.store.removeCredentials('psa');
  await api.world.store.removeCredentials('accounting');
  await api.world.store.setStatus('cancelled');
}, 120_000);
afterAll(() => api.close());

const call = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const answer = await api.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  if (answer.body?.['success'] !== true) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.data;
};
const work = () => runTenantSession(tenant, 'test worker', new AbortController().signal);
/** Runs the next cycle, 15 minutes later. */
async function cycle(): Promise<void> {
  await api.world.advance(16 * 60);
  await work();
}
async function sync(path: string, body: JsonObject): Promise<JsonObject> {
  const { job } = (await call('POST', path, body)) as { job: JsonObject };
  await work();
  return (await call('GET', `/api/my/jobs/${String(job['id'])}`))['job'] as JsonObject;
}
const inAccounting = async (psaId: number, entity = 'Invoice'): Promise<JsonObject | undefined> =>
  (await api.world.quickbooks.list(entity)).find((row) =>
    new RegExp(`^(Voided - )?Autotask invoice ${psaId}\\b`).test(String(row['PrivateNote'] ?? '').replace(/\n/g, ' ')),
  );
const needsYou = async (): Promise<unknown> => (await call('GET', '/api/my/attention'))['needs_you'];

/** Follows the consent page like a browser, with this test's address of the product. */
async function connectAccounting(): Promise<void> {
  const asked = await api.call('POST', '/auth/connect-ticket', { token, body: { service: 'qbo' } });
  const begun = await api.call('GET', `/connect/qbo?token=${String(asked.data['ticket'])}`, {
    headers: { cookie: [kept, cookiesOf(asked)].filter((one) => one !== '').join('; ') },
  });
  const cookie = [kept, cookiesOf(asked), cookiesOf(begun)].filter((one) => one !== '').join('; ');
  const consent = begun.headers.get('location') ?? '';
  const html = await (await fetch(consent)).text();
  const form = new URLSearchParams({ decision: 'connect' });
  for (const [, name = '', value = ''] of html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    form.set(name, value.replaceAll('&amp;', '&'));
  form.set('realm_id', /name="realm_id" value="(\d+)"/.exec(html)?.[1] ?? '');
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '';
  const target = new URL(action.replaceAll('&amp;', '&'), consent);
  const given = await fetch(target, { method: 'POST', body: form, redirect: 'manual' });
  const back = new URL(given.headers.get('location') ?? '');
  const answer = await api.call('GET', `${back.pathname}${back.search}`, { headers: { cookie } });
  expect(answer.headers.get('location')).toMatch(/\/connections/);
}

const plain = 48_213;
const second = 48_214;
/** Its lines total 500.00, but its header says 510.00. */
const wrong = 48_309;

test('register: a user of the company with its API user, whose email address is confirmed', async () => {
  const answer = await fetch(`${api.world.autotask.url}/__sandbox/credentials`);
  const { users } = (await answer.json()) as { users: { userName: string; secret: string }[] };
  const access = { api_user: users[0]?.userName ?? '', api_secret: users[0]?.secret ?? '' };
  const person = { first_name: 'Betty', last_name: 'Decker', email: 'betty.decker@northwind-msp.example' };
  const post = (path: string, body: JsonObject): Promise<Answered> => api.call('POST', `/register/${path}`, { body });
  const { data } = await post('validate-autotask-access', access);
  expect(data).toEqual({ company: { id: 0, companyName: 'Northwind IT Services' } });
  expect((await post('validate-autotask-resource', { ...access, ...person })).status).toBe(200);
  const password = 'Betty-Horse-12';
  const company = data['company'] as JsonObject;
  expect((await post('complete-registration', { ...access, ...person, company, password })).status).toBe(200);
  const login = await api.call('POST', '/auth/login', { body: { username: person.email, password } });
  [token, kept] = [tokenOf(login), cookiesOf(login)];
  const letters = () => (api.world.app.mailer.sent?.() ?? []).filter(({ to }) => to === person.email);
  await eventually(() => expect(letters()[0]?.text).toContain('/auth/confirm-email?token='));
  const link = /\/auth\/confirm-email\?token=([\w-]+)/.exec(letters()[0]?.text ?? '')?.[1] ?? '';
  const confirmed = await api.call('POST', '/auth/confirm-email', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: `token=${link}`,
  });
  expect(confirmed.text).toContain('Your address is confirmed');
  const found = (await api.world.app.store.listTenants()).find(
    ({ name, status }) => name === 'Northwind IT Services' && status !== 'cancelled',
  );
  tenant = api.world.app.forTenant(found?.id ?? '');
});

test('connect, set up, and map', async () => {
  await connectAccounting();
  const my = await call('GET', '/api/my');
  expect((my['connections'] as JsonObject[]).map(({ service, status }) => [service, status]).sort()).toEqual([
    ['autotask', 'active'],
    ['qbo', 'active'],
  ]);
  expect(my['settings_valid']).toBe(false);
  await call('POST', '/api/my/settings/', {
    inv_default_income_account: '2',
    inv_max_age_days: 90,
  });
  const business = { source_entity: 'LineOfBusiness', target_entity: 'Class', source_value_label: null };
  await call('POST', '/api/my/xrefs/LineOfBusiness/multiple', {
    xrefs: [{ ...business, source_value: '1', target_value: '200', target_value_label: null }],
  });
  expect((await call('GET', '/api/my'))['settings_valid']).toBe(true);
});

test('test: everything is reported, nothing is sent', async () => {
  const before = JSON.stringify(await api.world.quickbooks.list('Invoice'));
  const job = await sync('/api/my/invoices/sync/submit', { invoice_ids: [plain, wrong], mode: 'test' });
  expect([job['succeeded'], job['failed']]).toEqual([1, 1]);
  expect(JSON.stringify(await api.world.quickbooks.list('Invoice'))).toBe(before);
  expect((await api.world.psaInvoice(plain))['invoiceNumber']).toBe('');
});

test('approve: the schedule prepares drafts, and a user posts exactly those', async () => {
  await call('POST', '/api/my/settings/', { require_approval: true, inv_sync_active: true });
  await cycle();
  expect(await inAccounting(plain)).toBeUndefined();
  const run = await call('GET', '/api/my/drafts/run');
  const drafts = (await call('GET', '/api/my/drafts'))['drafts'] as JsonObject[];
  expect(drafts.length).toBeGreaterThan(1);
  expect(drafts.map((one) => one['entityid'])).toEqual(expect.arrayContaining([plain, second]));
  const answer = await call('POST', '/api/my/drafts/approve', { run: String(run['run']) });
  expect(answer['posting']).toBe(drafts.length);
  await work();
  expect(await inAccounting(plain)).toMatchObject({ TotalAmt: 1966.25 });
  expect(await api.world.psaInvoice(plain)).toMatchObject({
    invoiceNumber: (await inAccounting(plain))?.['DocNumber'],
  });
});

test('go live: a new invoice is posted automatically, once', async () => {
  await call('POST', '/api/my/settings/', { require_approval: false, void_sync_active: true, pay_sync_active: true });
  const items = (await api.world.autotask.list('BillingItems')).filter((row) => row['invoiceID'] === second);
  const { [0]: item } = items;
  await api.world.autotask.put('Invoices', 48_290, {
    ...(await api.world.psaInvoice(second)),
    id: 48_290,
    invoiceNumber: '',
    webServiceDate: null,
    invoiceTotal: 350,
    totalTaxValue: 0,
  });
  await api.world.autotask.put('BillingItems', 9_048_290, {
    ...item,
    id: 9_048_290,
    invoiceID: 48_290,
    quantity: 1,
    rate: 350,
    extendedPrice: 350,
    totalAmount: 350,
    internalCurrencyTotalAmount: 350,
    taxDollars: 0,
  });
  await cycle();
  await cycle();
  const found = (await api.world.quickbooks.list('Invoice')).filter((row) => row['TotalAmt'] === 350);
  expect(found).toHaveLength(1);
});

test('fix a failure: the corrected invoice is synced', async () => {
  const before = Number(await needsYou());
  expect(before).toBeGreaterThan(0);
  expect(await api.world.psaInvoice(wrong)).toMatchObject({ invoiceNumber: 'ERROR' });
  await api.world.autotask.put('Invoices', wrong, { invoiceTotal: 500 });
  const job = await sync('/api/my/invoices/sync/submit', { invoice_ids: [wrong], mode: 'live' });
  expect([job['succeeded'], job['failed']]).toEqual([1, 0]);
  expect(await inAccounting(wrong)).toMatchObject({ TotalAmt: 500 });
  expect(await needsYou()).toBe(before - 1);
});

test('void: a void in Autotask reaches QuickBooks', async () => {
  await api.world.autotask.put('Invoices', second, { isVoided: true, voidedDate: '2025-03-03T16:00:00Z' });
  await cycle();
  expect(await inAccounting(second)).toMatchObject({ TotalAmt: 0, Balance: 0 });
});

test('get paid: a payment in QuickBooks sets the paid date in Autotask', async () => {
  const invoice = await inAccounting(plain);
  await payInvoice(api.world, String(invoice?.['Id']), 1966.25, { on: '2025-03-04' });
  await api.world.advance(3_600);
  await cycle();
  expect(String((await api.world.psaInvoice(plain))['paidDate'])).toMatch(/^2025-03-04/);
});

test('undo: the previous mapping is restored', async () => {
  const targetOf = async () =>
    ((await call('GET', '/api/my/xrefs?namespace=LineOfBusiness'))['subscription_xrefs'] as JsonObject[]).map(
      (one) => one['target_value'],
    );
  const business = { source_entity: 'LineOfBusiness', target_entity: 'Class', source_value_label: null };
  await call('POST', '/api/my/xrefs/LineOfBusiness/multiple', {
    xrefs: [{ ...business, source_value: '1', target_value: '201', target_value_label: null }],
  });
  expect(await targetOf()).toEqual(['201']);
  const history = await call('GET', '/api/my/mappings/LineOfBusiness/history');
  const [newest] = history['changes'] as JsonObject[];
  await call('POST', '/api/my/mappings/LineOfBusiness/undo', { change: String(newest?.['id']) });
  expect(await targetOf()).toEqual(['200']);
});

test('close the month: no unexplained difference, every account agrees, and debits equal credits', async () => {
  await call('POST', '/api/my/settings/', { close_two_people: false });
  await call('POST', '/api/my/closes/2025-03/prepare');
  const readClose = async () => (await call('GET', '/api/my/closes/2025-03'))['close'] as JsonObject;
  await expect.poll(async () => (await readClose())['id'], { timeout: 60_000 }).not.toBeNull();
  const undecided = (await readClose())['exceptions'] as JsonObject[];
  expect([undecided.length > 0, (await readClose())['state']]).toEqual([true, 'open']);
  for (const one of undecided) {
    const body = { key: String(one['key']), decision: 'accept', reason: 'Checked with the client.' };
    await call('POST', '/api/my/closes/2025-03/decisions', body);
  }
  const close = await readClose();
  expect([close['state'], close['undecided'], close['obstacles']]).toEqual(['ready', [], []]);
  const totals = close['totals'] as JsonObject[];
  expect(totals.length).toBeGreaterThan(0);
  expect(totals.map((one) => Number(one['unexplained']))).toEqual(totals.map(() => 0));
  const ties = close['tie_outs'] as JsonObject[];
  expect(ties.filter((one) => one['holds'] !== true).map((one) => one['name'])).toEqual([]);
  expect(ties.find((one) => one['name'] === 'receivables_ageing')?.['left']).not.toBe('0.00');

  const checked = (close['checklist'] as JsonObject[]).map((one) => String(one['key']));
  for (const as of ['preparer', 'reviewer'])
    await call('POST', '/api/my/closes/2025-03/sign', { close_id: String(close['id']), as, checked });
  expect((await readClose())['state']).toBe('signed');

  const answer = await fetch(`${api.world.quickbooks.url}/__sandbox/ledger`);
  const { entries } = (await answer.json()) as { entries: JsonObject[] };
  const cents = (name: string, of = entries) => of.reduce((sum, one) => sum + Math.round(Number(one[name]) * 100), 0);
  expect(entries.length).toBeGreaterThan(10);
  expect(cents('home_debit')).toBe(cents('home_credit'));
  const posted = await inAccounting(plain);
  const own = entries.filter(
    (one) => one['transaction_type'] === 'Invoice' && one['transaction_id'] === posted?.['Id'],
  );
  const lines = own.map((one) => [(one['account'] as JsonObject)['name'], Number(one['debit']), Number(one['credit'])]);
  expect(lines).toContainEqual(['Accounts Receivable', 1966.25, 0]);
  expect([cents('debit', own), cents('credit', own)]).toEqual([196_625, 196_625]);
});
