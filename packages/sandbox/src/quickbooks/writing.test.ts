import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

const countInvoices = async () => (await northwind.query('select count(*) from Invoice'))['totalCount'];

describe('request bodies', () => {
  test.each([
    [
      { BadJson: true },
      /^2010: Property Name:Unrecognized field "BadJson" \(class com\.intuit\.schema\.finance\.v3\.Invoice\), not marked as ignorable \(\d+ known properties: "/,
    ],
    [invoiceOf(1, { Line: [saleOf(1, { Colour: 'red' })] }), /^2010: .*class com\.intuit\.schema\.finance\.v3\.Line\)/],
    [invoiceOf(1, { Line: [saleOf(1, {}, { Quantity: 2 })] }), /^2010: .*v3\.SalesItemLineDetail\)/],
    [invoiceOf(1, { DocNumber: '1'.repeat(22) }), /^2050: .*Min:0 Max:21 supported\. Supplied length:22$/],
    [invoiceOf(1, { PrivateNote: 'x'.repeat(4001) }), /^2050: .*Max:4000/],
    [invoiceOf(1, { CustomerMemo: { value: 'x'.repeat(1001) } }), /^2050: .*Max:1000/],
    [invoiceOf(1, { Line: [saleOf(1, { Description: 'x'.repeat(4001) })] }), /^2050: .*Max:4000/],
    [invoiceOf(1, { TxnDate: '2025-02-30' }), /^2060: /],
    [invoiceOf(1, { TxnDate: 'soon' }), /^2060: /],
    [invoiceOf(1, { EmailStatus: 'Later' }), /^2170: Invalid Enumeration : Later$/],
    [invoiceOf(1, { Line: [saleOf(1, { Amount: 'much' })] }), /^2090: /],
    [invoiceOf(1, { Line: [saleOf(1e15)] }), /^2140: /],
    [invoiceOf(1, { CustomerRef: '58' }), /^2120: /],
    [invoiceOf(1, { Line: { Amount: 1 } }), /^2120: /],
    [invoiceOf(1, { BillEmail: { Address: 'not-an-email' } }), /^2210: /],
    [invoiceOf(1, { CustomField: [{ DefinitionId: '3', StringValue: 'x' }] }), /^3000: /],
    [invoiceOf(1, { CustomField: [{ DefinitionId: '1', StringValue: 'x'.repeat(32) }] }), /^2050: .*Max:31/],
  ])('rejects %j', async (body, fault) => {
    expect(await northwind.refusal('Invoice', body)).toMatch(fault);
    expect(await countInvoices()).toBe(3);
  });

  test('lists all missing members at once (2020)', async () => {
    const answer = await northwind.post('invoice', {});
    expect(codesOf(answer)).toEqual(['2020', '2020']);
    expect(faultOf(answer)).toContain('2020: Required parameter CustomerRef is missing in the request');
    expect(answer.body).toMatchObject({
      Fault: { Error: [{ element: 'CustomerRef' }, { element: 'Line' }], type: 'ValidationFault' },
    });
  });

  test('rejects invalid JSON, invalid UTF-8, and other content types', async () => {
    const json = { 'Content-Type': 'application/json' };
    expect(codesOf(await northwind.send('POST', 'invoice', '{"CustomerRef":', json))).toEqual(['2010']);
    expect(codesOf(await northwind.send('POST', 'invoice', '[]', json))).toEqual(['2010']);
    expect(codesOf(await northwind.send('POST', 'invoice', Buffer.from([0x7b, 0xff, 0x7d]), json))).toEqual(['500']);
    for (const type of ['text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded', ''])
      expect([type, codesOf(await northwind.send('POST', 'invoice', '{}', { 'Content-Type': type }))]).toEqual([
        type,
        ['1050'],
      ]);
    const headers = { 'Content-Type': 'Application/JSON; charset=UTF-8' };
    expect(codesOf(await northwind.send('POST', 'invoice', '{}', headers))).toEqual(['2020', '2020']);
  });

  test('accepts and ignores read-only members', async () => {
    const sent = invoiceOf(100, {
      TotalAmt: 5,
      Balance: 5,
      domain: 'QBO',
      MetaData: { CreateTime: '2001-01-01T00:00:00Z' },
    });
    expect(await northwind.write('Invoice', sent)).toMatchObject({ TotalAmt: 100, Balance: 100 });
  });
});

describe('unknown references', () => {
  test.each([
    [invoiceOf(1, { CustomerRef: { value: '999' } }), '2500: Invalid Reference Id : Names element id 999 not found'],
    [
      invoiceOf(1, { Line: [saleOf(1, {}, { ItemRef: { value: '999' } })] }),
      '2500: Invalid Reference Id : Items element id 999 not found',
    ],
    [
      invoiceOf(1, { Line: [saleOf(1, {}, { ClassRef: { value: '999' } })] }),
      '2500: Invalid Reference Id : Klasses element id 999 not found',
    ],
    [invoiceOf(1, { SalesTermRef: { value: '999' } }), '2500: Invalid Reference Id : Terms element id 999 not found'],
    [
      invoiceOf(1, { CustomerRef: { value: '62' } }),
      /^610: Object Not Found : Something you're trying to use has been made inactive\./,
    ],
  ])('%j', async (body, fault) => {
    expect(await northwind.refusal('Invoice', body)).toMatch(fault);
  });

  test('rejects an unknown account by type; the switch rejects an inactive record with 2500', async () => {
    const bill = {
      VendorRef: { value: '90' },
      Line: [
        {
          DetailType: 'AccountBasedExpenseLineDetail',
          Amount: 1,
          AccountBasedExpenseLineDetail: { AccountRef: { value: '7' } },
        },
      ],
    };
    expect(await northwind.refusal('Bill', bill)).toBe('2500: Invalid Reference Id : Accounts element id 7 not found');
    await world.behave({ inactive_reference: '2500' });
    expect(await northwind.refusal('Invoice', invoiceOf(1, { CustomerRef: { value: '62' } }))).toMatch(
      /^2500: .*made inactive/,
    );
  });
});

describe('updates', () => {
  test('rejects a stale SyncToken (5010), a missing one (2020), an unknown ID (610), and an invalid one (2030)', async () => {
    await northwind.write('Invoice', { Id: '9141', SyncToken: '0', sparse: true, PrivateNote: 'first' });
    const late = { Id: '9141', SyncToken: '0', sparse: true, PrivateNote: 'second' };
    expect(await northwind.refusal('Invoice', late)).toMatch(
      /^5010: Stale Object Error : You and Robin Ledger were working on this at the same time\. Robin Ledger finished before you did/,
    );
    expect(await northwind.refusal('Invoice', { Id: '9141', sparse: true })).toMatch(
      /^2020: Required parameter SyncToken/,
    );
    expect(await northwind.refusal('Invoice', { Id: '77', SyncToken: '0' })).toMatch(/^610: /);
    const odd = await northwind.post('invoice', { Id: '1.5', SyncToken: '0' });
    expect(odd.body).toEqual({
      Fault: {
        Error: [
          {
            Message: 'Invalid ID',
            Detail: 'Id should be a valid number. Supplied value:1.5',
            code: '2030',
            element: 'Id',
          },
        ],
        type: 'ValidationFault',
      },
    });
  });

  test('a sparse update changes the given members; without changes SyncToken and time stay the same', async () => {
    const before = await northwind.read('Invoice', '9141');
    await world.advance(60);
    const same = await northwind.write('Invoice', {
      Id: '9141',
      SyncToken: '0',
      sparse: true,
      PrivateNote: before['PrivateNote'],
    });
    expect(same).toEqual(before);
    const changed = await northwind.write('Invoice', { Id: '9141', SyncToken: '0', sparse: true, PrivateNote: 'new' });
    expect(changed).toMatchObject({
      SyncToken: '1',
      PrivateNote: 'new',
      DocNumber: '1038',
      TotalAmt: 420,
      DueDate: before['DueDate'],
    });
    expect(changed['MetaData']).not.toEqual(before['MetaData']);
  });

  test('a full update clears omitted members, including the number; given lines keep their IDs', async () => {
    const line = saleOf(420, { Id: '1', Description: 'Kept' }, { Qty: 2.8, UnitPrice: 150 });
    const updated = await northwind.write('Invoice', {
      Id: '9141',
      SyncToken: '0',
      CustomerRef: { value: '58' },
      Line: [line, saleOf(10)],
    });
    expect(updated).not.toHaveProperty('DocNumber');
    expect(updated).not.toHaveProperty('PrivateNote');
    expect(updated).toMatchObject({
      TxnDate: '2025-03-03',
      TotalAmt: 430,
      Line: [{ Id: '1', Description: 'Kept' }, { Id: '2' }, {}],
    });
  });

  test('a full update without a date uses the current date; a sparse one keeps the date', async () => {
    const made = await northwind.write('Invoice', invoiceOf(20, { TxnDate: '2025-02-10' }));
    const { Id, CustomerRef, Line } = made;
    const sparse = await northwind.write('Invoice', { Id, SyncToken: '0', sparse: true, PrivateNote: 'x' });
    expect(sparse['TxnDate']).toBe('2025-02-10');
    const whole = await northwind.write('Invoice', { Id, SyncToken: '1', CustomerRef, Line });
    expect(whole['TxnDate']).toBe('2025-03-03');
  });

  test('rejects an invoice update with only the ID; a credit memo keeps its number', async () => {
    expect(await northwind.refusal('Invoice', { Id: '9141', SyncToken: '0' })).toMatch(/^2020: .*CustomerRef/);
    const memo = await northwind.write('CreditMemo', invoiceOf(20));
    const changed = await northwind.write('CreditMemo', { ...invoiceOf(30), Id: memo['Id'], SyncToken: '0' });
    expect([memo['DocNumber'], changed['DocNumber']]).toEqual(['1042', '1042']);
    expect(changed).not.toHaveProperty('LinkedTxn');
  });

  test('given lines replace all lines: new ones are added, missing ones deleted', async () => {
    const updated = await northwind.write('Invoice', { Id: '9141', SyncToken: '0', sparse: true, Line: [saleOf(33)] });
    expect(updated).toMatchObject({ TotalAmt: 33, Balance: 33, Line: [{ Id: '2', Amount: 33 }, { Amount: 33 }] });
  });

  test('operation=update on a plain update has no effect', async () => {
    expect(
      await northwind.write(
        'Invoice',
        { Id: '9141', SyncToken: '0', sparse: true, PrivateNote: 'n' },
        '?operation=update',
      ),
    ).toMatchObject({ PrivateNote: 'n' });
  });

  test('a bill, a purchase order, and a payment require their party even in a sparse update', async () => {
    const bill = await northwind.write('Bill', billOf(50));
    expect(await northwind.refusal('Bill', { Id: bill['Id'], SyncToken: '0', sparse: true, PrivateNote: 'x' })).toMatch(
      /^2020: .*VendorRef/,
    );
    expect(
      await northwind.write('Bill', {
        Id: bill['Id'],
        SyncToken: '0',
        sparse: true,
        VendorRef: { value: '90' },
        PrivateNote: 'x',
      }),
    ).toMatchObject({ PrivateNote: 'x' });
    expect(await northwind.refusal('Payment', { Id: '9152', SyncToken: '0', sparse: true, PrivateNote: 'x' })).toMatch(
      /^2020: .*CustomerRef/,
    );
    await world.behave({ payment_sparse: 'taken' });
    expect(
      await northwind.write('Payment', { Id: '9152', SyncToken: '0', sparse: true, PrivateNote: 'x' }),
    ).toMatchObject({ PrivateNote: 'x', TotalAmt: 300, UnappliedAmt: 0 });
  });
});

const billOf = (amount: number) => ({
  VendorRef: { value: '90' },
  TxnDate: '2025-03-03',
  Line: [
    {
      DetailType: 'AccountBasedExpenseLineDetail',
      Amount: amount,
      AccountBasedExpenseLineDetail: { AccountRef: { value: '12' } },
    },
  ],
});

describe('requestid', () => {
  test('the same ID returns the first response unchanged and creates nothing', async () => {
    const first = await northwind.post('invoice?requestid=r-1', invoiceOf(10));
    await world.advance(5);
    const again = await northwind.post('invoice?requestid=r-1', invoiceOf(99));
    expect(again.text).toBe(first.text);
    expect(await countInvoices()).toBe(4);
  });

  test('replays the response even after the document was deleted', async () => {
    const made = await northwind.write('Invoice', invoiceOf(10), '?requestid=r-2');
    await northwind.post('invoice?operation=delete', { Id: made['Id'], SyncToken: '0' });
    expect(await northwind.write('Invoice', invoiceOf(10), '?requestid=r-2')).toEqual(made);
    expect(await countInvoices()).toBe(3);
  });

  test('an ID is separate per company; an empty one is ignored; one over 50 characters is 2130', async () => {
    await northwind.write('Invoice', invoiceOf(10), '?requestid=r-3');
    const other = await world.connect(world.sandbox.credentials.realms[1]?.realmId);
    expect(await other.write('Invoice', invoiceOf(10), '?requestid=r-3')).toMatchObject({
      CustomerRef: { name: 'Juniper Bakery' },
    });
    await northwind.write('Invoice', invoiceOf(10), '?requestid=');
    await northwind.write('Invoice', invoiceOf(10), '?requestid=');
    expect(await countInvoices()).toBe(6);
    expect(await northwind.refusal('Invoice', invoiceOf(10), `?requestid=${'x'.repeat(51)}`)).toMatch(/^2130: /);
  });

  test('replays a rejection even after its cause was fixed, unless switched', async () => {
    const body = invoiceOf(10, { Line: [saleOf(10, {}, { ItemRef: { value: '30' } })] });
    expect(await northwind.refusal('Invoice', body, '?requestid=r-4')).toMatch(/^2500: /);
    await northwind.write('Item', { Name: 'Hardware', Type: 'Service', IncomeAccountRef: { value: '2' } });
    expect(await northwind.refusal('Invoice', body, '?requestid=r-4')).toMatch(/^2500: /);
    await world.behave({ requestid_replays_refusals: false });
    expect(
      await northwind.refusal('Invoice', invoiceOf(10, { CustomerRef: { value: '63' } }), '?requestid=r-5'),
    ).toMatch(/^2500: /);
    await northwind.write('Customer', { DisplayName: 'Sixty-three' });
    expect(await northwind.refusal('Invoice', invoiceOf(10, { CustomerRef: { value: '63' } }), '?requestid=r-5')).toBe(
      '',
    );
  });

  test('name lists ignore it by default, so a repeat fails with a duplicate name', async () => {
    await northwind.write('Customer', { DisplayName: 'New' }, '?requestid=r-6');
    expect(await northwind.refusal('Customer', { DisplayName: 'New' }, '?requestid=r-6')).toMatch(/^6240: /);
    await world.behave({ requestid: 'all' });
    const first = await northwind.write('Customer', { DisplayName: 'Newer' }, '?requestid=r-7');
    expect(await northwind.write('Customer', { DisplayName: 'Newer' }, '?requestid=r-7')).toEqual(first);
  });

  test('expires, or can be ignored', async () => {
    await northwind.write('Invoice', invoiceOf(10), '?requestid=r-8');
    await world.advance(900);
    await northwind.write('Invoice', invoiceOf(10), '?requestid=r-8');
    expect(await countInvoices()).toBe(5);
    await world.behave({ requestid: 'none' });
    await northwind.write('Invoice', invoiceOf(10), '?requestid=r-9');
    await northwind.write('Invoice', invoiceOf(10), '?requestid=r-9');
    expect(await countInvoices()).toBe(7);
  });

  test('does not repeat a create whose connection was cut after it was applied', async () => {
    await world.control('POST', 'faults', { match: { path: '/invoice$' }, times: 1, action: { reset: 'after' } });
    await expect(northwind.post('invoice?requestid=r-10', invoiceOf(10))).rejects.toThrow();
    expect(await northwind.write('Invoice', invoiceOf(10), '?requestid=r-10')).toMatchObject({ Id: '9177' });
    expect(await countInvoices()).toBe(4);
  });

  test('a delayed create is applied once for any number of attempts', async () => {
    await world.control('POST', 'faults', {
      match: { path: '/invoice$' },
      times: 1,
      action: { reset: 'late', apply_after_seconds: 119 },
    });
    await expect(northwind.post('invoice?requestid=r-11', invoiceOf(10))).rejects.toThrow();
    expect(await countInvoices()).toBe(3);
    await northwind.write('Invoice', invoiceOf(10), '?requestid=r-11');
    await world.advance(120);
    expect(await countInvoices()).toBe(4);
  });
});

describe('paths', () => {
  test.each([
    ['customer/58/5', '500'],
    ['customer/1.5', '2030'],
    ['invoice/999', '610'],
    ['nonsense/1', '500'],
    ['Invoice/9141', '500'],
    ['bill/1/pdf', '500'],
    ['invoice/%zz', '2030'],
    ['%E0%A4%A', '500'],
  ])('rejects GET %s with %s', async (path, code) => {
    expect(codesOf(await northwind.get(path))).toEqual([code]);
  });

  test("an unsupported path returns the vendor's message", async () => {
    expect(faultOf(await northwind.get('customer/58/5'))).toMatch(
      /^500: Operation Could not find resource for relative : \/v3\/company\/\d+\/customer\/58\/5 of full path: .* is not supported\.$/,
    );
  });

  test('reads the company and its preferences by their own paths', async () => {
    expect(await northwind.read('CompanyInfo', northwind.realmId)).toMatchObject({
      Id: '1',
      CompanyName: 'Northwind IT Services',
      Country: 'US',
    });
    expect((await northwind.get('preferences')).body).toMatchObject({
      Preferences: {
        Id: '1',
        AccountingInfoPrefs: { BookCloseDate: '2025-01-31', ClassTrackingPerTxnLine: true },
        SalesFormsPrefs: { CustomTxnNumbers: false },
        CurrencyPrefs: { MultiCurrencyEnabled: true, HomeCurrency: { value: 'USD' } },
        TaxPrefs: { UsingSalesTax: true },
      },
    });
  });

  test('returns XML by default', async () => {
    const answer = await northwind.send('GET', 'invoice/9141', undefined, { Accept: '*/*' });
    expect(answer.headers.get('content-type')).toBe('application/xml');
    expect(answer.text).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8" standalone="yes"\?><IntuitResponse xmlns="http:\/\/schema\.intuit\.com\/finance\/v3" time="2025-03-03T/,
    );
    expect(answer.text).toContain('<Invoice domain="QBO" sparse="false">');
    expect(answer.text).toContain('<CustomerRef name="Acme Dental">58</CustomerRef>');
    const wrong = await northwind.send('GET', 'invoice/1.5', undefined, { Accept: 'application/xml' });
    expect(wrong.text).toContain(
      '<Fault type="ValidationFault"><Error code="2030" element="Id"><Message>Invalid ID</Message>',
    );
  });

  test('every response has a unique intuit_tid', async () => {
    const tids = [await northwind.get('preferences'), await northwind.get('preferences')].map(({ headers }) =>
      headers.get('intuit_tid'),
    );
    expect(tids[0]).toMatch(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/);
    expect(tids[1]).not.toBe(tids[0]);
  });

  test('a company with an ended subscription gets 6190 for everything', async () => {
    await world.behave({ subscription_ended: true });
    expect(codesOf(await northwind.get('preferences'))).toEqual(['6190']);
    expect(await northwind.refusal('Invoice', invoiceOf(1))).toMatch(/^6190: /);
  });
});
