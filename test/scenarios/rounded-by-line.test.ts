import { expect, test } from 'vitest';
import { decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { pricedLine } from './priced-line.ts';

/** Autotask rounds each line or its tax, QuickBooks the entire invoice. Both are right, and the invoice is posted. */
const world = eachWorld();

/** Replaces the lines of invoice 48213 by copies of its services line, or of its taxed line. */
async function setLines(count: number, line: JsonObject, invoice: JsonObject, isTaxed = false): Promise<void> {
  const items = (await world.autotask.list('BillingItems')).filter((one) => one['invoiceID'] === 48_213);
  const source = items.find((one) => (isTaxed ? Number(one['taxDollars'] ?? 0) > 0 : one['totalAmount'] === 900));
  if (source === undefined) throw new Error('invoice 48213 lacks the line');
  for (const { id } of items) await world.autotask.put('BillingItems', Number(id), { invoiceID: 48_299 });
  for (let at = 0; at < count; at += 1)
    await world.autotask.add('BillingItems', { ...source, ...line, id: 980_000 + at, invoiceID: 48_213 });
  await world.autotask.put('Invoices', 48_213, invoice);
}
const posted = async (): Promise<JsonObject> => {
  const id = (await world.store.readPosting('invoice', 48_213))?.targetId;
  const found = (await world.quickbooks.list('Invoice')).find((row) => row['Id'] === id);
  if (found === undefined) throw new Error('invoice 48213 was not posted');
  return found;
};
/** Debits less credits of a document by account, from the general ledger of the sandbox. */
async function balancesOf(id: unknown): Promise<Record<string, number>> {
  const answer = await fetch(
    `${world.quickbooks.url}/__sandbox/ledger?transaction_type=Invoice&transaction_id=${String(id)}`,
  );
  const { entries } = (await answer.json()) as { entries: readonly JsonObject[] };
  const cents: Record<string, number> = {};
  for (const { account, debit, credit } of entries) {
    const name = String((account as JsonObject)['name']);
    cents[name] = (cents[name] ?? 0) + Math.round(Number(debit) * 100) - Math.round(Number(credit) * 100);
  }
  return cents;
}

test('an invoice whose 40 lines round up by 0.07 is posted with the billed total', async () => {
  const amount = 0.333 * 149.995;
  await setLines(
    40,
    { ...pricedLine(amount), quantity: 0.333, rate: 149.995, taxDollars: 0 },
    { invoiceTotal: 1_997.93, totalTaxValue: 0 },
  );
  const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(job.results[0]).toMatchObject({ outcome: 'succeeded' });
  expect(await posted()).toMatchObject({ TotalAmt: 1_997.93 });
  const balances = await balancesOf((await posted())['Id']);
  expect(balances['Accounts Receivable']).toBe(199_793);
  expect(Object.values(balances).reduce((sum, one) => sum + one, 0)).toBe(0);
  expect((await world.store.readPosting('invoice', 48_213))?.drift).toEqual([]);
});

test.each([90, 30])(
  '%i lines of whole cents that differ from the total by half a cent each are not posted',
  async (count) => {
    const total = Math.round(count * 1_000.5) / 100;
    await setLines(
      count,
      { ...pricedLine(10), quantity: 1, rate: 10, taxDollars: 0 },
      { invoiceTotal: total, totalTaxValue: 0 },
    );
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    // CONTROL_TOTAL
    expect(job.results[0]?.message).toContain(`The lines add up to ${count * 10}.00, but the invoice total is`);
    expect(await world.store.readPosting('invoice', 48_213)).toBeNull();
  },
);

test('a tax difference above the limit that the tenant chose waits, although rounding explains it', async () => {
  await world.saveSettings({ tax_hold_over: decimal('0.02') });
  await setLines(25, { ...pricedLine(9.99), taxDollars: 0.82 }, { invoiceTotal: 270.25, totalTaxValue: 20.5 }, true);
  const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(job.results[0]).toMatchObject({
    outcome: 'held',
    message: expect.stringContaining('Autotask rounds the tax of each line') as string,
  });
  expect(await world.store.readPosting('invoice', 48_213)).toBeNull();
});

test('an invoice whose tax Autotask rounds by line is posted, and both amounts are accepted', async () => {
  await setLines(25, { ...pricedLine(9.99), taxDollars: 0.82 }, { invoiceTotal: 270.25, totalTaxValue: 20.5 }, true);
  const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(job.results[0]).toMatchObject({ outcome: 'succeeded' });
  expect(await posted()).toMatchObject({ TotalAmt: 270.35, TxnTaxDetail: { TotalTax: 20.6 } });
  const balances = await balancesOf((await posted())['Id']);
  expect(balances['Accounts Receivable']).toBe(27_035);
  expect(Object.values(balances).reduce((sum, one) => sum + one, 0)).toBe(0);
  const [log] = (await world.logs()).filter(({ psaId }) => psaId === 48_213);
  expect(log?.transcript).toContain('Autotask rounds the tax of each line, QuickBooks that of the whole invoice');
  expect((await world.store.readPosting('invoice', 48_213))?.drift).toEqual([]);
});
