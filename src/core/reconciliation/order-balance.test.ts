import { describe, expect, test } from 'vitest';
import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import type { PurchaseOrder, PurchaseOrderStatus, Receipt } from '../documents/purchase-order.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal, sum } from '../values/decimal.ts';
import { orderBalance, type OrderFacts } from './order-balance.ts';
import { documentOf } from './testing.ts';

const through = calendarDate('2025-03-31');
const empty = { line1: null, line2: null, city: null, state: null, postalCode: null, country: null };

/** 4 × 189.50 = 758.00, 2 × 412.00 = 824.00, and 36.40 freight. */
const order = (status: PurchaseOrderStatus = 'partly_received'): PurchaseOrder => ({
  id: 1,
  vendorId: 301,
  forCompanyId: null,
  number: 'PO-1',
  externalNumber: '1009',
  status,
  createdAt: instant('2025-02-28T12:00:00Z'),
  createdOn: calendarDate('2025-02-28'),
  submittedOn: calendarDate('2025-02-28'),
  expectedOn: null,
  freight: decimal('36.4'),
  internalFreight: decimal('36.4'),
  paymentTermId: null,
  memo: null,
  shipToName: null,
  shipTo: empty,
  lines: [
    {
      id: 11,
      productId: 801,
      quantity: decimal(4),
      unitCost: decimal('189.5'),
      internalUnitCost: decimal('189.5'),
      memo: null,
    },
    {
      id: 12,
      productId: 802,
      quantity: decimal(2),
      unitCost: decimal(412),
      internalUnitCost: decimal(412),
      memo: null,
    },
  ],
});
const line = (amount: string, more: Partial<AccountingLine> = {}): AccountingLine => ({
  description: null,
  itemId: null,
  accountId: null,
  classId: null,
  taxCode: null,
  quantity: null,
  unitPrice: null,
  amount: decimal(amount),
  partyId: null,
  ...more,
});
const items = (id: string, quantity: string, unitPrice: string, amount: string): AccountingLine =>
  line(amount, { id, itemId: id, quantity: decimal(quantity), unitPrice: decimal(unitPrice) });
const documentFor = (
  type: string,
  id: string,
  lines: readonly AccountingLine[],
  more: Partial<AccountingDocument> = {},
) =>
  documentOf(Number(id), sum(lines.map(({ amount }) => amount)), {
    type,
    number: id,
    party: { id: '90', name: 'Ingram Supplies' },
    datedOn: calendarDate('2025-03-10'),
    dueOn: null,
    currency: null,
    balance: decimal(0),
    isOpen: type === 'PurchaseOrder' ? true : null,
    changedAt: instant('2025-03-10T12:00:00Z'),
    lines,
    ...more,
  });
const inAccounting = (more: Partial<AccountingDocument> = {}) =>
  documentFor(
    'PurchaseOrder',
    '9',
    [items('1', '4', '189.5', '758'), items('2', '2', '412', '824'), line('36.4', { id: '3', accountId: '14' })],
    more,
  );
const linked = (of: AccountingLine, lineId: string | null): AccountingLine => ({
  ...of,
  orderLines: [{ orderId: '9', lineId }],
});
const bill = (lines: readonly AccountingLine[], more: Partial<AccountingDocument> = {}) =>
  documentFor('Bill', '20', lines, more);
const got = (lineId: number, quantity: number, on = '2025-03-10'): Receipt => ({
  lineId,
  on: calendarDate(on),
  quantity: decimal(quantity),
});
const shown = (facts: Partial<OrderFacts>) => {
  const left = orderBalance({ order: order(), document: inAccounting(), bills: [], receipts: [], ...facts }, through);
  return [left.psa, left.accounting, left.received, left.billed];
};

describe('what is left of a purchase order', () => {
  test('is all of it before anything arrives or is billed', () => {
    expect(shown({ order: order('submitted') })).toEqual(['1618.4', '1618.4', '0', '0']);
  });

  test('billed freight covers no goods', () => {
    const bills = [bill([linked(items('1', '1', '189.5', '189.5'), '1'), linked(line('36.4'), '3')])];
    expect(shown({ bills, receipts: [got(11, 3)] })).toEqual(['1049.9', '1392.5', '568.5', '189.5']);
  });

  test('goods that are billed before they arrive cover no other goods', () => {
    const bills = [bill([linked(items('2', '2', '412', '824'), '2')])];
    expect(shown({ bills, receipts: [got(11, 2)] })).toEqual(['1239.4', '794.4', '379', '0']);
  });

  test('a bill at another price covers the quantity', () => {
    const bills = [bill([linked(items('1', '1', '201.07', '201.07'), '1')])];
    expect(shown({ bills, receipts: [got(11, 3)] })).toEqual(['1049.9', '1428.9', '568.5', '189.5']);
  });

  test('a bill line without a quantity covers its amount', () => {
    const bills = [bill([linked(line('189.49'), '1')])];
    expect(shown({ bills, receipts: [got(11, 1)] })).toEqual(['1428.9', '1428.91', '189.5', '189.49']);
  });

  test('a bill of the whole order covers its amount, up to the received goods', () => {
    const of = (amount: string) => [bill([linked(line(amount), null)])];
    expect(shown({ bills: of('100.01'), receipts: [got(11, 2)] })).toEqual(['1239.4', '1518.39', '379', '100.01']);
    expect(shown({ bills: of('2000'), receipts: [got(11, 2)] })).toEqual(['1239.4', null, '379', '379']);
  });

  test('several bills of a line add up, and an over-billed line covers no other line', () => {
    const one = (id: string, quantity: string, amount: string) =>
      bill([linked(items('1', quantity, '189.5', amount), '1')], { id });
    const bills = [one('20', '2', '379'), one('21', '3', '568.5')];
    expect(shown({ bills, receipts: [got(11, 4), got(12, 1)] })).toEqual(['448.4', '860.4', '1170', '758']);
  });

  test('receipts, bills and the order itself count by their date', () => {
    const later = calendarDate('2025-04-01');
    const bills = [bill([linked(items('1', '4', '189.5', '758'), '1')], { datedOn: later })];
    const receipts = [got(11, 1), got(11, 3, '2025-04-01'), got(12, 2, '2025-04-02')];
    expect(shown({ order: order('received'), bills, receipts })).toEqual(['1428.9', '1618.4', '189.5', '0']);
    expect(shown({ document: inAccounting({ datedOn: later }), order: { ...order(), submittedOn: later } })).toEqual([
      null,
      null,
      '0',
      '0',
    ]);
  });

  test('voided bills and bills of another order do not count', () => {
    const other = { ...items('1', '4', '189.5', '758'), orderLines: [{ orderId: '8', lineId: '1' }] };
    const bills = [bill([other]), bill([linked(items('1', '4', '189.5', '758'), '1')], { isVoided: true })];
    expect(shown({ bills, receipts: [got(11, 4)] })).toEqual(['860.4', '1618.4', '758', '0']);
  });

  test('an order that a user closed is not open in QuickBooks, and its received goods are still owed', () => {
    const bills = [bill([linked(items('1', '1', '189.5', '189.5'), '1')])];
    const document = inAccounting({ isOpen: false });
    expect(shown({ document, bills, receipts: [got(11, 3)] })).toEqual(['1049.9', null, '568.5', '189.5']);
    // QuickBooks closed this one after a later bill, so it was open at the end of the month.
    const all = bill(
      [
        linked(items('1', '3', '189.5', '568.5'), '1'),
        linked(items('2', '2', '412', '824'), '2'),
        linked(line('36.4'), '3'),
      ],
      { id: '21', datedOn: calendarDate('2025-04-02') },
    );
    expect(shown({ document, bills: [...bills, all], receipts: [got(11, 3)] })).toEqual([
      '1049.9',
      '1428.9',
      '568.5',
      '189.5',
    ]);
  });

  test('a received order expects nothing, although its receipts are hidden; a canceled one neither', () => {
    expect(shown({ order: order('received') })).toEqual([null, '1618.4', '0', '0']);
    expect(shown({ order: order('canceled'), receipts: [got(11, 1)] })).toEqual([null, '1618.4', '189.5', '0']);
    expect(shown({ receipts: [got(11, 4), got(12, 2)] })).toEqual([null, '1618.4', '1582', '0']);
  });

  test('lines added in QuickBooks leave only amounts to compare', () => {
    const added = [...inAccounting().lines, items('4', '1', '10', '10'), items('5', '1', '5', '5')];
    const bills = [bill([linked(items('1', '1', '189.5', '189.5'), '1')])];
    expect(shown({ document: inAccounting({ lines: added }), bills, receipts: [got(11, 3)] })).toEqual([
      '1049.9',
      '1443.9',
      '568.5',
      '189.5',
    ]);
  });

  test('amounts in a foreign currency count in the home currency', () => {
    const rate = { currency: 'CAD', exchangeRate: decimal('0.5') };
    const lines = [linked(line('100.01', { accountId: '14' }), '1')];
    const bills = [bill(lines, rate)];
    expect(shown({ document: inAccounting(rate), bills, receipts: [got(11, 1)] })).toEqual([
      '1428.9',
      '759.2',
      '189.5',
      '50.01',
    ]);
  });
});
