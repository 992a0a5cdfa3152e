import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Doc, docAt, listAt } from './doc.ts';
import { type Client, faultOf, saleOf, World } from './test-client.ts';

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

const detail = (item: string, quantity: number, price: number, classId: string, taxCode: string, on: string): Doc => ({
  ItemRef: { value: item },
  Qty: quantity,
  UnitPrice: price,
  ServiceDate: on,
  ClassRef: { value: classId },
  TaxCodeRef: { value: taxCode },
});

const exampleA = (more: Doc = {}): Doc => ({
  CustomerRef: { value: '58' },
  TxnDate: '2025-03-03',
  SalesTermRef: { value: '3' },
  CustomerMemo: { value: 'Order: PO-7781\nTax group: Travis County' },
  PrivateNote: 'Autotask invoice 48213 · synced 2025-03-03T15:00:07Z',
  BillEmail: { Address: 'ap@acmedental.example' },
  EmailStatus: 'NotSet',
  AllowOnlineCreditCardPayment: false,
  AllowOnlineACHPayment: false,
  CustomField: [{ DefinitionId: '1', Name: 'P.O. Number', Type: 'StringType', StringValue: 'PO-7781' }],
  TxnTaxDetail: { TxnTaxCodeRef: { value: '5' } },
  Line: [
    saleOf(
      525,
      { LineNum: 1, Description: 'Engineer: VPN outage' },
      detail('21', 3.5, 150, '200', 'NON', '2025-02-27'),
    ),
    saleOf(
      0,
      { LineNum: 2, Description: 'Engineer: Printer (covered by contract)' },
      detail('21', 1.25, 0, '200', 'NON', '2025-02-28'),
    ),
    saleOf(900, { LineNum: 3, Description: 'Managed Workstation' }, detail('24', 20, 45, '200', 'NON', '2025-03-01')),
    saleOf(500, { LineNum: 4, Description: '24-inch monitor' }, detail('30', 2, 250, '201', 'TAX', '2025-02-26')),
  ],
  ...more,
});

const hardware = () =>
  northwind.write('Item', { Name: 'Hardware', Type: 'NonInventory', IncomeAccountRef: { value: '2' } });

describe('the worked examples of domain reference 6.14 match to the cent', () => {
  test('A: creates item 30 and invoice 9177 with number 1042, tax 41.25, total 1,966.25, due 2025-04-02', async () => {
    expect(await hardware()).toMatchObject({ Id: '30' });
    const invoice = await northwind.write('Invoice', exampleA());
    expect(invoice).toMatchObject({
      Id: '9177',
      DocNumber: '1042',
      TotalAmt: 1966.25,
      Balance: 1966.25,
      DueDate: '2025-04-02',
      AllowOnlineCreditCardPayment: false,
      TxnTaxDetail: { TotalTax: 41.25, TxnTaxCodeRef: { value: '5' } },
      CustomField: [
        { DefinitionId: '1', StringValue: 'PO-7781' },
        { DefinitionId: '2', Name: 'Ticket' },
      ],
    });
    expect(listAt(docAt(invoice, 'TxnTaxDetail'), 'TaxLine')).toEqual([
      {
        Amount: 41.25,
        DetailType: 'TaxLineDetail',
        TaxLineDetail: { TaxRateRef: { value: '9' }, PercentBased: true, TaxPercent: 8.25, NetAmountTaxable: 500 },
      },
    ]);
    expect(listAt(invoice, 'Line').at(-1)).toEqual({
      Amount: 1925,
      DetailType: 'SubTotalLineDetail',
      SubTotalLineDetail: {},
    });
  });

  test('B: 4.25 hours at 161.76471 total 687.50', async () => {
    const line = saleOf(687.5, {}, { Qty: 4.25, UnitPrice: 161.76471 });
    expect(await northwind.write('Invoice', { CustomerRef: { value: '59' }, Line: [line] })).toMatchObject({
      TotalAmt: 687.5,
    });
  });

  test('C: automated tax in Austin is 43.13 regardless of the given code or tax', async () => {
    await world.control('PUT', 'entities/Preferences/1', { TaxPrefs: { PartnerTaxEnabled: true } });
    await hardware();
    const sent = exampleA({ TxnTaxDetail: { TxnTaxCodeRef: { value: '5' }, TotalTax: 41.25 } });
    const invoice = await northwind.write('Invoice', sent);
    expect(invoice).toMatchObject({ TotalAmt: 1968.13, TxnTaxDetail: { TotalTax: 43.13 } });
    expect(docAt(invoice, 'TxnTaxDetail')).not.toHaveProperty('TxnTaxCodeRef');
  });

  test('D: rejects a negative invoice (6000); a credit memo of 180.00 gets the next sales number', async () => {
    const lines = (sign: number) => [
      saleOf(sign * 300, {}, { Qty: 5, UnitPrice: sign * 60 }),
      saleOf(sign * -120, {}, { Qty: 1, UnitPrice: sign * -120 }),
    ];
    const header = { CustomerRef: { value: '58' }, TxnDate: '2025-03-03' };
    expect(await northwind.refusal('Invoice', { ...header, Line: lines(-1) })).toBe(
      '6000: Business Validation Error: You must specify a transaction amount that is 0 or greater.',
    );
    expect(await northwind.write('CreditMemo', { ...header, Line: lines(1) })).toMatchObject({
      DocNumber: '1042',
      TotalAmt: 180,
      Balance: 180,
      RemainingCredit: 180,
    });
  });

  test('E: rejects number 20250312 of invoice 8801 (6140) with custom numbers', async () => {
    await world.control('PUT', 'entities/Preferences/1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
    expect(await northwind.refusal('Invoice', exampleB({ DocNumber: '20250312' }))).toMatch(
      /^6140: .*DocNumber=20250312 is assigned to TxnType=Invoice with TxnId=8801$/,
    );
  });

  test('F: 1,620.00 CAD at 0.7402 are 1,199.12 in home currency; without CurrencyRef the foreign customer is rejected', async () => {
    const body = {
      CustomerRef: { value: '60' },
      TxnDate: '2025-03-03',
      Line: [saleOf(1620, {}, { Qty: 12, UnitPrice: 135 })],
    };
    expect(await northwind.refusal('Invoice', body)).toMatch(/^6000: /);
    const inDollars = { ...body, CurrencyRef: { value: 'CAD' } };
    expect(await northwind.write('Invoice', inDollars)).toMatchObject({ ExchangeRate: 1, HomeTotalAmt: 1620 });
    expect(await northwind.write('Invoice', { ...inDollars, ExchangeRate: 0.7402 })).toMatchObject({
      CurrencyRef: { value: 'CAD', name: 'Canadian Dollar' },
      ExchangeRate: 0.7402,
      TotalAmt: 1620,
      HomeTotalAmt: 1199.12,
      Balance: 1620,
      HomeBalance: 1199.12,
    });
  });

  test('G: the same invoice again becomes a second one with the next number, and both count in the balance', async () => {
    await hardware();
    const before = await northwind.read('Customer', '58');
    expect(await northwind.write('Invoice', exampleA())).toMatchObject({ Id: '9177', DocNumber: '1042' });
    expect(await northwind.write('Invoice', exampleA())).toMatchObject({ Id: '9178', DocNumber: '1043' });
    expect(await northwind.read('Customer', '58')).toMatchObject({ Balance: Number(before['Balance']) + 2 * 1966.25 });
  });

  test('H: rejects an unknown item (2500) without creating anything', async () => {
    const answer = await northwind.post('invoice', exampleA());
    expect(faultOf(answer)).toBe('2500: Invalid Reference Id : Items element id 30 not found');
    expect(await northwind.query("select count(*) from Invoice where TxnDate = '2025-03-03'")).toEqual({
      totalCount: 0,
    });
  });

  test('9.5: the purchase order totals 1,618.40 and gets number 1009', async () => {
    const part = (item: string, quantity: number, price: number): Doc => ({
      DetailType: 'ItemBasedExpenseLineDetail',
      Amount: quantity * price,
      ItemBasedExpenseLineDetail: {
        ItemRef: { value: item },
        Qty: quantity,
        UnitPrice: price,
        CustomerRef: { value: '58' },
      },
    });
    const freight: Doc = {
      DetailType: 'AccountBasedExpenseLineDetail',
      Amount: 36.4,
      Description: 'Freight',
      AccountBasedExpenseLineDetail: { AccountRef: { value: '14' } },
    };
    const order = await northwind.write('PurchaseOrder', {
      VendorRef: { value: '90' },
      APAccountRef: { value: '20' },
      Line: [part('31', 4, 189.5), part('32', 2, 412), freight],
    });
    expect(order).toMatchObject({ DocNumber: '1009', TotalAmt: 1618.4, POStatus: 'Open', EmailStatus: 'NotSet' });
  });

  test('10.6: the expense report becomes a bill of 190.35 with a negative line and its own number', async () => {
    const line = (amount: number, account: string, more: Doc = {}): Doc => ({
      DetailType: 'AccountBasedExpenseLineDetail',
      Amount: amount,
      AccountBasedExpenseLineDetail: { AccountRef: { value: account }, ClassRef: { value: '202' }, ...more },
    });
    const bill = await northwind.write('Bill', {
      VendorRef: { value: '91' },
      TxnDate: '2025-02-28',
      DocNumber: 'EXP-1207',
      Line: [
        line(186.4, '11', { CustomerRef: { value: '58' }, BillableStatus: 'NotBillable' }),
        line(42.75, '12'),
        line(61.2, '13'),
        line(-100, '25'),
      ],
    });
    expect(bill).toMatchObject({ TotalAmt: 190.35, Balance: 190.35, DocNumber: 'EXP-1207', DueDate: '2025-02-28' });
    expect(bill).toMatchObject({ APAccountRef: { value: '20', name: 'Accounts Payable' } });
  });
});

function exampleB(more: Doc): Doc {
  return { CustomerRef: { value: '58' }, TxnDate: '2025-03-03', Line: [saleOf(312.5)], ...more };
}
