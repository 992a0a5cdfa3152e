import { expect, test } from 'vitest';
import { readDocument } from './document.ts';

const sale = (amount: number, taxCode: string, more: object = {}) => ({
  Id: '1',
  LineNum: 1,
  Description: '24-inch monitor',
  Amount: amount,
  DetailType: 'SalesItemLineDetail',
  SalesItemLineDetail: { Qty: 2, UnitPrice: 250, TaxCodeRef: { value: taxCode } },
  ...more,
});

test("reads an invoice with its totals and without QuickBooks' subtotal line", () => {
  const read = readDocument({
    Id: '9177',
    DocNumber: '1042',
    CustomerRef: { value: '58', name: 'Acme Dental' },
    ShipAddr: { Line1: '12 Molar Street', City: 'Austin', CountrySubDivisionCode: 'TX', PostalCode: '78701' },
    CustomField: [
      { DefinitionId: '1', Name: 'P.O. Number', StringValue: 'PO-7781' },
      { DefinitionId: '2', Name: 'Ticket' },
    ],
    Line: [
      sale(500, 'TAX'),
      sale(0.1, 'NON', { Id: '2', LineNum: 2 }),
      sale(0.2, 'NON', { Id: '3', LineNum: 3 }),
      { Amount: 500.3, DetailType: 'SubTotalLineDetail', SubTotalLineDetail: {} },
    ],
    TxnTaxDetail: { TotalTax: 41.25 },
    TotalAmt: 541.55,
    CustomerMemo: { value: 'Thank you' },
  });
  expect(read).toMatchObject({
    id: '9177',
    number: '1042',
    customer: 'Acme Dental',
    shipTo: ['12 Molar Street', 'Austin, TX 78701'],
    customFields: [{ name: 'P.O. Number', value: 'PO-7781' }],
    totalTax: '41.25',
    total: '541.55',
    subtotal: '500.3',
    comments: 'Thank you',
  });
  expect(read.lines.map(({ number, amount, isTaxable }) => [number, amount, isTaxable])).toEqual([
    ['1', '500', true],
    ['2', '0.1', false],
    ['3', '0.2', false],
  ]);
});

test('gives an account line the quantity 1', () => {
  const { lines, vendor } = readDocument({
    VendorRef: { value: '91', name: 'v-Decker, Betty' },
    Line: [{ Id: '1', Amount: 290.35, DetailType: 'AccountBasedExpenseLineDetail', AccountBasedExpenseLineDetail: {} }],
  });
  expect(vendor).toEqual({ id: '91', name: 'v-Decker, Betty' });
  expect(lines).toMatchObject([{ quantity: '1', unitPrice: '290.35', amount: '290.35', isTaxable: null }]);
});

test('shows customer names of lines from the plan if needed, and never IDs', () => {
  const line = (customer: object) => ({
    Id: '1',
    Amount: 758,
    DetailType: 'ItemBasedExpenseLineDetail',
    ItemBasedExpenseLineDetail: { CustomerRef: customer },
  });
  const order = { Line: [line({ value: '58' }), line({ value: '61', name: 'Delta School' })] };
  const customersOf = (names?: readonly string[]) => readDocument(order, names).lines.map(({ customer }) => customer);
  expect(customersOf(['Acme Dental', 'Delta'])).toEqual(['Acme Dental', 'Delta School']);
  expect(customersOf()).toEqual([null, 'Delta School']);
  expect(customersOf(['of another document'])).toEqual([null, 'Delta School']);
});

test('reads an empty or invalid document as empty', () => {
  const empty = readDocument({});
  expect(empty).toMatchObject({ id: null, total: null, totalTax: null, shipTo: [], lines: [], subtotal: '0' });
  expect(readDocument({ Line: 'x', CustomField: {}, ShipAddr: 7, CustomerRef: [], TxnTaxDetail: null })).toEqual(empty);
});

test.each([
  ['NotSet', 'Not sent'],
  ['NeedToSend', 'To be sent'],
  ['EmailSent', 'Sent'],
  ['', null],
])('the email status %j is shown as %j', (EmailStatus, shown) => {
  expect(readDocument({ EmailStatus }).emailStatus).toBe(shown);
});
