import { afterEach, beforeEach, expect, test } from 'vitest';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await newWorld({ settings: { inv_sync_active: true, void_sync_active: true } });
});
afterEach(() => world.close());

const made = async (psaId: number) =>
  (await world.quickbooks.list('Invoice')).filter((row) =>
    new RegExp(`Autotask invoice ${psaId}[ ,]`).test(JSON.stringify(row['PrivateNote'] ?? '')),
  );
/** Does something at the very moment in which the first invoice is about to be sent. */
async function whileItIsSent(change: () => Promise<void>): Promise<void> {
  const changes: Promise<void>[] = [];
  await world.work((name, when) => {
    const isSent = when === 'before' && name.startsWith('post:') && !name.endsWith('void');
    if (isSent && changes.length === 0) changes.push(change());
  });
  await Promise.all(changes);
}

test('an invoice that is voided in Autotask before its sync is never sent', async () => {
  await world.autotask.put('Invoices', 48_213, { isVoided: true });
  await world.work();
  await world.cycle();
  expect(await made(48_213)).toEqual([]);
});

test('an invoice that is voided in Autotask while it is sent leaves no open document behind', async () => {
  await whileItIsSent(() => world.autotask.put('Invoices', 48_213, { isVoided: true }));
  await world.cycle();
  expect((await made(48_213)).map((row) => row['TotalAmt'])).toEqual([0]);
  expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'voided' });
  await world.cycle();
  expect(await made(48_213)).toHaveLength(1);
});

test('an invoice whose date leaves the window while it is sent is there once, and stays', async () => {
  await whileItIsSent(() =>
    world.autotask.put('Invoices', 48_213, {
      createDateTime: '2024-12-01T15:00:00Z',
      invoiceDateTime: '2024-12-01T00:00:00Z',
    }),
  );
  await world.cycle();
  await world.cycle();
  const [document, ...others] = await made(48_213);
  expect(others).toEqual([]);
  expect(document).toMatchObject({ TotalAmt: 1966.25, TxnDate: '2025-03-03' });
  expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: document?.['DocNumber'] });
});
