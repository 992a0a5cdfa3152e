import { expect, test } from 'vitest';
import { planExpenseReport } from '#core/planning/plan-expense-report.ts';
import { planPurchaseOrder } from '#core/planning/plan-purchase-order.ts';
import type { Command } from '#core/planning/plan.ts';
import { calendarDate } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import {
  expenseMappings,
  expenseReport,
  mappings,
  orderFactsFor,
  purchaseOrder,
  reportFactsFor,
} from '#test/cases/sample-world.ts';
import { sentNumber, shownNumber } from '../exact-json.ts';
import { toBody } from './translate.ts';
import { postedAs } from '#test/support/attempts.ts';

const lastOf = (decision: ReturnType<typeof planPurchaseOrder> | ReturnType<typeof planExpenseReport>): Command => {
  const command = decision.outcome === 'plan' ? decision.plan.commands.at(-1) : undefined;
  if (command === undefined) throw new Error('no plan');
  return command;
};

const order = lastOf(
  planPurchaseOrder(
    orderFactsFor(
      purchaseOrder({
        id: 3310,
        forCompanyId: 175,
        freight: decimal('36.4'),
        memo: 'Leave with the front desk.',
        lines: [
          { productId: 801, quantity: decimal('4'), unitCost: decimal('189.5') },
          { productId: 802, quantity: decimal('2'), unitCost: decimal('412') },
        ],
      }),
    ),
  ),
);

test('sends the purchase order of the worked examples exactly (domain reference 9.5)', () => {
  const item = (id: string, quantity: number, unitPrice: number) => ({
    DetailType: 'ItemBasedExpenseLineDetail',
    ItemBasedExpenseLineDetail: {
      ItemRef: { value: id },
      Qty: quantity,
      UnitPrice: unitPrice,
      CustomerRef: { value: '58' },
    },
  });
  expect(toBody(order, [], shownNumber)).toEqual({
    VendorRef: { value: '90' },
    APAccountRef: { value: '20' },
    TxnDate: '2025-02-28',
    SalesTermRef: { value: '3' },
    ShipAddr: {
      Line1: 'Acme Dental',
      Line2: '410 Congress Avenue',
      City: 'Austin',
      CountrySubDivisionCode: 'TX',
      PostalCode: '78701',
    },
    Memo: 'Leave with the front desk.',
    PrivateNote:
      'Autotask purchase order 3310, number PO-3310, estimated arrival 2025-03-10 · synced 2025-03-03T15:00:07Z',
    Line: [
      { LineNum: 1, Amount: 758, Description: 'Access point', ...item('31', 4, 189.5) },
      { LineNum: 2, Amount: 824, Description: 'Switch 24p', ...item('32', 2, 412) },
      {
        LineNum: 3,
        Amount: 36.4,
        Description: 'Freight',
        DetailType: 'AccountBasedExpenseLineDetail',
        AccountBasedExpenseLineDetail: {
          AccountRef: { value: '14' },
          BillableStatus: 'NotBillable',
          CustomerRef: { value: '58' },
        },
      },
    ],
    POStatus: 'Open',
  });
});

test('sends the bill of the worked examples exactly (domain reference 10.6)', () => {
  const report = expenseReport({
    cashAdvance: decimal('100'),
    items: [
      { categoryId: 41, amount: decimal('186.40'), description: 'Train and hotel', companyId: 175 },
      { categoryId: 42, amount: decimal('42.75'), description: 'Dinner' },
      { categoryId: 43, amount: decimal('61.2'), description: 'Site visits', spentOn: calendarDate('2025-02-26') },
      { categoryId: 44, amount: decimal('35'), isReimbursable: false },
    ],
  });
  const bill = lastOf(planExpenseReport(reportFactsFor(report, { mappings: [...mappings, ...expenseMappings] })));
  const line = (number: number, amount: number, description: string, account: string, customer?: string) => ({
    LineNum: number,
    Amount: amount,
    Description: description,
    DetailType: 'AccountBasedExpenseLineDetail',
    AccountBasedExpenseLineDetail: {
      AccountRef: { value: account },
      BillableStatus: 'NotBillable',
      ...(customer === undefined ? {} : { CustomerRef: { value: customer } }),
      ClassRef: { value: '202' },
    },
  });
  expect(toBody(bill, [], shownNumber)).toEqual({
    VendorRef: { value: '91' },
    APAccountRef: { value: '20' },
    DocNumber: 'EXP-1207',
    TxnDate: '2025-02-28',
    PrivateNote: 'Autotask expense report 1207: Client visits February · synced 2025-03-03T15:00:07Z',
    Line: [
      line(1, 186.4, '2025-02-25 Travel: Train and hotel', '11', '58'),
      line(2, 42.75, '2025-02-25 Meals: Dinner', '12'),
      line(3, 61.2, '2025-02-26 Mileage: Site visits', '13'),
      line(4, -100, 'Cash advance', '25'),
    ],
  });
});

test('sends only the known values of a vendor and an item', () => {
  expect(
    toBody(
      {
        do: 'create_vendor',
        vendor: {
          companyId: null,
          displayName: "v-O'Brien, John",
          companyName: null,
          givenName: 'John',
          familyName: "O'Brien",
          address: null,
          phone: null,
          email: null,
          currency: null,
        },
      },
      [],
      shownNumber,
    ),
  ).toEqual({ DisplayName: "v-O'Brien, John", GivenName: 'John', FamilyName: "O'Brien" });
  const item = {
    name: '24-inch monitor',
    sku: 'MON-24',
    incomeAccountId: null,
    expenseAccountId: '14',
    isTaxable: false,
    purchaseCost: decimal('178.12345'),
  };
  expect(JSON.stringify(toBody({ do: 'create_item', item }, [], sentNumber))).toBe(
    '{"Name":"24-inch monitor","Type":"NonInventory","ExpenseAccountRef":{"value":"14"},"PurchaseCost":178.12345,"Sku":"MON-24","Taxable":false}',
  );
});

test('refers to a created record by its ID, or shows a placeholder before', () => {
  if (order.do !== 'create_purchase_order') throw new Error('not an order');
  const waiting: Command = { ...order, order: { ...order.order, vendor: { fromCommand: 0 } } };
  expect(toBody(waiting, [], shownNumber)).toMatchObject({ VendorRef: { value: '(to be created)' } });
  const answer = { ...postedAs('104'), type: 'Vendor' };
  expect(toBody(waiting, [answer], shownNumber)).toMatchObject({ VendorRef: { value: '104' } });
});
