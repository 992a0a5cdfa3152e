import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Doc, docAt, listAt, textAt } from './doc.ts';
import { type Client, codesOf, invoiceOf, saleOf, World } from './test-client.ts';

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

const prefer = async (groups: Doc) => {
  const answer = await world.control('PUT', 'entities/Preferences/1', groups);
  if (answer.status !== 200) throw new Error(answer.text);
};

describe('derived members of an invoice', () => {
  test('a minimal invoice is returned with all members', async () => {
    await prefer({ CurrencyPrefs: { MultiCurrencyEnabled: false } });
    const invoice = await northwind.write('Invoice', invoiceOf(100));
    expect(Object.keys(invoice).sort()).toEqual(
      [
        'AllowIPNPayment',
        'AllowOnlineACHPayment',
        'AllowOnlineCreditCardPayment',
        'AllowOnlinePayment',
        'ApplyTaxAfterDiscount',
        'Balance',
        'BillAddr',
        'CurrencyRef',
        'CustomField',
        'CustomerRef',
        'DocNumber',
        'DueDate',
        'EmailStatus',
        'FreeFormAddress',
        'Id',
        'Line',
        'LinkedTxn',
        'MetaData',
        'PrintStatus',
        'ShipAddr',
        'ShipFromAddr',
        'SyncToken',
        'TotalAmt',
        'TxnDate',
        'TxnTaxDetail',
        'domain',
        'sparse',
      ].sort(),
    );
    expect(invoice).toMatchObject({
      DocNumber: '1042',
      DueDate: '2025-04-02',
      TxnTaxDetail: { TotalTax: 0 },
      PrintStatus: 'NeedToPrint',
      EmailStatus: 'NotSet',
      CurrencyRef: { value: 'USD', name: 'United States Dollar' },
      CustomerRef: { value: '58', name: 'Acme Dental' },
      BillAddr: { City: 'Austin' },
      SyncToken: '0',
      sparse: false,
      domain: 'QBO',
    });
    expect(listAt(invoice, 'Line')).toEqual([
      {
        Id: '1',
        LineNum: 1,
        Amount: 100,
        DetailType: 'SalesItemLineDetail',
        SalesItemLineDetail: {
          ItemRef: { value: '21', name: 'Remote Support' },
          ItemAccountRef: { value: '1', name: 'Service Income' },
          TaxCodeRef: { value: 'NON' },
        },
        CustomExtensions: [],
      },
      { Amount: 100, DetailType: 'SubTotalLineDetail', SubTotalLineDetail: {} },
    ]);
  });

  test.each([
    ['1', '2025-03-20', '2025-03-20'],
    ['3', '2025-03-20', '2025-04-19'],
    ['7', '2025-03-20', '2025-04-15'],
    ['7', '2025-03-02', '2025-04-15'],
    ['7', '2025-12-31', '2026-01-15'],
  ])('term %s of an invoice of %s is due on %s', async (term, date, due) => {
    expect(
      await northwind.write('Invoice', invoiceOf(1, { TxnDate: date, SalesTermRef: { value: term } })),
    ).toMatchObject({ DueDate: due });
  });

  test('the default date is today, and a given due date is kept', async () => {
    const { TxnDate: _, ...body } = invoiceOf(1, { DueDate: '2025-06-01' });
    expect(await northwind.write('Invoice', body)).toMatchObject({ TxnDate: '2025-03-03', DueDate: '2025-06-01' });
  });

  test('renaming an item or customer changes the names in earlier documents', async () => {
    await northwind.write('Item', { Id: '21', SyncToken: '0', sparse: true, Name: 'Remote help' });
    await northwind.write('Customer', { Id: '58', SyncToken: '0', sparse: true, DisplayName: 'Acme Dental Group' });
    expect(await northwind.read('Invoice', '9141')).toMatchObject({
      CustomerRef: { name: 'Acme Dental Group' },
      Line: [{ SalesItemLineDetail: { ItemRef: { name: 'Remote help' } } }, {}],
    });
  });

  test('online payment flags follow the request unless the company accepts none', async () => {
    expect(await northwind.write('Invoice', invoiceOf(1))).toMatchObject({ AllowOnlineCreditCardPayment: true });
    await prefer({ SalesFormsPrefs: { ETransactionPaymentEnabled: false } });
    expect(await northwind.write('Invoice', invoiceOf(1, { AllowOnlineCreditCardPayment: true }))).toMatchObject({
      AllowOnlineCreditCardPayment: false,
    });
  });

  test('returns the payment link only on request, for payable invoices with an email address', async () => {
    const made = await northwind.write('Invoice', invoiceOf(1, { BillEmail: { Address: 'a@b.example' } }));
    expect(await northwind.read('Invoice', textAt(made, 'Id') ?? '')).not.toHaveProperty('InvoiceLink');
    expect((await northwind.get(`invoice/${textAt(made, 'Id')}?include=invoiceLink`)).body).toMatchObject({
      Invoice: { InvoiceLink: /^http/ } as never,
    });
  });
});

describe('amounts', () => {
  test('the amount of a line must equal quantity times price to the cent (6070)', async () => {
    expect(
      await northwind.refusal(
        'Invoice',
        invoiceOf(0, { Line: [saleOf(1234.57, {}, { Qty: 2500, UnitPrice: 0.49383 })] }),
      ),
    ).toBe('6070: Amount is not equal to UnitPrice * Qty. Supplied value:1234.57');
    expect(
      await northwind.refusal(
        'Invoice',
        invoiceOf(0, { Line: [saleOf(1234.58, {}, { Qty: 2500, UnitPrice: 0.49383 })] }),
      ),
    ).toBe('');
  });

  test('quantity and price are optional', async () => {
    for (const detail of [{}, { Qty: 3 }, { UnitPrice: 7 }])
      expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: [saleOf(100, {}, detail)] }))).toBe('');
  });

  test('sums are exact for any amounts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -500_000, max: 9_999_999 }), { minLength: 1, maxLength: 12 }),
        async (amounts) => {
          const lines = amounts.map((amount) => saleOf(amount / 100));
          const total = amounts.reduce((sum, amount) => sum + amount, 0);
          const answer = await northwind.post('invoice', { CustomerRef: { value: '61' }, Line: lines });
          if (total < 0) expect(codesOf(answer)).toEqual(['6000']);
          else expect(docAt(answer.body, 'Invoice')).toMatchObject({ TotalAmt: total / 100, Balance: total / 100 });
        },
      ),
      { numRuns: 40, seed: 7 },
    );
  });

  test('accepts an invoice of zero with no balance', async () => {
    expect(await northwind.write('Invoice', invoiceOf(0))).toMatchObject({ TotalAmt: 0, Balance: 0 });
  });

  test('a line without an item becomes text without an amount; the switch sets the default item', async () => {
    const body = invoiceOf(0, {
      Line: [
        saleOf(10),
        { DetailType: 'SalesItemLineDetail', Amount: 90, Description: 'Lost', SalesItemLineDetail: {} },
      ],
    });
    expect(await northwind.write('Invoice', body)).toMatchObject({
      TotalAmt: 10,
      Line: [{}, { DetailType: 'DescriptionOnly', Description: 'Lost' }, {}],
    });
    await world.behave({ invoice_line_without_item: 'default-item' });
    expect(await northwind.write('Invoice', body)).toMatchObject({ TotalAmt: 100 });
  });

  test('subtracts a discount as percentage or amount, after tax', async () => {
    const lines = (detail: Doc, amount?: number) => [
      saleOf(200, {}, { TaxCodeRef: { value: 'TAX' } }),
      {
        DetailType: 'DiscountLineDetail',
        DiscountLineDetail: detail,
        ...(amount === undefined ? {} : { Amount: amount }),
      },
    ];
    const percent = { PercentBased: true, DiscountPercent: 5 };
    expect(await northwind.write('Invoice', invoiceOf(0, { Line: lines(percent) }))).toMatchObject({
      TotalAmt: 206.5,
      TxnTaxDetail: { TotalTax: 16.5 },
    });
    expect(await northwind.write('Invoice', invoiceOf(0, { Line: lines({ PercentBased: false }, 20) }))).toMatchObject({
      TotalAmt: 196.5,
    });
    const after = await northwind.write('Invoice', invoiceOf(0, { Line: lines(percent), ApplyTaxAfterDiscount: true }));
    expect(after).toMatchObject({ TotalAmt: 205.68, TxnTaxDetail: { TotalTax: 15.68 } });
    const last = listAt(after, 'Line').at(-1);
    expect(last).toMatchObject({ Amount: 10, DetailType: 'DiscountLineDetail', DiscountLineDetail: percent });
    expect(last).not.toHaveProperty('Id');
    expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: lines({ PercentBased: true }) }))).toMatch(
      /^6090: /,
    );
    await prefer({ SalesFormsPrefs: { AllowDiscount: false } });
    expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: lines(percent) }))).toMatch(/^6000: /);
  });

  test('a text line starting with Subtotal: shows the sum of the lines before it', async () => {
    const text = (Description: string) => ({ DetailType: 'DescriptionOnly', Description });
    const invoice = await northwind.write(
      'Invoice',
      invoiceOf(0, { Line: [saleOf(30), saleOf(12), text('Subtotal: labour'), saleOf(8), text('Note')] }),
    );
    expect(invoice).toMatchObject({
      TotalAmt: 50,
      Line: [{}, {}, { Amount: 42 }, {}, { Description: 'Note' }, { Amount: 50 }],
    });
  });

  test('a bundle adds its items with their prices', async () => {
    const other = await world.connect(world.sandbox.credentials.realms[1]?.realmId);
    const line = { DetailType: 'GroupLineDetail', GroupLineDetail: { GroupItemRef: { value: '33' }, Quantity: 2 } };
    expect(await other.write('Invoice', { CustomerRef: { value: '58' }, Line: [line] })).toMatchObject({
      TotalAmt: 620,
      Line: [
        {
          Amount: 620,
          GroupLineDetail: {
            GroupItemRef: { value: '33', name: 'Office bundle' },
            Line: [{ Amount: 270 }, { Amount: 350 }],
          },
        },
        {},
      ],
    });
  });

  test('an item without an income account cannot be sold', async () => {
    expect(
      await northwind.refusal('Invoice', invoiceOf(0, { Line: [saleOf(1, {}, { ItemRef: { value: '31' } })] })),
    ).toMatch(/^6000: .*no income account/);
  });
});

describe('tax', () => {
  const taxed = (amount: number, code = 'TAX') => saleOf(amount, {}, { TaxCodeRef: { value: code } });

  test('manual: adds one tax line per rate of the code, each rounded to the cent', async () => {
    const invoice = await northwind.write(
      'Invoice',
      invoiceOf(0, { Line: [taxed(422), taxed(100, 'NON')], TxnTaxDetail: { TxnTaxCodeRef: { value: '6' } } }),
    );
    expect(docAt(invoice, 'TxnTaxDetail')).toMatchObject({
      TotalTax: 43.26,
      TaxLine: [
        { Amount: 30.6, TaxLineDetail: { TaxPercent: 7.25, NetAmountTaxable: 422 } },
        { Amount: 12.66, TaxLineDetail: { TaxPercent: 3 } },
      ],
    });
  });

  test("manual: uses the customer's code by default and ignores a given TotalTax", async () => {
    expect(
      await northwind.write('Invoice', invoiceOf(0, { Line: [taxed(100)], TxnTaxDetail: { TotalTax: 99 } })),
    ).toMatchObject({
      TxnTaxDetail: { TxnTaxCodeRef: { value: '5' }, TotalTax: 8.25 },
    });
    expect(await northwind.write('Invoice', { CustomerRef: { value: '61' }, Line: [taxed(100)] })).toMatchObject({
      TxnTaxDetail: { TotalTax: 0 },
    });
  });

  test('rounds half a cent of tax up', async () => {
    expect(await northwind.write('Invoice', invoiceOf(0, { Line: [taxed(10)] }))).toMatchObject({
      TxnTaxDetail: { TotalTax: 0.83 },
    });
  });

  test('a line code is TAX or NON (6100); CustomSalesTax cannot be used (6160); an unknown code is 2500', async () => {
    expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: [taxed(1, '5')] }))).toMatch(/^6100: /);
    const header = (code: string) =>
      invoiceOf(0, { Line: [taxed(1)], TxnTaxDetail: { TxnTaxCodeRef: { value: code } } });
    expect(await northwind.refusal('Invoice', header('CustomSalesTax'))).toMatch(/^6160: /);
    expect(await northwind.refusal('Invoice', header('99'))).toMatch(/^2500: /);
  });

  test('off: taxes nothing and sets line codes to NON', async () => {
    await prefer({ TaxPrefs: { UsingSalesTax: false } });
    expect(await northwind.write('Invoice', invoiceOf(0, { Line: [taxed(100)] }))).toMatchObject({
      TxnTaxDetail: { TotalTax: 0 },
      Line: [{ SalesItemLineDetail: { TaxCodeRef: { value: 'NON' } } }, {}],
    });
  });

  test('automated: uses the delivery address; without one or for exempt customers there is no tax', async () => {
    await prefer({ TaxPrefs: { PartnerTaxEnabled: true } });
    const to = (state: string) => ({
      ShipAddr: { Line1: '1 Way', City: 'Town', CountrySubDivisionCode: state, PostalCode: '10001' },
    });
    const total = async (more: Doc) =>
      docAt(await northwind.write('Invoice', invoiceOf(0, { Line: [taxed(100)], ...more })), 'TxnTaxDetail')[
        'TotalTax'
      ];
    expect(await total(to('NY'))).toBe(8.88);
    expect(await total(to('OR'))).toBe(0);
    expect(await total({})).toBe(8.63);
    expect(await total({ CustomerRef: { value: '61' } })).toBe(0);
    const nowhere = await northwind.write('Customer', { DisplayName: 'Nowhere' });
    expect(await total({ CustomerRef: { value: nowhere['Id'] } })).toBe(0);
    await world.behave({ ast_without_address: 'company-address' });
    expect(await total({ CustomerRef: { value: nowhere['Id'] } })).toBe(8.63);
  });

  test('automated: a given TotalTax is used only when switched, and is marked', async () => {
    await prefer({ TaxPrefs: { PartnerTaxEnabled: true } });
    const body = invoiceOf(0, { Line: [taxed(500)], TxnTaxDetail: { TotalTax: 41.25, TxnTaxCodeRef: { value: '5' } } });
    expect(await northwind.write('Invoice', body)).toMatchObject({
      TxnTaxDetail: { TotalTax: 43.13 },
      TotalAmt: 543.13,
    });
    await world.behave({ ast_override: 'with-code' });
    expect(await northwind.write('Invoice', { ...body, TxnTaxDetail: { TotalTax: 41.25 } })).toMatchObject({
      TotalAmt: 543.13,
    });
    expect(await northwind.write('Invoice', body)).toMatchObject({
      TxnTaxDetail: { TxnTaxCodeRef: { value: '5' }, TotalTax: 41.25 },
      TotalAmt: 541.25,
    });
    await world.behave({ ast_override: 'always' });
    const marked = await northwind.write('Invoice', body);
    expect(marked).toMatchObject({
      TxnTaxDetail: { TotalTax: 41.25, TaxReviewStatus: 'AST_TAX_OVERRIDE' },
      TotalAmt: 541.25,
    });
    const parts = listAt(docAt(marked, 'TxnTaxDetail'), 'TaxLine').map((line) => Number(line['Amount']));
    expect(parts.reduce((a, b) => a + b, 0)).toBeCloseTo(41.25, 10);
  });

  test('outside the United States every line needs a tax code and the document a calculation method', async () => {
    const thames = await world.connect(world.sandbox.credentials.realms[2]?.realmId);
    const body = (code: string | undefined, more: Doc = {}) => ({
      CustomerRef: { value: '58' },
      CurrencyRef: { value: 'GBP' },
      Line: [saleOf(100, {}, code === undefined ? {} : { TaxCodeRef: { value: code } })],
      ...more,
    });
    const excluded = { GlobalTaxCalculation: 'TaxExcluded' };
    expect(await thames.write('Invoice', body('2', excluded))).toMatchObject({
      TotalAmt: 120,
      TxnTaxDetail: { TotalTax: 20 },
    });
    expect(await thames.refusal('Invoice', body('2'))).toMatch(/^2020: .*GlobalTaxCalculation/);
    expect(await thames.refusal('Invoice', body('TAX', excluded))).toMatch(/^2500: /);
    expect(await thames.refusal('Invoice', body(undefined, excluded))).toMatch(/^2020: .*TaxCodeRef/);
    expect(
      await thames.refusal(
        'Invoice',
        body('2', { GlobalTaxCalculation: 'NotApplicable', TxnTaxDetail: { TotalTax: 1 } }),
      ),
    ).toMatch(/^6170: /);
    const bill = {
      VendorRef: { value: '90' },
      ...excluded,
      Line: [
        {
          DetailType: 'AccountBasedExpenseLineDetail',
          Amount: 50,
          AccountBasedExpenseLineDetail: { AccountRef: { value: '12' }, TaxCodeRef: { value: '2' } },
        },
      ],
    };
    expect(await thames.write('Bill', bill)).toMatchObject({ TotalAmt: 60 });
  });

  test('a taxable form has at most 750 lines', async () => {
    const lines = (count: number, code: string) => Array.from({ length: count }, () => taxed(1, code));
    expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: lines(751, 'TAX') }))).toMatch(/^6000: .*750/);
    expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: lines(750, 'TAX') }))).toBe('');
    expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: lines(751, 'NON') }))).toBe('');
  });
});

describe('numbers', () => {
  test('invoices, credit memos, and receipts share one sequence; estimates have a separate one', async () => {
    const number = async (entity: string) =>
      (
        await northwind.write(entity, {
          ...invoiceOf(1),
          ...(entity === 'RefundReceipt' ? { DepositToAccountRef: { value: '35' } } : {}),
        })
      )['DocNumber'];
    expect([
      await number('Invoice'),
      await number('CreditMemo'),
      await number('SalesReceipt'),
      await number('RefundReceipt'),
      await number('Estimate'),
      await number('Invoice'),
    ]).toEqual(['1042', '1043', '1044', '1045', '1001', '1046']);
  });

  test('with automatic numbers, stores a given number, even a duplicate, and continues the sequence', async () => {
    expect(await northwind.write('Invoice', invoiceOf(1, { DocNumber: '20250312' }))).toMatchObject({
      DocNumber: '20250312',
    });
    expect(await northwind.write('Invoice', invoiceOf(1))).toMatchObject({ DocNumber: '1042' });
  });

  test('with custom numbers, assigns none and rejects a duplicate (6140) unless forced', async () => {
    await prefer({ SalesFormsPrefs: { CustomTxnNumbers: true } });
    expect(await northwind.write('Invoice', invoiceOf(1))).not.toHaveProperty('DocNumber');
    expect(await northwind.refusal('CreditMemo', invoiceOf(1, { DocNumber: '1038' }))).toBe(
      '6140: Duplicate Document Number Error : You must specify a different number. This number has already been used. DocNumber=1038 is assigned to TxnType=Invoice with TxnId=9141',
    );
    expect(
      await northwind.write('Invoice', invoiceOf(1, { DocNumber: '1038' }), '?include=allowduplicatedocnum'),
    ).toMatchObject({ DocNumber: '1038' });
    expect(await northwind.write('Invoice', invoiceOf(1, { DocNumber: 'AUTO_GENERATE' }))).toMatchObject({
      DocNumber: '1042',
    });
  });

  test('the message of 6140 can be French with the same code', async () => {
    await prefer({ SalesFormsPrefs: { CustomTxnNumbers: true } });
    await world.behave({ language: 'fr' });
    expect(await northwind.refusal('Invoice', invoiceOf(1, { DocNumber: '1038' }))).toMatch(
      /^6140: Numéro de document en double : .*TxnType=Facture with TxnId=9141$/,
    );
  });
});

describe('closed books', () => {
  test('rejects creating, changing, voiding, and deleting in a closed period (6210), except estimates and orders', async () => {
    expect(await northwind.refusal('Invoice', invoiceOf(1, { TxnDate: '2025-01-31' }))).toMatch(
      /^6210: The account period has closed/,
    );
    expect(await northwind.refusal('Invoice', invoiceOf(1, { TxnDate: '2025-02-01' }))).toBe('');
    expect(await northwind.refusal('Estimate', invoiceOf(1, { TxnDate: '2025-01-31' }))).toBe('');
    await prefer({ AccountingInfoPrefs: { BookCloseDate: '2025-02-28' } });
    expect(await northwind.refusal('Invoice', { Id: '9141', SyncToken: '0', sparse: true, PrivateNote: 'x' })).toMatch(
      /^6210: /,
    );
    expect(
      await northwind.refusal('Invoice', { Id: '9141', SyncToken: '0', sparse: true, TxnDate: '2025-03-03' }),
    ).toMatch(/^6210: /);
    expect(await northwind.refusal('Invoice', { Id: '9141', SyncToken: '0' }, '?operation=void')).toMatch(/^6210: /);
    expect(await northwind.refusal('Invoice', { Id: '9141', SyncToken: '0' }, '?operation=delete')).toMatch(/^6210: /);
  });
});

describe('classes', () => {
  test('accepts a class where the company tracks it; otherwise rejects it, or drops it when switched', async () => {
    const perTransaction = invoiceOf(1, { ClassRef: { value: '200' } });
    const perLine = invoiceOf(0, { Line: [saleOf(1, {}, { ClassRef: { value: '200' } })] });
    expect(await northwind.refusal('Invoice', perLine)).toBe('');
    expect(await northwind.refusal('Invoice', perTransaction)).toMatch(/^6000: /);
    await prefer({ AccountingInfoPrefs: { ClassTrackingPerTxn: true, ClassTrackingPerTxnLine: false } });
    expect(await northwind.write('Invoice', perTransaction)).toMatchObject({
      ClassRef: { value: '200', name: 'Managed Services' },
    });
    expect(await northwind.refusal('Invoice', perLine)).toMatch(/^6000: /);
    await world.behave({ class_while_off: 'dropped' });
    const [line] = listAt(await northwind.write('Invoice', perLine), 'Line');
    expect(docAt(line, 'SalesItemLineDetail')).not.toHaveProperty('ClassRef');
  });
});

describe('void and delete', () => {
  test('a voided invoice keeps number, date, and customer; amounts are 0 and the note shows the void', async () => {
    const before = await northwind.read('Invoice', '9141');
    const voided = await northwind.write('Invoice', { Id: '9141', SyncToken: '0' }, '?operation=void');
    expect(voided).toMatchObject({
      SyncToken: '1',
      TotalAmt: 0,
      Balance: 0,
      TxnTaxDetail: { TotalTax: 0 },
      DocNumber: before['DocNumber'],
      DueDate: before['DueDate'],
      CustomerRef: before['CustomerRef'],
      PrivateNote: `Voided - ${textAt(before, 'PrivateNote')}`,
      Line: [
        { Amount: 0, SalesItemLineDetail: { Qty: 0 } },
        { Amount: 0, DetailType: 'SubTotalLineDetail' },
      ],
    });
    expect(await northwind.read('Customer', '58')).toMatchObject({ Balance: 0 });
    expect(await northwind.refusal('Invoice', { Id: '9141', SyncToken: '0' }, '?operation=void')).toMatch(/^5010: /);
    expect(await northwind.write('Invoice', { Id: '9141', SyncToken: '1' }, '?operation=void')).toMatchObject({
      SyncToken: '1',
    });
  });

  test('voiding a paid invoice leaves the payment unapplied', async () => {
    expect(await northwind.write('Invoice', { Id: '9138', SyncToken: '1' }, '?operation=void')).toMatchObject({
      TotalAmt: 0,
      Balance: 0,
      LinkedTxn: [],
    });
    expect(await northwind.read('Payment', '9152')).toMatchObject({ TotalAmt: 300, UnappliedAmt: 300, Line: [] });
    expect(await northwind.read('Customer', '59')).toMatchObject({ Balance: 700 - 300 });
  });

  test('include=void also voids; a credit memo cannot be voided unless switched', async () => {
    expect(
      await northwind.write('Invoice', { Id: '9141', SyncToken: '0', sparse: true }, '?operation=update&include=void'),
    ).toMatchObject({ TotalAmt: 0 });
    const memo = await northwind.write('CreditMemo', invoiceOf(10));
    expect(await northwind.refusal('CreditMemo', { Id: memo['Id'], SyncToken: '0' }, '?operation=void')).toMatch(
      /^500: /,
    );
    await world.behave({ credit_memo_void: true });
    expect(await northwind.write('CreditMemo', { Id: memo['Id'], SyncToken: '0' }, '?operation=void')).toMatchObject({
      TotalAmt: 0,
      RemainingCredit: 0,
    });
  });

  test('deleting an invoice returns a stub; one with a payment must be unlinked first', async () => {
    const answer = await northwind.post('invoice?operation=delete', { Id: '9141', SyncToken: '0' });
    expect(answer.body).toMatchObject({ Invoice: { domain: 'QBO', status: 'Deleted', Id: '9141' } });
    expect(codesOf(await northwind.get('invoice/9141'))).toEqual(['610']);
    expect(await northwind.refusal('Invoice', { Id: '9141', SyncToken: '0' }, '?operation=void')).toBe(
      '610: Object Not Found : Another user has deleted this transaction.',
    );
    expect(await northwind.refusal('Invoice', { Id: '9138', SyncToken: '1' }, '?operation=delete')).toMatch(
      /^6000: .*linked/,
    );
  });
});

describe('sending and printing', () => {
  test('sending emails once, saves the time, and keeps the SyncToken', async () => {
    const made = await northwind.write('Invoice', invoiceOf(25));
    const path = `invoice/${textAt(made, 'Id')}`;
    const send = (query = '') =>
      northwind.send('POST', `${path}/send${query}`, '', { 'Content-Type': 'application/octet-stream' });
    expect(codesOf(await send())).toEqual(['6000']);
    await world.behave({ send_without_address: '6420' });
    expect(codesOf(await send())).toEqual(['6420']);
    await world.advance(60);
    const sent = docAt((await send('?sendTo=ap@acmedental.example')).body, 'Invoice');
    expect(sent).toMatchObject({
      SyncToken: '0',
      EmailStatus: 'EmailSent',
      BillEmail: { Address: 'ap@acmedental.example' },
      DeliveryInfo: { DeliveryType: 'Email', DeliveryTime: expect.stringMatching(/^2025-03-03T/) },
    });
    expect(sent['MetaData']).not.toEqual(made['MetaData']);
    expect((await world.control('GET', 'mails')).body).toMatchObject({
      items: [
        {
          to: 'ap@acmedental.example',
          entity: 'Invoice',
          docNumber: '1042',
          cause: 'send',
          attachments: ['Invoice.pdf'],
        },
      ],
    });
  });

  test('an order and a payment can be emailed with their own members', async () => {
    const line = {
      DetailType: 'AccountBasedExpenseLineDetail',
      Amount: 5,
      AccountBasedExpenseLineDetail: { AccountRef: { value: '12' } },
    };
    await northwind.write('PurchaseOrder', { VendorRef: { value: '90' }, APAccountRef: { value: '20' }, Line: [line] });
    const order = docAt(
      (await northwind.send('POST', 'purchaseorder/9177/send?sendTo=a@b.example', '')).body,
      'PurchaseOrder',
    );
    expect(order).toMatchObject({ EmailStatus: 'EmailSent', POEmail: { Address: 'a@b.example' } });
    expect(order).not.toHaveProperty('DeliveryInfo');
    const payment = docAt((await northwind.send('POST', 'payment/9152/send', '')).body, 'Payment');
    expect(payment).not.toHaveProperty('EmailStatus');
    expect(listAt((await world.control('GET', 'mails')).body, 'items')).toMatchObject([
      { entity: 'PurchaseOrder' },
      { entity: 'Payment', to: 'accounts@birchlegal.example' },
    ]);
  });

  test('NeedToSend needs an email address and waits; with its switch it sends automatically', async () => {
    expect(await northwind.refusal('Invoice', invoiceOf(1, { EmailStatus: 'NeedToSend' }))).toMatch(
      /^2020: .*BillEmail/,
    );
    const body = invoiceOf(1, { EmailStatus: 'NeedToSend', BillEmail: { Address: 'a@b.example' } });
    expect(await northwind.write('Invoice', body)).toMatchObject({
      EmailStatus: 'NeedToSend',
      DeliveryInfo: { DeliveryType: 'Email' },
    });
    expect(listAt((await world.control('GET', 'mails')).body, 'items')).toHaveLength(0);
    await world.behave({ need_to_send: 'mails' });
    expect(await northwind.write('Invoice', body)).toMatchObject({ EmailStatus: 'EmailSent' });
    expect(listAt((await world.control('GET', 'mails')).body, 'items')).toMatchObject([{ cause: 'NeedToSend' }]);
  });

  test('limits emails per day', async () => {
    await world.behave({ mails_per_day: 1 });
    const send = () =>
      northwind.send('POST', 'invoice/9141/send?sendTo=a@b.example', '', {
        'Content-Type': 'application/octet-stream',
      });
    expect((await send()).status).toBe(200);
    expect(codesOf(await send())).toEqual(['6000']);
    await world.advance(86_401);
    const again = await world.connect();
    expect((await again.send('POST', 'invoice/9141/send?sendTo=a@b.example', '')).status).toBe(200);
  });

  test('returns a PDF', async () => {
    const answer = await northwind.send('GET', 'invoice/9141/pdf', undefined, { Accept: 'application/pdf' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(answer.text).toMatch(/^%PDF-1\.4[^]*Network audit[^]*%%EOF\n$/);
  });
});
