import { consent } from '../support/connect-services.ts';
import { asOwner } from '../support/database.ts';
import { takeBackup } from '../support/backup.ts';
import { workOn, type Flow } from './flow.ts';
import { submit } from '#flows/sync/job/submit.ts';

/** One that was posted and told before our database was restored, and one that is asked for afterwards. */
const forgotten = 48_213;
const later = 48_214;
const actor = { username: 'admin@northwind-msp.example' };

/**
 * Our database is put back to a backup from before an invoice was posted (decision 19): the invoice is taken into the ledger,
 * its customer's payment told, and nothing is made again.
 */
export const restored: Flow = {
  name: 'restored ledger',
  settings: { pay_sync_active: true },
  asked: [
    { kind: 'invoice', psaId: forgotten, times: 1, end: 'done' },
    { kind: 'invoice', psaId: later, times: 1, end: 'done' },
  ],
  async prepare({ product, quickbooks, advance }) {
    const { app, tenant, databaseUrl } = product;
    const order = { kind: 'invoice', mode: 'live', force: false, actor } as const;
    // The feed has been read by these records.
    await advance(20 * 60);
    await workOn(product, 'preparation');
    const backup = await takeBackup(databaseUrl);
    await submit(tenant, { ...order, psaIds: [forgotten] });
    await workOn(product, 'preparation');
    const targetId = (await tenant.store.readPosting('invoice', forgotten))?.targetId;
    await backup.restore();
    await backup.forget();
    await asOwner(databaseUrl, (owner) => owner.query('update deployment_clock set gaps = gaps + 1'));
    // Somebody connects QuickBooks anew: its access was renewed after the backup, perhaps.
    const tokens = await consent(app);
    const books = (await tenant.store.listConnections()).find(({ service }) => service === 'accounting');
    if (books === undefined) throw new Error('the books are not connected');
    await tenant.store.saveConnection({ ...books, status: 'active' }, tokens);
    await quickbooks.call('POST', '/entities/Payment', {
      CustomerRef: { value: '58' },
      TxnDate: '2025-03-04',
      TotalAmt: 1966.25,
      Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: targetId, TxnType: 'Invoice' }] }],
    });
    await submit(tenant, { ...order, psaIds: [later] });
    // Nothing is told in a scene, so the feed is read once an hour.
    await advance(3_700);
  },
};

/** One whose number the PSA forgot, and one whose id it gave to an invoice that comes to a hundred more. */
const untold = 48_213;
const givenOut = 48_214;

/**
 * The PSA is put back to a backup from before two invoices were told: the one is linked again, the other is another invoice
 * by now, of which a person is asked.
 */
export const restoredPsa: Flow = {
  name: 'restored PSA',
  asked: [
    { kind: 'invoice', psaId: untold, times: 1, end: 'done' },
    { kind: 'invoice', psaId: givenOut, times: 1, end: 'refused', postedAt: '687.50', isAnother: true },
  ],
  async prepare({ product, autotask }) {
    const order = { kind: 'invoice', mode: 'live', force: false, psaIds: [untold, givenOut], actor } as const;
    await submit(product.tenant, order);
    await workOn(product, 'preparation');
    for (const id of [untold, givenOut]) await autotask.put('Invoices', id, { invoiceNumber: null });
    const items = (await autotask.list('BillingItems')).filter((one) => one['invoiceID'] === givenOut);
    const [item] = items;
    const more = Number(item?.['totalAmount']) + 100;
    await autotask.put('BillingItems', Number(item?.['id']), {
      quantity: 1,
      rate: more,
      extendedPrice: more,
      totalAmount: more,
      internalCurrencyTotalAmount: more,
    });
    const head = (await autotask.list('Invoices')).find((one) => one['id'] === givenOut);
    await autotask.put('Invoices', givenOut, { invoiceTotal: Number(head?.['invoiceTotal']) + 100 });
    await submit(product.tenant, order);
  },
};
