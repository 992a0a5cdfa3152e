import { afterAll, beforeAll, expect, test } from 'vitest';
import { exceptionsOf, obstaclesOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mapExpenses } from '../support/mappings.ts';
import { proveMonth } from '../support/month-end.ts';
import { newWorld } from '../support/world.ts';

/** Ordinary business that users enter in QuickBooks: each tie-out counts it once, and it is no difference. */
const march = month('2025-03');
const world = await newWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
await mapExpenses(world.store);
for (const kind of ['invoice', 'expense_report', 'purchase_order'] as const) await world.sync(kind, { mode: 'live' });
// March has ended.
await world.advance(29 * 86_400);
afterAll(() => world.close());
const { quickbooks } = world;

const known = new Set<string>();
beforeAll(async () => {
  for (const { key } of exceptionsOf((await proveMonth(world)).proof)) known.add(key);
});

const [bank, undeposited, service, meals, advances, payable, receivable, tax] = [
  '35',
  '26',
  '1',
  '12',
  '25',
  '20',
  '30',
  '27',
];
const customer = { TxnDate: '2025-03-11', CustomerRef: { value: '58' } };
const canadian = { ...customer, CustomerRef: { value: '60' }, CurrencyRef: { value: 'CAD' }, ExchangeRate: 0.7333 };
const vendor = { TxnDate: '2025-03-12', VendorRef: { value: '90' } };
const taxed = { TxnTaxDetail: { TxnTaxCodeRef: { value: '5' } } };
const sale = (amount: number, code: 'TAX' | 'NON' = 'NON', more: JsonObject = {}) => ({
  DetailType: 'SalesItemLineDetail',
  Amount: amount,
  SalesItemLineDetail: { ItemRef: { value: '21' }, TaxCodeRef: { value: code }, ...more },
});
const discount = (amount: number) => ({
  DetailType: 'DiscountLineDetail',
  Amount: amount,
  DiscountLineDetail: { PercentBased: false },
});
const cost = (amount: number, account: string) => ({
  DetailType: 'AccountBasedExpenseLineDetail',
  Amount: amount,
  AccountBasedExpenseLineDetail: { AccountRef: { value: account } },
});
const entry = (PostingType: 'Debit' | 'Credit', amount: number, account: string, party?: JsonObject) => ({
  DetailType: 'JournalEntryLineDetail',
  Amount: amount,
  JournalEntryLineDetail: {
    PostingType,
    AccountRef: { value: account },
    ...(party !== undefined && { Entity: party }),
  },
});
const partyOf = (Type: 'Customer' | 'Vendor', value: string) => ({ Type, EntityRef: { value } });
const check = (amount: number, account: string, payee: JsonObject = {}) => ({
  TxnDate: '2025-03-13',
  AccountRef: { value: bank },
  PaymentType: 'Check',
  ...payee,
  Line: [cost(amount, account)],
});
const deposited = (amount: number, detail: JsonObject) => ({
  TxnDate: '2025-03-14',
  DepositToAccountRef: { value: bank },
  Line: [{ DetailType: 'DepositLineDetail', Amount: amount, DepositLineDetail: detail }],
});
const to = (value: string) => ({ DepositToAccountRef: { value } });
const idOf = (made: JsonObject) => String(((made['item'] as JsonObject | undefined) ?? made)['Id']);

type Entered = readonly [entity: string, record: JsonObject];
test.each<[what: string, entered: readonly Entered[]]>([
  [
    'receipts and refunds, taxed, with a class, and in Canadian dollars',
    [
      ['SalesReceipt', { ...customer, ...taxed, Line: [sale(70, 'TAX')] }],
      ['SalesReceipt', { ...customer, Line: [sale(71, 'NON', { ClassRef: { value: '200' } })] }],
      ['SalesReceipt', { ...customer, ...to(bank), Line: [sale(7)] }],
      ['SalesReceipt', { ...canadian, Line: [sale(71.11)] }],
      ['RefundReceipt', { ...customer, ...taxed, ...to(bank), Line: [sale(60, 'TAX')] }],
      ['RefundReceipt', { ...customer, ...to(undeposited), Line: [sale(11)] }],
      ['RefundReceipt', { ...canadian, ...to(undeposited), Line: [sale(31.11)] }],
    ],
  ],
  [
    'discounts without an account, on receipts',
    [
      ['SalesReceipt', { ...customer, Line: [sale(200), discount(20)] }],
      ['SalesReceipt', { ...customer, ...taxed, Line: [sale(200, 'TAX'), discount(15)] }],
      ['RefundReceipt', { ...customer, ...to(bank), Line: [sale(50), discount(5)] }],
    ],
  ],
  [
    'bills, vendor credits and their lines on other accounts',
    [
      ['Bill', { ...vendor, Line: [cost(120, meals)] }],
      ['Bill', { ...vendor, Line: [cost(14, service)] }],
      ['VendorCredit', { ...vendor, Line: [cost(22, meals)] }],
      ['VendorCredit', { ...vendor, Line: [cost(5, advances)] }],
    ],
  ],
  [
    'checks and expenses on receivables, payables, advances, income, tax and undeposited funds',
    [
      ['Purchase', check(15, receivable, { EntityRef: { value: '58', type: 'Customer' } })],
      ['Purchase', check(16, payable, { EntityRef: { value: '90', type: 'Vendor' } })],
      ['Purchase', check(50, advances)],
      ['Purchase', check(12, service)],
      ['Purchase', check(19, tax)],
      ['Purchase', { ...check(8, meals), AccountRef: { value: undeposited }, PaymentType: 'Cash' }],
    ],
  ],
  [
    'payments: unapplied, straight to the bank, and in Canadian dollars',
    [
      ['Payment', { ...customer, TotalAmt: 44 }],
      ['Payment', { ...customer, ...to(bank), TotalAmt: 45 }],
      ['Payment', { ...canadian, TotalAmt: 46 }],
    ],
  ],
  [
    'deposits to income, receivables and payables, and a transfer',
    [
      ['Deposit', deposited(88, { AccountRef: { value: service } })],
      ['Deposit', deposited(86, { AccountRef: { value: receivable }, Entity: { value: '58', type: 'Customer' } })],
      ['Deposit', deposited(9, { AccountRef: { value: payable }, Entity: { value: '90', type: 'Vendor' } })],
      [
        'Transfer',
        {
          TxnDate: '2025-03-15',
          FromAccountRef: { value: undeposited },
          ToAccountRef: { value: bank },
          Amount: 6,
        },
      ],
    ],
  ],
  [
    'journal entries on each account that is proved',
    [
      [51, receivable, service, partyOf('Customer', '58')] as const,
      [52, meals, payable, partyOf('Vendor', '90')] as const,
      [54, meals, tax] as const,
      [55, meals, undeposited] as const,
      [56, advances, service] as const,
    ].map(([amount, debit, credit, party]) => [
      'JournalEntry',
      {
        TxnDate: '2025-03-16',
        Line: [
          entry('Debit', amount, debit, debit === receivable ? party : undefined),
          entry('Credit', amount, credit, debit === receivable ? undefined : party),
        ],
      },
    ]),
  ],
])('%s', async (_, entered) => {
  for (const [entity, record] of entered) await quickbooks.add(entity, record);
  await expectOrdinary();
});

test('a receipt that was deposited, and a bill paid by check and by card', async () => {
  const receipt = await quickbooks.add('SalesReceipt', { ...customer, Line: [sale(17)] });
  await quickbooks.add('Deposit', {
    TxnDate: '2025-03-18',
    ...to(bank),
    Line: [{ Amount: 17, LinkedTxn: [{ TxnId: idOf(receipt), TxnType: 'SalesReceipt', TxnLineId: '0' }] }],
  });
  const bill = await quickbooks.add('Bill', { ...vendor, Line: [cost(30, meals)] });
  const paid = {
    ...vendor,
    TotalAmt: 15,
    Line: [{ Amount: 15, LinkedTxn: [{ TxnId: idOf(bill), TxnType: 'Bill' }] }],
  };
  await quickbooks.add('BillPayment', { ...paid, PayType: 'Check', CheckPayment: { BankAccountRef: { value: bank } } });
  await quickbooks.add('BillPayment', {
    ...paid,
    PayType: 'CreditCard',
    CreditCardPayment: { CCAccountRef: { value: '41' } },
  });
  await expectOrdinary();
});

test('renamed classes, customers, items and accounts, and an item that is sold to another account from now on', async () => {
  await quickbooks.put('Class', '200', { Name: 'Managed IT', FullyQualifiedName: 'Managed IT' });
  await quickbooks.put('Customer', '58', { DisplayName: 'Acme Dental Group', FullyQualifiedName: 'Acme Dental Group' });
  await quickbooks.put('Item', '21', { Name: 'Remote help', FullyQualifiedName: 'Remote help' });
  await quickbooks.put('Account', service, { Name: 'Labor income', FullyQualifiedName: 'Labor income' });
  await quickbooks.put('Item', '22', { IncomeAccountRef: { value: '3' } });
  await expectOrdinary();
});

/** Expects that all tie-outs are 0.00 and that no document became a difference. */
async function expectOrdinary(): Promise<void> {
  const { proof } = await proveMonth(world, march);
  expect(obstaclesOf(proof)).toEqual([]);
  expect(exceptionsOf(proof).filter(({ key }) => !known.has(key))).toEqual([]);
}
