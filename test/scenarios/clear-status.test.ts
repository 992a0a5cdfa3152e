import { expect, test } from 'vitest';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld();

const actor = { username: 'admin@northwind-msp.example', masquerader: 'sysadmin@tallybridge.example' };
const clear = (...ids: readonly number[]) => clearSyncStatus(world.tenant, 'invoice', ids, actor);
const trail = async () => (await world.store.listAudit({ page: 1, pageSize: 50 })).events;

test('clears an error, records the user, and the next sync posts the invoice', async () => {
  await world.autotask.put('Invoices', 48_213, { invoiceNumber: 'ERROR' });
  expect(await clear(48_310, 48_213, 999_999)).toEqual([48_213, 48_310]);
  expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: '' });
  expect((await trail())[0]).toMatchObject({
    action: 'sync_status.cleared',
    subject: 'invoice',
    actor,
    before: { 48213: 'ERROR' },
    after: { 48213: '' },
  });
  const job = await world.sync('invoice', { mode: 'live' });
  expect(world.resultOf(job, 48_213)).toMatchObject({ outcome: 'succeeded' });
});

test('clearing a synced invoice and syncing again creates no second one', async () => {
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(await clear(48_213)).toEqual([48_213]);
  const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(world.resultOf(job, 48_213)).toMatchObject({ message: expect.stringContaining('Relinked') });
  expect(await world.madeFor(48_213)).toHaveLength(1);
  expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: '1042' });
});

test('with Autotask’s numbers the status and the sync date are cleared, and the number stays', async () => {
  await world.saveSettings({ inv_numbering_option: 'autotask' });
  await world.autotask.put('Invoices', 48_314, {
    invoiceNumber: '20250312 ERROR',
    webServiceDate: '2025-03-01T12:00:00Z',
  });
  await clear(48_314);
  expect(await world.psaInvoice(48_314)).toMatchObject({
    invoiceNumber: '20250312',
    webServiceDate: null,
  });
});

test('with Autotask’s numbers the next automatic sync links a cleared invoice', async () => {
  await world.saveSettings({ inv_numbering_option: 'autotask', inv_sync_active: true });
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
  await world.autotask.put('Invoices', 48_213, { invoiceNumber: '20250303' });
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  const synced = await world.psaInvoice(48_213);
  expect(synced).toMatchObject({ invoiceNumber: '20250303', webServiceDate: expect.stringMatching(/^2025/) });
  expect(await clear(48_213)).toEqual([48_213]);
  expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: '20250303', webServiceDate: null });
  expect((await trail())[0]).toMatchObject({ action: 'sync_status.cleared', before: { 48213: '20250303' } });
  await world.cycle();
  expect(await world.psaInvoice(48_213)).toMatchObject({
    invoiceNumber: '20250303',
    webServiceDate: expect.stringMatching(/^2025-03-03T15:00/),
  });
  expect(await world.madeFor(48_213)).toHaveLength(1);
});

test('reports a sync date that Autotask did not clear', async () => {
  await world.saveSettings({ inv_numbering_option: 'autotask' });
  const dated = { invoiceNumber: '20250312 ERROR', webServiceDate: '2025-03-01T12:00:00Z' };
  await world.autotask.put('Invoices', 48_314, dated);
  await world.autotask.behave({ patch_stores: 'no_nulls' });
  await expect(clear(48_314)).rejects.toMatchObject({
    about: { code: 'PSA_NOT_STORED', detail: expect.stringMatching(/clear the sync date of invoice 48314/) },
  });
});

test('refuses an invoice that is being synced by name, and clears none of the others', async () => {
  await world.autotask.put('Invoices', 48_310, { invoiceNumber: 'ERROR' });
  await world.quickbooks.fault({
    match: { method: 'POST', path: '/invoice(\\?|$)' },
    times: 1,
    action: { reset: 'late', apply_after_seconds: 100 },
  });
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  await expect(clear(48_310, 48_213)).rejects.toMatchObject({
    kind: 'conflict',
    message: 'Invoice 48213 is being synced.',
  });
  expect(await world.psaInvoice(48_310)).toMatchObject({ invoiceNumber: 'ERROR' });
  expect(await trail()).not.toContainEqual(expect.objectContaining({ action: 'sync_status.cleared' }));
});

test('records in the audit log what was cleared before Autotask stopped responding', async () => {
  for (const id of [48_213, 48_310]) await world.autotask.put('Invoices', id, { invoiceNumber: 'ERROR' });
  await world.autotask.fault({
    match: { method: 'PATCH', path: '/Invoices$' },
    skip: 1,
    times: 20,
    action: { status: 503, body: '' },
  });
  await expect(clear(48_213, 48_310)).rejects.toThrow();
  expect((await trail())[0]).toMatchObject({ before: { 48213: 'ERROR' } });
});

test('clears purchase orders and expense reports', async () => {
  await world.autotask.put('PurchaseOrders', 3310, { externalPONumber: 'ERROR' });
  await world.autotask.put('ExpenseReports', 1207, { quickBooksReferenceNumber: 'IN PROCESS' });
  expect(await clearSyncStatus(world.tenant, 'purchase_order', [3310], actor)).toEqual([3310]);
  expect(await clearSyncStatus(world.tenant, 'expense_report', [1207], actor)).toEqual([1207]);
  const held = async (entity: string, id: number) =>
    (await world.autotask.list(entity)).find((row) => row['id'] === id);
  expect(await held('PurchaseOrders', 3310)).toMatchObject({ externalPONumber: '' });
  expect(await held('ExpenseReports', 1207)).toMatchObject({ quickBooksReferenceNumber: '' });
});
