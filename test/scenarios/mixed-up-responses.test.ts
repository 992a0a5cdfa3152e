import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { today } from '../support/world.ts';
import { mapping } from '../support/mappings.ts';

const world = eachWorld({ settings: { po_payable_account: '20' } });

const noteOf = (row: JsonObject): string => (typeof row['PrivateNote'] === 'string' ? row['PrivateNote'] : '');
/** Returns QuickBooks documents of a type, by Autotask id. */
async function posted(type: string): Promise<Map<number, JsonObject[]>> {
  const rows = await world.quickbooks.list(type);
  return Map.groupBy(rows, (row) =>
    Number(/^Autotask (?:invoice|purchase order|expense report) (\d+)/.exec(noteOf(row))?.[1] ?? 0),
  );
}
/** Waits until unsure documents are resolved and the rest is sent. */
async function settle(): Promise<void> {
  await world.quickbooks.behave({ batch_answers: 'as-asked' });
  for (let turn = 0; turn < 4; turn += 1) {
    await world.advance(200);
    await world.work();
  }
}
/** Maps every expense category to an account. */
const mapExpenses = () =>
  world.store.saveMappings(
    (['ExpenseCategoryBillable', 'ExpenseCategoryNonBillable'] as const).flatMap((namespace) =>
      ['41', '42', '43'].map((category) => mapping(namespace, category, '12')),
    ),
  );
async function manyInvoices(count: number): Promise<number[]> {
  await world.autotask.reset({ today, invoices: count, lines_per_invoice: 1 });
  return Array.from({ length: count }, (_, n) => 100_001 + n);
}

describe.each(['swapped', 'missing', 'doubled'])('a batch with responses %s', (how) => {
  test('gives each invoice the number of its document', async () => {
    const ids = await manyInvoices(12);
    await world.quickbooks.behave({ batch_answers: how });
    await world.sync('invoice', { mode: 'live', psaIds: ids });
    await settle();
    const made = await posted('Invoice');
    for (const id of ids) {
      expect(made.get(id)).toHaveLength(1);
      expect((await world.psaInvoice(id))['invoiceNumber']).toBe(made.get(id)?.[0]?.['DocNumber']);
      expect((await world.store.readPosting('invoice', id))?.targetId).toBe(made.get(id)?.[0]?.['Id']);
    }
  });

  test('gives each order and each expense report its document', async () => {
    await mapExpenses();
    await world.quickbooks.behave({ batch_answers: how });
    await world.autotask.reset({ today, purchase_orders: 8, expense_reports: 8 });
    const orderIds = (await world.autotask.list('PurchaseOrders'))
      .map(({ id }) => Number(id))
      .filter((id) => id > 50_000);
    const reportIds = (await world.autotask.list('ExpenseReports'))
      .map(({ id }) => Number(id))
      .filter((id) => id > 50_000);
    await world.sync('purchase_order', { mode: 'live', psaIds: orderIds });
    await world.sync('expense_report', { mode: 'live', psaIds: reportIds });
    await settle();
    for (const [kind, type, ids] of [
      ['purchase_order', 'PurchaseOrder', orderIds],
      ['expense_report', 'Bill', reportIds],
    ] as const) {
      const made = await posted(type);
      // Some generated orders and reports cannot be synced.
      const synced = ids.filter((id) => made.has(id));
      expect(synced.length).toBeGreaterThan(1);
      const linked = await Promise.all(synced.map(async (id) => (await world.store.readPosting(kind, id))?.targetId));
      expect(linked).toEqual(synced.map((id) => made.get(id)?.[0]?.['Id']));
      for (const id of synced) expect(made.get(id)).toHaveLength(1);
    }
  });
});

/** Returns documents without a number in QuickBooks, and those that Autotask shows as synced. */
async function outcome(
  type: string,
): Promise<{ readonly unnumbered: number[]; readonly made: Map<number, JsonObject[]> }> {
  const made = await posted(type);
  const unnumbered = [...made].flatMap(([id, rows]) =>
    rows.some((row) => (row['DocNumber'] ?? '') === '') ? [id] : [],
  );
  return { made, unnumbered };
}

describe('custom transaction numbers turned on during a job', () => {
  test('stop the invoices after the call without numbers, whose documents do not count as synced', async () => {
    const ids = await manyInvoices(50);
    await world.quickbooks.behave({ custom_sales_numbers_after: 1_043 });
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(job).toMatchObject({ status: 'failed', message: expect.stringMatching(/without a number/) });
    const { made, unnumbered } = await outcome('Invoice');
    // The first calls have 2 and 4 documents. Nothing is sent after the second.
    expect(ids.filter((id) => made.has(id))).toEqual(ids.slice(0, 6));
    expect(unnumbered).toEqual(ids.slice(2, 6));
    expect(job.succeeded).toBe(2);
    for (const id of unnumbered) {
      expect((await world.psaInvoice(id))['invoiceNumber'] ?? '').toBe('');
      const log = (await world.logs()).find(({ psaId }) => psaId === id);
      expect(log).toMatchObject({ success: false, problems: [{ code: 'NUMBER_MISSING' }] });
    }

    // A user numbers them and turns the preference off. They are linked, and the others posted.
    await world.quickbooks.behave({ custom_sales_numbers_after: 0 });
    await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: false } });
    for (const [at, id] of unnumbered.entries())
      await world.quickbooks.put('Invoice', String(made.get(id)?.[0]?.['Id']), { DocNumber: `H-${at}` });
    await world.sync('invoice', { mode: 'live', psaIds: ids });
    const after = await outcome('Invoice');
    for (const id of ids) {
      expect(after.made.get(id)).toHaveLength(1);
      expect((await world.psaInvoice(id))['invoiceNumber']).toBe(after.made.get(id)?.[0]?.['DocNumber']);
    }
  });

  test('stop the purchase orders too', async () => {
    await world.autotask.reset({ today, purchase_orders: 12 });
    const ids = (await world.autotask.list('PurchaseOrders')).map(({ id }) => Number(id)).filter((id) => id > 50_000);
    await world.quickbooks.behave({ custom_order_numbers_after: 1_009 });
    const job = await world.sync('purchase_order', { mode: 'live', psaIds: ids });
    expect(job).toMatchObject({ status: 'failed', message: expect.stringMatching(/without a number/) });
    const { made, unnumbered } = await outcome('PurchaseOrder');
    expect(unnumbered.length).toBeGreaterThan(0);
    expect(ids.filter((id) => made.has(id)).length).toBeLessThan(12);
    expect(job.succeeded).toBe(1);
  });

  test('are reported once by scheduled syncs, which post nothing more', async () => {
    const ids = await manyInvoices(40);
    await world.quickbooks.behave({ custom_sales_numbers_after: 1_043 });
    await world.saveSettings({ inv_sync_active: true });
    await world.work();
    const first = (await outcome('Invoice')).unnumbered;
    expect(first.length).toBeGreaterThan(0);
    const logs = (await world.logs()).length;
    await world.cycle();
    await world.cycle();
    expect((await outcome('Invoice')).unnumbered).toEqual(first);
    expect((await world.logs()).length - logs).toBeLessThan(2);
    expect(ids.length).toBe(40);
  });
});
