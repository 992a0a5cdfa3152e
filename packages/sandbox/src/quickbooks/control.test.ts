import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { switches } from './behaviour.ts';
import { listAt } from './doc.ts';
import { type Client, invoiceOf, saleOf, World } from './test-client.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  northwind = await world.connect();
});
afterAll(() => world.close());

test('the credentials include everything an app needs', async () => {
  expect((await world.control('GET', 'credentials')).body).toEqual({
    ...world.sandbox.credentials,
    realms: [
      { realmId: '9341452000000001', companyName: 'Northwind IT Services' },
      { realmId: '9341452000000002', companyName: 'Hill Country Computing' },
      { realmId: '9341452000000003', companyName: 'Thames Desk Ltd' },
    ],
  });
});

test('the ledger returns debits and credits of all or selected documents', async () => {
  const ledger = async (query: string) => (await world.control('GET', `ledger${query}`)).body;
  expect(await ledger('?transaction_type=Payment&transaction_id=9152')).toEqual({
    home_currency: 'USD',
    home_debit: '300.00',
    home_credit: '300.00',
    entries: ['26', '30'].map((id) => ({
      transaction_type: 'Payment',
      transaction_id: '9152',
      number: '2217',
      date: '2025-02-27',
      line_id: null,
      description: null,
      account:
        id === '26'
          ? { id, name: 'Undeposited Funds', type: 'Other Current Asset' }
          : { id, name: 'Accounts Receivable', type: 'Accounts Receivable' },
      debit: id === '26' ? '300.00' : '0.00',
      credit: id === '26' ? '0.00' : '300.00',
      currency: 'USD',
      rate: '1',
      home_debit: id === '26' ? '300.00' : '0.00',
      home_credit: id === '26' ? '0.00' : '300.00',
      class: null,
      department: null,
      entity: { type: 'Customer', id: '59', name: 'Birch Legal LLP' },
      customer: null,
      item: null,
      agency: null,
    })),
  });
  const invoice = await northwind.write('Invoice', {
    ...invoiceOf(500),
    Line: [saleOf(500, {}, { ItemRef: { value: '32' }, TaxCodeRef: { value: 'TAX' } })],
  });
  expect(await ledger('?account=27')).toMatchObject({
    home_credit: '41.25',
    entries: [
      {
        transaction_type: 'Invoice',
        transaction_id: invoice['Id'],
        credit: '41.25',
        agency: { id: '1', name: 'Texas Comptroller of Public Accounts' },
      },
    ],
  });
  expect(await ledger('?from=2025-02-27&to=2025-02-28')).toMatchObject({ home_debit: '300.00' });
  expect(await ledger('?realmId=9341452000000002')).toMatchObject({ entries: [] });
  expect(await northwind.read('Account', '26')).toMatchObject({ CurrentBalance: 300 });
  for (const query of ['?form=2025-01-01', '?from=today', '?transaction_type=Estimate'])
    expect((await world.control('GET', `ledger${query}`)).status).toBe(400);
});

test('the control API changes, adds, and deletes records in any company', async () => {
  await world.control('PUT', 'entities/Invoice/9141', { PrivateNote: 'changed by hand' });
  expect(await northwind.read('Invoice', '9141')).toMatchObject({ PrivateNote: 'changed by hand', SyncToken: '1' });
  const paid = await world.control('POST', 'entities/Payment', {
    CustomerRef: { value: '58' },
    TotalAmt: 420,
    Line: [{ Amount: 420, LinkedTxn: [{ TxnId: '9141', TxnType: 'Invoice' }] }],
  });
  expect(paid.status).toBe(200);
  expect(await northwind.read('Invoice', '9141')).toMatchObject({ Balance: 0 });
  await world.control('DELETE', 'entities/Payment/9177');
  expect(await northwind.read('Invoice', '9141')).toMatchObject({ Balance: 420 });
  const realm = world.sandbox.credentials.realms[1]?.realmId ?? '';
  expect((await world.control('GET', `entities/Customer?realmId=${realm}`)).body).toMatchObject({
    items: [{ DisplayName: 'Juniper Bakery' }],
  });
  expect((await world.control('GET', `entities/Customer@${realm}`)).body).toMatchObject({
    items: [{ DisplayName: 'Juniper Bakery' }],
  });
});

test.each([
  ['POST', 'entities/Invoice', { CustomerRef: { value: '999' } }, 400],
  ['POST', 'entities/Nothing', {}, 404],
  ['GET', 'entities/Invoice/1', undefined, 404],
  ['GET', 'entities/Invoice?realmId=1', undefined, 400],
  ['POST', 'reset', { tomorrow: true }, 400],
  ['POST', 'reset', { invoices: -1 }, 400],
  ['POST', 'reset', { today: '3 March' }, 400],
  ['POST', 'revoke', { how: 'gently' }, 400],
  ['POST', 'revoke', { realmId: '1' }, 400],
  ['POST', 'expire-tokens', { what: 'everything' }, 400],
  ['PUT', 'behaviour', { requestid: 'maybe' }, 400],
  ['PUT', 'limits', { requests_per_second: 'few' }, 400],
])('%s %s with %j returns %i', async (method, path, body, status) => {
  const answer = await world.control(method, path, body);
  expect(answer.status).toBe(status);
  expect(answer.body['error']).toEqual(expect.any(String));
});

test('every switch has a description', async () => {
  const described = listAt((await world.control('GET', 'behaviour')).body, 'switches');
  expect(described.map(({ name }) => name)).toEqual(Object.keys(switches));
  for (const { sentence } of described) expect(sentence).toMatch(/^[A-Z].{20,}\.$/s);
});

test('a reset with the same seed gives equal bytes, another seed other amounts', async () => {
  const dump = async () =>
    (await world.control('GET', 'entities/Invoice')).text + (await world.control('GET', 'entities/Customer')).text;
  await world.control('POST', 'reset', {
    seed: 7,
    today: '2025-03-03',
    companies: 5,
    invoices: 40,
    lines_per_invoice: 3,
    purchase_orders: 4,
    expense_reports: 2,
  });
  const first = await dump();
  await world.control('POST', 'reset', {
    seed: 7,
    today: '2025-03-03',
    companies: 5,
    invoices: 40,
    lines_per_invoice: 3,
    purchase_orders: 4,
    expense_reports: 2,
  });
  expect(await dump()).toBe(first);
  expect((await world.control('POST', 'reset', { seed: 8, invoices: 40 })).body).toMatchObject({
    counts: { Invoice: 43, PurchaseOrder: 0, Customer: 5 },
  });
  expect(await dump()).not.toBe(first);
  expect((await world.control('POST', 'reset', { empty: true })).body).toMatchObject({
    counts: { Invoice: 0, Customer: 0, Item: 0, Account: 20, Term: 3 },
  });
});

test('dates of the sample data move with the start date', async () => {
  await world.control('POST', 'reset', { today: '2025-06-11' });
  const client = await world.connect();
  expect(await client.read('Invoice', '9141')).toMatchObject({
    TxnDate: '2025-06-04',
    DueDate: '2025-07-04',
    MetaData: { CreateTime: '2025-06-04T10:00:00-07:00' },
  });
  expect((await client.get('preferences')).body).toMatchObject({
    Preferences: { AccountingInfoPrefs: { BookCloseDate: '2025-05-11' } },
  });
  const { TxnDate: _, ...body } = invoiceOf(1);
  expect(await client.write('Invoice', body)).toMatchObject({ TxnDate: '2025-06-11' });
});

test('the page shows tables and a printed document with escaped text', async () => {
  await world.control('PUT', 'entities/Customer/58', { DisplayName: '<b>Acme</b>', FullyQualifiedName: '<b>Acme</b>' });
  const page = async (query: string) => (await fetch(`${world.sandbox.url}/__sandbox${query}`)).text();
  expect(await page('?entity=Invoice')).toContain('&lt;b&gt;Acme&lt;/b&gt;');
  const rendered = await page('?entity=Invoice&id=9141');
  for (const text of [
    'Invoice 1038',
    'Network audit',
    '2.8',
    '150',
    'Balance due',
    '420.00',
    'Net 30',
    'Autotask invoice 48312',
  ])
    expect(rendered).toContain(text);
  expect(rendered).not.toContain('<b>Acme');
  await northwind.post('invoice?operation=void', { Id: '9141', SyncToken: '0' });
  expect(await page('?entity=Invoice&id=9141')).toContain('Voided');
  expect(await page('?entity=Payment&id=9152')).toContain('Undeposited Funds');
  const home = await page('');
  for (const text of [
    'Invoices and credit memos (3)',
    'href="/__sandbox?entity=Invoice&amp;id=9138&amp;realmId=',
    '500.00',
  ])
    expect(home).toContain(text);
  expect(await page('?view=ledger')).toContain('Payment 2217');
  for (const name of ['ProfitAndLoss', 'BalanceSheet', 'AgedReceivableDetail', 'CustomerSales'])
    expect(await page(`?view=reports&report=${name}`)).toMatch(/<td class="n">\s*-?[\d,]+\.\d\d\s*</);
  expect(await page('?view=reports&report=NoSuchReport')).toMatch(/Profit And Loss, \d{4}-01-01 to/);
  expect(await page('?view=trial-balance')).toMatch(/Undeposited Funds<\/a>[^]*?>\s*300\.00\s*</);
  expect(await page('?view=documents&realmId=9341452000000002')).toContain('No invoices yet.');
  expect(await page('?view=journal')).toContain('Switches');
  for (const query of [
    '',
    '?entity=Customer&id=58',
    '?entity=Account&id=30',
    '?entity=Preferences&id=1',
    '?entity=Payment&id=9152',
    '?entity=Item',
  ])
    expect(await page(query)).toContain('</html>');
});

test('a reset without a date uses the current date', async () => {
  await world.control('POST', 'reset', { today: '2025-06-11' });
  const { body } = await world.control('POST', 'reset', {});
  const hoursAway = Math.abs(Date.parse(String(body['now'])) - Date.now()) / 3_600_000;
  expect(hoursAway).toBeLessThan(25);
});

test('a reset keeps an app connected', async () => {
  await world.control('POST', 'reset', { today: '2025-03-03' });
  expect((await northwind.get('preferences')).status).toBe(200);
});

test('the journal shows the company of each call and whether it changed data', async () => {
  await northwind.get('preferences');
  await northwind.write('Invoice', invoiceOf(1));
  const entries = listAt((await world.control('GET', 'journal')).body, 'entries').slice(-2);
  expect(entries).toMatchObject([
    { method: 'GET', owner: northwind.realmId, status: 200, applied: false },
    { method: 'POST', owner: northwind.realmId, status: 200, applied: true },
  ]);
});

test('a merge moves documents to the remaining customer and deactivates the other one', async () => {
  const invoice = await northwind.write('Invoice', invoiceOf(10));
  const merge = (fields: object) =>
    world.control('POST', 'merge', { entity: 'Customer', into: '61', deleted: '58', ...fields });
  for (const wrong of [{ entity: 'Invoice' }, { into: '58' }, { deleted: '61' }, { deleted: 'x' }])
    expect((await merge(wrong)).status).toBe(400);
  expect((await merge({})).body).toMatchObject({ moved: expect.any(Number) });
  expect(await northwind.read('Invoice', String(invoice['Id']))).toMatchObject({ CustomerRef: { value: '61' } });
  expect(await northwind.read('Customer', '58')).toMatchObject({
    Active: false,
    DisplayName: 'Acme Dental (deleted)',
    Balance: 0,
  });
  expect((await merge({})).status).toBe(400);
});
