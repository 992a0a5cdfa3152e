import { afterAll, describe, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import { decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mapExpenses } from '../support/mappings.ts';
import { proveMonth } from '../support/month-end.ts';
import { newWorld } from '../support/world.ts';

/** Advances, refunds and expenses that are not reimbursed: ledger entries of the bills, and the reconciliation. */
const world = await newWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
await mapExpenses(world.store, [41, 42, 43]);
afterAll(() => world.close());

const [travel, meals, auto] = [41, 42, 43];
interface Expense {
  readonly of: number;
  readonly amount: number;
  readonly on?: string;
  readonly company?: number;
  /** Paid by the company’s card. */
  readonly byCard?: boolean;
}
let nextItem = 60_000;
/** Adds a report for the week that ends on March 2, 2025. */
async function report(id: number, advance: number, expenses: readonly Expense[]): Promise<void> {
  const of = (entity: string, field: string) =>
    world.autotask.list(entity).then((all) => all.find((one) => one[field] === 1_207) ?? {});
  const [head, item] = await Promise.all([of('ExpenseReports', 'id'), of('ExpenseItems', 'expenseReportID')]);
  const repaid = expenses.reduce((sum, one) => sum + (one.byCard === true ? 0 : Math.round(one.amount * 100)), 0);
  await world.autotask.put('ExpenseReports', id, {
    ...head,
    id,
    weekEnding: '2025-03-02T00:00:00Z',
    quickBooksReferenceNumber: '',
    internalCurrencyCashAdvanceAmount: advance,
    amountDue: (repaid - Math.round(advance * 100)) / 100,
  });
  for (const { of: category, amount, on = '2025-03-01', company, byCard = false } of expenses) {
    nextItem += 1;
    await world.autotask.put('ExpenseItems', nextItem, {
      ...item,
      id: nextItem,
      expenseReportID: id,
      expenseCategory: category,
      expenseDate: `${on}T00:00:00Z`,
      companyID: company ?? 0,
      isBillableToCompany: company !== undefined,
      isReimbursable: !byCard,
      internalCurrencyExpenseAmount: amount,
      internalCurrencyReimbursementAmount: byCard ? 0 : amount,
    });
  }
}
const billsOf = async (id: number) =>
  (await world.quickbooks.list('Bill'))
    .filter((one) => String(one['DocNumber']).startsWith(`EXP-${id}`))
    .sort((a, b) => String(a['TxnDate']).localeCompare(String(b['TxnDate'])));
async function ledgerOf(id: number): Promise<readonly string[]> {
  const own = new Map((await billsOf(id)).map((bill) => [bill['Id'], bill['TxnDate']]));
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/ledger?transaction_type=Bill`);
  const { entries } = (await answer.json()) as { entries: JsonObject[] };
  return entries
    .filter((one) => own.has(one['transaction_id'] ?? null))
    .map((one) => {
      const side = Number(one['debit']) === 0 ? `Cr ${String(one['credit'])}` : `Dr ${String(one['debit'])}`;
      return `${String(one['date'])} ${side} ${String((one['account'] as JsonObject)['name'])}`;
    })
    .sort();
}
/** Returns what the reconciliations of February and March report about a report: month, class, amount. */
async function reported(id: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const of of ['2025-02', '2025-03']) {
    const close = await proveMonth(world, month(of));
    for (const one of exceptionsOf(close.proof))
      if (one.kind === 'expense_report' && one.psaId === id) found.push(`${of} ${one.class} ${one.amount}`);
  }
  return found;
}
const sync = (id: number) => world.sync('expense_report', { mode: 'live', psaIds: [id] });
const messageOf = async (id: number) => (await world.logs()).filter(({ psaId }) => psaId === id).at(-1)?.message;

describe.each([
  {
    what: 'an advance equal to the expenses',
    id: 2_001,
    advance: 100,
    expenses: [
      { of: meals, amount: 60 },
      { of: auto, amount: 40 },
    ],
    missing: ['2025-03 missing_not_taken_up 0'],
    ledger: ['2025-03-02 Cr 100.00 Employee Advances', '2025-03-02 Dr 40.00 Auto', '2025-03-02 Dr 60.00 Meals'],
  },
  {
    what: 'an advance a cent below the expenses',
    id: 2_002,
    advance: 99.99,
    expenses: [{ of: meals, amount: 100 }],
    missing: ['2025-03 missing_not_taken_up -0.01'],
    ledger: [
      '2025-03-02 Cr 0.01 Accounts Payable',
      '2025-03-02 Cr 99.99 Employee Advances',
      '2025-03-02 Dr 100.00 Meals',
    ],
  },
  {
    what: 'an advance a cent above the expenses',
    id: 2_003,
    advance: 100.01,
    expenses: [{ of: meals, amount: 100 }],
    missing: ['2025-03 missing_not_taken_up 0'],
    ledger: ['2025-03-02 Cr 100.00 Employee Advances', '2025-03-02 Dr 100.00 Meals'],
  },
  {
    what: 'an advance over two months, with an expense by card and a billable one',
    id: 2_004,
    advance: 120,
    expenses: [
      { of: meals, amount: 100, on: '2025-02-27' },
      { of: travel, amount: 70, on: '2025-02-27', byCard: true },
      { of: travel, amount: 50, company: 175 },
    ],
    missing: ['2025-02 missing_not_taken_up 0', '2025-03 missing_not_taken_up -30'],
    ledger: [
      '2025-02-28 Cr 100.00 Employee Advances',
      '2025-02-28 Dr 100.00 Meals',
      '2025-03-02 Cr 20.00 Employee Advances',
      '2025-03-02 Cr 30.00 Accounts Payable',
      '2025-03-02 Dr 50.00 Billable Travel',
    ],
  },
  {
    what: 'a refund above the expenses of its month',
    id: 2_005,
    advance: 0,
    expenses: [
      { of: meals, amount: 100, on: '2025-02-27' },
      { of: meals, amount: -20 },
    ],
    missing: ['2025-03 missing_not_taken_up -80'],
    ledger: ['2025-03-02 Cr 20.00 Meals', '2025-03-02 Cr 80.00 Accounts Payable', '2025-03-02 Dr 100.00 Meals'],
  },
])('$what', ({ id, advance, expenses, missing, ledger }) => {
  test('is missing until it is posted, and then differs in no month', async () => {
    await report(id, advance, expenses);
    expect(await reported(id)).toEqual(missing);
    await sync(id);
    expect(await ledgerOf(id)).toEqual(ledger);
    expect(await reported(id)).toEqual([]);
  });
});

test('a deleted bill of 0.00 is reported by the reconciliation', async () => {
  await report(2_010, 25, [{ of: meals, amount: 25 }]);
  await sync(2_010);
  const [bill] = await billsOf(2_010);
  expect(bill?.['TotalAmt']).toBe(0);
  await world.quickbooks.remove('Bill', String(bill?.['Id']));
  expect(await reported(2_010)).toEqual(['2025-03 deleted_in_accounting 0']);
});

test('an advance without reimbursable expenses posts nothing and is not reported', async () => {
  await report(2_011, 50, [{ of: meals, amount: 60, byCard: true }]);
  await sync(2_011);
  expect(await billsOf(2_011)).toEqual([]);
  expect(await messageOf(2_011)).toBe(
    'Nothing to reimburse: 1 item paid by the company or rejected (60.00). The cash advance of 50.00 is not used.',
  );
  const row = (await world.autotask.list('ExpenseReports')).find((one) => one['id'] === 2_011);
  expect(row?.['quickBooksReferenceNumber']).toBe('');
  expect(await reported(2_011)).toEqual([]);
});

test('a failed report that an advance covers has the amount of its expenses in its log, not 0.00', async () => {
  await report(2_090, 100, [{ of: meals, amount: 100 }]);
  await world.saveSettings({ exp_cash_advance_expense_account: null });
  expect(await sync(2_090)).toMatchObject({ failed: 1 });
  const log = (await world.logs()).filter(({ psaId }) => psaId === 2_090).at(-1);
  expect(log?.amount).toEqual(decimal('100'));
  await world.saveSettings({ exp_cash_advance_expense_account: '25' });
});

test('refunds above all expenses are refused before anything is sent', async () => {
  await report(2_012, 10, [
    { of: meals, amount: 5, on: '2025-02-27' },
    { of: auto, amount: -25.01 },
  ]);
  await sync(2_012);
  expect(await billsOf(2_012)).toEqual([]);
  expect(await messageOf(2_012)).toBe(
    'The refunds of the report exceed its expenses by 20.01. A bill cannot be negative.',
  );
  expect(await reported(2_012)).toEqual(['2025-03 missing_error 0']);
});
