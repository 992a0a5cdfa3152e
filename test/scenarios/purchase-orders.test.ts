import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { textOf, textsOf } from '../support/rows.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld();

const ordersFor = async (psaId: number): Promise<JsonObject[]> =>
  (await world.quickbooks.list('PurchaseOrder')).filter((row) =>
    textOf(row, 'PrivateNote').startsWith(`Autotask purchase order ${psaId},`),
  );
const psaOrder = async (id: number): Promise<JsonObject | undefined> =>
  (await world.autotask.list('PurchaseOrders')).find((row) => row['id'] === id);
const linesOf = (order: JsonObject | undefined): JsonObject[] => order?.['Line'] as JsonObject[];
const everything = async (): Promise<unknown> => [
  await world.quickbooks.list('PurchaseOrder'),
  await world.quickbooks.list('Vendor'),
  await world.quickbooks.list('Item'),
  await world.autotask.list('PurchaseOrders'),
];

describe('a purchase order', () => {
  test('a test sync shows the document and changes nothing in either service', async () => {
    const before = await everything();
    const job = await world.sync('purchase_order', { mode: 'test', psaIds: [3_310, 3_311] });
    expect(job).toMatchObject({ status: 'finished', total: 2, succeeded: 2 });
    expect(await everything()).toEqual(before);
    const logs = await world.logs();
    const [first, second] = [3_310, 3_311].map((psaId) => logs.find((log) => log.psaId === psaId));
    expect(first).toMatchObject({ type: 'purchase_order', isTest: true, success: true });
    expect(first?.document).toMatchObject({ VendorRef: { value: '90' }, APAccountRef: { value: '20' } });
    expect(second?.message).toBe(
      'Purchase order 3311 would be created; 1 vendor and 1 item would be created. Nothing was sent.',
    );
    expect(await world.store.listMappings(['Vendor'])).toEqual([]);
  });

  test('the worked example exists in QuickBooks once, 1,618.40, and its number is written back', async () => {
    const job = await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
    expect(job).toMatchObject({ status: 'finished', succeeded: 1, failed: 0 });
    const [order, ...more] = await ordersFor(3_310);
    expect(more).toEqual([]);
    expect(order).toMatchObject({
      DocNumber: '1009',
      TotalAmt: 1618.4,
      TxnDate: '2025-02-28',
      POStatus: 'Open',
      VendorRef: { value: '90' },
      APAccountRef: { value: '20' },
      SalesTermRef: { value: '3' },
      // QuickBooks stores the address of an order as lines.
      ShipAddr: { Line1: 'Acme Dental', Line2: '410 Congress Avenue', Line3: 'Austin, TX  78701' },
    });
    expect(linesOf(order)).toMatchObject([
      {
        Amount: 758,
        DetailType: 'ItemBasedExpenseLineDetail',
        ItemBasedExpenseLineDetail: {
          ItemRef: { value: '31' },
          Qty: 4,
          UnitPrice: 189.5,
          CustomerRef: { value: '58' },
        },
      },
      {
        Amount: 824,
        ItemBasedExpenseLineDetail: { ItemRef: { value: '32' }, Qty: 2, UnitPrice: 412, CustomerRef: { value: '58' } },
      },
      {
        Amount: 36.4,
        Description: 'Freight',
        DetailType: 'AccountBasedExpenseLineDetail',
        AccountBasedExpenseLineDetail: { AccountRef: { value: '14' }, BillableStatus: 'NotBillable' },
      },
    ]);
    expect(await psaOrder(3_310)).toMatchObject({ externalPONumber: '1009' });
    const [log] = await world.logs();
    expect(log).toMatchObject({ success: true, message: 'Purchase order 3310 was created in QuickBooks as 1009.' });
    expect(log?.transcript).toContain('QuickBooks total 1,618.40, tax 0.00: equal to Autotask');
    const { purchase_order: state } = await world.store.readSyncStates();
    expect(JSON.parse(state?.info ?? '')).toEqual({
      at_po_id: 3_310,
      qbo_po_number: '1009',
      qbo_po_id: order?.['Id'],
    });
  });

  test('maps a new vendor and item, which the next order finds', async () => {
    await world.sync('purchase_order', { mode: 'live', psaIds: [3_311] });
    const [order] = await ordersFor(3_311);
    expect(order).toMatchObject({ TotalAmt: 594.9, Memo: 'Leave with the front desk.' });
    const vendor = (await world.quickbooks.list('Vendor')).filter((row) => row['DisplayName'] === 'Pax Cloud');
    expect(vendor).toHaveLength(1);
    expect(await world.store.listMappings(['Vendor'])).toMatchObject([
      { sourceValue: '303', targetValue: vendor[0]?.['Id'] },
    ]);
    const item = (await world.quickbooks.list('Item')).filter((row) => row['Sku'] === 'MON-24');
    expect(item).toMatchObject([{ Type: 'NonInventory', PurchaseCost: 178, ExpenseAccountRef: { value: '14' } }]);
    await world.sync('purchase_order', { mode: 'live', force: true, psaIds: [3_311] });
    expect(await ordersFor(3_311)).toHaveLength(2);
    expect((await world.quickbooks.list('Vendor')).filter((row) => row['DisplayName'] === 'Pax Cloud')).toHaveLength(1);
    expect((await world.quickbooks.list('Item')).filter((row) => row['Sku'] === 'MON-24')).toHaveLength(1);
  });

  test('a vendor whose name a customer has gets a suffix, which is reported', async () => {
    await world.autotask.put('PurchaseOrders', 3_310, { vendorID: 302 });
    await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
    const made = (await world.quickbooks.list('Vendor')).filter((row) => row['CompanyName'] === 'Acme Dental');
    expect(made).toMatchObject([{ DisplayName: 'Acme Dental (Vendor)' }]);
    expect(await ordersFor(3_310)).toMatchObject([{ VendorRef: { value: made[0]?.['Id'] } }]);
    const [log] = await world.logs();
    expect(log?.transcript).toContain('NAME_SUFFIXED The name “Acme Dental” is taken in QuickBooks');
  });

  test('freight without an expense account is refused and marked in Autotask, and nothing is created', async () => {
    await world.saveSettings({ po_default_expense_account: null, po_create_item_automatically: false });
    const job = await world.sync('purchase_order', { mode: 'live', psaIds: [3_311] });
    expect(job).toMatchObject({ failed: 1 });
    expect(await ordersFor(3_311)).toEqual([]);
    expect((await world.quickbooks.list('Vendor')).some((row) => row['DisplayName'] === 'Pax Cloud')).toBe(false);
    expect(await psaOrder(3_311)).toMatchObject({ externalPONumber: 'ERROR' });
    const [log] = await world.logs();
    expect(log?.transcript).toContain('FREIGHT_ACCOUNT_REQUIRED');
    expect(log?.transcript).toContain('Choose a freight account in Settings');
  });

  test('a search takes only submitted orders in the age window without a reference', async () => {
    await world.autotask.put('PurchaseOrders', 3_311, { externalPONumber: 'ERROR' });
    const job = await world.sync('purchase_order', { mode: 'test' });
    expect(job.results.map(({ psaId }) => psaId)).toEqual([3_310]);
    await world.autotask.put('PurchaseOrders', 3_310, { createDateTime: '2025-02-16T20:00:00Z' });
    expect((await world.sync('purchase_order', { mode: 'test' })).results).toEqual([]);
    const forced = await world.sync('purchase_order', { mode: 'test', force: true });
    expect(forced.results.map(({ psaId }) => psaId)).toEqual([3_311]);
  });

  test('an order that is not submitted is skipped although it was selected', async () => {
    const job = await world.sync('purchase_order', { mode: 'live', psaIds: [3_312] });
    expect(world.resultOf(job, 3_312)).toMatchObject({ outcome: 'skipped' });
    expect(await psaOrder(3_312)).toMatchObject({ externalPONumber: '' });
  });

  test('with Autotask’s numbers a second order with the same number is refused', async () => {
    await world.saveSettings({ po_numbering_option: 'autotask' });
    await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
    expect(await ordersFor(3_310)).toMatchObject([{ DocNumber: 'PO-3310' }]);
    expect(await psaOrder(3_310)).toMatchObject({ externalPONumber: 'PO-3310' });
    await world.sync('purchase_order', { mode: 'live', force: true, psaIds: [3_310] });
    expect(await ordersFor(3_310)).toHaveLength(1);
    const logs = await world.logs();
    expect(logs.at(-1)?.message).toMatch(
      /^Purchase order number PO-3310 is already used in QuickBooks by the purchase order of/,
    );
    // The valid reference stays, because the first order is still in QuickBooks.
    expect(await psaOrder(3_310)).toMatchObject({ externalPONumber: 'PO-3310' });
  });
});

describe('after failures', () => {
  const orderPost = { method: 'POST', path: '/purchaseorder(\\?|$)' };
  const vendorPost = { method: 'POST', path: '/vendor(\\?|$)' };

  test.each([
    ['the order', orderPost, 3_310],
    ['its vendor', vendorPost, 3_311],
  ] as const)(
    'an order is posted once although the response to the create of %s was lost',
    async (_what, match, psaId) => {
      await world.quickbooks.behave({ requestid: 'none' });
      await world.quickbooks.fault({ match, times: 1, action: { reset: 'after' } });
      const job = await world.sync('purchase_order', { mode: 'live', psaIds: [psaId] });
      expect(job).toMatchObject({ succeeded: 1 });
      expect(await ordersFor(psaId)).toHaveLength(1);
      expect(await psaOrder(psaId)).toMatchObject({ externalPONumber: '1009' });
      const names = textsOf(await world.quickbooks.list('Vendor'), 'DisplayName');
      expect(names.filter((name) => name.startsWith('Pax Cloud'))).toHaveLength(psaId === 3_311 ? 1 : 0);
      expect(await world.logs()).toHaveLength(1);
    },
  );

  test('a forced second order with a lost response is not confused with the first', async () => {
    await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
    await world.advance(60);
    await world.quickbooks.fault({ match: orderPost, times: 1, action: { reset: 'after' } });
    await world.sync('purchase_order', { mode: 'live', force: true, psaIds: [3_310] });
    expect(textsOf(await ordersFor(3_310), 'DocNumber')).toEqual(['1009', '1010']);
    expect(await psaOrder(3_310)).toMatchObject({ externalPONumber: '1010' });
  });

  test('one failing order does not stop the others', async () => {
    await world.saveSettings({ po_create_item_automatically: false });
    const job = await world.sync('purchase_order', { mode: 'live' });
    expect(world.resultOf(job, 3_311)).toMatchObject({ outcome: 'failed' });
    expect(world.resultOf(job, 3_310)).toMatchObject({ outcome: 'succeeded' });
  });

  test('without Procurement, the sync of all orders is refused with the reason, until it is on', async () => {
    await world.autotask.behave({ module_procurement: false });
    await expect(world.sync('purchase_order', { mode: 'test' })).rejects.toMatchObject({
      code: 'settings_invalid',
      message: 'You must enable Procurement in Autotask to use the Purchase Orders portion of the app.',
    });
    expect(await world.sync('invoice', { mode: 'test', psaIds: [48_213] })).toMatchObject({ status: 'finished' });
    await world.autotask.behave({ module_procurement: true });
    expect(await world.sync('purchase_order', { mode: 'test' })).toMatchObject({ status: 'finished', total: 2 });
  });
});
