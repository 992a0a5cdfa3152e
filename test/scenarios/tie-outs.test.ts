import { afterAll, expect, test } from 'vitest';
import { obstaclesOf, tieOut as prove } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { TieOutName } from '#core/reconciliation/tie-out.ts';
import { prepareClose } from '#flows/close/prepare.ts';
import { gatherMonth } from '#flows/close/gather.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mapExpenses } from '../support/mappings.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { newWorld } from '../support/world.ts';

/** Compares subledgers with the ledgers of both sandboxes, according to QuickBooks' reports. */
const march = month('2025-03');
const undeposited = '26';
const advances = '25';

const world = await newWorld({
  settings: { po_payable_account: '20', exp_cash_advance_expense_account: advances },
});
await mapExpenses(world.store);
await world.sync('invoice', { mode: 'live' });
await world.sync('expense_report', { mode: 'live' });
// March has ended.
world.clock.advance(29 * 86_400);
afterAll(() => world.close());

const proved = async () => prove((await gatherMonth(world.tenant, march)).facts);
async function tieOf(name: TieOutName) {
  const found = (await proved()).tieOuts.find((one) => one.name === name);
  if (found === undefined) throw new Error(`tie-out ${name} not found`);
  return found;
}
const rowsOf = async (name: TieOutName) =>
  (await tieOf(name)).rows.map(({ label, left, right, note }) => [label, left, right, note ?? null]);

test('receivables of a currency equal their account, and exchange gains of payments equal the account of exchange differences', async () => {
  expect(await rowsOf('foreign_currency')).toEqual([
    ['Receivables in CAD, in USD', '1199.12', '1199.12', 'CAD 1,620.00 invoiced this month, at 0.7402'],
  ]);
  // Both services have CAD 1,620.00 open.
  expect((await rowsOf('receivables_psa')).map(([label]) => label)).not.toContain('Maple Clinic');

  const [invoice] = (await world.quickbooks.list('Invoice')).filter(({ TotalAmt }) => TotalAmt === 1620);
  await world.quickbooks.add('Payment', {
    TxnDate: '2025-03-20',
    CustomerRef: { value: '60' },
    CurrencyRef: { value: 'CAD' },
    ExchangeRate: 0.75,
    TotalAmt: 1620,
    Line: [{ Amount: 1620, LinkedTxn: [{ TxnId: invoice?.['Id'] ?? null, TxnType: 'Invoice' }] }],
  });
  expect(await rowsOf('foreign_currency')).toEqual([
    ['Receivables in CAD, in USD', '0', '0', 'CAD 1,620.00 invoiced this month, at 0.7402'],
    ['Exchange differences of payments, losses positive', '-15.88', '-15.88', null],
  ]);
  expect(await rowsOf('receivables_psa')).toContainEqual(['Maple Clinic', '1199.12', '0', null]);
});

test('an invoice that both services paid after the month was open in both at its end', async () => {
  const [made] = await world.madeFor(48_213);
  const before = await rowsOf('receivables_psa');
  await payInvoice(world, String(made?.['Id']), 1_966.25, { on: '2025-04-01' });
  await world.autotask.put('Invoices', 48_213, { paidDate: '2025-04-01T00:00:00Z' });
  expect(await rowsOf('receivables_psa')).toEqual(before);
  await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-31T00:00:00Z' });
  expect(await rowsOf('receivables_psa')).not.toEqual(before);
  await world.autotask.put('Invoices', 48_213, { paidDate: '2025-04-01T00:00:00Z' });
});

test('undeposited money is listed, including earlier months, and the account equals its balance', async () => {
  const before = await rowsOf('undeposited_funds');
  expect(before).toEqual([
    ['Birch Legal LLP · 2217 · 2025-02-27', '300', null, 'Waits for 32 days'],
    ['Maple Clinic · 2025-03-20', '1215', null, 'Waits for 11 days'],
  ]);
  const [payment] = (await world.quickbooks.list('Payment')).filter(({ PaymentRefNum }) => PaymentRefNum === '2217');
  await world.quickbooks.add('Deposit', {
    TxnDate: '2025-03-05',
    DepositToAccountRef: { value: '35' },
    Line: [{ Amount: 300, LinkedTxn: [{ TxnId: payment?.['Id'] ?? null, TxnType: 'Payment', TxnLineId: '0' }] }],
  });
  expect(await rowsOf('undeposited_funds')).toEqual([
    ['Maple Clinic · 2025-03-20', '1215', null, 'Waits for 11 days'],
    ['Balance before the month', '300', null, null],
    ['Deposit: 1 entry', '-300', null, null],
  ]);
  const tie = await tieOf('undeposited_funds');
  expect([tie.left, tie.right, tie.mustBeZero]).toEqual(['1215', '1215', true]);
});

test('revenue by class equals the general ledger, including manual entries', async () => {
  const [first] = await world.quickbooks.list('Class');
  const classRef = { value: String(first?.['Id']) };
  await world.quickbooks.add('SalesReceipt', {
    TxnDate: '2025-03-03',
    CustomerRef: { value: '58' },
    Line: [
      {
        DetailType: 'SalesItemLineDetail',
        Amount: 70,
        SalesItemLineDetail: { ItemRef: { value: '21' }, ClassRef: classRef },
      },
    ],
  });
  const income = (await world.quickbooks.list('Account')).find(({ Name }) => Name === 'Service Income');
  const entry = (PostingType: string, id: unknown, more: object) => ({
    DetailType: 'JournalEntryLineDetail',
    Amount: 15,
    JournalEntryLineDetail: { PostingType, AccountRef: { value: String(id) }, ...more },
  });
  await world.quickbooks.add('JournalEntry', {
    TxnDate: '2025-03-31',
    Line: [entry('Debit', income?.['Id'], { ClassRef: classRef }), entry('Credit', advances, {})],
  });
  const tie = await tieOf('revenue_by_class');
  expect(tie).toMatchObject({ mustBeZero: true, difference: '0', rightLabel: 'General ledger' });
  const label = String(first?.['FullyQualifiedName']);
  expect(tie.rows).toContainEqual({ label, left: '70', right: '70' });
  expect(tie.rows).toContainEqual({
    label: `${label} · Journal Entry · 2025-03-31`,
    left: '-15',
    right: '-15',
    note: 'Entered in QuickBooks',
  });
  expect(obstaclesOf(await proved())).toEqual([]);
});

test('a refund receipt is counted once', async () => {
  const bank = (await world.quickbooks.list('Account')).find(({ AccountType }) => AccountType === 'Bank');
  await world.quickbooks.add('RefundReceipt', {
    TxnDate: '2025-03-28',
    CustomerRef: { value: '58' },
    DepositToAccountRef: { value: String(bank?.['Id']) },
    Line: [{ DetailType: 'SalesItemLineDetail', Amount: 61, SalesItemLineDetail: { ItemRef: { value: '21' } } }],
  });
  expect(obstaclesOf(await proved())).toEqual([]);
});

test('manual sales documents are listed separately, even if they net to 0.00', async () => {
  const line = { DetailType: 'SalesItemLineDetail', Amount: 500, SalesItemLineDetail: { ItemRef: { value: '21' } } };
  const sale = { TxnDate: '2025-03-29', CustomerRef: { value: '61' }, Line: [line] };
  await world.quickbooks.add('Invoice', { ...sale, DocNumber: 'HAND-1' });
  await world.quickbooks.add('CreditMemo', { ...sale, DocNumber: 'HAND-2' });
  const listed = (await rowsOf('customer_sales')).filter(([label]) => /HAND-/.test(String(label)));
  expect(listed.map(([label, left]) => [String(label).replace(/ · .* · /, ' · '), left])).toEqual([
    ['Invoice · 2025-03-29', '500'],
    ['Credit Memo · 2025-03-29', '-500'],
  ]);
  expect(obstaclesOf(await proved())).toEqual([]);
});

test('manual entries on income and receivables are listed separately, even if they net to 0.00', async () => {
  const income = (await world.quickbooks.list('Account')).find(({ Name }) => Name === 'Service Income');
  const receivable = (await world.quickbooks.list('Account')).find(
    ({ AccountSubType }) => AccountSubType === 'AccountsReceivable',
  );
  const post = (PostingType: string, account: JsonObject | undefined, more: JsonObject = {}) => ({
    DetailType: 'JournalEntryLineDetail',
    Amount: 500,
    JournalEntryLineDetail: { PostingType, AccountRef: { value: String(account?.['Id']) }, ...more },
  });
  const customer = { Entity: { Type: 'Customer', EntityRef: { value: '58' } } };
  await world.quickbooks.add('JournalEntry', {
    TxnDate: '2025-03-30',
    DocNumber: 'JE-1',
    Line: [post('Debit', income), post('Credit', receivable, customer)],
  });
  await world.quickbooks.add('JournalEntry', {
    TxnDate: '2025-03-30',
    DocNumber: 'JE-2',
    Line: [post('Credit', income), post('Debit', receivable, customer)],
  });
  await world.quickbooks.add('Deposit', {
    TxnDate: '2025-03-30',
    DepositToAccountRef: { value: '35' },
    Line: [
      {
        DetailType: 'DepositLineDetail',
        Amount: 88,
        DepositLineDetail: { AccountRef: { value: String(income?.['Id']) } },
      },
    ],
  });
  const byHand = async (name: TieOutName) =>
    (await rowsOf(name)).flatMap(([label, left]) => (/2025-03-30/.test(String(label)) ? [[label, left]] : []));
  expect(await byHand('revenue_by_account')).toEqual([
    ['Service Income · Journal Entry · JE-1 · 2025-03-30', '-500'],
    ['Service Income · Journal Entry · JE-2 · 2025-03-30', '500'],
    ['Service Income · Deposit · 2025-03-30', '88'],
  ]);
  // QuickBooks' reports have no fixed order of rows.
  const movements = (await byHand('receivables_movement')).map(([label, left]) => [String(label).slice(0, 20), left]);
  expect(movements.toSorted()).toEqual([
    ['Journal Entry · JE-1', '-500'],
    ['Journal Entry · JE-2', '500'],
  ]);
  expect(obstaclesOf(await proved())).toEqual([]);
});

test('amounts owed to employees equal their reports, and advances equal their account’s balance', async () => {
  const bills = await world.quickbooks.list('Bill');
  expect(bills.length).toBeGreaterThan(0);
  const [bill] = bills;
  const vendor = bill?.['VendorRef'] as { value: string; name: string };
  await world.quickbooks.add('Bill', {
    TxnDate: '2025-03-12',
    DocNumber: 'BY-HAND',
    VendorRef: { value: vendor.value },
    Line: [
      {
        DetailType: 'AccountBasedExpenseLineDetail',
        Amount: 20,
        AccountBasedExpenseLineDetail: { AccountRef: { value: '12' } },
      },
    ],
  });
  const [, left, right, note] = (await rowsOf('employee_payables')).find(([label]) => label === vendor.name) ?? [];
  expect([Number(right) - Number(left), note]).toEqual([20, 'Bill BY-HAND']);

  const tie = await tieOf('employee_advances');
  expect([tie.mustBeZero, tie.difference, tie.left === '0']).toEqual([true, '0', false]);
  expect(obstaclesOf(await proved())).toEqual([]);
});

test('uninvoiced work is compared with the accrual account once one is chosen', async () => {
  expect(await tieOf('unbilled')).toMatchObject({ rightLabel: 'Accrue by hand', right: '0' });
  await world.saveSettings({ unbilled_revenue_account: undeposited });
  expect(await tieOf('unbilled')).toMatchObject({ rightLabel: 'Balance of Undeposited Funds', right: '1285' });
});

test('a reconciliation stores every response it used, including tax summaries and the prepayment ledger', async () => {
  const liability = (await world.quickbooks.list('Account')).find(
    ({ Classification, AccountSubType }) =>
      Classification === 'Liability' && !/Payable|CreditCard/.test(String(AccountSubType)),
  );
  await world.saveSettings({ prepaid_account: String(liability?.['Id']) });
  const { id } = await prepareClose(world.tenant, march, { username: 'ada' }, 'test');
  const close = await world.store.readClose(id);
  expect(Object.keys(close?.reports ?? {}).sort()).toEqual([
    'aged_payables',
    'aged_receivables',
    'customer_sales',
    'general_ledger',
    'prepayments_ledger',
    'tax_summary_1',
    'trial_balance',
  ]);
});

test.each([
  ['modernized', true],
  ['modernized', false],
  ['classic', false],
] as const)('the %s reports, with ids of sub-accounts: %s, give the same result', async (service, hasIds) => {
  const before = (await proved()).tieOuts.map(({ name, left, right }) => [name, left, right]);
  await world.quickbooks.behave({ reports_service: service, report_subaccount_ids: hasIds });
  try {
    expect((await proved()).tieOuts.map(({ name, left, right }) => [name, left, right])).toEqual(before);
  } finally {
    await world.quickbooks.behave({ reports_service: 'classic', report_subaccount_ids: true });
  }
});
