import { expect, test } from 'vitest';
import { listAttention } from '#flows/attention/list.ts';
import { readSubscription } from '#flows/connections/subscription.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mapExpenses } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { today } from '../support/world.ts';

const world = eachWorld({ settings: { pay_sync_active: true, po_payable_account: '20' } });

const posted = async () =>
  (await world.quickbooks.list('Invoice')).filter(({ PrivateNote }) =>
    /^Autotask invoice 100\d{3}/.test(typeof PrivateNote === 'string' ? PrivateNote : ''),
  ).length;
const readBacks = async () =>
  (await world.autotask.journal()).filter(({ method, path }) => method === 'GET' && /\/(Invoices)\/\d+$/.test(path))
    .length;

test('reads back only the first write of each kind', async () => {
  await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] });
  await world.sync('invoice', { mode: 'live', psaIds: [48_310] });
  expect(await readBacks()).toBe(1);
});

test('a number that Autotask accepts but does not store stops only the invoices', async () => {
  await world.autotask.reset({ today, invoices: 120, lines_per_invoice: 1 });
  const ids = Array.from({ length: 120 }, (_, n) => 100_001 + n);
  await world.autotask.behave({ patch_stores: 'nothing' });
  // QuickBooks takes longer for a batch than Autotask for a write.
  await world.quickbooks.behave({ latency_ms: 150 });
  const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
  expect(job).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(
      /^Autotask accepted the invoice number 10\d\d of invoice 10000\d and did not store it\. Check/,
    ),
  });
  const first = await posted();
  expect(first).toBeLessThan(40);
  expect((await readSubscription(world.app, world.tenant)).stopped).toMatchObject([
    { kind: 'invoice', stopCode: 'PSA_NOT_STORED' },
  ]);

  // The next runs retry only that write. No further invoice is posted, and the other kinds continue.
  await world.saveSettings({ inv_sync_active: true, exp_sync_active: true });
  await world.cycle();
  await world.cycle();
  expect(await posted()).toBe(first);
  expect((await world.store.listConnections()).map(({ status }) => status)).toEqual(['active', 'active']);

  await world.autotask.behave({ patch_stores: 'all' });
  await world.quickbooks.behave({ latency_ms: 0 });
  for (let turn = 0; turn < 3; turn += 1) await world.cycle();
  expect(await posted()).toBe(120);
  const numbers = new Map(
    (await world.quickbooks.list('Invoice')).map((row) => [row['PrivateNote'], row['DocNumber']]),
  );
  const references = (await world.autotask.list('Invoices')).filter(({ id }) => Number(id) >= 100_001);
  for (const row of references) {
    const made = [...numbers].find(([note]) => String(note).startsWith(`Autotask invoice ${String(row['id'])}`));
    expect(row['invoiceNumber']).toBe(made?.[1]);
  }
});

test('a paid date that Autotask accepts to clear but keeps stops the payments with a message', async () => {
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  const id = (await world.store.readPosting('invoice', 48_213))?.targetId ?? '';
  const payment = await payInvoice(world, id, 1966.25, { on: today });
  await world.advance(3_600);
  await world.cycle();
  expect((await world.psaInvoice(48_213))['paidDate']).toMatch(/^2025-03-03/);
  await world.autotask.behave({ patch_stores: 'no_nulls' });
  await world.quickbooks.remove('Payment', String((payment['item'] as JsonObject)['Id']));
  await world.advance(3_600);
  await world.cycle();
  expect((await readSubscription(world.app, world.tenant)).stopped).toMatchObject([
    { kind: 'payment', message: expect.stringMatching(/accepted to clear the paid date of invoice 48213/) },
  ]);
  await world.autotask.behave({ patch_stores: 'all' });
  await world.cycle();
  expect((await world.psaInvoice(48_213))['paidDate'] ?? null).toBeNull();
});

test.each([
  ['purchase_order', 3_310, /the external PO number \d+ of purchase order 3310/, 'PurchaseOrder'],
  ['expense_report', 1_207, /of expense report 1207/, 'Bill'],
] as const)(
  'a %s whose reference Autotask does not store stops, and is completed after the repair',
  async (kind, id, words, type) => {
    await world.saveSettings({ exp_cash_advance_expense_account: '25' });
    await mapExpenses(world.store);
    await world.autotask.behave({ patch_stores: 'nothing' });
    const job = await world.sync(kind, { mode: 'live', psaIds: [id] });
    expect(job).toMatchObject({ status: 'failed', stopCode: 'PSA_NOT_STORED', message: expect.stringMatching(words) });
    await world.autotask.behave({ patch_stores: 'all' });
    await world.cycle();
    expect(await world.store.readPosting(kind, id)).toMatchObject({ status: 'synced' });
    const made = (await world.quickbooks.list(type)).filter(({ PrivateNote }) =>
      new RegExp(`^Autotask .* ${id}\\b`).test(String(PrivateNote)),
    );
    expect(made).toHaveLength(1);
  },
);

test.each([
  ['a text about nothing', 'An unexpected error occurred.'],
  ['the text of a rule', 'This number is not allowed.'],
])('documents are synced whose values Autotask stores and answers with 500 and %s', async (_, text) => {
  await world.saveSettings({ exp_cash_advance_expense_account: '25' });
  await mapExpenses(world.store);
  await world.autotask.fault({
    match: { method: 'PATCH' },
    action: { status: 500, body: { errors: [text] }, apply: true },
  });
  for (const [kind, id] of [
    ['invoice', 48_213],
    ['purchase_order', 3_310],
    ['expense_report', 1_207],
  ] as const) {
    expect(await world.sync(kind, { mode: 'live', psaIds: [id] })).toMatchObject({ succeeded: 1 });
    expect(await world.store.readPosting(kind, id)).toMatchObject({ status: 'synced' });
  }
  expect((await world.psaInvoice(48_213))['invoiceNumber']).toMatch(/^\d+$/);
  expect(await listAttention(world.tenant)).toEqual([]);
});

test('documents wait while Autotask stores nothing and answers 500 with a text about nothing', async () => {
  const refuses = { status: 500, body: { errors: ['An unexpected error occurred.'] } };
  await world.autotask.fault({ match: { method: 'PATCH' }, action: refuses });
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(await listAttention(world.tenant)).toEqual([]);
  await world.autotask.clearFaults();
  await world.advance(120);
  await world.work();
  expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced' });
  expect((await world.psaInvoice(48_213))['invoiceNumber']).toMatch(/^\d+$/);
});

test.each([
  ['invoice', 48_213, 'Invoices'],
  ['purchase_order', 3_310, 'PurchaseOrders'],
  ['expense_report', 1_207, 'ExpenseReports'],
] as const)(
  'a %s that is deleted in Autotask while it is sent is reported with its number in QuickBooks',
  async (kind, id, entity) => {
    await world.saveSettings({ exp_cash_advance_expense_account: '25' });
    await mapExpenses(world.store);
    await world.sync(kind, { mode: 'live', psaIds: [id] }, async (name, when) => {
      if (name === 'psa:write' && when === 'before') await world.autotask.remove(entity, id);
    });
    const posting = await world.store.readPosting(kind, id);
    expect(posting).toMatchObject({ status: 'synced', targetId: expect.any(String) });
    const [failed] = (await world.logs()).filter(({ success }) => !success);
    expect(failed?.message).toMatch(/ was deleted in Autotask while it was sent\. It is in QuickBooks as \S+\.$/);
    expect(await listAttention(world.tenant)).toMatchObject([{ code: 'DELETED_IN_PSA' }]);
  },
);

test('a sync that a pause of Autotask stops says when it ends', async () => {
  const busy = { status: 429, headers: { 'Retry-After': '1800' }, body: '' };
  await world.autotask.fault({ match: { path: 'Invoices/query$' }, action: busy });
  const { message } = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(message).toMatch(
    / Calls are possible again after Mar 3, 2025, \d+:\d\d [AP]M CST\. The next sync retries the remaining work\.$/,
  );
});
