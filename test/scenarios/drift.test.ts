import { decimal, format } from '#core/values/decimal.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Kind } from '#core/kinds.ts';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { listAttention } from '#flows/attention/list.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { mapExpenses, mapping } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';
import { proveMonth } from '../support/month-end.ts';
import { payInvoice } from '../support/pay-invoice.ts';

const world = eachWorld({ settings: { pay_sync_active: true } });

const actor = { username: 'admin@northwind-msp.example' };
const messagesOf = async (type: Kind, psaId: number) =>
  (await world.logs()).filter((log) => log.psaId === psaId && log.type === type).map(({ message }) => message);
async function post(psaId: number): Promise<string> {
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  return (await world.store.readPosting('invoice', psaId))?.targetId ?? '';
}
/** Runs the next cycle that reads QuickBooks' feed, once an hour without webhooks. */
async function nextReading(): Promise<void> {
  await world.advance(3_600);
  await world.cycle();
}
const bookedAs = async (id: string): Promise<JsonObject> => {
  const row = (await world.quickbooks.list('Invoice')).find((one) => one['Id'] === id);
  if (row === undefined) throw new Error(`QuickBooks has no invoice ${id}`);
  return row;
};
const driftOf = async (kind: Kind, psaId: number) => (await world.store.readPosting(kind, psaId))?.drift;

describe('an invoice', () => {
  test('that is changed in QuickBooks is reported once, until both services agree again', async () => {
    const id = await post(48_213);
    await world.cycle();
    await world.quickbooks.put('Invoice', id, { TotalAmt: 1900, Balance: 1900, DocNumber: '1042A' });
    await nextReading();
    await world.cycle();
    const said =
      'Invoice 1042A was synced with 1,966.25 and is now 1,900.00 in QuickBooks. ' +
      'Invoice 1042 now has the number 1042A in QuickBooks.';
    expect(await messagesOf('payment', 48_213)).toEqual([said]);
    expect(await driftOf('invoice', 48_213)).toEqual(['changed_in_accounting', 'renumbered_in_accounting']);
    // Opening and saving it changes nothing, so it is not reported again.
    await world.quickbooks.put('Invoice', id, { CustomerMemo: { value: 'Looked at' } });
    await nextReading();
    expect(await messagesOf('payment', 48_213)).toEqual([said]);

    await world.quickbooks.put('Invoice', id, { TotalAmt: 1966.25, Balance: 1966.25, DocNumber: '1042' });
    await nextReading();
    expect(await driftOf('invoice', 48_213)).toEqual([]);
    const settled = 'Nothing to do: both sides agree.';
    expect(await messagesOf('payment', 48_213)).toEqual([said, settled]);
    expect(await listAttention(world.tenant)).toEqual([]);
    // A second change is reported.
    await world.quickbooks.put('Invoice', id, { TotalAmt: 1900, Balance: 1900, DocNumber: '1042A' });
    await nextReading();
    expect(await messagesOf('payment', 48_213)).toEqual([said, settled, said]);
  });

  test('that is edited in QuickBooks with the same total is reported by the next reading, until it is reverted', async () => {
    const id = await post(48_213);
    await world.cycle();
    const row = await bookedAs(id);
    const lines = row['Line'] as readonly JsonObject[];
    const [first, second] = lines.flatMap((line, at) => (line['SalesItemLineDetail'] === undefined ? [] : [at]));
    const amountOf = (at = 0) => Number(lines[at]?.['Amount']);
    const withLine = (at = 0, change: JsonObject) => lines.map((line, n) => (n === at ? { ...line, ...change } : line));
    const itemOf = (at = 0) => lines[at]?.['SalesItemLineDetail'] as JsonObject;
    const change = {
      CustomerRef: { value: '59' },
      TxnDate: '2025-02-27',
      DueDate: '2025-06-30',
      Line: withLine(first, {
        Amount: amountOf(first) - 10,
        SalesItemLineDetail: { ...itemOf(first), ItemRef: { value: '29' } },
      }).map((line, n) => (n === second ? { ...line, Amount: amountOf(second) + 10 } : line)),
    };
    await world.quickbooks.put('Invoice', id, change);
    await nextReading();
    const [said, ...others] = await messagesOf('payment', 48_213);
    expect(others).toEqual([]);
    for (const words of [
      /customer Acme Dental → Birch Legal/,
      /date Mar 3, 2025 → Feb 27, 2025/,
      /due date \w+ \d+, 2025 → Jun 30, 2025/,
      /line 1, item .+ → /,
      /line 1, .*amount .+; line 2, amount /,
    ])
      expect(said).toMatch(words);
    expect(await driftOf('invoice', 48_213)).toEqual(['edited_in_accounting']);
    await world.quickbooks.put(
      'Invoice',
      id,
      Object.fromEntries(Object.keys(change).map((member) => [member, row[member] ?? null])),
    );
    await nextReading();
    expect(await driftOf('invoice', 48_213)).toEqual([]);
  });

  test('that is edited in QuickBooks is found if its customer and item were created with it', async () => {
    await world.saveSettings({ inv_create_item_automatically: true });
    const id = await post(48_308);
    await world.cycle();
    const row = await bookedAs(id);
    expect(row['ExchangeRate']).toBeDefined();
    const lines = row['Line'] as readonly JsonObject[];
    await world.quickbooks.put('Invoice', id, {
      CustomerRef: { value: '59' },
      ExchangeRate: 0.76,
      Line: lines.map((line, n) =>
        n === 0
          ? {
              ...line,
              SalesItemLineDetail: { ...(line['SalesItemLineDetail'] as JsonObject), ItemRef: { value: '29' } },
            }
          : line,
      ),
    });
    await nextReading();
    const [said] = (await messagesOf('payment', 48_308)).slice(-1);
    expect(said).toMatch(/customer .+ → Birch Legal/);
    expect(said).toMatch(/exchange rate .+ → 0\.76/);
    expect(said).toMatch(/line 1, item .+ → /);
  });

  test('that is changed in Autotask is reported together with its paid date', async () => {
    const id = await post(48_213);
    await world.autotask.put('Invoices', 48_213, { invoiceTotal: 2000 });
    await payInvoice(world, id, 1966.25);
    await nextReading();
    await world.cycle();
    await world.cycle();
    expect(await world.psaInvoice(48_213)).toMatchObject({ paidDate: expect.stringMatching(/^2025-03-03/) });
    expect(await messagesOf('payment', 48_213)).toEqual([
      'Invoice 1042 was paid on Mar 3, 2025.',
      'Invoice 1042 was synced with 1,966.25 and is now 2,000.00 in Autotask.',
    ]);
  });

  test('that is changed in Autotask is reported with the changed line', async () => {
    const id = await post(48_213);
    const [line] = (await world.autotask.list('BillingItems')).filter(
      (row) => row['invoiceID'] === 48_213 && Number(row['totalAmount']) > 0,
    );
    const was = Number(line?.['totalAmount']);
    await world.autotask.put('BillingItems', Number(line?.['id']), { totalAmount: was + 33.75 });
    await world.autotask.put('Invoices', 48_213, { invoiceTotal: 2000 });
    await world.quickbooks.put('Invoice', id, { PrivateNote: 'looked at' });
    await nextReading();
    const [entry] = (await world.logs()).filter(({ type, psaId }) => type === 'payment' && psaId === 48_213);
    expect(entry?.transcript).toContain(
      `Changed since: “${String(line?.['itemName'])}”: ${was.toFixed(2)} → ${(was + 33.75).toFixed(2)} (+33.75)`,
    );
    await world.cycle();
    expect(await messagesOf('payment', 48_213)).toHaveLength(1);
  });

  test.each([
    ['after the grace period', 24],
    ['at once', 0],
  ])('that the product paid %s is reported when a user removes the paid date in Autotask', async (_when, hours) => {
    await world.saveSettings({ pay_grace_hours: hours });
    await post(48_304);
    await world.autotask.put('Invoices', 48_304, { paidDate: '2025-03-03T00:00:00Z' });
    await world.cycle();
    await world.advance(25 * 3_600);
    await world.work();
    await world.cycle();
    expect(await messagesOf('payment', 48_304)).toEqual([
      'A payment of 300.00 for invoice 48304 was created in QuickBooks.',
    ]);
    await world.cycle();
    await world.autotask.put('Invoices', 48_304, { paidDate: null });
    await world.cycle();
    await world.cycle();
    expect((await messagesOf('payment', 48_304)).slice(1)).toEqual([
      expect.stringMatching(/^Autotask no longer shows invoice 10\d\d as paid; its payment remains in QuickBooks\.$/),
    ]);
    expect((await world.psaInvoice(48_304))['paidDate'] ?? null).toBeNull();
    expect(await world.quickbooks.list('Payment')).toHaveLength(2);
  });
});

describe('a purchase order', () => {
  test('row 46: that is canceled in Autotask is reported once, and a received one is only recorded', async () => {
    await world.saveSettings({ po_sync_active: true, po_payable_account: '20' });
    await world.sync('purchase_order', { mode: 'live', psaIds: [3310, 3311] });
    await world.autotask.put('PurchaseOrders', 3310, { status: 5 });
    await world.autotask.put('PurchaseOrders', 3311, { status: 4 });
    await world.cycle();
    await world.cycle();
    expect((await messagesOf('purchase_order', 3310)).slice(1)).toEqual([
      'Purchase order 1009 was canceled in Autotask after it was synced.',
    ]);
    expect(await messagesOf('purchase_order', 3311)).toHaveLength(1);
    expect([await driftOf('purchase_order', 3310), await driftOf('purchase_order', 3311)]).toEqual([
      ['canceled_in_psa'],
      ['received_in_psa'],
    ]);
    expect(await world.quickbooks.list('PurchaseOrder')).toHaveLength(2);
  });

  test('that is canceled weeks after it was synced is reported, and named by the proof until it is closed or deleted', async () => {
    await world.saveSettings({ po_sync_active: true, po_payable_account: '20' });
    await world.sync('purchase_order', { mode: 'live', psaIds: [3310] });
    const { targetId } = (await world.store.readPosting('purchase_order', 3310)) ?? {};
    const named = async () =>
      exceptionsOf((await proveMonth(world, month('2025-02'))).proof).flatMap(
        ({ kind, psaId, class: of, amount, actions }) =>
          kind === 'purchase_order' && psaId === 3310 ? [[of, format(amount), actions.join()]] : [],
      );
    expect(await named()).toEqual([]);
    await world.advance(20 * 86_400);
    await world.autotask.put('PurchaseOrders', 3310, { status: 5 });
    await world.cycle();
    await world.cycle();
    const reported = 'Purchase order 1009 was canceled in Autotask after it was synced.';
    expect((await messagesOf('purchase_order', 3310)).slice(1)).toEqual([reported]);
    expect(await named()).toEqual([['voided_in_psa', '1,618.40', 'accept,carry']]);

    // The cancellation is taken back, and happens again.
    await world.autotask.put('PurchaseOrders', 3310, { status: 2 });
    await world.cycle();
    await world.cycle();
    expect(await driftOf('purchase_order', 3310)).toEqual([]);
    expect(await named()).toEqual([]);
    expect(await messagesOf('purchase_order', 3310)).toHaveLength(3);
    expect(await listAttention(world.tenant)).toEqual([]);
    await world.autotask.put('PurchaseOrders', 3310, { status: 5 });
    await world.cycle();
    await world.cycle();
    expect((await messagesOf('purchase_order', 3310)).slice(3)).toEqual([reported]);

    // A user may change it before closing it.
    await world.quickbooks.put('PurchaseOrder', targetId ?? '', { Memo: 'to be closed' });
    await nextReading();
    await nextReading();
    expect((await messagesOf('purchase_order', 3310)).slice(3)).toEqual([reported]);
    const settled = (how: string) =>
      `Nothing to do: purchase order 1009 was canceled in Autotask and is ${how} in QuickBooks.`;
    await world.quickbooks.put('PurchaseOrder', targetId ?? '', { POStatus: 'Closed' });
    await nextReading();
    await nextReading();
    expect(await named()).toEqual([]);
    expect((await messagesOf('purchase_order', 3310)).slice(4)).toEqual([settled('closed')]);

    await world.quickbooks.remove('PurchaseOrder', targetId ?? '');
    await nextReading();
    await nextReading();
    expect(await named()).toEqual([]);
    expect((await messagesOf('purchase_order', 3310)).slice(5)).toEqual([settled('deleted')]);
  });
});

test('a purchase order in a foreign currency whose exchange rate is changed in QuickBooks is reported', async () => {
  // The sample order has the same amounts in both currencies.
  await world.saveSettings({
    po_sync_active: true,
    po_payable_account: '20',
    exchange_rate_hold_over: decimal('1000'),
  });
  const canadian = (await world.autotask.list('Companies')).find((row) => row['id'] === 177);
  await world.autotask.add('Companies', { ...canadian, id: 9_010, companyName: 'Maple Parts' });
  await world.autotask.put('PurchaseOrders', 3_310, { vendorID: 9_010 });
  await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
  const id = (await world.store.readPosting('purchase_order', 3_310))?.targetId ?? '';
  const [row] = (await world.quickbooks.list('PurchaseOrder')).filter((one) => one['Id'] === id);
  expect(row).toMatchObject({ CurrencyRef: { value: 'CAD' }, ExchangeRate: 0.7402 });
  await world.quickbooks.put('PurchaseOrder', id, { ExchangeRate: 0.76 });
  await nextReading();
  await world.cycle();
  expect((await messagesOf('purchase_order', 3_310)).slice(1)).toEqual([
    'Purchase order 1009 was changed in QuickBooks after it was synced: exchange rate 0.7402 → 0.76.',
  ]);
  expect(await driftOf('purchase_order', 3_310)).toEqual(['edited_in_accounting']);
});

describe.each([
  {
    kind: 'purchase_order',
    entity: 'PurchaseOrder',
    psaId: 3310,
    detail: 'ItemBasedExpenseLineDetail',
    vendor: '91',
    name: /^Purchase order 1009 was changed in QuickBooks/,
    about: { what: 'Purchase order', number: 'PO-3310', party: 'Ingram Supplies' },
  },
  {
    kind: 'expense_report',
    entity: 'Bill',
    psaId: 1207,
    detail: 'AccountBasedExpenseLineDetail',
    vendor: '90',
    name: /^Bill EXP-1207 was changed in QuickBooks/,
    about: { what: 'Expense report', number: 'Client visits February', party: 'Betty Decker' },
  },
] as const)('a $entity that is edited in QuickBooks', ({ kind, entity, psaId, detail, vendor, name, about }) => {
  beforeEach(async () => {
    await world.saveSettings({
      po_sync_active: true,
      exp_sync_active: true,
      po_payable_account: '20',
      exp_cash_advance_expense_account: '25',
    });
    await mapExpenses(world.store);
    await world.sync(kind, { mode: 'live', psaIds: [psaId] });
    await world.cycle();
  });
  const posted = async () => {
    const id = (await world.store.readPosting(kind, psaId))?.targetId ?? '';
    const row = (await world.quickbooks.list(entity)).find((one) => one['Id'] === id) ?? {};
    return { id, row, lines: row['Line'] as readonly JsonObject[] };
  };

  test('is reported by the next reading, until it is reverted', async () => {
    const { id, row, lines } = await posted();
    const isOrder = kind === 'purchase_order';
    const other = isOrder ? { ItemRef: { value: '32' } } : { AccountRef: { value: '14' } };
    const moved = isOrder ? [] : [-10, 10];
    const change = {
      VendorRef: { value: vendor },
      TxnDate: '2025-02-27',
      ...(!isOrder && { DueDate: '2025-06-30' }),
      Line: lines.map((line, n) => ({
        ...line,
        Amount: Number(line['Amount']) + (moved[n] ?? 0),
        ...(n === 0 && { [detail]: { ...(line[detail] as JsonObject), ...other } }),
      })),
    };
    const before = (await messagesOf(kind, psaId)).length;
    await world.quickbooks.put(entity, id, change);
    await nextReading();
    await world.cycle();
    const [said, ...others] = (await messagesOf(kind, psaId)).slice(before);
    expect(others).toEqual([]);
    for (const words of [
      name,
      /vendor .+ → /,
      /date \w+ \d+, \d+ → Feb 27, 2025/,
      isOrder ? /line 1, item .+ → Switch/ : /line 1, account .+ → Cost of Goods/,
      isOrder ? name : /due date .+ → Jun 30, 2025/,
      isOrder ? name : /line 1, .*amount .+ → .+; line 2, amount .+ → /,
    ])
      expect(said).toMatch(words);
    expect(await driftOf(kind, psaId)).toEqual(['edited_in_accounting']);
    const [group] = (await listAttention(world.tenant)).filter(({ code }) => code === 'EDITED_IN_BOOKS');
    expect(group?.documents).toMatchObject([{ psaId, ...about, on: expect.any(String), amount: expect.any(String) }]);
    expect(group?.remedy).toMatch(/undo it in QuickBooks: Expenses > /);
    await world.quickbooks.put(
      entity,
      id,
      Object.fromEntries(Object.keys(change).map((member) => [member, row[member] ?? null])),
    );
    await nextReading();
    expect(await driftOf(kind, psaId)).toEqual([]);
    expect((await listAttention(world.tenant)).filter(({ code }) => code === 'EDITED_IN_BOOKS')).toEqual([]);
    const made = (await world.quickbooks.list(entity)).filter((one) => one['DocNumber'] === row['DocNumber']);
    expect(made).toHaveLength(1);
  });

  test('with another number or total is reported by a webhook in the next cycle', async () => {
    const { id, lines } = await posted();
    const [first, ...rest] = lines;
    await world.quickbooks.put(entity, id, {
      DocNumber: 'X-1',
      TotalAmt: 700,
      Line: [{ ...first, Amount: 700 }, ...rest],
    });
    await world.store.addToInbox([{ record: entity === 'Bill' ? 'bill' : 'purchase_order', id }], {
      isNotification: true,
    });
    await world.cycle();
    const [said] = (await messagesOf(kind, psaId)).slice(-1);
    expect(said).toMatch(
      /X-1 was synced with .+ and is now 700\.00 in QuickBooks\. .+ now has the number X-1 in QuickBooks\.$/,
    );
  });

  test('that is deleted there is reported once and not posted again', async () => {
    const { id, row } = await posted();
    const before = (await messagesOf(kind, psaId)).length;
    await world.quickbooks.remove(entity, id);
    await nextReading();
    await world.cycle();
    expect((await messagesOf(kind, psaId)).slice(before)).toEqual([
      expect.stringMatching(/^(Bill EXP-1207|Purchase order 1009) no longer exists in QuickBooks\.$/),
    ]);
    const made = (await world.quickbooks.list(entity)).filter((one) => one['DocNumber'] === row['DocNumber']);
    expect(made).toEqual([]);
  });
});

describe('a status that another program left on an invoice', () => {
  test.each([
    ['QuickBooks numbers', 'qbo', 'IN PROCESS', /^10\d\d$/],
    ['Autotask’s own numbers', 'autotask', '20250399 IN PROCESS', /^20250399$/],
  ] as const)(
    'is outdated after half an hour, with %s, and the invoice is synced',
    async (_what, numbering, word, after) => {
      await world.quickbooks.put('Preferences', '1', {
        SalesFormsPrefs: { CustomTxnNumbers: numbering === 'autotask' },
      });
      await world.saveSettings({ inv_sync_active: true, inv_numbering_option: numbering });
      await world.autotask.put('Invoices', 48_214, { invoiceNumber: word });
      await world.work();
      await world.cycle();
      expect(await world.psaInvoice(48_214)).toMatchObject({ invoiceNumber: word });
      expect(await world.madeFor(48_214)).toEqual([]);
      await world.cycle();
      expect(await world.psaInvoice(48_214)).toMatchObject({ invoiceNumber: expect.stringMatching(after) });
      expect(await world.madeFor(48_214)).toHaveLength(1);
    },
  );

  test('is replaced by the number if the invoice is already in QuickBooks', async () => {
    await world.saveSettings({ inv_sync_active: true });
    await world.work();
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: 'IN PROCESS', webServiceDate: null });
    for (let cycles = 0; cycles < 3; cycles += 1) await world.cycle();
    expect(await world.psaInvoice(48_213)).toMatchObject({
      invoiceNumber: (await world.store.readPosting('invoice', 48_213))?.number,
    });
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });
});

describe('repeated messages', () => {
  test('skips an invoice without a mapped line of business once, and again after its status was cleared', async () => {
    await world.saveSettings({ inv_sync_active: true, lob_only_mapped: true });
    await world.store.saveMappings([mapping('LineOfBusiness', '1', '200')]);
    await world.autotask.put('Invoices', 48_307, { createDateTime: world.clock.now() });
    await world.work();
    await world.cycle();
    const said = 'Skipped: no line belongs to a mapped line of business (1 line, 228.00: “Hardware”).';
    expect(await messagesOf('invoice', 48_307)).toEqual([said]);
    await clearSyncStatus(world.tenant, 'invoice', [48_307], actor);
    await world.cycle();
    expect(await messagesOf('invoice', 48_307)).toEqual([said, said]);
  });
});

test('distinguishes a second document requested within the same second', async () => {
  await post(48_213);
  await world.quickbooks.fault({ match: { method: 'POST', path: '/invoice' }, times: 1, action: { reset: 'before' } });
  await world.sync('invoice', { mode: 'live', force: true, psaIds: [48_213] });
  await world.advance(135);
  await world.work();
  expect((await world.madeFor(48_213)).map((row) => row['PrivateNote'])).toEqual([
    expect.stringMatching(/^Autotask invoice 48213 · synced [^ ]+Z$/),
    expect.stringMatching(/^Autotask invoice 48213, number 1042 · synced \S+ · document 2$/),
  ]);
});

test('reports an API user who cannot see costs, and marks and sends no order', async () => {
  await world.saveSettings({ po_sync_active: true, po_payable_account: '20' });
  const userName = (await world.store.readPsaCredentials())?.userName;
  await fetch(`${world.autotask.url}/__sandbox/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName, readCosts: false }),
  });
  await world.work();
  await world.cycle();
  expect(await messagesOf('purchase_order', 3310)).toEqual(['The Autotask API user cannot read costs.']);
  const order = (await world.autotask.list('PurchaseOrders')).find((row) => row['id'] === 3310);
  expect(order?.['externalPONumber']).toBe('');
  expect(await world.quickbooks.list('PurchaseOrder')).toEqual([]);
});
