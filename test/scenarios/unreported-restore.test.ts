import { beforeEach, expect, test } from 'vitest';
import { readCdc } from '#flows/connections/cached-lists.ts';
import { ProcessEnded } from '#flows/context.ts';
import { restoreAndStart, takeBackup, type Backup } from '../support/backup.ts';
import { asOwner } from '../support/database.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';

/**
 * The change feed shows that the ledger lost documents. No operator reported a restore, and the data folders were
 * restored together with the database.
 */
const world = eachWorld({ settings: { pay_sync_active: true, pay_direction: 'both', pay_grace_hours: 0 } });
let backup: Backup;
beforeEach(async () => {
  // The sample data has documents of an earlier deployment; this client is newer.
  await asOwner(world.database.url, (owner) => owner.query('update tenants set created_at = $1', [world.clock.now()]));
  await world.advance(3_600);
  await world.cycle();
});

const psaId = 48_213;
const day = 86_400;
const post = (psaIds: readonly number[] = [psaId]) => world.sync('invoice', { mode: 'live', psaIds });
const cycles = async (count: number) => {
  for (let n = 0; n < count; n += 1) {
    await world.advance(day);
    await world.cycle();
  }
};
const openGaps = () =>
  asOwner(world.database.url, async (owner) => {
    const { rows } = await owner.query('select gaps_settled, ledger_gaps_settled from tenants');
    return rows[0] as unknown;
  });
const none = { gaps_settled: 0, ledger_gaps_settled: 0 };
const payments = async () =>
  (await world.quickbooks.list('Payment')).filter((row) => row['TotalAmt'] === 1966.25).length;
const targetOf = async (kind: 'invoice' | 'payment', id = psaId) =>
  (await world.store.readPosting(kind, id))?.targetId ?? '';

test('links documents that the ledger lost, and posts none again', async () => {
  backup = await takeBackup(world.database.url);
  await post([psaId, 48_214]);
  const [first, second] = [await targetOf('invoice'), await targetOf('invoice', 48_214)];
  await backup.restore();
  await world.reconnectAccounting();
  await cycles(3);
  expect([await targetOf('invoice'), await targetOf('invoice', 48_214)]).toEqual([first, second]);
  expect(await world.madeFor(psaId)).toHaveLength(1);
  expect(await openGaps()).toEqual(none);
});

test('does not pay again what a customer paid in lost time and what bounced', async () => {
  await post();
  backup = await takeBackup(world.database.url);
  await post([48_214]);
  await world.advance(day);
  await payInvoice(world, await targetOf('invoice'), 1966.25, { on: '2025-03-04' });
  const payment = (await world.quickbooks.list('Payment')).find((row) => row['TotalAmt'] === 1966.25);
  await world.cycle();
  expect(String((await world.psaInvoice(psaId))['paidDate'])).toMatch(/^2025-03-04/);
  await backup.restore();
  await world.reconnectAccounting();
  await world.quickbooks.remove('Payment', String(payment?.['Id']));
  await cycles(4);
  expect(await payments()).toBe(0);
  expect((await world.logs()).flatMap(({ problems }) => problems.map(({ code }) => code))).toContain(
    'PAID_DATE_UNCONFIRMED',
  );
});

test('links a payment that was posted in lost time, and posts none again', async () => {
  await post();
  await world.autotask.put('Invoices', psaId, { paidDate: '2025-03-04T00:00:00Z' });
  await world.advance(3_600);
  backup = await takeBackup(world.database.url);
  await cycles(1);
  expect(await payments()).toBe(1);
  const paid = await targetOf('payment');
  await backup.restore();
  await world.reconnectAccounting();
  await cycles(3);
  expect([await payments(), await targetOf('payment')]).toEqual([1, paid]);
});

test('a restore that was reported opens no second search', async () => {
  backup = await takeBackup(world.database.url);
  await post();
  await restoreAndStart(world, backup);
  await world.reconnectAccounting();
  await cycles(2);
  expect(await openGaps()).toEqual({ gaps_settled: 1, ledger_gaps_settled: 1 });
});

/** Copies an invoice with its note, as QuickBooks does. */
async function copy(id: string): Promise<void> {
  const { CustomerRef, TxnDate, PrivateNote } =
    (await world.quickbooks.list('Invoice')).find((row) => row['Id'] === id) ?? {};
  const item = (await world.quickbooks.list('Item')).find(({ IncomeAccountRef: account }) => account !== undefined);
  const SalesItemLineDetail = { ItemRef: { value: String(item?.['Id']) } };
  const line = { Amount: 10, DetailType: 'SalesItemLineDetail', SalesItemLineDetail };
  await world.quickbooks.add('Invoice', { CustomerRef, TxnDate, PrivateNote, Line: [line] });
}

test.each<readonly [name: string, happens: () => Promise<unknown>]>([
  ['documents that were just posted', () => post()],
  ['a copy that a user made of a document', async () => (await post(), await copy(await targetOf('invoice')))],
  [
    'a status that a user cleared',
    async () => (
      await post(),
      await world.autotask.put('Invoices', psaId, { invoiceNumber: '', webServiceDate: null })
    ),
  ],
  [
    'a document that was voided',
    async () => (
      await post(),
      await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() })
    ),
  ],
  [
    'a document that was forced twice',
    async () => (await post(), await world.sync('invoice', { mode: 'live', psaIds: [psaId], force: true })),
  ],
  [
    'a document that was posted again after it was deleted',
    async () => {
      await post();
      await world.quickbooks.remove('Invoice', await targetOf('invoice'));
      await world.sync('invoice', { mode: 'live', psaIds: [psaId], force: true });
    },
  ],
])('%s is no restore', async (_name, happens) => {
  await happens();
  await world.advance(3_600);
  await world.cycle();
  expect(await openGaps()).toEqual(none);
});

test('a document whose response was not saved is left to its attempt', async () => {
  await expect(
    world.sync('invoice', { mode: 'live', psaIds: [psaId] }, (name, when) => {
      if (name === 'commit:posted' && when === 'before') throw new ProcessEnded();
    }),
  ).rejects.toThrow(ProcessEnded);
  expect(await world.madeFor(psaId)).toHaveLength(1);
  await world.advance(3_600);
  await readCdc(world.tenant, await world.tenant.accounting());
  expect(await openGaps()).toEqual(none);
  await cycles(2);
  expect(await openGaps()).toEqual(none);
  expect(await world.madeFor(psaId)).toHaveLength(1);
});
