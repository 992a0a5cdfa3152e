import { beforeEach, describe, expect, test } from 'vitest';
import { listAttention } from '#flows/attention/list.ts';
import { readCdc } from '#flows/connections/cached-lists.ts';
import { ProcessEnded } from '#flows/context.ts';
import { markRestored } from '#store/restored.ts';
import { restoreAndStart, takeBackup, type Backup } from '../support/backup.ts';
import { asOwner } from '../support/database.ts';
import { mapExpenses } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';

/** Documents were posted and written back after the backup to which the database is restored. */
const world = eachWorld({
  settings: {
    pay_sync_active: true,
    void_sync_active: true,
    po_payable_account: '20',
    exp_cash_advance_expense_account: '25',
    void_across_months: 'credit_memo',
  },
});
let backup: Backup;
beforeEach(async () => {
  // Two sample invoices are already voided; this restores them.
  for (const id of [48_312, 48_313]) await world.autotask.put('Invoices', id, { isVoided: false });
  await mapExpenses(world.store);
  await world.cycle();
  backup = await takeBackup(world.database.url);
});

const psaId = 48_213;
const day = 86_400;

const post = () => world.sync('invoice', { mode: 'live', psaIds: [psaId] });
const restore = async () => {
  await restoreAndStart(world, backup);
  await world.reconnectAccounting();
};
const ofInvoice = async (entity: string) =>
  (await world.quickbooks.list(entity)).filter((row) => /Autotask invoice 48213\b/.test(String(row['PrivateNote'])));

/** Pays the entire document. */
const pay = (targetId: string | null | undefined) => payInvoice(world, targetId ?? '', 1966.25, { on: '2025-03-04' });

test('writes a payment of one to Autotask, and logs that the document was adopted', async () => {
  expect(await post()).toMatchObject({ succeeded: 1 });
  const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
  await restore();
  expect(await world.store.readPosting('invoice', psaId)).toBeNull();
  await pay(targetId);
  await world.advance(day);
  await world.cycle();
  expect(await world.store.readPosting('invoice', psaId)).toMatchObject({ status: 'synced', generation: 1, targetId });
  expect(String((await world.psaInvoice(psaId))['paidDate'])).toMatch(/^2025-03-04/);
  const taken = (await world.logs()).filter((log) => log.psaId === psaId && log.message.startsWith('Recorded: '));
  expect(taken).toMatchObject([{ type: 'invoice', psaId, success: true, number: expect.any(String) }]);
});

test('writes a payment from before one is found again to Autotask afterward', async () => {
  await post();
  const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
  // Autotask has no reference, so only its own sync finds it.
  await world.autotask.put('Invoices', psaId, { invoiceNumber: '', webServiceDate: null });
  await restore();
  await pay(targetId);
  await world.saveSettings({ inv_sync_active: false });
  await world.advance(day);
  await world.cycle();
  expect(await world.store.readPosting('invoice', psaId)).toBeNull();
  expect((await post()).results[0]?.message).toMatch(/^Relinked/);
  await world.advance(3_600);
  await world.cycle();
  expect(String((await world.psaInvoice(psaId))['paidDate'])).toMatch(/^2025-03-04/);
});

test('voids one in QuickBooks that is voided in Autotask later', async () => {
  await post();
  await restore();
  await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
  await world.cycle();
  expect(await ofInvoice('Invoice')).toMatchObject([{ TotalAmt: 0 }]);
});

test("does not repeat the product's payment, and recognizes it", async () => {
  await world.saveSettings({ pay_direction: 'psa_to_qbo', pay_grace_hours: 0 });
  await post();
  await world.autotask.put('Invoices', psaId, { paidDate: '2025-03-04T00:00:00Z' });
  await world.advance(day);
  await world.cycle();
  expect(await ofInvoice('Payment')).toHaveLength(1);
  await restore();
  await world.saveSettings({ pay_direction: 'psa_to_qbo', pay_grace_hours: 0 });
  await world.advance(day);
  await world.cycle();
  expect(await ofInvoice('Payment')).toHaveLength(1);
  expect(await world.store.readPosting('payment', psaId)).toMatchObject({ status: 'synced', targetType: 'Payment' });
});

/** Raises a line by 40.00 after posting. */
async function addToInvoice(): Promise<void> {
  const [line] = (await world.autotask.list('BillingItems')).filter((row) => row['invoiceID'] === psaId);
  const amount = Number(line?.['totalAmount']) + 40;
  await world.autotask.put('BillingItems', Number(line?.['id']), {
    totalAmount: amount,
    internalCurrencyTotalAmount: amount,
  });
  await world.autotask.put('Invoices', psaId, { invoiceTotal: 2_006.25 });
}

const billDifference = () => world.sync('difference', { mode: 'live', psaIds: [psaId] });

test('recognizes a billed difference and does not bill it again', async () => {
  await post();
  await retakeBackup();
  await addToInvoice();
  expect(await billDifference()).toMatchObject({ succeeded: 1 });
  await restore();
  await world.cycle();
  expect(await world.store.listPostings('difference', [psaId])).toMatchObject([{ status: 'synced', wasAdopted: true }]);
  await billDifference();
  expect((await ofInvoice('Invoice')).map((row) => row['TotalAmt'])).toEqual([1966.25, 40]);
});

describe('while forgotten documents cannot be searched', () => {
  /** Lets each search fail as often as a request is retried. */
  const failsLook = () =>
    world.quickbooks.fault({ match: { path: '/batch$' }, times: 3, action: { status: 503, body: '' } });
  beforeEach(async () => {
    await post();
    await retakeBackup();
    await addToInvoice();
    expect(await billDifference()).toMatchObject({ succeeded: 1 });
    await restore();
  });

  test('an invoice with a billed difference is not voided', async () => {
    await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
    await failsLook();
    await world.cycle();
    expect((await ofInvoice('Invoice')).map((row) => row['TotalAmt'])).toEqual([1966.25, 40]);
    const [said] = (await world.logs()).filter(({ type, success }) => type === 'void' && !success);
    expect(said?.message).toMatch(/40\.00/);
  });

  test('an invoice with a billed difference is not updated', async () => {
    await failsLook();
    await world.sync('invoice', { mode: 'live', psaIds: [psaId], revises: true });
    expect((await ofInvoice('Invoice')).map((row) => row['TotalAmt'])).toEqual([1966.25, 40]);
  });
});

test('does not repeat a credit memo for a void of an earlier month', async () => {
  await post();
  await world.advance(31 * day);
  await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
  await world.cycle();
  expect(await ofInvoice('CreditMemo')).toHaveLength(1);
  await restore();
  await world.cycle();
  await world.cycle();
  expect(await ofInvoice('CreditMemo')).toHaveLength(1);
  expect(await world.store.readPosting('void', psaId)).toMatchObject({ status: 'synced', targetType: 'CreditMemo' });
});

test('searches for a credit memo missing in the ledger before it creates one', async () => {
  await post();
  await retakeBackup();
  await world.advance(31 * day);
  await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
  await world.cycle();
  expect(await ofInvoice('CreditMemo')).toHaveLength(1);
  // The database was restored while the product kept running, so the restore is not detected.
  await backup.restore();
  await world.reconnectAccounting();
  await world.advance(2 * day);
  await world.cycle();
  await world.cycle();
  expect(await ofInvoice('CreditMemo')).toHaveLength(1);
});

test('recognizes a forced document of the same source', async () => {
  await post();
  await retakeBackup();
  await world.sync('invoice', { mode: 'live', psaIds: [psaId], force: true });
  const second = (await world.store.readPosting('invoice', psaId))?.targetId;
  expect(await ofInvoice('Invoice')).toHaveLength(2);
  await restore();
  await world.cycle();
  expect(await world.store.readPosting('invoice', psaId)).toMatchObject({
    status: 'synced',
    generation: 2,
    targetId: second,
  });
});

test.each([
  ['purchase_order', 3_310],
  ['expense_report', 1_207],
] as const)('recognizes %s %i', async (kind, id) => {
  expect(await world.sync(kind, { mode: 'live', psaIds: [id] })).toMatchObject({ succeeded: 1 });
  const { targetId } = (await world.store.readPosting(kind, id)) ?? {};
  await restore();
  await world.cycle();
  expect(await world.store.readPosting(kind, id)).toMatchObject({ status: 'synced', targetId });
});

test('leaves documents without a reference in Autotask to their own sync, which compares them first', async () => {
  await post();
  await restore();
  await world.autotask.put('Invoices', psaId, { invoiceNumber: '', webServiceDate: null, companyID: 176 });
  await world.cycle();
  expect(await world.store.readPosting('invoice', psaId)).toBeNull();
  expect(await post()).toMatchObject({ failed: 1 });
  expect(await ofInvoice('Invoice')).toHaveLength(1);
});

describe('one that was deleted in QuickBooks, which the feed no longer reports,', () => {
  const needsYou = async () => (await listAttention(world.tenant)).filter(({ state }) => state === 'needs_you');
  const gone = {
    code: 'MISSING_IN_BOOKS',
    documents: [{ type: 'invoice', psaId, amount: '1966.25', currency: 'USD' }],
  };
  beforeEach(async () => {
    await post();
    const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
    await world.quickbooks.remove('Invoice', targetId ?? '');
    await restore();
    await world.cycle();
  });

  test('needs attention, with its amount, and is reported once', async () => {
    expect(await needsYou()).toMatchObject([gone]);
    await restoreAndStart(world, await retakeBackup());
    await world.cycle();
    expect(await needsYou()).toMatchObject([gone]);
    expect((await world.logs()).filter(({ problems }) => problems[0]?.code === 'MISSING_IN_BOOKS')).toHaveLength(1);
  });

  test('is reported again by a manual sync, and synced when its number exists', async () => {
    expect(await post()).toMatchObject({ succeeded: 0, failed: 1 });
    expect(await needsYou()).toMatchObject([gone]);
    const test = await world.sync('invoice', { mode: 'test', psaIds: [psaId] });
    expect(test).toMatchObject({ failed: 1 });
    const number = String((await world.psaInvoice(psaId))['invoiceNumber']);
    const item = (await world.quickbooks.list('Item')).find(({ IncomeAccountRef: account }) => account !== undefined);
    await world.quickbooks.add('Invoice', {
      DocNumber: number,
      CustomerRef: { value: '58' },
      Line: [
        {
          Amount: 1966.25,
          DetailType: 'SalesItemLineDetail',
          SalesItemLineDetail: { ItemRef: { value: String(item?.['Id']) } },
        },
      ],
    });
    expect((await post()).results[0]?.message).toBe(`Skipped: already synced as ${number}.`);
    expect(await needsYou()).toEqual([]);
  });

  test('is settled by a void in Autotask', async () => {
    await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
    await world.cycle();
    expect(await needsYou()).toEqual([]);
  });

  test('is created again, once, by a forced sync', async () => {
    expect(await world.sync('invoice', { mode: 'live', psaIds: [psaId], force: true })).toMatchObject({ succeeded: 1 });
    expect(await ofInvoice('Invoice')).toHaveLength(1);
    expect(await needsYou()).toEqual([]);
  });
});

test('one that was only started at the backup and was deleted in QuickBooks needs attention', async () => {
  const dying = world.sync('invoice', { mode: 'live', psaIds: [psaId] }, (name, when) => {
    if (name === 'commit:posting' && when === 'before') throw new ProcessEnded();
  });
  await expect(dying).rejects.toThrow(ProcessEnded);
  await retakeBackup();
  await world.work();
  const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
  await world.quickbooks.remove('Invoice', targetId ?? '');
  await restore();
  await world.work();
  expect(await world.store.listBusy('invoice')).toEqual([]);
  expect(await listAttention(world.tenant)).toMatchObject([{ state: 'needs_you', code: 'MISSING_IN_BOOKS' }]);
});

test('finds one by its number if a user removed its note', async () => {
  await post();
  const [document] = await ofInvoice('Invoice');
  await world.quickbooks.put('Invoice', String(document?.['Id']), { PrivateNote: '' });
  await restore();
  await world.cycle();
  expect(await listAttention(world.tenant)).toEqual([]);
});

test('searches again after a worker died', async () => {
  await post();
  await restore();
  await expect(
    world.work((name, when) => {
      if (name === 'store.adoptPostings' && when === 'before') throw new ProcessEnded();
    }),
  ).rejects.toThrow(ProcessEnded);
  await world.advance(60);
  await world.cycle();
  expect(await world.store.readPosting('invoice', psaId)).toMatchObject({ status: 'synced' });
});

test('writes a payment to Autotask although only the lost records had its webhook', async () => {
  await post();
  const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
  // Webhooks arrive, so the feed is read once a day.
  await world.store.addToInbox([{ record: 'invoice', id: targetId ?? '' }], { isNotification: true });
  await world.cycle();
  await retakeBackup();
  await pay(targetId);
  await world.advance(3_600);
  // Without a new connection, which would make the feed due.
  await restoreAndStart(world, backup);
  await world.cycle();
  await world.cycle();
  expect(String((await world.psaInvoice(psaId))['paidDate'])).toMatch(/^2025-03-04/);
});

describe('after the feed was read too early', () => {
  const fails = async () => {
    await world.quickbooks.fault({ match: { path: '/batch$' }, action: { status: 503, body: '' } });
    await world.cycle();
    await world.quickbooks.clearFaults();
  };
  const isShown = async () => readCdc(world.tenant, await world.tenant.accounting());

  test.each([
    ['a session whose search fails', fails],
    ['an open screen', isShown],
  ])('by %s: it is adopted, and its payment written', async (_, readFeed) => {
    await post();
    const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
    await world.advance(3_600);
    await restore();
    await pay(targetId);
    await world.advance(3_600);
    await readFeed();
    expect(await world.store.readPosting('invoice', psaId)).toBeNull();
    await world.advance(2 * 3_600);
    await world.cycle();
    expect(await world.store.readPosting('invoice', psaId)).toMatchObject({ status: 'synced', targetId });
    expect(String((await world.psaInvoice(psaId))['paidDate'])).toMatch(/^2025-03-04/);
  });
});

describe('after services ran for days on a restored database that no operator reported', () => {
  const later = 48_214;
  const order = 3_310;
  beforeEach(async () => {
    await post();
    await world.sync('purchase_order', { mode: 'live', psaIds: [order] });
    await world.sync('invoice', { mode: 'live', psaIds: [later] });
    const { targetId } = (await world.store.readPosting('invoice', later)) ?? {};
    await backup.restore();
    await world.reconnectAccounting();
    await world.quickbooks.remove('Invoice', targetId ?? '');
  });

  test('a late report finds all documents, also one that was deleted in QuickBooks', async () => {
    for (let days = 0; days < 3; days += 1) {
      await world.advance(day);
      await world.cycle();
    }
    expect(await world.store.readPosting('invoice', psaId)).toBeNull();
    await asOwner(world.database.url, (owner) => markRestored(owner));
    await world.cycle();
    expect(await world.store.readPosting('invoice', psaId)).toMatchObject({ status: 'synced', wasAdopted: true });
    expect(await world.store.readPosting('purchase_order', order)).toMatchObject({ status: 'synced' });
    expect(await listAttention(world.tenant)).toMatchObject([
      { code: 'MISSING_IN_BOOKS', documents: [{ type: 'invoice', psaId: later }] },
    ]);
    expect(await ofInvoice('Invoice')).toHaveLength(1);
  });
});

test('a copy with the same number does not replace its document', async () => {
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
  await world.saveSettings({ inv_numbering_option: 'autotask' });
  await world.autotask.put('Invoices', psaId, { invoiceNumber: 'T-1' });
  await post();
  const [made] = await ofInvoice('Invoice');
  await retakeBackup();
  const item = (await world.quickbooks.list('Item')).find(({ IncomeAccountRef: account }) => account !== undefined);
  const SalesItemLineDetail = { ItemRef: { value: String(item?.['Id']) } };
  await world.quickbooks.add('Invoice', {
    CustomerRef: made?.['CustomerRef'] ?? null,
    PrivateNote: made?.['PrivateNote'] ?? null,
    DocNumber: 'T-2',
    Line: [{ Amount: 5, DetailType: 'SalesItemLineDetail', SalesItemLineDetail }],
  });
  const copy = (await ofInvoice('Invoice')).find((row) => row['DocNumber'] === 'T-2');
  await world.quickbooks.put('Invoice', String(copy?.['Id']), { DocNumber: made?.['DocNumber'] ?? null });
  await restore();
  await world.cycle();
  expect((await ofInvoice('Invoice')).map((row) => row['DocNumber'])).toEqual(['T-1', 'T-1']);
  expect(await world.store.readPosting('invoice', psaId)).toMatchObject({ targetId: made?.['Id'], generation: 1 });
});

test('it is searched once, in one call', async () => {
  await post();
  await restore();
  const looks = async () =>
    (await world.quickbooks.journal()).filter(({ request_body: body }) =>
      /FROM PurchaseOrder .*LastUpdatedTime/.test(body),
    );
  await world.cycle();
  expect(await looks()).toHaveLength(1);
  await world.cycle();
  expect(await looks()).toHaveLength(1);
});

/** Takes a newer backup. */
async function retakeBackup(): Promise<Backup> {
  backup = await takeBackup(world.database.url);
  return backup;
}
