import { beforeEach, describe, expect, test } from 'vitest';
import type { Kind } from '#core/kinds.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { prepareClose } from '#flows/close/prepare.ts';
import { mapExpenses } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';

/** Refusals that concern a service or one unreadable record, met by purchase orders, expense reports and vendors. */
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

const fault = (code: string, detail: string): JsonObject => ({
  Fault: { Error: [{ Message: 'Message', Detail: detail, code }], type: 'ValidationFault' },
});
const connectionTo = async (service: string) =>
  (await world.store.listConnections()).find((one) => one.service === service);
const references = async () => [
  ...(await world.autotask.list('PurchaseOrders')).flatMap((one) =>
    one['id'] === 3_312 ? [] : [one['externalPONumber'] ?? ''],
  ),
  ...(await world.autotask.list('ExpenseReports')).map((one) => one['quickBooksReferenceNumber'] ?? ''),
];
const logsOf = async (type: Kind) => (await world.logs()).filter((log) => log.type === type);

const lost =
  'Operation Could not find resource for relative : /v3/company/9341/bill of full path: https://c1.qbo.example is not supported.';

test.each([
  ['a bill, a purchase order and a vendor', 'POST', '/(batch|bill|purchaseorder|vendor)$', undefined],
  ['a query of bills', undefined, '/query$', 'Bill'],
] as const)(
  'an outage that says "could not find resource" about %s marks nothing and ends automatically',
  async (_what, method, path, body) => {
    await world.quickbooks.fault({
      match: {
        path,
        ...(method === undefined ? {} : { method }),
        ...(body === undefined ? {} : { body: `FROM ${body} ` }),
      },
      action: { status: 400, body: fault('500', lost) },
    });
    await world.work();
    await world.cycle();
    expect((await references()).filter((one) => one === 'ERROR')).toEqual([]);
    expect((await world.logs()).flatMap(({ problems }) => problems.map(({ code }) => code))).toEqual([]);
    await world.quickbooks.clearFaults();
    for (let turn = 0; turn < 4; turn += 1) {
      await world.advance(600);
      await world.cycle();
    }
    expect((await logsOf('purchase_order')).map(({ success }) => success)).toEqual([true, true]);
    expect((await logsOf('expense_report')).map(({ success }) => success)).toEqual([true, true, true, true]);
    expect((await world.quickbooks.list('PurchaseOrder')).length).toBe(2);
    expect((await world.quickbooks.list('Bill')).length).toBe(3);
  },
);

test('a state of the company while bills and orders are posted is shown at the connection', async () => {
  await world.quickbooks.fault({
    match: { method: 'POST', path: '/(batch|bill|purchaseorder|vendor)$' },
    action: { status: 400, body: fault('140', 'Service message.') },
  });
  await world.work();
  await world.cycle();
  expect(await connectionTo('accounting')).toMatchObject({
    status: 'active',
    problem: expect.stringMatching(/unavailable for now/),
  });
  expect((await references()).filter((one) => one !== '')).toEqual([]);
  await world.quickbooks.clearFaults();
  for (let turn = 0; turn < 3; turn += 1) {
    await world.advance(3_600);
    await world.cycle();
  }
  expect(await connectionTo('accounting')).toMatchObject({ status: 'active', problem: null });
  expect((await world.quickbooks.list('Bill')).length).toBe(3);
  expect((await world.quickbooks.list('PurchaseOrder')).length).toBe(2);
});

test('a wrong tracking identifier met at expenses is a state of the connection', async () => {
  await world.autotask.fault({ match: { path: '/V1.0/ExpenseItems' }, action: { status: 401, body: '' } });
  await world.work();
  await world.cycle();
  expect(await connectionTo('psa')).toMatchObject({
    status: 'inactive',
    problem: expect.stringMatching(/needs to be reconnected.*operator.*tracking identifier/),
  });
  expect((await references()).filter((one) => one === 'ERROR')).toEqual([]);
});

test('a plan without bills stops only the reports, with QuickBooks’ message', async () => {
  await world.quickbooks.behave({ plan: 'Essentials' });
  await world.quickbooks.fault({
    match: { method: 'POST', path: '/(batch|bill)$', body: 'EXP-' },
    action: {
      status: 400,
      body: fault('5020', 'Permission Denied Error : Bills are available in Essentials and above.'),
    },
  });
  const job = await world.sync('expense_report', { mode: 'live', psaIds: [1_207] });
  expect(job.status).toBe('failed');
  expect(job.message).toMatch(/Bills are available in Essentials and above/);
  expect(job.message).toMatch(/QuickBooks Online Essentials/);
  expect(await connectionTo('accounting')).toMatchObject({ status: 'active', problem: null });
  expect((await references()).filter((one) => one !== '')).toEqual([]);
});

describe.each(['Bill', 'PurchaseOrder'] as const)('a %s that QuickBooks cannot read', (entity) => {
  test('is named, and changes of other documents are reported', async () => {
    await world.sync('purchase_order', { mode: 'live', psaIds: [3_310, 3_311] });
    await world.sync('expense_report', { mode: 'live', psaIds: [1_207, 1_208] });
    await world.cycle();
    const idOf = async (kind: 'purchase_order' | 'expense_report', psaId: number) =>
      (await world.store.readPosting(kind, psaId))?.targetId ?? '';
    const [order, other] = [await idOf('purchase_order', 3_310), await idOf('purchase_order', 3_311)];
    const [bill, second] = [await idOf('expense_report', 1_207), await idOf('expense_report', 1_208)];
    const unreadable = entity === 'Bill' ? bill : order;
    for (const [of, id] of [
      ['PurchaseOrder', order],
      ['PurchaseOrder', other],
      ['Bill', bill],
      ['Bill', second],
    ] as const)
      await world.quickbooks.put(of, id, { TxnDate: '2025-02-26' });
    await world.quickbooks.behave({ unreadable_id: Number(unreadable) });
    await world.advance(3_600);
    await world.cycle();
    const drifted = async () => {
      const found: string[] = [];
      for (const [kind, psaId] of [
        ['purchase_order', 3_310],
        ['purchase_order', 3_311],
        ['expense_report', 1_207],
        ['expense_report', 1_208],
      ] as const)
        if ((await world.store.readPosting(kind, psaId))?.drift.length !== 0) found.push(`${kind} ${psaId}`);
      return found;
    };
    const all = ['purchase_order 3310', 'purchase_order 3311', 'expense_report 1207', 'expense_report 1208'];
    expect(await drifted()).toEqual(
      all.filter((one) => one !== (entity === 'Bill' ? 'expense_report 1207' : 'purchase_order 3310')),
    );
    const { events } = await world.store.listAudit({ actions: ['record.unreadable'], page: 1, pageSize: 10 });
    expect(events.map(({ subject }) => subject).toSorted()).toEqual([
      expect.stringMatching(`^${entity === 'Bill' ? 'Bill EXP-1207' : 'PurchaseOrder 1009'} \\(id ${unreadable}\\)`),
    ]);
    expect((await world.store.listConnections()).every(({ problem }) => problem === null)).toBe(true);
    const before = await world.quickbooks.lastRequest();
    await world.cycle();
    expect((await world.quickbooks.lastRequest()) - before).toBeLessThan(12);
    // Once it is readable again, its change is reported, too.
    await world.quickbooks.behave({ unreadable_id: 0 });
    await world.advance(2 * 86_400);
    await world.cycle();
    expect(await drifted()).toEqual(all);
  });
});

test('a vendor that QuickBooks cannot read is named and used, and other documents are posted', async () => {
  await world.quickbooks.behave({ unreadable_id: 90 });
  const vendors = (await world.quickbooks.list('Vendor')).length;
  await world.work();
  await world.cycle();
  const orders = await world.quickbooks.list('PurchaseOrder');
  expect(orders.map((one) => (one['VendorRef'] as JsonObject)['name']).sort()).toEqual([
    'Ingram Supplies',
    'Pax Cloud',
  ]);
  expect((await world.quickbooks.list('Bill')).length).toBe(3);
  expect((await world.quickbooks.list('Vendor')).map((one) => one['DisplayName'])).not.toContain(
    'Ingram Supplies (Vendor)',
  );
  expect((await world.quickbooks.list('Vendor')).length).toBe(vendors + 2);
  // A later change of the vendor makes the feed unreadable, too.
  await world.quickbooks.put('Vendor', 90, { CompanyName: 'Ingram' });
  const bill = String((await world.quickbooks.list('Bill'))[0]?.['Id']);
  await world.quickbooks.put('Bill', bill, { TxnDate: '2025-02-26' });
  await world.advance(3_600);
  await world.cycle();
  const { events } = await world.store.listAudit({ actions: ['record.unreadable'], page: 1, pageSize: 10 });
  // The account has the same id.
  expect(events.map(({ subject }) => subject).toSorted()).toEqual([
    'Account Freight In (id 90)',
    'Vendor Ingram Supplies (id 90)',
  ]);
  const [posting] = await world.store.findPostings('expense_report', [bill]);
  expect(posting?.drift).toEqual(['edited_in_accounting']);
  expect((await world.store.listConnections()).every(({ problem }) => problem === null)).toBe(true);
});

test('a bill payment that QuickBooks cannot read does not stop the other reports', async () => {
  await world.sync('expense_report', { mode: 'live', psaIds: [1_207, 1_208] });
  const bills = await world.quickbooks.list('Bill');
  const pay = async (bill: JsonObject | undefined) => {
    const { item } = await world.quickbooks.add('BillPayment', {
      VendorRef: bill?.['VendorRef'] ?? null,
      TxnDate: '2025-03-03',
      PayType: 'Check',
      CheckPayment: { BankAccountRef: { value: '35' } },
      TotalAmt: bill?.['TotalAmt'] ?? null,
      Line: [{ Amount: bill?.['TotalAmt'] ?? null, LinkedTxn: [{ TxnId: bill?.['Id'] ?? null, TxnType: 'Bill' }] }],
    });
    return Number((item as JsonObject)['Id']);
  };
  const [first, second] = bills;
  const unreadable = await pay(first);
  await pay(second);
  await world.quickbooks.behave({ unreadable_id: unreadable });
  await world.advance(86_400);
  await world.cycle();
  const paid = async () =>
    (await logsOf('expense_report')).flatMap(({ psaId, message }) => (/was paid/.test(message) ? [psaId] : []));
  const numberOf = (bill: JsonObject | undefined) => Number(String(bill?.['DocNumber']).replace('EXP-', ''));
  expect(await paid()).toEqual([numberOf(second)]);
  expect((await world.store.listJobs(5)).map(({ status }) => status)).not.toContain('failed');
  await world.quickbooks.behave({ unreadable_id: 0 });
  await world.advance(2 * 86_400);
  await world.cycle();
  expect((await paid()).sort()).toEqual([numberOf(first), numberOf(second)].sort());
});

describe('the reconciliation', () => {
  test('names a bill that QuickBooks cannot read', async () => {
    await world.sync('expense_report', { mode: 'live', psaIds: [1_207] });
    const [bill] = await world.quickbooks.list('Bill');
    await world.quickbooks.behave({ unreadable_id: Number(bill?.['Id']) });
    await expect(prepareClose(world.tenant, month('2025-02'), actor, 'test')).rejects.toThrow(
      /QuickBooks cannot read Bill EXP-1207/,
    );
  });

  test('works with a plan that has no purchase orders', async () => {
    await world.quickbooks.behave({ plan: 'Essentials' });
    await world.sync('expense_report', { mode: 'live', psaIds: [1_207] });
    const { id } = await prepareClose(world.tenant, month('2025-02'), actor, 'test');
    expect((await world.store.readClose(id))?.proof.bridges.some(({ kind }) => kind === 'expense_report')).toBe(true);
  });
});
