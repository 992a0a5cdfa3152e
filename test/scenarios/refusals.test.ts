import { describe, expect, test } from 'vitest';
import { testConnection } from '#flows/connections/test-connection.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';

const world = eachWorld({ settings: { po_payable_account: '20' } });

const fault = (code: string, detail: string): JsonObject => ({
  Fault: { Error: [{ Message: 'Message', Detail: detail, code }], type: 'ValidationFault' },
});
const connectionTo = async (service: string) =>
  (await world.store.listConnections()).find((one) => one.service === service);
const marks = async (...ids: number[]) =>
  Promise.all(ids.map(async (id) => (await world.psaInvoice(id))['invoiceNumber'] ?? ''));

test.each(['on', 'off'])(
  'an outage that says "could not find resource" marks no document (in batches: %s)',
  async (how) => {
    const ids = how === 'on' ? [48_213, 48_214, 48_310] : [48_213];
    const detail =
      'Operation Could not find resource for relative : /v3/company/9341/invoice of full path: https://c1.qbo.example is not supported.';
    await world.quickbooks.fault({
      match: { method: 'POST', path: '/(batch|invoice)$', query: 'requestid' },
      action: { status: 400, body: fault('500', detail) },
    });
    await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(await marks(...ids)).toEqual(ids.map(() => ''));
    expect(
      (await world.logs()).filter(({ problems }) => problems.some(({ code }) => code === 'QBO_VALIDATION')),
    ).toEqual([]);
    await world.quickbooks.clearFaults();
    await world.advance(300);
    await world.work();
    await world.advance(300);
    await world.work();
    for (const id of ids) expect(await world.madeFor(id)).toHaveLength(1);
  },
);

test('such an outage of an order, a void and a payment is retried until each succeeds once', async () => {
  await world.saveSettings({ pay_sync_active: true, void_sync_active: true, pay_grace_hours: 0 });
  await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] });
  await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: '2025-03-03T15:00:00Z' });
  await world.autotask.put('Invoices', 48_214, { paidDate: '2025-03-03T00:00:00Z' });
  const detail = 'Operation Could not find resource for relative : /v3/company/9341/x is not supported.';
  await world.quickbooks.fault({
    match: { method: 'POST', path: '/(batch|purchaseorder|invoice|payment)$' },
    action: { status: 400, body: fault('500', detail) },
  });
  const all = [
    ['purchase_order', 3_310],
    ['void', 48_213],
    ['payment', 48_214],
  ] as const;
  for (const [kind, psaId] of all) await world.sync(kind, { mode: 'live', psaIds: [psaId] });
  const logsOf = async (type: string, psaId: number) =>
    (await world.logs()).filter((log) => log.type === type && log.psaId === psaId);
  for (const [kind, psaId] of all) expect(await logsOf(kind, psaId)).toEqual([]);
  await world.quickbooks.clearFaults();
  for (let turn = 0; turn < 3; turn += 1) {
    await world.advance(300);
    await world.work();
  }
  for (const [kind, psaId] of all) expect(await logsOf(kind, psaId)).toMatchObject([{ success: true, problems: [] }]);
});

test('a plan without purchase orders stops only the orders, with QuickBooks’ message', async () => {
  await world.quickbooks.behave({ plan: 'Essentials' });
  const job = await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
  expect(job.status).toBe('failed');
  expect(job.message).toMatch(/Purchase orders is available in Plus and Advanced only/);
  expect(job.message).toMatch(/QuickBooks Online Essentials/);
  expect(job.message).not.toMatch(/lacks a permission/);
  expect(await connectionTo('accounting')).toMatchObject({ status: 'active', problem: null });
  const order = (await world.autotask.list('PurchaseOrders')).find((row) => row['id'] === 3_310);
  expect(order?.['externalPONumber'] ?? '').not.toMatch(/ERROR/);
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(await world.madeFor(48_213)).toHaveLength(1);
  // The cycle continues with other kinds.
  await world.saveSettings({ po_sync_active: true, exp_sync_active: true });
  await world.cycle();
  await world.cycle();
  const jobs = await world.store.listJobs(20);
  expect(jobs.find(({ kind }) => kind === 'purchase_order')).toMatchObject({ status: 'failed' });
  expect(jobs.find(({ kind }) => kind === 'expense_report')).toMatchObject({ status: 'finished' });
});

test.each([
  ['7001', /company was deleted/],
  ['150', /unavailable for now/],
])('fault %s is a state of the connection, not of a document', async (code, sentence) => {
  await world.saveSettings({ inv_sync_active: true });
  await world.quickbooks.fault({
    match: { path: '/v3/' },
    action: { status: 400, body: fault(code, 'Service message.') },
  });
  await world.work();
  expect(await connectionTo('accounting')).toMatchObject({
    status: 'active',
    problem: expect.stringMatching(sentence),
  });
  expect(await marks(48_213, 48_214)).toEqual(['', '']);
  await world.quickbooks.clearFaults();
  // A deleted company is checked once a day.
  await world.advance(code === '7001' ? 86_400 : 3_600);
  await world.cycle();
  expect(await connectionTo('accounting')).toMatchObject({ status: 'active', problem: null });
  expect(await world.madeFor(48_213)).toHaveLength(1);
});

test('a wrong tracking identifier is a state of the connection and is reported to the operator', async () => {
  await world.autotask.fault({ match: { path: '/V1.0/(?!zoneInformation)' }, action: { status: 401, body: '' } });
  await world.saveSettings({ inv_sync_active: true });
  await world.work();
  expect(await connectionTo('psa')).toMatchObject({
    status: 'inactive',
    problem: expect.stringMatching(/needs to be reconnected.*operator.*tracking identifier/),
  });
  await world.autotask.clearFaults();
  expect(await testConnection(world.app, world.tenant, 'psa')).toMatchObject({ isConnected: true });
});

test('a company whose subscription ended is shown as read-only until it is renewed', async () => {
  await world.saveSettings({ inv_sync_active: true });
  await world.quickbooks.behave({ subscription_status: 'SUSPENDED' });
  await world.work();
  const problem = expect.stringMatching(/subscription is not active/);
  expect(await connectionTo('accounting')).toMatchObject({ status: 'active', problem });
  expect(await marks(48_213)).toEqual(['']);
  await world.advance(86_400);
  await world.cycle();
  expect(await connectionTo('accounting')).toMatchObject({ status: 'active', problem });
  expect(await testConnection(world.app, world.tenant, 'accounting')).toMatchObject({
    isConnected: false,
    message: problem,
  });
  await world.quickbooks.behave({ subscription_status: 'PAID' });
  await world.advance(86_400);
  await world.cycle();
  expect(await connectionTo('accounting')).toMatchObject({ problem: null });
  expect(await world.madeFor(48_213)).toHaveLength(1);
});

describe('a record that QuickBooks cannot read', () => {
  const pay = (customer: string, id: string, amount: number) => payInvoice(world, id, amount, { customer });
  const paidDate = async (psaId: number) => (await world.psaInvoice(psaId))['paidDate'] ?? null;
  async function targetOf(psaId: number): Promise<string> {
    const id = (await world.store.readPosting('invoice', psaId))?.targetId;
    if (id === undefined || id === null) throw new Error(`invoice ${psaId} was not posted`);
    return id;
  }

  test.each(['a manual invoice', 'a posted invoice'])('%s is named, and other payments arrive', async (whose) => {
    await world.saveSettings({ pay_sync_active: true });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] });
    await world.cycle();
    const [paid, ours] = [await targetOf(48_213), await targetOf(48_214)];
    const typed = await world.quickbooks.add('Invoice', {
      CustomerRef: { value: '58' },
      TxnDate: '2025-03-03',
      Line: [{ Amount: 5, DetailType: 'SalesItemLineDetail', SalesItemLineDetail: { ItemRef: { value: '21' } } }],
    });
    const unreadable = whose === 'a posted invoice' ? ours : String((typed['item'] as JsonObject)['Id']);
    if (whose === 'a posted invoice') await pay('59', ours, 10);
    const row = (await world.quickbooks.list('Invoice')).find(({ Id }) => Id === paid);
    await pay('58', paid, Number(row?.['TotalAmt']));
    await world.quickbooks.behave({ unreadable_id: Number(unreadable) });
    await world.advance(3_600);
    await world.cycle();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
    const { events } = await world.store.listAudit({ actions: ['record.unreadable'], page: 1, pageSize: 10 });
    expect(events.map(({ subject }) => subject)).toEqual([expect.stringContaining(`(id ${unreadable})`)]);
    const before = await world.quickbooks.lastRequest();
    await world.cycle();
    expect((await world.quickbooks.lastRequest()) - before).toBeLessThan(12);
    expect((await world.store.listConnections()).every(({ problem }) => problem === null)).toBe(true);
  });

  test('a payment does not stop the others, and its invoice is marked as paid once it is readable', async () => {
    await world.saveSettings({ pay_sync_active: true });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] });
    await world.cycle();
    const rows = await world.quickbooks.list('Invoice');
    const whole = async (psaId: number, customer: string) => {
      const id = await targetOf(psaId);
      const made = await pay(customer, id, Number(rows.find(({ Id }) => Id === id)?.['TotalAmt']));
      return Number((made['item'] as JsonObject)['Id']);
    };
    const customers = rows.map((row) => [row['Id'], (row['CustomerRef'] as JsonObject)['value']] as const);
    const customerOf = async (psaId: number) => {
      const id = await targetOf(psaId);
      return String(customers.find(([one]) => one === id)?.[1]);
    };
    const unreadable = await whole(48_213, await customerOf(48_213));
    await whole(48_214, await customerOf(48_214));
    await world.quickbooks.behave({ unreadable_id: unreadable });
    await world.advance(3_600);
    await world.cycle();
    expect([await paidDate(48_213), await paidDate(48_214)]).toEqual([null, expect.stringMatching(/^2025-03-03/)]);
    expect((await world.store.listJobs(5)).map(({ status }) => status)).not.toContain('failed');
    await world.quickbooks.behave({ unreadable_id: 0 });
    for (let turn = 0; turn < 3; turn += 1) {
      await world.advance(3_600);
      await world.cycle();
    }
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
  });

  test('a payment that Tallybridge posted does not count as removed', async () => {
    await world.saveSettings({ pay_sync_active: true, pay_grace_hours: 0 });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-03T00:00:00Z' });
    await world.work();
    await world.cycle();
    const [payment] = (await world.quickbooks.list('Payment')).filter(({ PaymentRefNum }) =>
      String(PaymentRefNum).startsWith('PSA-'),
    );
    expect(payment).toBeDefined();
    await world.quickbooks.behave({ unreadable_id: Number(payment?.['Id']) });
    // A user took it off its invoice.
    const total = payment?.['TotalAmt'] ?? null;
    await world.quickbooks.put('Payment', String(payment?.['Id']), { Line: [], UnappliedAmt: total });
    await world.quickbooks.put('Invoice', await targetOf(48_213), { Balance: total, LinkedTxn: [] });
    await world.advance(3_600);
    await world.cycle();
    const codes = (await world.logs()).flatMap(({ problems }) => problems.map(({ code }) => code));
    expect(codes).toEqual([]);
    await world.quickbooks.behave({ unreadable_id: 0 });
    for (let turn = 0; turn < 3; turn += 1) {
      await world.advance(3_600);
      await world.cycle();
    }
    const found = (await world.logs()).flatMap(({ problems }) => problems);
    expect(found.map(({ code }) => code)).toEqual(['PAYMENT_MOVED']);
    expect(found[0]?.remedy).toMatch(/^Apply payment PSA-1042 again/);
  });
});

test.each([
  ['an invoice', 48_213, '/invoice$'],
  ['its new customer', 48_304, '/customer$'],
])('an email address that QuickBooks refuses for %s does not stop the invoice', async (_what, psaId, path) => {
  await world.saveSettings({ inv_email_automatically: true });
  const contact = (await world.autotask.list('Contacts')).find((row) => row['companyID'] === 176);
  const own = { id: 9_900, companyID: 178, primaryContact: true, emailAddress: 'ap@cedar.example' };
  await world.autotask.put('Contacts', 9_900, { ...contact, ...own });
  await world.quickbooks.fault({
    match: { method: 'POST', path, body: '@' },
    action: { status: 400, body: fault('2210', 'Invalid Email Address format') },
  });
  const job = await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  expect(world.resultOf(job, psaId)).toMatchObject({ outcome: 'succeeded' });
  expect(await world.madeFor(psaId)).toHaveLength(1);
  const log = (await world.logs()).findLast((one) => one.psaId === psaId);
  expect(log?.transcript).toMatch(/QuickBooks does not accept “[^”]+@/);
});
