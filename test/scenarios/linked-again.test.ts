import { beforeEach, describe, expect, test } from 'vitest';
import { mapExpenses } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });

const post = (psaId: number) => world.sync('invoice', { mode: 'live', psaIds: [psaId] });
const problemsOf = async (psaId: number) => (await world.logs()).findLast((log) => log.psaId === psaId)?.problems ?? [];

describe('a posted document of an Autotask id is linked again', () => {
  test('when customer, total and date are equal', async () => {
    await post(48_213);
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '' });
    const job = await post(48_213);
    expect(job.results[0]?.message).toMatch(/^Relinked/);
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });

  test('but never when Autotask reused the id, which needs a decision', async () => {
    await post(48_213);
    const birchLegal = 176;
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '', companyID: birchLegal });
    expect(await post(48_213)).toMatchObject({ failed: 1 });
    expect(await problemsOf(48_213)).toMatchObject([
      { code: 'LINK_DIFFERS', message: expect.stringMatching(/customer “.+”, Autotask has “.+”/) },
    ]);
    expect((await world.psaInvoice(48_213))['invoiceNumber']).not.toBe('1042');
    // A user says that it is another document.
    expect(await world.sync('invoice', { mode: 'live', force: true, psaIds: [48_213] })).toMatchObject({
      succeeded: 1,
    });
    expect(await world.madeFor(48_213)).toHaveLength(2);
  });

  test('with a decision about both totals when the invoice was raised', async () => {
    await post(48_213);
    const total = Number((await world.psaInvoice(48_213))['invoiceTotal']);
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '', invoiceTotal: total + 1000 });
    expect(await post(48_213)).toMatchObject({ failed: 1 });
    expect(await problemsOf(48_213)).toMatchObject([
      { code: 'LINK_DIFFERS', message: expect.stringContaining('1,966.25, Autotask has 2,966.25') },
    ]);
  });

  test('but not when it is dated before the invoice', async () => {
    await post(48_213);
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '', invoiceDateTime: '2025-03-20T00:00:00Z' });
    expect(await post(48_213)).toMatchObject({ failed: 1 });
    expect(await problemsOf(48_213)).toMatchObject([
      { code: 'LINK_DIFFERS', message: expect.stringContaining('Autotask has Mar 20, 2025') },
    ]);
  });
});

test('cleared documents are read together, and only the deleted one is created again', async () => {
  const first = await world.sync('invoice', { mode: 'live' });
  const ids = first.results.flatMap(({ psaId, outcome }) => (outcome === 'succeeded' ? [psaId] : []));
  expect(ids.length).toBeGreaterThan(3);
  const [deleted = 0] = ids;
  const { targetId } = (await world.store.readPosting('invoice', deleted)) ?? {};
  await world.quickbooks.remove('Invoice', targetId ?? '');
  for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: '' });
  const before = await world.quickbooks.lastRequest();
  const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
  const relinked = job.results.filter(({ message }) => message.startsWith('Relinked'));
  expect(relinked).toHaveLength(ids.length - 1);
  for (const id of ids) expect((await world.store.readPosting('invoice', id))?.generation).toBe(id === deleted ? 2 : 1);
  expect(await world.madeFor(deleted)).toHaveLength(1);
  const calls = (await world.quickbooks.journal()).filter(({ sequence }) => sequence > before);
  // Only the missing document is read by its id, because another one is posted in its place.
  const byId = calls.filter(({ method, path }) => method === 'GET' && /\/(invoice|creditmemo)\/\d+/.test(path));
  expect(byId).toHaveLength(1);
  const queries = calls.filter(({ path }) => path.includes('/query'));
  expect(queries.length).toBeLessThan(ids.length * 2);
});

describe('orders and reports are compared like invoices', () => {
  const order = 3_310;
  const report = 1_207;
  const syncOrder = () => world.sync('purchase_order', { mode: 'live', psaIds: [order] });
  beforeEach(() => mapExpenses(world.store));
  const syncReport = () => world.sync('expense_report', { mode: 'live', psaIds: [report] });

  test.each([
    ['another vendor', { vendorID: 302 }, /vendor “.+”, Autotask has “.+”/],
    ['another freight', { freight: 99, internalCurrencyFreight: 99 }, /^[^“]*\d, Autotask has [\d,.]+\.$/],
    ['another day', { submitDateTime: '2025-03-20T15:00:00Z' }, /dated \w+ \d+, 2025, Autotask has Mar 20, 2025/],
  ])('a reused order id, with %s, needs a decision', async (_what, change, differences) => {
    await syncOrder();
    await world.autotask.put('PurchaseOrders', order, { externalPONumber: '', ...change });
    expect(await syncOrder()).toMatchObject({ failed: 1 });
    expect(await problemsOf(order)).toMatchObject([
      { code: 'LINK_DIFFERS', message: expect.stringMatching(differences) },
    ]);
    const row = (await world.autotask.list('PurchaseOrders')).find(({ id }) => id === order);
    expect(row?.['externalPONumber']).not.toBe('1009');
  });

  test.each([
    ['another sum', { amountDue: 999.99 }, /Autotask has 999\.99/],
    ['another week', { weekEnding: '2025-03-22' }, /dated Feb 28, 2025, Autotask has Mar 22, 2025/],
  ])('a reused report id, with %s, needs a decision', async (_what, change, differences) => {
    await syncReport();
    await world.autotask.put('ExpenseReports', report, { quickBooksReferenceNumber: '', ...change });
    expect(await syncReport()).toMatchObject({ failed: 1 });
    expect(await problemsOf(report)).toMatchObject([
      { code: 'LINK_DIFFERS', message: expect.stringMatching(differences) },
    ]);
  });

  test('a report of another employee, who is a vendor in QuickBooks, needs a decision', async () => {
    await syncReport();
    const rows = await world.autotask.list('ExpenseReports');
    const mine = rows.find(({ id }) => id === report)?.['submitterID'];
    const other = rows.find(({ submitterID }) => submitterID !== mine)?.['submitterID'];
    const person = (await world.autotask.list('Resources')).find(({ id }) => id === other);
    await world.quickbooks.add('Vendor', {
      DisplayName: `v-${String(person?.['lastName'])}, ${String(person?.['firstName'])}`,
    });
    await world.autotask.put('ExpenseReports', report, { quickBooksReferenceNumber: '', submitterID: other ?? null });
    expect(await syncReport()).toMatchObject({ failed: 1 });
    expect(await problemsOf(report)).toMatchObject([
      { code: 'LINK_DIFFERS', message: expect.stringMatching(/vendor “v-.+”, Autotask has “.+”/) },
    ]);
  });

  test('equal ones are linked, even with a renamed vendor', async () => {
    await syncOrder();
    await world.autotask.put('PurchaseOrders', order, { externalPONumber: '' });
    expect((await syncOrder()).results[0]?.message).toMatch(/^Relinked/);
    await syncReport();
    const bill = (await world.quickbooks.list('Bill')).find((row) =>
      String(row['PrivateNote']).includes(`expense report ${report}`),
    );
    const vendor = bill?.['VendorRef'] as { readonly value: string } | undefined;
    await world.quickbooks.put('Vendor', vendor?.value ?? '', { DisplayName: 'Another Name' });
    await world.autotask.put('ExpenseReports', report, { quickBooksReferenceNumber: '' });
    expect((await syncReport()).results[0]?.message).toMatch(/^Relinked/);
  });
});

describe('a document deleted in QuickBooks', () => {
  test('is created again by a manual sync, although Autotask still has its number', async () => {
    await post(48_213);
    const [made] = await world.madeFor(48_213);
    await world.quickbooks.remove('Invoice', JSON.stringify(made?.['Id']).replaceAll('"', ''));
    const job = await post(48_213);
    expect(job).toMatchObject({ succeeded: 1 });
    expect(job.results[0]?.message).toBe('Invoice 48213 was created in QuickBooks as 1043.');
    expect(await world.madeFor(48_213)).toHaveLength(1);
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: '1043' });
    expect((await world.store.readPosting('invoice', 48_213))?.generation).toBe(2);
  });

  test('of an earlier tool is still skipped', async () => {
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '777', webServiceDate: '2025-03-01T00:00:00Z' });
    const job = await post(48_213);
    expect(job.results[0]?.message).toBe('Skipped: already synced as 777.');
    expect(await world.madeFor(48_213)).toEqual([]);
  });
});
