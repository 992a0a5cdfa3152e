import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { ProcessEnded } from '#flows/context.ts';
import { eachWorld } from '../support/each-world.ts';
import { today } from '../support/world.ts';

/** Custom transaction numbers in QuickBooks that a user turns on or off while a job runs. */
const world = eachWorld({ settings: { po_payable_account: '20' } });

const customNumbers = (isOn: boolean) =>
  world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: isOn } });

async function manyInvoices(count: number): Promise<number[]> {
  await world.autotask.reset({ today, invoices: count, lines_per_invoice: 1 });
  return Array.from({ length: count }, (_, n) => 100_001 + n);
}
async function manyOrders(count: number): Promise<number[]> {
  await world.autotask.reset({ today, purchase_orders: count });
  return (await world.autotask.list('PurchaseOrders')).map(({ id }) => Number(id)).filter((id) => id > 50_000);
}

/** Returns QuickBooks documents of a type, by Autotask id. */
async function made(type: 'Invoice' | 'PurchaseOrder'): Promise<Map<number, JsonObject[]>> {
  const rows = await world.quickbooks.list(type);
  const idOf = (row: JsonObject) => /^Autotask (?:invoice|purchase order) (\d+)/.exec(String(row['PrivateNote']))?.[1];
  return Map.groupBy(rows, (row) => Number(idOf(row) ?? 0));
}
const numberOf = (row: JsonObject | undefined): string => String(row?.['DocNumber'] ?? '');

/** Expects that each document is in QuickBooks once, and that those without a number are no success. */
async function expectNoSuccessWithoutNumber(
  kind: 'invoice' | 'purchase_order',
  ids: readonly number[],
): Promise<{ readonly begun: number[]; readonly unnumbered: number[] }> {
  const rows = await made(kind === 'invoice' ? 'Invoice' : 'PurchaseOrder');
  const begun = ids.filter((id) => rows.has(id));
  const unnumbered = begun.filter((id) => numberOf(rows.get(id)?.[0]) === '');
  const logs = (await world.logs()).filter(({ isTest }) => !isTest);
  for (const id of begun) {
    expect(rows.get(id)).toHaveLength(1);
    const isNumbered = !unnumbered.includes(id);
    expect([id, logs.some((log) => log.psaId === id && log.success)]).toEqual([id, isNumbered]);
    if (kind === 'invoice')
      expect((await world.psaInvoice(id))['invoiceNumber'] ?? '').toBe(numberOf(rows.get(id)?.[0]));
  }
  return { begun, unnumbered };
}

/** A user gives numbers to the documents, and turns custom numbers off. */
async function numberByHand(type: 'Invoice' | 'PurchaseOrder', ids: readonly number[]): Promise<void> {
  const rows = await made(type);
  for (const id of ids) await world.quickbooks.put(type, String(rows.get(id)?.[0]?.['Id']), { DocNumber: `H-${id}` });
}

/** Expects each document once, with its number in both services. */
async function expectAllOnce(ids: readonly number[]): Promise<void> {
  const rows = await made('Invoice');
  for (const id of ids) {
    expect(rows.get(id)).toHaveLength(1);
    expect(numberOf(rows.get(id)?.[0])).not.toBe('');
    expect((await world.psaInvoice(id))['invoiceNumber']).toBe(numberOf(rows.get(id)?.[0]));
    expect(await world.store.readPosting('invoice', id)).toMatchObject({ targetId: rows.get(id)?.[0]?.['Id'] });
  }
}

describe('turned on while QuickBooks numbers the invoices', () => {
  test.each(['after', 'late'])(
    'a lost response (%s) whose documents are found without a number stops those after them',
    async (reset) => {
      const ids = await manyInvoices(30);
      await world.quickbooks.behave({ custom_sales_numbers_after: 1_043 });
      await world.quickbooks.fault({
        match: { path: '/batch$', query: 'requestid', body: `invoice ${ids[2]}\\b` },
        times: 1,
        action: { reset, ...(reset === 'late' && { apply_after_seconds: 100 }) },
      });
      const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
      const { begun, unnumbered } = await expectNoSuccessWithoutNumber('invoice', ids);
      expect([begun, unnumbered]).toEqual([ids.slice(0, 6), ids.slice(2, 6)]);
      expect(job).toMatchObject({ status: 'failed', message: expect.stringMatching(/without a number/) });

      await world.quickbooks.behave({ custom_sales_numbers_after: 0 });
      await numberByHand('Invoice', unnumbered);
      await customNumbers(false);
      await world.sync('invoice', { mode: 'live', psaIds: ids });
      await expectAllOnce(ids);
    },
  );

  test('a dead worker’s documents without a number stop those after them', async () => {
    const ids = await manyInvoices(30);
    await world.quickbooks.behave({ custom_sales_numbers_after: 1_043 });
    let calls = 0;
    const died = world.sync('invoice', { mode: 'live', psaIds: ids }, (name, when) => {
      if (name !== 'post:batch' || when !== 'after') return;
      calls += 1;
      if (calls === 2) throw new ProcessEnded('the worker dies');
    });
    await expect(died).rejects.toThrow('the worker dies');
    await world.work(undefined, 'its successor');
    await world.advance(200);
    await world.work(undefined, 'its successor');
    const { begun, unnumbered } = await expectNoSuccessWithoutNumber('invoice', ids);
    expect([begun, unnumbered]).toEqual([ids.slice(0, 6), ids.slice(2, 6)]);
  });

  test('and off again before the next run: nothing is doubled, and the rest is posted', async () => {
    const ids = await manyInvoices(20);
    await world.quickbooks.behave({ custom_sales_numbers_after: 1_043 });
    await world.sync('invoice', { mode: 'live', psaIds: ids });
    const { unnumbered } = await expectNoSuccessWithoutNumber('invoice', ids);
    await world.quickbooks.behave({ custom_sales_numbers_after: 0 });
    await customNumbers(false);
    // They still have no number.
    await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(await expectNoSuccessWithoutNumber('invoice', ids)).toEqual({ begun: ids, unnumbered });
    await numberByHand('Invoice', unnumbered);
    await world.sync('invoice', { mode: 'live', psaIds: ids });
    await expectAllOnce(ids);
  });

  test('a single invoice and a single credit memo', async () => {
    for (const id of [48_214, 48_301]) {
      await customNumbers(false);
      const job = await world.sync('invoice', { mode: 'live', psaIds: [id] }, async (name, when) => {
        if (/^post:create_(invoice|credit_memo)$/.test(name) && when === 'before') await customNumbers(true);
      });
      expect(job).toMatchObject({ status: 'failed', succeeded: 0, failed: 1 });
      expect((await world.psaInvoice(id))['invoiceNumber'] ?? '').toBe('');
    }
  });
});

describe('turned off while Autotask numbers the invoices', () => {
  test('each keeps the number of Autotask, and the next run stops before its first document', async () => {
    const ids = await manyInvoices(140);
    for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: `T-${id}` });
    await world.saveSettings({ inv_numbering_option: 'autotask' });
    await customNumbers(true);
    let isOff = false;
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids.slice(0, 130) }, async (name, when) => {
      if (name !== 'post:batch' || when !== 'before' || isOff) return;
      isOff = true;
      await customNumbers(false);
    });
    expect(isOff).toBe(true);
    const { begun, unnumbered } = await expectNoSuccessWithoutNumber('invoice', ids);
    expect(unnumbered).toEqual([]);
    const rows = await made('Invoice');
    for (const id of begun) expect(numberOf(rows.get(id)?.[0])).toBe(`T-${id}`);
    expect(job.succeeded).toBe(begun.length);
    await expect(world.sync('invoice', { mode: 'live', psaIds: ids })).rejects.toThrow(
      'Turn on Custom transaction numbers in QuickBooks',
    );
    expect([...(await made('Invoice')).keys()].filter((id) => ids.includes(id)).sort()).toEqual(begun);
    await customNumbers(true);
    await world.sync('invoice', { mode: 'live', psaIds: ids });
    await expectAllOnce(ids);
  });
});

describe('turned on while QuickBooks numbers the purchase orders', () => {
  test('later runs post no further order without a number', async () => {
    const ids = await manyOrders(24);
    await world.quickbooks.behave({ custom_order_numbers_after: 1_009 });
    await world.saveSettings({ po_sync_active: true });
    const job = await world.sync('purchase_order', { mode: 'live', psaIds: ids });
    expect(job).toMatchObject({ status: 'failed', message: expect.stringMatching(/without a number/) });
    const first = await expectNoSuccessWithoutNumber('purchase_order', ids);
    await world.cycle();
    await world.cycle();
    await world.sync('purchase_order', { mode: 'live', psaIds: ids });
    expect(await expectNoSuccessWithoutNumber('purchase_order', ids)).toEqual(first);
    expect((await world.store.listJobs(1))[0]?.message).toMatch(
      /^QuickBooks expects Tallybridge to number purchase orders, .* Purchase orders would have no number\./,
    );

    // A user turns them off and numbers the orders; they are linked, and the others are posted.
    await world.quickbooks.behave({ custom_order_numbers_after: 0 });
    await world.quickbooks.put('Preferences', '1', { OtherPrefs: { NameValue: [] } });
    for (const id of first.unnumbered) await numberByHand('PurchaseOrder', [id]);
    await world.sync('purchase_order', { mode: 'live', psaIds: ids });
    const after = await expectNoSuccessWithoutNumber('purchase_order', ids);
    expect(after.unnumbered).toEqual([]);
    expect(after.begun.length).toBeGreaterThan(first.begun.length);
  });
});
