import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import { noticeRestore } from '#store/restored.ts';
import { restoreAndStart, takeBackup, type Backup } from '../support/backup.ts';
import { asOwner } from '../support/database.ts';
import { silentLogger } from '../support/logger.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { newWorld, type World } from '../support/world.ts';

/** After a restore the database no longer knows which paid dates in Autotask are the product's. */
let world: World;
let backup: Backup;
beforeEach(async () => {
  isReported = true;
  world = await newWorld({ settings: { pay_sync_active: true, pay_direction: 'both' } });
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
});
afterEach(() => world.close());

const invoiceId = async () => (await world.store.readPosting('invoice', 48_213))?.targetId ?? '';

/** The customer pays in QuickBooks, and the next cycle writes the paid date. */
async function payInAccounting(): Promise<string> {
  await payInvoice(world, await invoiceId(), 1966.25, { on: '2025-03-04' });
  const made = (await world.quickbooks.list('Payment')).find((row) => row['TotalAmt'] === 1966.25);
  return String(made?.['Id']);
}

/** An operator restores the database and reports it, or the next start notices a copy. */
let isReported = true;
async function restore(): Promise<void> {
  if (isReported) await restoreAndStart(world, backup);
  else {
    await backup.restore();
    // The backup is from another database.
    await asOwner(world.database.url, (owner) => owner.query('update deployment_clock set database_oid = 1'));
    await noticeRestore(world.database.database.pool, silentLogger);
  }
  await world.reconnectAccounting();
}

async function cycles(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await world.advance(86_400);
    await world.cycle();
  }
}

/** The payment was written to Autotask, the database was restored, and the check bounced before the next cycle. */
async function bounceAfterRestore(): Promise<void> {
  backup = await takeBackup(world.database.url);
  await world.advance(86_400);
  const payment = await payInAccounting();
  await world.cycle();
  expect(String((await world.psaInvoice(48_213))['paidDate'])).toMatch(/^2025-03-04/);
  await restore();
  await world.quickbooks.remove('Payment', payment);
}

const payments = async () =>
  (await world.quickbooks.list('Payment')).filter((row) => row['TotalAmt'] === 1966.25).length;

test.each([
  ['an operator reports', true],
  ['a start notices', false],
])(
  'a check that bounced after a restore that %s is not paid by the product, waits, and is reported once',
  async (_how, reported) => {
    isReported = reported;
    await bounceAfterRestore();
    await cycles(4);
    expect(await payments()).toBe(0);
    expect((await world.logs()).flatMap(({ problems }) => problems.map(({ code }) => code))).toEqual([
      'PAID_DATE_UNCONFIRMED',
    ]);
  },
);

test('a worker that dies after it searched the paid dates leaves none of them trusted', async () => {
  await bounceAfterRestore();
  await world.advance(86_400);
  await expect(
    world.work((name, when) => {
      if (name.startsWith('commit:') && when === 'before') throw new ProcessEnded();
    }),
  ).rejects.toThrow(ProcessEnded);
  await cycles(4);
  expect(await payments()).toBe(0);
});

test('a user who knows that the money arrived can post the payment manually', async () => {
  await bounceAfterRestore();
  await cycles(2);
  const job = await world.sync('payment', { mode: 'live', psaIds: [48_213] });
  expect(job).toMatchObject({ succeeded: 1 });
  expect(await payments()).toBe(1);
});

test('a sync of all documents right after the restore reports what waits instead of paying it', async () => {
  await bounceAfterRestore();
  expect(await world.sync('payment', { mode: 'live' })).toMatchObject({ succeeded: 0, failed: 1 });
  await cycles(2);
  expect(await payments()).toBe(0);
});

test('a date that a user sets after the first search is paid as usual', async () => {
  backup = await takeBackup(world.database.url);
  await restore();
  await world.advance(86_400);
  await world.cycle();
  await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-05T00:00:00Z' });
  await cycles(3);
  expect(await payments()).toBe(1);
});

test('a date seen before the backup is paid as usual', async () => {
  await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-04T00:00:00Z' });
  await world.cycle();
  backup = await takeBackup(world.database.url);
  await restore();
  await cycles(3);
  expect(await payments()).toBe(1);
});
