import { consent } from '../support/connect-services.ts';
import { asOwner } from '../support/database.ts';
import { takeBackup } from '../support/backup.ts';
import { workOn, type Flow } from './flow.ts';
import { submit } from '#flows/sync/job/submit.ts';

/** One invoice posted before the database is restored, and one requested afterward. */
const forgotten = 48_213;
const later = 48_214;
const actor = { username: 'admin@northwind-msp.example' };

/**
 * The database is restored to a backup from before an invoice was posted (decision 19). The ledger must adopt the
 * invoice and its payment, and post nothing again.
 */
export const restored: Flow = {
  name: 'restored ledger',
  settings: { pay_sync_active: true },
  expected: [
    { kind: 'invoice', psaId: forgotten, times: 1, end: 'done' },
    { kind: 'invoice', psaId: later, times: 1, end: 'done' },
  ],
  async prepare({ product, quickbooks, advance }) {
    const { app, tenant, databaseUrl } = product;
    const jobRequest = { kind: 'invoice', mode: 'live', force: false, actor } as const;
    // The feed was read with these records.
    await advance(20 * 60);
    await workOn(product, 'preparation');
    const backup = await takeBackup(databaseUrl);
    await submit(tenant, { ...jobRequest, psaIds: [forgotten] });
    await workOn(product, 'preparation');
    const targetId = (await tenant.store.readPosting('invoice', forgotten))?.targetId;
    await backup.restore();
    await asOwner(databaseUrl, (owner) => owner.query('update deployment_clock set gaps = gaps + 1'));
    // QuickBooks is reconnected, because tokens may have been refreshed after the backup.
    const tokens = await consent(app);
    const books = (await tenant.store.listConnections()).find(({ service }) => service === 'accounting');
    if (books === undefined) throw new Error('QuickBooks is not connected');
    await tenant.store.saveConnection({ ...books, status: 'active' }, tokens);
    await quickbooks.call('POST', '/entities/Payment', {
      CustomerRef: { value: '58' },
      TxnDate: '2025-03-04',
      TotalAmt: 1966.25,
      Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: targetId, TxnType: 'Invoice' }] }],
    });
    await submit(tenant, { ...jobRequest, psaIds: [later] });
    // Webhooks are off, so the feed is read once an hour.
    await advance(3_700);
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
  async prepare({ product, autotask }) {
    const jobRequest = { kind: 'invoice', mode: 'live', force: false, psaIds: [unlinked, reused], actor } as const;
    await submit(product.tenant, jobRequest);
    await workOn(product, 'preparation');
    for (const id of [unlinked, reused]) await autotask.put('Invoices', id, { invoiceNumber: null });
    const items = (await autotask.list('BillingItems')).filter((one) => one['invoiceID'] === reused);
    const [item] = items;
    const more = Number(item?.['totalAmount']) + 100;
    await autotask.put('BillingItems', Number(item?.['id']), {
      quantity: 1,
      rate: more,
      extendedPrice: more,
      totalAmount: more,
      internalCurrencyTotalAmount: more,
    });
    const head = (await autotask.list('Invoices')).find((one) => one['id'] === reused);
    await autotask.put('Invoices', reused, { invoiceTotal: Number(head?.['invoiceTotal']) + 100 });
    await submit(product.tenant, jobRequest);
  },
};
