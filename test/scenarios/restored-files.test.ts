import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { listAttention } from '#flows/attention/list.ts';
import { watchForRestores, type RestoreWatch } from '#store/restore-watch.ts';
import { asOwner } from '../support/database.ts';
import { silentLogger } from '../support/logger.ts';
import { ownServer, type OwnServer, type Snapshot } from '../support/own-server.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { newWorld, type World } from '../support/world.ts';

/**
 * The files of the database server are replaced by a snapshot, or recovered to a point in time, and no operator reports
 * it. The processes continue, or start again with their data folder.
 */
let server: OwnServer;
let folder: string;
let world: World;
let watch: RestoreWatch;
beforeAll(async () => {
  server = await ownServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallybridge-files-'));
  world = await newWorld({
    server: server.url,
    settings: { pay_sync_active: true, pay_direction: 'both', pay_grace_hours: 0 },
  });
  watch = await start();
});
afterEach(async () => {
  watch.stop();
  await world.close();
  await rm(folder, { recursive: true });
});

const start = () => watchForRestores(world.database.database, folder, silentLogger);
const invoices = [48_213, 48_214, 48_304] as const;
const [paid, ...later] = invoices;
const day = 86_400;
const post = (psaIds: readonly number[]) => world.sync('invoice', { mode: 'live', psaIds });
const events = async () =>
  (await world.app.store.listDeploymentEvents(10)).map(({ action, actor }) => `${actor}: ${action}`);

/** Debits minus credits of each account in the general ledger of the sandbox. */
async function balances(): Promise<Readonly<Record<string, number>>> {
  const { entries } = (await (await fetch(`${world.quickbooks.url}/__sandbox/ledger`)).json()) as {
    readonly entries: readonly {
      readonly account: { readonly name: string };
      readonly debit: number;
      readonly credit: number;
    }[];
  };
  const sums: Record<string, number> = {};
  for (const { account, debit, credit } of entries)
    sums[account.name] = Math.round((sums[account.name] ?? 0) + 100 * debit - 100 * credit);
  return sums;
}

const targets = async () =>
  Promise.all(invoices.map(async (psaId) => (await world.store.readPosting('invoice', psaId))?.targetId));

/** What was posted and written after the moment to which the files are restored. */
async function workThatIsLost(): Promise<string> {
  await post(later);
  const [target] = await targets();
  await payInvoice(world, target ?? '', 1966.25, { on: '2025-03-04' });
  await world.advance(day);
  await world.cycle();
  expect(String((await world.psaInvoice(paid))['paidDate'])).toMatch(/^2025-03-04/);
  await watch.check();
  const payment = (await world.quickbooks.list('Payment')).find((row) => row['TotalAmt'] === 1966.25);
  return String(payment?.['Id']);
}

const ways: readonly (readonly [string, (snapshot: Snapshot) => Promise<void>, point: string | null])[] = [
  ['a snapshot', (snapshot) => snapshot.restore(), null],
  ['a recovery to a point in time', (snapshot) => snapshot.restore('before'), 'before'],
];

test.each(ways)('%s that is not reported doubles and loses nothing', async (_name, restore, point) => {
  await post([paid]);
  await world.cycle();
  await watch.check();
  const snapshot = await server.snapshot();
  if (point !== null)
    await asOwner(world.database.url, async (owner) => {
      await owner.query('select pg_create_restore_point($1)', [point]);
    });
  const payment = await workThatIsLost();
  const posted = await targets();

  await restore(snapshot);
  // One process continues, another one starts again.
  if (point === null) {
    watch.stop();
    watch = await start();
  } else await watch.verify();
  expect(await events()).toEqual([`${point === null ? 'start' : 'process'}: database.restored`]);

  await world.reconnectAccounting();
  await world.quickbooks.remove('Payment', payment);
  const expected = await balances();
  for (let days = 0; days < 4; days += 1) {
    await world.advance(day);
    await world.cycle();
    await watch.check();
  }
  expect(await balances()).toEqual(expected);
  expect(await targets()).toEqual(posted);
  for (const psaId of invoices) expect(await world.madeFor(psaId)).toHaveLength(1);
  expect(await listAttention(world.tenant)).toMatchObject([{ code: 'PAID_DATE_UNCONFIRMED' }]);
  expect(await events()).toHaveLength(1);
});

test('a server that restarts without loss was not restored', async () => {
  await watch.check();
  await server.restart('immediate');
  await expect
    .poll(() =>
      watch.verify().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect(await events()).toEqual([]);
});
