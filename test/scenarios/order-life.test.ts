import { picklistNumber } from '@tallybridge/sandbox';
import { beforeEach, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { listAttention } from '#flows/attention/list.ts';
import { proveMonth } from '../support/month-end.ts';
import { eachWorld } from '../support/each-world.ts';

/**
 * A posted purchase order while it is received and billed in parts: 4 × 189.50 (line 1), 2 × 412.00 (line 2), and
 * 36.40 freight (line 3).
 */
const world = eachWorld({ settings: { po_sync_active: true, po_payable_account: '20' } });
const id = 3_310;
const [february, march] = [month('2025-02'), month('2025-03')];
let orderId = '';
beforeEach(async () => {
  await world.sync('purchase_order', { mode: 'live', psaIds: [id] });
  await world.cycle();
  orderId = (await world.store.readPosting('purchase_order', id))?.targetId ?? '';
}, 60_000);

const messages = async () =>
  (await world.logs())
    .filter((log) => log.psaId === id && log.type === 'purchase_order')
    .map(({ message }) => message)
    .slice(1);
async function nextReading(): Promise<void> {
  await world.advance(3_600);
  await world.cycle();
}
/** Returns what two months report about the order and its bills. */
async function reported(): Promise<readonly (readonly [string, string, string])[]> {
  const found: (readonly [string, string, string])[] = [];
  for (const of of [february, march])
    for (const one of exceptionsOf((await proveMonth(world, of)).proof))
      if (one.kind === 'purchase_order' || (one.kind === 'expense_report' && one.psaId === null))
        found.push([one.class, one.amount, one.actions.join()]);
  return found;
}
/** Returns the rows of the order in two tie-outs at the end of March: open, and received without a bill. */
async function left() {
  const { tieOuts } = (await proveMonth(world)).proof;
  const rowOf = (name: string, label: string) => {
    const row = tieOuts.find((one) => one.name === name)?.rows.find((one) => one.label === label);
    return row === undefined ? null : [row.left, row.right];
  };
  return {
    open: rowOf('open_orders', 'PO-3310 · Ingram Supplies'),
    unbilled: rowOf('received_not_billed', '1009 · Ingram Supplies'),
  };
}
const ours = async () => (await world.quickbooks.list('PurchaseOrder')).find((one) => one['Id'] === orderId) ?? {};
const link = (line: string) => ({ LinkedTxn: [{ TxnId: orderId, TxnType: 'PurchaseOrder', TxnLineId: line }] });
const goods = (line: string, itemId: string, Qty: number, UnitPrice: number): JsonObject => ({
  DetailType: 'ItemBasedExpenseLineDetail',
  Amount: Math.round(Qty * UnitPrice * 100) / 100,
  ItemBasedExpenseLineDetail: { ItemRef: { value: itemId }, Qty, UnitPrice },
  ...link(line),
});
const freight: () => JsonObject = () => ({
  DetailType: 'AccountBasedExpenseLineDetail',
  Amount: 36.4,
  AccountBasedExpenseLineDetail: { AccountRef: { value: '14' } },
  ...link('3'),
});
async function bill(on: string, ...lines: readonly JsonObject[]): Promise<string> {
  const { item } = await world.quickbooks.add('Bill', { TxnDate: on, VendorRef: { value: '90' }, Line: lines });
  return String((item as JsonObject)['Id']);
}
/** Problems of the order that need attention now. */
const attention = async () =>
  (await listAttention(world.tenant))
    .flatMap(({ documents }) => documents)
    .filter((one) => one.psaId === id && one.type === 'purchase_order')
    .flatMap(({ problems }) => problems.map(({ code }) => code));
const canceledStatus = picklistNumber('PurchaseOrders', 'status', 'Canceled');
let receipts = 0;
async function receive(line: 0 | 1, quantityNowReceiving: number, on: string): Promise<void> {
  const items = (await world.autotask.list('PurchaseOrderItems')).filter((one) => one['orderID'] === id);
  receipts += 1;
  await world.autotask.put('PurchaseOrderItemReceiving', receipts, {
    purchaseOrderItemID: items[line]?.['id'] ?? null,
    quantityNowReceiving,
    receiveDate: `${on}T18:00:00Z`,
  });
  await world.autotask.put('PurchaseOrders', id, { status: 3 });
}
/** Returns what the vendor is owed according to the sandbox's ledger. */
async function owed(): Promise<number> {
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/ledger?account=20`);
  const { entries } = (await answer.json()) as { entries: JsonObject[] };
  return entries.reduce((sum, one) => sum + Number(one['credit']) - Number(one['debit']), 0);
}

test('row 46: a partly received and billed order: the proof shows what is left to the cent, and nothing is reported', async () => {
  // An order of an earlier month is open until it is received and billed.
  expect(await left()).toEqual({ open: ['1618.4', '1618.4'], unbilled: null });
  expect(await owed()).toBe(0);

  await receive(0, 3, '2025-03-10');
  expect(await left()).toEqual({ open: ['1049.9', '1618.4'], unbilled: ['568.5', '0'] });

  // Billed freight covers no goods, and line 2 is billed before it arrives.
  await bill('2025-03-11', goods('1', '31', 1, 189.5), freight());
  const second = await bill('2025-03-12', goods('2', '32', 2, 412));
  expect(await owed()).toBe(1_049.9);
  await nextReading();
  expect(await left()).toEqual({ open: ['1049.9', '568.5'], unbilled: ['568.5', '189.5'] });

  // A user lowers the price of a bill, and moves it to April.
  const [line] = ((await world.quickbooks.list('Bill')).find((one) => one['Id'] === second)?.['Line'] ??
    []) as JsonObject[];
  const detail = line?.['ItemBasedExpenseLineDetail'] as JsonObject;
  const cheaper = { ...line, Amount: 800, ItemBasedExpenseLineDetail: { ...detail, UnitPrice: 400 } };
  await world.quickbooks.put('Bill', second, { Line: [cheaper], TotalAmt: 800, Balance: 800 });
  await nextReading();
  expect(await left()).toEqual({ open: ['1049.9', '568.5'], unbilled: ['568.5', '189.5'] });
  await world.quickbooks.put('Bill', second, { TxnDate: '2025-04-01' });
  await nextReading();
  expect(await left()).toEqual({ open: ['1049.9', '1392.5'], unbilled: ['568.5', '189.5'] });

  await world.quickbooks.remove('Bill', second);
  await nextReading();
  expect(await left()).toEqual({ open: ['1049.9', '1392.5'], unbilled: ['568.5', '189.5'] });

  await receive(0, 1, '2025-03-20');
  await receive(1, 2, '2025-03-31');
  await world.autotask.put('PurchaseOrders', id, { status: 4 });
  await nextReading();
  expect(await left()).toEqual({ open: [null, '1392.5'], unbilled: ['1582', '189.5'] });
  await bill('2025-03-31', goods('1', '31', 3, 189.5), goods('2', '32', 2, 412));
  await nextReading();
  expect(await ours()).toMatchObject({ POStatus: 'Closed', TotalAmt: 1618.4 });
  expect(await left()).toEqual({ open: null, unbilled: null });
  expect(await owed()).toBe(1_618.4);
  expect([await messages(), await reported()]).toEqual([[], []]);
}, 120_000);

test('closed by a user in QuickBooks: no longer open there, and its received goods are still owed', async () => {
  await receive(0, 2, '2025-03-10');
  await bill('2025-03-11', goods('1', '31', 1, 189.5));
  await world.quickbooks.put('PurchaseOrder', orderId, { POStatus: 'Closed' });
  await nextReading();
  expect(await left()).toEqual({ open: ['1239.4', null], unbilled: ['379', '189.5'] });
  expect([await messages(), await reported()]).toEqual([[], []]);
}, 60_000);

test.each(['closed, then canceled in Autotask', 'canceled in Autotask, then closed'])(
  'an order that is %s is settled, and is a difference again once it is open',
  async (how) => {
    const isFirst = how.startsWith('canceled');
    const cancel = () => world.autotask.put('PurchaseOrders', id, { status: canceledStatus });
    if (isFirst) {
      await cancel();
      await nextReading();
      expect((await messages()).at(-1)).toBe('Purchase order 1009 was canceled in Autotask after it was synced.');
      expect((await reported()).map(([of, amount]) => [of, amount])).toEqual([['voided_in_psa', '1618.4']]);
    }
    await world.quickbooks.put('PurchaseOrder', orderId, { POStatus: 'Closed' });
    await nextReading();
    if (!isFirst) await cancel();
    await nextReading();
    expect(await attention()).toEqual([]);
    expect(await reported()).toEqual([]);
    expect(await left()).toEqual({ open: null, unbilled: null });
    await world.quickbooks.put('PurchaseOrder', orderId, { POStatus: 'Open' });
    await nextReading();
    expect(await attention()).toEqual(['ORDER_CANCELED']);
    expect((await reported()).map(([of, amount]) => [of, amount])).toEqual([['voided_in_psa', '1618.4']]);
  },
  120_000,
);

test('edited after a bill: reported once, and an update is refused with the fix', async () => {
  await bill('2025-03-11', goods('1', '31', 1, 189.5));
  await nextReading();
  const before = await ours();
  const lines = before['Line'] as JsonObject[];
  const [first] = lines;
  const detail = first?.['ItemBasedExpenseLineDetail'] as JsonObject;
  const more = { ...first, Amount: 947.5, ItemBasedExpenseLineDetail: { ...detail, Qty: 5 } };
  await world.quickbooks.put('PurchaseOrder', orderId, { TotalAmt: 1807.9, Line: [more, ...lines.slice(1)] });
  await nextReading();
  await nextReading();
  expect(await messages()).toEqual(['Purchase order 1009 was synced with 1,618.40 and is now 1,807.90 in QuickBooks.']);
  expect(await reported()).toEqual([['edited_in_accounting', '189.5', 'accept,carry']]);
  expect(await left()).toEqual({ open: ['1618.4', '1618.4'], unbilled: null });

  // Without a request for an update, nothing is sent. An update would remove the link to the bill.
  await world.sync('purchase_order', { mode: 'live', psaIds: [id] });
  const job = await world.sync('purchase_order', { mode: 'live', revises: true, psaIds: [id] });
  expect(world.resultOf(job, id)).toMatchObject({
    outcome: 'failed',
    message:
      'Purchase order 3310 was not updated in QuickBooks: a vendor bill is linked to it, or it was closed there.',
  });
  const group = (await listAttention(world.tenant)).find(({ code }) => code === 'CANNOT_UPDATE');
  expect(group?.remedy).toMatch(/^Nothing was changed: .+Correct the order in QuickBooks by hand/);
  expect(await ours()).toMatchObject({ TotalAmt: 1807.9, LinkedTxn: [{ TxnType: 'Bill' }] });

  // Without the bill, it is updated.
  const [made] = (await world.quickbooks.list('Bill')).filter((one) => JSON.stringify(one['Line']).includes(orderId));
  await world.quickbooks.remove('Bill', String(made?.['Id']));
  await nextReading();
  expect((await reported()).map(([of, , actions]) => [of, actions])).toEqual([
    ['edited_in_accounting', 'update_accounting,accept,carry'],
  ]);
  const again = await world.sync('purchase_order', { mode: 'live', revises: true, psaIds: [id] });
  expect(world.resultOf(again, id)).toMatchObject({ outcome: 'succeeded' });
  expect(await ours()).toMatchObject({ DocNumber: '1009', TotalAmt: 1618.4 });
  expect(await reported()).toEqual([]);
  const all = await world.quickbooks.list('PurchaseOrder');
  expect(all.filter((one) => String(one['PrivateNote']).startsWith('Autotask purchase order 3310,'))).toHaveLength(1);
}, 120_000);
