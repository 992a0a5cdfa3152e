import { beforeEach, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mapExpenses } from '../support/mappings.ts';
import { proveMonth } from '../support/month-end.ts';
import { eachWorld } from '../support/each-world.ts';

/** An expense report with a bill for each of two months: both bills are watched. */
const world = eachWorld({
  settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25', exp_sync_active: true },
});
const id = 1_207;
beforeEach(async () => {
  await mapExpenses(world.store);
  const [item] = (await world.autotask.list('ExpenseItems')).filter((one) => one['expenseReportID'] === id);
  await world.autotask.put('ExpenseItems', Number(item?.['id']), { expenseDate: '2025-03-01T00:00:00Z' });
  await world.autotask.put('ExpenseReports', id, { weekEnding: '2025-03-02T00:00:00Z' });
  await world.sync('expense_report', { mode: 'live', psaIds: [id] });
  await world.cycle();
}, 60_000);

const bill = async (number: string): Promise<JsonObject> =>
  (await world.quickbooks.list('Bill')).find((one) => one['DocNumber'] === number) ?? {};
const [february, last] = ['EXP-1207-2025-02', 'EXP-1207'];
const messages = async () =>
  (await world.logs())
    .filter((log) => log.psaId === id && log.type === 'expense_report')
    .map(({ message }) => message)
    .slice(1);
const drift = async () => (await world.store.readPosting('expense_report', id))?.drift;
async function nextReading(): Promise<void> {
  await world.advance(3_600);
  await world.cycle();
}
async function reported(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const of of ['2025-02', '2025-03']) {
    const close = await proveMonth(world, month(of));
    for (const one of exceptionsOf(close.proof))
      if (one.kind === 'expense_report' && (one.psaId === id || one.psaId === null))
        found.push(`${of} ${one.class} ${one.amount}`);
  }
  return found;
}

test('an account that is changed on the earlier bill is reported by the watch and the reconciliation', async () => {
  expect([await messages(), await reported()]).toEqual([[], []]);
  const before = await bill(february);
  const lines = before['Line'] as readonly JsonObject[];
  const other = lines.map((line, n) =>
    n === 0
      ? {
          ...line,
          AccountBasedExpenseLineDetail: {
            ...(line['AccountBasedExpenseLineDetail'] as JsonObject),
            AccountRef: { value: '14' },
          },
        }
      : line,
  );
  await world.quickbooks.put('Bill', String(before['Id']), { Line: other });
  await nextReading();
  await nextReading();
  expect(await messages()).toEqual([
    'Bill EXP-1207-2025-02 was changed in QuickBooks after it was synced: line 1, account Meals → Cost of Goods – Hardware.',
  ]);
  expect(await drift()).toEqual(['edited_in_accounting']);
  expect(await reported()).toEqual(['2025-02 account_differs 0']);
  await world.quickbooks.put('Bill', String(before['Id']), { Line: lines });
  await nextReading();
  expect([await drift(), await reported()]).toEqual([[], []]);
});

test('both bills that are changed are one report with each change', async () => {
  for (const number of [february, last])
    await world.quickbooks.put('Bill', String((await bill(number))['Id']), { DueDate: '2025-06-30' });
  await nextReading();
  expect(await messages()).toEqual([
    expect.stringMatching(
      /^Bill EXP-1207-2025-02 was changed .+ due date .+ Bill EXP-1207 was changed .+ due date .+ → Jun 30, 2025\.$/,
    ),
  ]);
});

test('an earlier bill that is deleted, or moved and renumbered, is found by its id', async () => {
  const { Id, TxnDate } = await bill(february);
  await world.quickbooks.put('Bill', String(Id), { DocNumber: 'X-1', TxnDate: '2025-03-15', PrivateNote: 'Other' });
  await nextReading();
  expect(await messages()).toEqual([
    expect.stringMatching(
      /^Bill EXP-1207-2025-02 now has the number X-1 in QuickBooks\. Bill X-1 was changed .+ Mar 15/,
    ),
  ]);
  expect((await reported()).map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual(
    expect.arrayContaining(['2025-02 date_edited', '2025-03 dated_elsewhere_in_psa']),
  );
  await world.quickbooks.put('Bill', String(Id), { DocNumber: february, TxnDate: TxnDate ?? null });
  await nextReading();
  expect(await drift()).toEqual([]);
  await world.quickbooks.remove('Bill', String(Id));
  await nextReading();
  expect((await messages()).at(-1)).toBe('Bill EXP-1207-2025-02 no longer exists in QuickBooks.');
  expect(await reported()).toEqual([expect.stringMatching(/^2025-02 deleted_in_accounting -/)]);
  // The watch posts nothing.
  expect(await bill(february)).toEqual({});
});

test('the report is paid when all its bills are paid, on the last day', async () => {
  const pay = async (number: string, on: string) => {
    const { Id, VendorRef, TotalAmt } = await bill(number);
    await world.quickbooks.add('BillPayment', {
      VendorRef: VendorRef ?? null,
      TxnDate: on,
      PayType: 'Check',
      CheckPayment: { BankAccountRef: { value: '35' } },
      TotalAmt: TotalAmt ?? null,
      Line: [{ Amount: TotalAmt ?? null, LinkedTxn: [{ TxnId: Id ?? null, TxnType: 'Bill' }] }],
    });
  };
  // The advance of 100.00 leaves 3.95 of the first bill.
  expect((await bill(february))['TotalAmt']).toBe(3.95);
  await pay(last, '2025-03-10');
  await world.advance(86_400);
  await world.cycle();
  expect(await messages()).toEqual([]);
  await pay(february, '2025-03-07');
  await world.advance(86_400);
  await world.cycle();
  expect(await messages()).toEqual([expect.stringMatching(/was paid in QuickBooks on Mar 10, 2025/)]);
});
