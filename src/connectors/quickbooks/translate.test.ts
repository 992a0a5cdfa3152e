import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Posted } from '#core/attempt.ts';
import type { Command, SalesDocument, SalesLine } from '#core/planning/plan.ts';
import { calendarDate } from '#core/values/dates.ts';
import { decimal, type Decimal } from '#core/values/decimal.ts';
import { sentNumber, shownNumber, toDecimal } from '../exact-json.ts';
import {
  hasNote,
  isVoided,
  readOnlyStatus,
  toBody,
  toCountryCode,
  toPosted,
  toPreferences,
  toTaxCode,
} from './translate.ts';
import { qboCompanyInfo, qboPreferences, qboRecord, qboTaxCode, qboTaxRate } from './wire.ts';
import { salesDocument, salesLine } from '#test/cases/sample-documents.ts';
import { postedAs } from '#test/support/attempts.ts';

const line = (more: Partial<SalesLine>) => salesLine('0', { description: '', item: { id: '21' }, ...more });

const plain = salesDocument([], {
  customer: { id: '58', name: 'Acme Dental' },
  privateNote: 'Autotask invoice 1 · synced 2025-03-03T15:00:07Z',
});

const shown = (command: Command, answers: readonly Posted[] = []) => toBody(command, answers, shownNumber);

test('sends the plain invoice of the worked examples exactly (domain reference 6.14 A)', () => {
  const document: SalesDocument = {
    ...plain,
    termId: '3',
    customerMessage: 'Order: PO-7781\nTax group: Travis County\nInvoice date: 2025-03-03\nThank you for your business.',
    privateNote: 'Autotask invoice 48213 · synced 2025-03-03T15:00:07Z',
    email: { address: 'ap@acmedental.example', send: false },
    onlinePayment: { card: false, bank: false },
    customFields: [{ definitionId: '1', name: 'P.O. Number', value: 'PO-7781' }],
    taxCodeId: '5',
    lines: [
      line({
        amount: decimal('525.00'),
        quantity: decimal('3.5'),
        unitPrice: decimal('150'),
        description: 'Engineer: VPN outage',
        servedOn: calendarDate('2025-02-27'),
        classId: '200',
      }),
      line({
        quantity: decimal('1.25'),
        description: 'Engineer: Printer (covered by contract)',
        servedOn: calendarDate('2025-02-28'),
        classId: '200',
      }),
      line({
        amount: decimal('900.00'),
        quantity: decimal('20'),
        unitPrice: decimal('45'),
        description: 'Managed Workstation',
        item: { id: '24' },
        servedOn: calendarDate('2025-03-01'),
        classId: '200',
      }),
      line({
        amount: decimal('500.00'),
        quantity: decimal('2'),
        unitPrice: decimal('250'),
        description: '24-inch monitor',
        item: { id: '30' },
        servedOn: calendarDate('2025-02-26'),
        classId: '201',
        taxCode: 'TAX',
      }),
    ],
  };
  const detail = (item: string, qty: number, price: number, date: string, classId: string, tax: string) => ({
    ItemRef: { value: item },
    Qty: qty,
    UnitPrice: price,
    ServiceDate: date,
    ClassRef: { value: classId },
    TaxCodeRef: { value: tax },
  });
  const sent = (position: number, amount: number, description: string, detailOf: object) => ({
    LineNum: position,
    DetailType: 'SalesItemLineDetail',
    Amount: amount,
    Description: description,
    SalesItemLineDetail: detailOf,
  });
  const body = shown({ do: 'create_invoice', document });
  expect(body).toEqual({
    CustomerRef: { value: '58' },
    TxnDate: '2025-03-03',
    SalesTermRef: { value: '3' },
    CustomerMemo: {
      value: 'Order: PO-7781\nTax group: Travis County\nInvoice date: 2025-03-03\nThank you for your business.',
    },
    PrivateNote: 'Autotask invoice 48213 · synced 2025-03-03T15:00:07Z',
    BillEmail: { Address: 'ap@acmedental.example' },
    EmailStatus: 'NotSet',
    AllowOnlineCreditCardPayment: false,
    AllowOnlineACHPayment: false,
    CustomField: [{ DefinitionId: '1', Name: 'P.O. Number', Type: 'StringType', StringValue: 'PO-7781' }],
    TxnTaxDetail: { TxnTaxCodeRef: { value: '5' } },
    Line: [
      sent(1, 525, 'Engineer: VPN outage', detail('21', 3.5, 150, '2025-02-27', '200', 'NON')),
      sent(2, 0, 'Engineer: Printer (covered by contract)', detail('21', 1.25, 0, '2025-02-28', '200', 'NON')),
      sent(3, 900, 'Managed Workstation', detail('24', 20, 45, '2025-03-01', '200', 'NON')),
      sent(4, 500, '24-inch monitor', detail('30', 2, 250, '2025-02-26', '201', 'TAX')),
    ],
  });
  expect(Object.keys(body)).toEqual([
    'CustomerRef',
    'TxnDate',
    'SalesTermRef',
    'CustomerMemo',
    'PrivateNote',
    'BillEmail',
    'EmailStatus',
    'AllowOnlineCreditCardPayment',
    'AllowOnlineACHPayment',
    'CustomField',
    'TxnTaxDetail',
    'Line',
  ]);
});

test('omits terms, email, and online payment for a credit memo', () => {
  const document = {
    ...plain,
    lines: [line({ amount: decimal('300'), quantity: decimal('5'), unitPrice: decimal('60') })],
  };
  expect(Object.keys(shown({ do: 'create_credit_memo', document }))).toEqual([
    'CustomerRef',
    'TxnDate',
    'PrivateNote',
    'Line',
  ]);
});

test('sends an invoice with its address but without emailing it, which is a separate command', () => {
  const withEmail = (email: SalesDocument['email']) => shown({ do: 'create_invoice', document: { ...plain, email } });
  expect(withEmail({ address: 'a@b.example', send: true })).toMatchObject({
    BillEmail: { Address: 'a@b.example' },
    EmailStatus: 'NotSet',
  });
  expect(withEmail({ address: null, send: true })).toMatchObject({ EmailStatus: 'NotSet' });
  expect(withEmail({ address: null, send: true })).not.toHaveProperty('BillEmail');
  expect(withEmail(null)).not.toHaveProperty('EmailStatus');
});

test('shows a placeholder for a record to be created, and its ID afterward', () => {
  const document: SalesDocument = {
    ...plain,
    customer: { fromCommand: 0 },
    lines: [line({ item: { fromCommand: 1 } })],
  };
  const command: Command = { do: 'create_invoice', document };
  expect(shown(command)).toMatchObject({ CustomerRef: { value: '(to be created)' } });
  const made = (id: string): Posted => ({ ...postedAs(id), type: 'Item' });
  expect(shown(command, [made('77'), made('5000000000000085682')])).toMatchObject({
    CustomerRef: { value: '77' },
    Line: [{ SalesItemLineDetail: { ItemRef: { value: '5000000000000085682' } } }],
  });
});

test('sends only the known values of a new customer and item', () => {
  const address = {
    line1: '1 Main St',
    line2: null,
    city: 'Austin',
    state: 'TX',
    postalCode: '78701',
    country: 'US',
  };
  expect(
    shown({
      do: 'create_customer',
      customer: {
        companyId: 180,
        displayName: 'Ember Cafe',
        companyName: 'Ember Cafe',
        billingAddress: address,
        shippingAddress: null,
        phone: '512-555-0100',
        email: null,
        isTaxable: true,
        resaleNumber: null,
        termId: '3',
        currency: null,
      },
    }),
  ).toEqual({
    DisplayName: 'Ember Cafe',
    CompanyName: 'Ember Cafe',
    BillAddr: {
      Line1: '1 Main St',
      City: 'Austin',
      CountrySubDivisionCode: 'TX',
      PostalCode: '78701',
      Country: 'US',
    },
    PrimaryPhone: { FreeFormNumber: '512-555-0100' },
    Taxable: true,
    SalesTermRef: { value: '3' },
  });
  expect(
    shown({
      do: 'create_item',
      item: { name: 'Hardware', sku: 'HW-1', incomeAccountId: '2', expenseAccountId: null, isTaxable: true },
    }),
  ).toEqual({ Name: 'Hardware', Type: 'NonInventory', IncomeAccountRef: { value: '2' }, Sku: 'HW-1', Taxable: true });
});

test('sends and shows the same digits of amounts', () => {
  const cents = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map((value): Decimal => decimal(`${value}e-5`));
  fc.assert(
    fc.property(cents, cents, cents, (amount, quantity, unitPrice) => {
      const document = { ...plain, lines: [line({ amount, quantity, unitPrice })] };
      const command: Command = { do: 'create_invoice', document };
      const text = JSON.stringify(toBody(command, [], sentNumber));
      expect(text).toContain(`"Amount":${amount},`);
      expect(text).toContain(`"Qty":${quantity},"UnitPrice":${unitPrice},`);
      const [first] = shown(command).Line as { Amount: number | string }[];
      expect(toDecimal(first?.Amount ?? '')).toBe(amount);
    }),
    { seed: 1 },
  );
});

describe('a response', () => {
  const answer = {
    Id: '9177',
    SyncToken: '0',
    DocNumber: '1042',
    TotalAmt: 1966.25,
    TxnTaxDetail: { TotalTax: 41.25 },
    DueDate: '2025-04-02',
    PrivateNote: 'Autotask invoice 48213 · synced 2025-03-03T15:00:07Z',
    Line: [
      { DetailType: 'SalesItemLineDetail', Amount: 1925 },
      { DetailType: 'SubTotalLineDetail', Amount: 1925 },
    ],
    Unknown: { member: true },
  };

  test('has ID, number, totals, and due date', () => {
    expect(toPosted('Invoice', qboRecord.parse(answer), answer)).toEqual({
      type: 'Invoice',
      id: '9177',
      syncToken: '0',
      number: '1042',
      total: '1966.25',
      tax: '41.25',
      subtotal: '1925',
      lines: ['1925'],
      dueOn: '2025-04-02',
      name: null,
      document: answer,
    });
  });

  test('is recognized as void by its zero total and note, and still as ours', () => {
    const note = answer.PrivateNote;
    const voided = { ...answer, TotalAmt: 0, PrivateNote: `Voided - ${note}` };
    expect(isVoided(qboRecord.parse(voided))).toBe(true);
    expect(isVoided(qboRecord.parse({ ...answer, TotalAmt: 0 }))).toBe(false);
    expect(isVoided(qboRecord.parse({ ...answer, PrivateNote: 'Voided' }))).toBe(false);
    expect(hasNote(qboRecord.parse(answer), note)).toBe(true);
    expect(hasNote(qboRecord.parse(voided), note)).toBe(true);
    expect(hasNote(qboRecord.parse(answer), note.replace('48213', '4821'))).toBe(false);
  });
});

test('reads preferences in any group order', () => {
  const wire = qboPreferences.parse({
    AccountingInfoPrefs: { ClassTrackingPerTxnLine: true, BookCloseDate: '2025-01-31' },
    SalesFormsPrefs: {
      CustomTxnNumbers: false,
      CustomField: [
        {
          CustomField: [
            { Name: 'SalesFormsPrefs.UseSalesCustom3', Type: 'BooleanType', BooleanValue: false },
            { Name: 'SalesFormsPrefs.UseSalesCustom1', Type: 'BooleanType', BooleanValue: true },
            { Name: 'SalesFormsPrefs.UseSalesCustom2', Type: 'BooleanType', BooleanValue: true },
          ],
        },
        {
          CustomField: [
            { Name: 'SalesFormsPrefs.SalesCustomName2', Type: 'StringType', StringValue: 'Ticket' },
            { Name: 'SalesFormsPrefs.SalesCustomName1', Type: 'StringType', StringValue: 'P.O. Number' },
          ],
        },
      ],
    },
    CurrencyPrefs: { MultiCurrencyEnabled: false, HomeCurrency: { value: 'USD' } },
    TaxPrefs: { UsingSalesTax: true },
    OtherPrefs: { NameValue: [{ Name: 'VendorAndPurchasesPrefs.UseCustomTxnNumbers', Value: 'true' }] },
  });
  expect(toPreferences(wire)).toEqual({
    customTransactionNumbers: false,
    customOrderNumbers: true,
    classPerTransaction: false,
    classPerLine: true,
    tracksLocations: false,
    multiCurrency: false,
    homeCurrency: 'USD',
    usesSalesTax: true,
    automatedSalesTax: false,
    closedThrough: '2025-01-31',
    customFields: [
      { definitionId: '1', name: 'P.O. Number' },
      { definitionId: '2', name: 'Ticket' },
    ],
  });
});

test('sums the rates of a tax code, or returns none when one is unknown', () => {
  const code = (...rates: string[]) =>
    qboTaxCode.parse({
      Id: '3',
      Name: 'Tucson',
      SalesTaxRateList: { TaxRateDetail: rates.map((value) => ({ TaxRateRef: { value } })) },
    });
  const rates = [
    { Id: '1', Name: 'County', RateValue: decimal('7.1'), AgencyRef: { value: '3', name: null }, EffectiveTaxRate: [] },
    { Id: '2', Name: null, RateValue: decimal('2'), AgencyRef: null, EffectiveTaxRate: [] },
  ];
  expect(toTaxCode(code('1', '2'), rates)).toMatchObject({
    salesRate: '9.1',
    salesRates: [
      { id: '1', name: 'County', agencyId: '3', percent: '7.1' },
      { id: '2', name: '2', agencyId: null, percent: '2' },
    ],
  });
  expect(toTaxCode(code('1', '9'), rates).salesRate).toBeNull();
  expect(toTaxCode(qboTaxCode.parse({ Id: 'TAX', Name: 'TAX' }), rates).salesRate).toBeNull();
});

test('reads the percentages of a rate by date, oldest first', () => {
  const code = qboTaxCode.parse({
    Id: '3',
    Name: 'VAT',
    SalesTaxRateList: { TaxRateDetail: [{ TaxRateRef: { value: '1' } }] },
  });
  const periodsOf = (periods: unknown) =>
    toTaxCode(code, [qboTaxRate.parse({ Id: '1', Name: 'VAT', RateValue: '20', EffectiveTaxRate: periods })])
      .salesRates?.[0]?.periods;
  expect(
    periodsOf([
      { RateValue: '20', EffectiveDate: '2011-01-04T00:00:00-08:00' },
      { RateValue: '17.5', EffectiveDate: '2010-01-01T00:00:00-08:00', EndDate: '2011-01-03T00:00:00-08:00' },
    ]),
  ).toEqual([
    { from: '2010-01-01', through: '2011-01-03', percent: '17.5' },
    { from: '2011-01-04', through: null, percent: '20' },
  ]);
  expect(periodsOf([{ RateValue: '17.5', EffectiveDate: '2010-01-01T00:00:00-08:00' }])).toBeUndefined();
  expect(periodsOf(undefined)).toBeUndefined();
});

test('recognizes a country by its names and abbreviations', () => {
  const known = ['USA', 'United States', 'us', 'Canada', 'CA', 'United Kingdom', 'UK', 'Germany', 'DEU', 'Deutschland'];
  expect(known.map((name) => toCountryCode(name))).toEqual([
    'US',
    'US',
    'US',
    'CA',
    'CA',
    'GB',
    'GB',
    'DE',
    'DE',
    'Deutschland',
  ]);
});

test.each([
  ['RESTRICTED', 'RESTRICTED'],
  ['SUSPENDED', 'SUSPENDED'],
  ['EXPIRED', 'EXPIRED'],
  ['cancelled', 'CANCELLED'],
  ['CANCELED', 'CANCELED'],
  ['PAID', null],
  ['TRIAL', null],
])('the subscription status %s is read-only: %s', (Value, expected) => {
  const wire = qboCompanyInfo.parse({ CompanyName: 'A', NameValue: [{ Name: 'SubscriptionStatus', Value }] });
  expect(readOnlyStatus(wire)).toBe(expected);
});
