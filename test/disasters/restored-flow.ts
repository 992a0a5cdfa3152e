import { submit } from '#flows/sync/job/submit.ts';
import { restoreAndStart, takeBackup } from '../support/backup.ts';
import type { Flow } from './flow.ts';
import { pricedLine } from '../scenarios/priced-line.ts';

/** One invoice posted before the database is restored, and one requested afterward. */
const forgotten = 48_213;
const later = 48_214;
const actor = { username: 'admin@northwind-msp.example' };

/**
 * The database is restored to a backup from before an invoice was posted (decision 18). The ledger must adopt the
 * invoice and its payment, and post nothing again.
 */
export const restored: Flow = {
  name: 'restored ledger',
  settings: { pay_sync_active: true },
  expected: [
    { kind: 'invoice', psaId: forgotten, times: 1, end: 'done' },
    { kind: 'invoice', psaId: later, times: 1, end: 'done' },
  ],
  async prepare(world) {
    // The feed was read with these records.
    await world.advance(20 * 60);
    await world.work();
    const backup = await takeBackup(world.database.url);
    await world.sync('invoice', { mode: 'live', psaIds: [forgotten] });
    const targetId = (await world.store.readPosting('invoice', forgotten))?.targetId;
    await restoreAndStart(world, backup);
    // Tokens may have been refreshed after the backup.
    await world.reconnectAccounting();
    await world.quickbooks.add('Payment', {
      CustomerRef: { value: '58' },
      TxnDate: '2025-03-04',
      TotalAmt: 1966.25,
      Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: targetId, TxnType: 'Invoice' }] }],
    });
    await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: [later], actor });
    // Webhooks are off, so the feed is read once an hour.
    await world.advance(3_700);
  },
};

/** One invoice whose number Autotask lost, and one whose id Autotask gave to an invoice over 100.00 more. */
const unlinked = 48_213;
const reused = 48_214;

/**
 * Autotask is restored to a backup from before two invoices were written back. One is linked again. The other is now a
 * different invoice, so an administrator must decide.
 */
export const restoredPsa: Flow = {
  name: 'restored PSA',
  expected: [
    { kind: 'invoice', psaId: unlinked, times: 1, end: 'done' },
    { kind: 'invoice', psaId: reused, times: 1, end: 'refused', postedAt: '687.50', isAnother: true },
  ],
  async prepare(world) {
    const { autotask } = world;
    const psaIds = [unlinked, reused];
    await world.sync('invoice', { mode: 'live', psaIds });
    for (const id of [unlinked, reused]) await autotask.put('Invoices', id, { invoiceNumber: null });
    const items = (await autotask.list('BillingItems')).filter((one) => one['invoiceID'] === reused);
    const [item] = items;
    const more = Number(item?.['totalAmount']) + 100;
    await autotask.put('BillingItems', Number(item?.['id']), pricedLine(more));
    const head = (await autotask.list('Invoices')).find((one) => one['id'] === reused);
    await autotask.put('Invoices', reused, { invoiceTotal: Number(head?.['invoiceTotal']) + 100 });
    await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds, actor });
  },
};
