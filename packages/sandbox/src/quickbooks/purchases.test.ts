import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Doc } from './doc.ts';
import { type Client, invoiceOf, World } from './test-client.ts';

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

const cost = (amount: number, detail: Doc = {}, more: Doc = {}): Doc => ({
  DetailType: 'AccountBasedExpenseLineDetail',
  Amount: amount,
  AccountBasedExpenseLineDetail: { AccountRef: { value: '12' }, ...detail },
  ...more,
});
const part = (amount: number, detail: Doc = {}, more: Doc = {}): Doc => ({
  DetailType: 'ItemBasedExpenseLineDetail',
  Amount: amount,
  ItemBasedExpenseLineDetail: { ItemRef: { value: '31' }, ...detail },
  ...more,
});
const bill = (more: Doc = {}): Doc => ({
  VendorRef: { value: '90' },
  TxnDate: '2025-03-03',
  Line: [cost(50)],
  ...more,
});
const order = (more: Doc = {}): Doc => ({
  VendorRef: { value: '90' },
  APAccountRef: { value: '20' },
  Line: [part(758, { Qty: 4, UnitPrice: 189.5 })],
  ...more,
});

describe('purchase orders', () => {
  test('are created open, with a separate number, line defaults, and no subtotal', async () => {
    expect(await northwind.write('PurchaseOrder', order())).toMatchObject({
      DocNumber: '1009',
      POStatus: 'Open',
      EmailStatus: 'NotSet',
      TotalAmt: 758,
      LinkedTxn: [],
      VendorRef: { value: '90', name: 'Ingram Supplies' },
      APAccountRef: { value: '20', name: 'Accounts Payable' },
      Line: [
        {
          Id: '1',
          Received: 0,
          ItemBasedExpenseLineDetail: {
            BillableStatus: 'NotBillable',
            TaxCodeRef: { value: 'NON' },
            ItemRef: { name: 'AP-620 Access point' },
          },
        },
      ],
    });
    expect(await northwind.write('PurchaseOrder', order())).toMatchObject({ DocNumber: '1010' });
  });

  test('need vendor, payable account, and lines; the account must be a payable account', async () => {
    expect(await northwind.refusal('PurchaseOrder', {})).toMatch(/APAccountRef.*VendorRef.*Line/);
    expect(await northwind.refusal('PurchaseOrder', order({ APAccountRef: { value: '30' } }))).toMatch(/^6430: /);
  });

  test('a given number must be new (6140) unless forced; with custom numbers none is assigned', async () => {
    expect(await northwind.write('PurchaseOrder', order({ DocNumber: 'PO-3310' }))).toMatchObject({
      DocNumber: 'PO-3310',
    });
    expect(await northwind.refusal('PurchaseOrder', order({ DocNumber: 'PO-3310' }))).toMatch(
      /^6140: .*TxnType=Purchase Order with TxnId=9177$/,
    );
    expect(
      await northwind.refusal('PurchaseOrder', order({ DocNumber: 'PO-3310' }), '?include=allowduplicatedocnum'),
    ).toBe('');
    await world.control('PUT', 'entities/Preferences/1', {
      OtherPrefs: { NameValue: [{ Name: 'VendorAndPurchasesPrefs.UseCustomTxnNumbers', Value: 'true' }] },
    });
    expect(await northwind.write('PurchaseOrder', order())).not.toHaveProperty('DocNumber');
  });

  test('a full update without the number removes it', async () => {
    await northwind.write('PurchaseOrder', order());
    expect(
      await northwind.write('PurchaseOrder', { Id: '9177', SyncToken: '0', ...order({ Memo: 'new' }) }),
    ).not.toHaveProperty('DocNumber');
  });

  test('an item must be purchasable', async () => {
    expect(await northwind.refusal('PurchaseOrder', order({ Line: [part(1, { ItemRef: { value: '21' } })] }))).toMatch(
      /^6000: .*not set up to be purchased/,
    );
    expect(await northwind.refusal('PurchaseOrder', order({ Line: [part(1, { ItemRef: {} })] }))).toMatch(/^6440: /);
  });

  test('have separate custom fields', async () => {
    expect(
      await northwind.write('PurchaseOrder', order({ CustomField: [{ DefinitionId: '1', StringValue: 'T-1' }] })),
    ).toMatchObject({ CustomField: [{ DefinitionId: '1', Name: 'Ticket', StringValue: 'T-1' }] });
    expect(
      await northwind.refusal('PurchaseOrder', order({ CustomField: [{ DefinitionId: '2', StringValue: 'x' }] })),
    ).toMatch(/^3000: /);
  });

  test('an order closes when bills cover its lines and reopens when the bill is deleted', async () => {
    await northwind.write('PurchaseOrder', order());
    const link = { LinkedTxn: [{ TxnId: '9177', TxnType: 'PurchaseOrder', TxnLineId: '1' }] };
    await northwind.write('Bill', bill({ Line: [part(300, {}, link)] }));
    expect(await northwind.read('PurchaseOrder', '9177')).toMatchObject({
      POStatus: 'Open',
      LinkedTxn: [{ TxnId: '9178', TxnType: 'Bill' }],
      SyncToken: '1',
    });
    await northwind.write('Bill', bill({ Line: [part(458, {}, link)] }));
    expect(await northwind.read('PurchaseOrder', '9177')).toMatchObject({ POStatus: 'Closed' });
    await northwind.post('bill?operation=delete', { Id: '9178', SyncToken: '0' });
    expect(await northwind.read('PurchaseOrder', '9177')).toMatchObject({
      POStatus: 'Open',
      LinkedTxn: [{ TxnId: '9179' }],
    });
    expect(
      await northwind.refusal(
        'Bill',
        bill({ Line: [part(1, {}, { LinkedTxn: [{ TxnId: '1', TxnType: 'PurchaseOrder', TxnLineId: '1' }] })] }),
      ),
    ).toMatch(/^6000: .*The entity PurchaseOrder 1 that you are trying to link does not exist\. PurchaseOrder 1$/);
  });
});

describe('bills', () => {
  test('get no number, use their term or the current date as due date, and get the payable account', async () => {
    const plain = await northwind.write('Bill', bill());
    expect(plain).toMatchObject({ DueDate: '2025-03-03', Balance: 50, APAccountRef: { value: '20' } });
    expect(plain).not.toHaveProperty('DocNumber');
    expect(await northwind.write('Bill', bill({ SalesTermRef: { value: '3' } }))).toMatchObject({
      DueDate: '2025-04-02',
    });
    expect(await northwind.read('Vendor', '90')).toMatchObject({ Balance: 100 });
  });

  test('rejects a duplicate number per vendor only if the company wants a warning', async () => {
    expect(await northwind.refusal('Bill', bill({ DocNumber: 'R-1' }))).toBe('');
    expect(await northwind.refusal('Bill', bill({ DocNumber: 'R-1' }))).toBe('');
    await world.control('PUT', 'entities/Preferences/1', {
      OtherPrefs: { NameValue: [{ Name: 'WarnDuplicateBillNumber', Value: 'true' }] },
    });
    expect(await northwind.refusal('Bill', bill({ DocNumber: 'R-1' }))).toMatch(/^6140: .*TxnType=Bill/);
    expect(await northwind.refusal('Bill', bill({ DocNumber: 'R-1', VendorRef: { value: '91' } }))).toBe('');
  });

  test.each([
    [bill({ Line: [cost(1, { AccountRef: {} })] }), /^2020: Required parameter AccountRef/],
    [bill({ Line: [cost(1, { AccountRef: { value: '30' } })] }), /^6430: /],
    [bill({ Line: [cost(1, { BillableStatus: 'Billable' })] }), /^6310: /],
    [bill({ Line: [cost(1, { BillableStatus: 'HasBeenBilled', CustomerRef: { value: '58' } })] }), /^6320: /],
    [bill({ Line: [cost(-1)] }), /^6000: .*0 or greater/],
    [bill({ TxnDate: '2025-01-31' }), /^6210: /],
    [bill({ VendorRef: { value: '58' } }), /^2500: .*Names element id 58/],
    [bill({ Line: [] }), /^2020: .*Line/],
  ])('rejects %j', async (body, fault) => {
    expect(await northwind.refusal('Bill', body)).toMatch(fault);
  });

  test('accepts negative lines while the total is at least zero, unless switched', async () => {
    const advance = bill({ Line: [cost(100), cost(-40, { AccountRef: { value: '25' } })] });
    expect(await northwind.write('Bill', advance)).toMatchObject({ TotalAmt: 60 });
    await world.behave({ bill_negative_lines: false });
    expect(await northwind.refusal('Bill', advance)).toMatch(/^6000: /);
  });

  test('a bill cannot be sent or printed', async () => {
    await northwind.write('Bill', bill());
    expect((await northwind.send('POST', 'bill/9177/send?sendTo=a@b.example', '')).text).toContain('"code":"500"');
  });

  test("a vendor credit lowers the vendor's balance", async () => {
    expect(await northwind.write('VendorCredit', bill())).toMatchObject({ TotalAmt: 50, Balance: 50 });
    expect(await northwind.read('Vendor', '90')).toMatchObject({ Balance: -50 });
  });
});

describe('expenses, journal entries, transfers, and hours', () => {
  test('an expense is paid from an account that matches the payment type', async () => {
    const expense = {
      PaymentType: 'CreditCard',
      AccountRef: { value: '41' },
      EntityRef: { value: '90', type: 'Vendor' },
      Line: [cost(20)],
    };
    expect(await northwind.write('Purchase', expense)).toMatchObject({
      TotalAmt: 20,
      AccountRef: { name: 'Company Card' },
      EntityRef: { value: '90', type: 'Vendor' },
    });
    expect(await northwind.refusal('Purchase', { ...expense, AccountRef: { value: '35' } })).toMatch(/^6430: /);
  });

  test('a journal entry balances, has two lines, and names the customer', async () => {
    const line = (posting: string, amount: number, account: string, more: Doc = {}): Doc => ({
      DetailType: 'JournalEntryLineDetail',
      Amount: amount,
      JournalEntryLineDetail: { PostingType: posting, AccountRef: { value: account }, ...more },
    });
    expect(
      await northwind.write('JournalEntry', { Line: [line('Debit', 10, '12'), line('Credit', 10, '35')] }),
    ).toMatchObject({ TotalAmt: 10 });
    expect(await northwind.refusal('JournalEntry', { Line: [line('Debit', 10, '12')] })).toBe(
      '6000: Business Validation Error: Fill out at least two detail lines to continue.',
    );
    expect(
      await northwind.refusal('JournalEntry', { Line: [line('Debit', 10, '12'), line('Credit', 9, '35')] }),
    ).toMatch(/^2300: /);
    expect(await northwind.refusal('JournalEntry', { Line: [line('Debit', 10, '12'), line('Credit', 10, '30')] })).toBe(
      '6000: Business Validation Error: When you use Accounts Receivable, you must choose a customer in the Name field.',
    );
    const customer = { Entity: { Type: 'Customer', EntityRef: { value: '58' } } };
    expect(
      await northwind.refusal('JournalEntry', { Line: [line('Debit', 10, '12'), line('Credit', 10, '30', customer)] }),
    ).toBe('');
  });

  test('a transfer moves money between accounts', async () => {
    const transfer = { FromAccountRef: { value: '35' }, ToAccountRef: { value: '41' }, Amount: 12.5 };
    expect(await northwind.write('Transfer', transfer)).toMatchObject({
      Amount: 12.5,
      FromAccountRef: { name: 'Checking' },
    });
    expect(await northwind.refusal('Transfer', { ...transfer, ToAccountRef: { value: '35' } })).toMatch(/^6000: /);
    expect(await northwind.refusal('Transfer', { ...transfer, ToAccountRef: { value: '1' } })).toMatch(/^6430: /);
  });

  test('hours need a person, and a customer when billable', async () => {
    const hours = { NameOf: 'Vendor', VendorRef: { value: '91' }, Hours: 2, Minutes: 30 };
    expect(await northwind.write('TimeActivity', hours)).toMatchObject({ Hours: 2, BillableStatus: 'NotBillable' });
    expect(await northwind.refusal('TimeActivity', { ...hours, BillableStatus: 'Billable' })).toMatch(/^6310: /);
    expect(await northwind.refusal('TimeActivity', { NameOf: 'Vendor', Hours: 1 })).toMatch(/^2020: .*VendorRef/);
    expect(await northwind.refusal('TimeActivity', { ...hours, Minutes: 60 })).toMatch(/^2240: /);
  });

  test('an estimate closes when an invoice is created from it', async () => {
    expect(await northwind.write('Estimate', invoiceOf(10))).toMatchObject({ DocNumber: '1001', TxnStatus: 'Pending' });
    await northwind.write('Invoice', invoiceOf(10, { LinkedTxn: [{ TxnId: '9177', TxnType: 'Estimate' }] }));
    expect(await northwind.read('Estimate', '9177')).toMatchObject({
      TxnStatus: 'Closed',
      LinkedTxn: [{ TxnId: '9178', TxnType: 'Invoice' }],
    });
    expect(
      await northwind.refusal('Invoice', invoiceOf(10, { LinkedTxn: [{ TxnId: '75', TxnType: 'Estimate' }] })),
    ).toBe(
      '6000: Business Validation Error: The entity Estimate 75 that you are trying to link does not exist. Estimate 75',
    );
  });
});
