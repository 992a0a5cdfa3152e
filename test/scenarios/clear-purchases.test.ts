import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { mapExpenses } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';

/** Clear Sync Status of purchase orders and expense reports: the next automatic run finds them, and posts none twice. */
const world = eachWorld({
  settings: {
    po_payable_account: '20',
    exp_cash_advance_expense_account: '25',
    po_sync_active: true,
    exp_sync_active: true,
  },
});
const actor = { username: 'admin@northwind-msp.example' };
beforeEach(async () => {
  await mapExpenses(world.store, [41, 42, 43, 44]);
}, 60_000);

const types = {
  purchase_order: { entity: 'PurchaseOrder', of: 'PurchaseOrders', field: 'externalPONumber', note: 'purchase order' },
  expense_report: { entity: 'Bill', of: 'ExpenseReports', field: 'quickBooksReferenceNumber', note: 'expense report' },
} as const;
type Type = keyof typeof types;
const documents = async (kind: Type, id: number): Promise<readonly JsonObject[]> =>
  (await world.quickbooks.list(types[kind].entity)).filter((one) =>
    new RegExp(`^Autotask ${types[kind].note} ${id}[,:]`).test(String(one['PrivateNote'])),
  );
const reference = async (kind: Type, id: number): Promise<string> =>
  String((await world.autotask.list(types[kind].of)).find((one) => one['id'] === id)?.[types[kind].field] ?? '');
const lastLog = async (kind: Type, id: number) =>
  (await world.logs()).filter((log) => log.type === kind && log.psaId === id).at(-1);
const clear = (kind: Type, id: number) => clearSyncStatus(world.tenant, kind, [id], actor);

describe('orders and reports', () => {
  const all = [
    { kind: 'purchase_order', id: 3_310 },
    { kind: 'expense_report', id: 1_207 },
    // Its advance covers all expenses, so its bill is 0.00.
    { kind: 'expense_report', id: 1_209 },
  ] as const;
  type Posted = (typeof all)[number] & { readonly document: JsonObject };
  let posted: readonly Posted[];
  beforeEach(async () => {
    await world.cycle();
    posted = await Promise.all(
      all.map(async (one) => {
        const [document, ...more] = await documents(one.kind, one.id);
        expect([document, more]).toEqual([expect.anything(), []]);
        return { ...one, document: document ?? {} };
      }),
    );
  });
  const clearAll = async () => {
    for (const { kind, id } of all) await clear(kind, id);
  };

  test('are linked again by the next automatic run', async () => {
    const references = () => Promise.all(all.map(({ kind, id }) => reference(kind, id)));
    const before = await references();
    expect(before).not.toContain('');
    await clearAll();
    expect(await references()).toEqual(['', '', '']);
    await world.cycle();
    expect(await references()).toEqual(before);
    await world.cycle();
    for (const { kind, id } of all) expect(await documents(kind, id)).toHaveLength(1);
  });

  test('that were changed in QuickBooks are reported and not posted a second time', async () => {
    for (const { kind, document } of posted)
      await world.quickbooks.put(types[kind].entity, String(document['Id']), { TxnDate: '2025-02-26' });
    await clearAll();
    await world.cycle();
    await world.cycle();
    for (const { kind, id } of all) {
      expect(await documents(kind, id)).toHaveLength(1);
      expect((await lastLog(kind, id))?.problems.map(({ code }) => code)).toEqual(['EDITED_IN_BOOKS']);
    }
  });

  test('that were deleted in QuickBooks are posted again', async () => {
    for (const { kind, document } of posted) await world.quickbooks.remove(types[kind].entity, String(document['Id']));
    await clearAll();
    await world.cycle();
    await world.cycle();
    for (const { kind, id, document } of posted) {
      const [made, ...more] = await documents(kind, id);
      expect(more).toEqual([]);
      expect(made?.['Id']).not.toBe(document['Id']);
      expect(await reference(kind, id)).toBe(String(kind === 'purchase_order' ? made?.['DocNumber'] : made?.['Id']));
    }
  });
});

test('a purchase order that is partly billed and received is linked again', async () => {
  await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
  const [order] = await documents('purchase_order', 3_310);
  await world.quickbooks.add('Bill', {
    TxnDate: '2025-03-03',
    VendorRef: { value: '90' },
    Line: [
      {
        DetailType: 'ItemBasedExpenseLineDetail',
        Amount: 189.5,
        ItemBasedExpenseLineDetail: { ItemRef: { value: '31' }, Qty: 1, UnitPrice: 189.5 },
        LinkedTxn: [{ TxnId: String(order?.['Id']), TxnType: 'PurchaseOrder', TxnLineId: '1' }],
      },
    ],
  });
  await world.autotask.put('PurchaseOrders', 3_310, { status: 4 });
  await clear('purchase_order', 3_310);
  await world.cycle();
  expect(await reference('purchase_order', 3_310)).toBe('1009');
  expect(await documents('purchase_order', 3_310)).toHaveLength(1);
});

describe('an expense report with expenses of an earlier month', () => {
  const setDays = async (...days: readonly string[]) => {
    const items = (await world.autotask.list('ExpenseItems')).filter((one) => one['expenseReportID'] === 1_207);
    for (const [at, item] of items.entries())
      await world.autotask.put('ExpenseItems', Number(item['id']), {
        expenseDate: `${days[at % days.length] ?? ''}T00:00:00Z`,
      });
    await world.autotask.put('ExpenseReports', 1_207, { weekEnding: '2025-03-02T00:00:00Z' });
  };

  test('and its own is linked again by the next automatic run', async () => {
    await setDays('2025-02-26', '2025-03-01');
    await world.sync('expense_report', { mode: 'live', psaIds: [1_207] });
    expect(await documents('expense_report', 1_207)).toHaveLength(2);
    const before = await reference('expense_report', 1_207);
    await clear('expense_report', 1_207);
    await world.cycle();
    expect((await lastLog('expense_report', 1_207))?.problems).toEqual([]);
    expect(await reference('expense_report', 1_207)).toBe(before);
    expect(await documents('expense_report', 1_207)).toHaveLength(2);
  });
});

test('an expense report that was split is linked again after splitting was turned off', async () => {
  const [first] = (await world.autotask.list('ExpenseItems')).filter((one) => one['expenseReportID'] === 1_207);
  await world.autotask.put('ExpenseItems', Number(first?.['id']), { expenseDate: '2025-03-01T00:00:00Z' });
  await world.autotask.put('ExpenseReports', 1_207, { weekEnding: '2025-03-02T00:00:00Z' });
  await world.sync('expense_report', { mode: 'live', psaIds: [1_207] });
  const before = await reference('expense_report', 1_207);
  await world.saveSettings({ exp_split_month_end: false });
  await clear('expense_report', 1_207);
  await world.cycle();
  expect(await reference('expense_report', 1_207)).toBe(before);
  expect(await documents('expense_report', 1_207)).toHaveLength(2);
});

test('an order and a report that were changed in Autotask are reported and not posted a second time', async () => {
  const all = [
    ['purchase_order', 3_310, 'PurchaseOrders', { freight: 50, internalCurrencyFreight: 50 }],
    ['expense_report', 1_207, 'ExpenseReports', { internalCurrencyCashAdvanceAmount: 90, amountDue: 200.35 }],
  ] as const;
  await world.cycle();
  for (const [kind, id, of, change] of all) {
    await world.autotask.put(of, id, change);
    await clear(kind, id);
  }
  await world.cycle();
  await world.cycle();
  for (const [kind, id] of all) {
    expect(await documents(kind, id)).toHaveLength(1);
    expect((await lastLog(kind, id))?.problems.map(({ code }) => code)).toEqual(['LINK_DIFFERS']);
  }
});
