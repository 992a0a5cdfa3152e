import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { docAt, listAt, textAt } from './doc.ts';
import { type Client, codesOf, faultOf, invoiceOf, saleOf, World } from './test-client.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  await world.control('DELETE', 'behaviour');
  northwind = await world.connect();
});
afterAll(() => world.close());

const companyValue = async (name: string) => {
  const answer = await northwind.get(`companyinfo/${northwind.realmId}`);
  const values = listAt(docAt(answer.body, 'CompanyInfo'), 'NameValue');
  return textAt(
    values.find((one) => textAt(one, 'Name') === name),
    'Value',
  );
};
const orderOf = (amount: number) => ({
  VendorRef: { value: '81' },
  APAccountRef: { value: '20' },
  Line: [
    {
      DetailType: 'ItemBasedExpenseLineDetail',
      Amount: amount,
      ItemBasedExpenseLineDetail: { ItemRef: { value: '31' }, Qty: 1, UnitPrice: amount },
    },
  ],
});

test.each(['RESTRICTED', 'SUSPENDED', 'EXPIRED', 'CANCELLED'])(
  'a company with status %s is read-only',
  async (status) => {
    await world.behave({ subscription_status: status });
    expect(await companyValue('SubscriptionStatus')).toBe(status);
    expect(codesOf(await northwind.post('invoice', invoiceOf(1)))).toEqual(['6190']);
    expect((await northwind.get('query?query=select * from Invoice')).status).toBe(200);
  },
);

test('smaller plans reject purchase orders with 5020', async () => {
  await world.behave({ plan: 'Essentials' });
  expect(await companyValue('OfferingSku')).toBe('QuickBooks Online Essentials');
  expect(await northwind.refusal('PurchaseOrder', orderOf(5))).toMatch(/^5020: .*Plus and Advanced only/);
  await northwind.write('Invoice', invoiceOf(1));
  await world.behave({ plan: 'Plus' });
  expect(await northwind.refusal('PurchaseOrder', orderOf(5))).not.toMatch(/5020/);
});

test('one unreadable transaction fails every query and change feed response that includes it', async () => {
  const { Id } = await northwind.write('Invoice', invoiceOf(1));
  await northwind.write('Invoice', invoiceOf(2));
  await world.behave({ unreadable_id: Number(Id), cdc_delay_seconds: 0 });
  expect(codesOf(await northwind.get('query?query=select * from Invoice'))).toEqual(['4002']);
  const feed = await northwind.get('cdc?entities=Invoice&changedSince=2025-03-03T00:00:00Z');
  expect(faultOf(feed)).toMatch(/^4002/);
  expect(await northwind.column(`select Id, DocNumber from Invoice where Id = '${String(Id)}'`, 'Id')).toEqual([Id]);
  const others = await northwind.column(
    'select * from Invoice orderby MetaData.CreateTime startposition 1 maxresults 2',
    'TotalAmt',
  );
  expect(others).toHaveLength(2);
});

test('one unreadable vendor fails every query and change feed response that includes its email', async () => {
  await northwind.write('Vendor', { DisplayName: 'Ledger Parts' });
  await world.behave({ unreadable_id: 90, cdc_delay_seconds: 0 });
  expect(codesOf(await northwind.get('query?query=select * from Vendor'))).toEqual(['4002']);
  expect(codesOf(await northwind.get('query?query=select Id, PrimaryEmailAddr from Vendor'))).toEqual(['4002']);
  expect(await northwind.column("select Id, DisplayName from Vendor where Id = '90'", 'DisplayName')).toEqual([
    'Ingram Supplies',
  ]);
  expect(await northwind.column("select * from Vendor where Id = '91'", 'Id')).toEqual(['91']);
  const feed = (id: number) =>
    world
      .behave({ unreadable_id: id })
      .then(() => northwind.get('cdc?entities=Vendor&changedSince=2025-03-03T00:00:00Z'));
  expect(faultOf(await feed(0))).not.toMatch(/^4002/);
  const made = Number(
    (await northwind.column("select Id, DisplayName from Vendor where DisplayName = 'Ledger Parts'", 'Id'))[0],
  );
  expect(faultOf(await feed(made))).toMatch(/^4002/);
});

test.each([
  ['Item', '21'],
  ['Account', '2'],
  ['Customer', '58'],
])('an unreadable %s fails queries and reads by id, but not queries of its other members', async (entity, id) => {
  await world.behave({ unreadable_id: Number(id), cdc_delay_seconds: 0 });
  expect(codesOf(await northwind.get(`query?query=select * from ${entity}`))).toEqual(['4002']);
  expect(codesOf(await northwind.get(`${entity.toLowerCase()}/${id}`))).toEqual(['4002']);
  expect(await northwind.column(`select Id, Active from ${entity} where Id = '${id}'`, 'Id')).toEqual([id]);
  await world.behave({ unreadable_id: 0 });
  expect((await northwind.get(`${entity.toLowerCase()}/${id}`)).status).toBe(200);
});

test('an outage answers good requests with fault 500', async () => {
  await world.behave({ outage: true });
  const answer = await northwind.get('query?query=select * from Invoice');
  expect([answer.status, faultOf(answer)]).toEqual([
    400,
    expect.stringMatching(/^500: Operation Could not find resource/),
  ]);
});

test('addresses have no coordinates, and CompanyInfo no NeoEnabled', async () => {
  const { BillAddr } = await northwind.read('Customer', '58');
  expect(BillAddr).not.toHaveProperty('Lat');
  expect(await companyValue('NeoEnabled')).toBeUndefined();
  await world.behave({ address_coordinates: true });
  expect((await northwind.read('Customer', '58'))['BillAddr']).toHaveProperty('Lat');
});

test.each([
  ['stored', 'Łódź · 東京', ''],
  ['replaced', '?ód? · ??', ''],
  ['refused', undefined, '6000'],
])('text outside ISO-8859-1 in the United States is %s', async (rule, note, code) => {
  await world.behave({ foreign_text: rule });
  const answer = await northwind.post('invoice', invoiceOf(1, { PrivateNote: 'Łódź · 東京' }));
  expect([docAt(answer.body, 'Invoice')['PrivateNote'], codesOf(answer).join()]).toEqual([note, code]);
});

test('with automated sales tax, a new exempt customer needs a reason', async () => {
  const exempt = (name: string, more = {}) => ({ DisplayName: name, Taxable: false, ...more });
  await northwind.write('Customer', exempt('Before School'));
  await world.control('PUT', 'entities/Preferences/1', { TaxPrefs: { PartnerTaxEnabled: true } });
  expect(await northwind.refusal('Customer', exempt('Elm School'))).toMatch(/^6000: /);
  await northwind.write('Customer', exempt('Elm School', { TaxExemptionReasonId: '7' }));
  await world.behave({ exempt_without_reason: 'taken' });
  await northwind.write('Customer', exempt('Oak School'));
});

describe('batch responses', () => {
  const sent = () =>
    northwind.post('batch', {
      BatchItemRequest: [1, 2, 3].map((amount) => ({
        bId: String(amount),
        operation: 'create',
        Invoice: invoiceOf(amount),
      })),
    });
  const received = async () =>
    listAt((await sent()).body, 'BatchItemResponse').map(
      (item) => `${textAt(item, 'bId') ?? ''}:${String(docAt(item, 'Invoice')['TotalAmt'])}`,
    );
  test.each([
    ['as-asked', ['1:1', '2:2', '3:3']],
    ['swapped', ['2:1', '1:2', '3:3']],
    ['missing', ['2:2', '3:3']],
    ['doubled', ['1:1', '1:1', '2:2', '3:3']],
  ])('%s', async (how, expected) => {
    await world.behave({ batch_answers: how });
    expect(await received()).toEqual(expected);
  });
});

test('turning on custom transaction numbers leaves later documents without a number', async () => {
  const first = await northwind.write('Invoice', invoiceOf(1));
  const number = Number(first['DocNumber']);
  await world.behave({ custom_sales_numbers_after: number + 1 });
  const numbers: unknown[] = [];
  for (let count = 0; count < 3; count += 1)
    numbers.push((await northwind.write('Invoice', invoiceOf(1)))['DocNumber']);
  expect(numbers).toEqual([String(number + 1), undefined, undefined]);
  const preferences = await northwind.get('preferences');
  expect(docAt(docAt(preferences.body, 'Preferences'), 'SalesFormsPrefs')['CustomTxnNumbers']).toBe(true);
});

describe('automatic application of credits', () => {
  const credit = (amount: number) =>
    northwind.write('CreditMemo', { CustomerRef: { value: '58' }, TxnDate: '2025-03-03', Line: [saleOf(amount)] });
  const balance = async (entity: string, id: unknown) => (await northwind.read(entity, String(id)))['Balance'];
  const turnOn = () => world.control('PUT', 'entities/Preferences/1', { SalesFormsPrefs: { AutoApplyCredit: true } });

  test("applies a customer's open credits to a new invoice", async () => {
    const memo = await credit(30);
    await turnOn();
    const invoice = await northwind.write('Invoice', invoiceOf(100));
    expect([await balance('Invoice', invoice['Id']), await balance('CreditMemo', memo['Id'])]).toEqual([70, 0]);
    const links = listAt(await northwind.read('Invoice', String(invoice['Id'])), 'LinkedTxn');
    expect(links.map((link) => textAt(link, 'TxnType'))).toEqual(['Payment']);
  });

  test("applies a new credit memo to the customer's oldest open invoices", async () => {
    const open = await northwind.write(
      'Invoice',
      invoiceOf(40, { CustomerRef: { value: '61' }, TxnDate: '2025-02-10' }),
    );
    await turnOn();
    const memo = await northwind.write('CreditMemo', {
      CustomerRef: { value: '61' },
      TxnDate: '2025-03-03',
      Line: [saleOf(50)],
    });
    expect(await balance('Invoice', open['Id'])).toBe(0);
    expect(Number(await balance('CreditMemo', memo['Id']))).toBeLessThanOrEqual(10);
  });

  test('applies nothing while the preference is off', async () => {
    const memo = await credit(30);
    await northwind.write('Invoice', invoiceOf(100));
    expect(await balance('CreditMemo', memo['Id'])).toBe(30);
  });
});

test('sub-accounts in reports lose their IDs and keep their names', async () => {
  const parent = await northwind.write('Account', { Name: 'Repairs', AccountType: 'Income' });
  const child = await northwind.write('Account', {
    Name: 'On site',
    AccountType: 'Income',
    SubAccount: true,
    ParentRef: { value: String(parent['Id']) },
  });
  const item = await northwind.write('Item', {
    Name: 'Repair on site',
    Type: 'Service',
    IncomeAccountRef: { value: String(child['Id']) },
  });
  await northwind.write('Invoice', invoiceOf(9, { Line: [saleOf(9, {}, { ItemRef: { value: String(item['Id']) } })] }));
  const idsOf = async () =>
    (await northwind.get('reports/TrialBalance?start_date=2025-03-01&end_date=2025-03-31')).text.match(
      new RegExp(`"value":"[^"]*On site","id":"${String(child['Id'])}"`, 'g'),
    )?.length ?? 0;
  expect(await idsOf()).toBe(1);
  await world.behave({ report_subaccount_ids: false });
  expect(await idsOf()).toBe(0);
  const answer = await northwind.get('reports/TrialBalance?start_date=2025-03-01&end_date=2025-03-31');
  expect(answer.text).toContain('On site');
});
