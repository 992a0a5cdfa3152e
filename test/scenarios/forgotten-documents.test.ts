import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listAttention } from '#flows/attention/list.ts';
import { readCdc } from '#flows/connections/cached-lists.ts';
import { ProcessEnded } from '#flows/context.ts';
import { restoreAndStart, takeBackup, type Backup } from '../support/backup.ts';
import { newWorld, type World } from '../support/world.ts';

/** Documents were posted, and told to the PSA, after the backup that our database is put back to. */
let world: World;
let backup: Backup;
beforeEach(async () => {
  world = await newWorld({
    settings: {
      pay_sync_active: true,
      void_sync_active: true,
      po_payable_account: '20',
      exp_cash_advance_expense_account: '25',
      void_across_months: 'credit_memo',
    },
  });
  // Two invoices of the sample world are voided already; here they are not.
  for (const id of [48_312, 48_313]) await world.autotask.put('Invoices', id, { isVoided: false });
  await world.store.saveMappings(
    [
      ['ExpenseCategoryBillable', '41', '11'],
      ['ExpenseCategoryNonBillable', '42', '12'],
      ['ExpenseCategoryNonBillable', '43', '13'],
    ].map(([namespace, sourceValue, targetValue]) => ({
      namespace: namespace as 'ExpenseCategoryBillable',
      sourceEntity: 'ExpenseCategory',
      sourceValue: String(sourceValue),
      sourceLabel: null,
      targetEntity: 'Account',
      targetValue: String(targetValue),
      targetLabel: null,
    })),
  );
  await world.cycle();
  backup = await takeBackup(world.database.url);
});
afterEach(() => world.close());

const psaId = 48_213;
const day = 86_400;

const post = () => world.sync('invoice', { mode: 'live', psaIds: [psaId] });
const restore = async () => {
  await restoreAndStart(world, backup);
  await world.reconnectBooks();
};
const ofInvoice = async (entity: string) =>
  (await world.quickbooks.list(entity)).filter((row) => /Autotask invoice 48213\b/.test(String(row['PrivateNote'])));

/** The customer pays the whole of it. */
const pay = (targetId: string | null | undefined) =>
  world.quickbooks.add('Payment', {
    CustomerRef: { value: '58' },
    TxnDate: '2025-03-04',
    TotalAmt: 1966.25,
    Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: targetId ?? '', TxnType: 'Invoice' }] }],
  });

test('a customer who pays one of them is told to the PSA, and the log says that it was taken into our records', async () => {
  expect(await post()).toMatchObject({ succeeded: 1 });
  const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
  await restore();
  expect(await world.store.readPosting('invoice', psaId)).toBeNull();
  await pay(targetId);
  await world.advance(day);
  await world.cycle();
  expect(await world.store.readPosting('invoice', psaId)).toMatchObject({ status: 'synced', generation: 1, targetId });
  expect(String((await world.psaInvoice(psaId))['paidDate'])).toMatch(/^2025-03-04/);
  const taken = (await world.logs()).filter(({ message }) => message.startsWith('Taken into our records'));
  expect(taken).toMatchObject([{ type: 'invoice', psaId, success: true, number: expect.any(String) }]);
});

test('a customer who pays before one of them is found again is told to the PSA once it is', async () => {
  await post();
  const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
  // Nothing tells that it was posted, so it is found by its own sync alone.
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

test('one that is voided in the PSA afterwards is voided in the books', async () => {
  await post();
  await restore();
  await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
  await world.cycle();
  expect(await ofInvoice('Invoice')).toMatchObject([{ TotalAmt: 0 }]);
});

test('a payment of ours is not made again, and counts as ours', async () => {
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

/** One line of the invoice costs 40.00 more than when it was posted. */
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

test('a difference that was billed is known again, and not billed once more', async () => {
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

describe('while what is forgotten cannot be looked for', () => {
  /** The books are struck as often as one request is tried. */
  const failsLook = () =>
    world.quickbooks.fault({ match: { path: '/batch$' }, times: 3, action: { status: 503, body: '' } });
  beforeEach(async () => {
    await post();
    await retakeBackup();
    await addToInvoice();
    expect(await billDifference()).toMatchObject({ succeeded: 1 });
    await restore();
  });

  test('an invoice is not voided of which a difference was billed', async () => {
    await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
    await failsLook();
    await world.cycle();
    expect((await ofInvoice('Invoice')).map((row) => row['TotalAmt'])).toEqual([1966.25, 40]);
    const [said] = (await world.logs()).filter(({ type, success }) => type === 'void' && !success);
    expect(said?.message).toMatch(/40\.00/);
  });

  test('an invoice is not changed of which a difference was billed', async () => {
    await failsLook();
    await world.sync('invoice', { mode: 'live', psaIds: [psaId], revises: true });
    expect((await ofInvoice('Invoice')).map((row) => row['TotalAmt'])).toEqual([1966.25, 40]);
  });
});

test('a credit memo that took back a void of an earlier month is not made again', async () => {
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

test('a credit memo that our records do not know is looked for before another one is made', async () => {
  await post();
  await retakeBackup();
  await world.advance(31 * day);
  await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
  await world.cycle();
  expect(await ofInvoice('CreditMemo')).toHaveLength(1);
  // Nothing says that the database is an older one: it was put in place at once.
  await backup.restore();
  await world.reconnectBooks();
  await world.advance(2 * day);
  await world.cycle();
  await world.cycle();
  expect(await ofInvoice('CreditMemo')).toHaveLength(1);
});

test('another document of the same source, which was asked for, stands for it again', async () => {
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
] as const)('%s %i is known again', async (kind, id) => {
  expect(await world.sync(kind, { mode: 'live', psaIds: [id] })).toMatchObject({ succeeded: 1 });
  const { targetId } = (await world.store.readPosting(kind, id)) ?? {};
  await restore();
  await world.cycle();
  expect(await world.store.readPosting(kind, id)).toMatchObject({ status: 'synced', targetId });
});

test('what the PSA does not name is left to its own sync, which compares it first', async () => {
  await post();
  await restore();
  await world.autotask.put('Invoices', psaId, { invoiceNumber: '', webServiceDate: null, companyID: 176 });
  await world.cycle();
  expect(await world.store.readPosting('invoice', psaId)).toBeNull();
  expect(await post()).toMatchObject({ failed: 1 });
  expect(await ofInvoice('Invoice')).toHaveLength(1);
});

describe('one that was deleted in the books meanwhile, which nothing there tells of any more,', () => {
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

  test('needs somebody, with its amount, and is said once', async () => {
    expect(await needsYou()).toMatchObject([gone]);
    await restoreAndStart(world, await retakeBackup());
    await world.cycle();
    expect(await needsYou()).toMatchObject([gone]);
    expect((await world.logs()).filter(({ problems }) => problems[0]?.code === 'MISSING_IN_BOOKS')).toHaveLength(1);
  });

  test('is told again by whoever syncs it as usual, and synced when its number stands there', async () => {
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

  test('is settled by a void in the PSA', async () => {
    await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: world.clock.now() });
    await world.cycle();
    expect(await needsYou()).toEqual([]);
  });

  test('is made anew, once, by whoever asks for it', async () => {
    expect(await world.sync('invoice', { mode: 'live', psaIds: [psaId], force: true })).toMatchObject({ succeeded: 1 });
    expect(await ofInvoice('Invoice')).toHaveLength(1);
    expect(await needsYou()).toEqual([]);
  });
});

test('one that had only been taken up when the backup was made, and was deleted in the books since, needs somebody', async () => {
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

test('one whose note somebody has taken away is still in the books by its number', async () => {
  await post();
  const [document] = await ofInvoice('Invoice');
  await world.quickbooks.put('Invoice', String(document?.['Id']), { PrivateNote: '' });
  await restore();
  await world.cycle();
  expect(await listAttention(world.tenant)).toEqual([]);
});

test('a worker that dies over it does it again', async () => {
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

test('a payment of which QuickBooks has told the lost records alone is told to the PSA by the next cycles', async () => {
  await post();
  const { targetId } = (await world.store.readPosting('invoice', psaId)) ?? {};
  // Messages come, so the feed is read once a day.
  await world.store.addToInbox([{ record: 'invoice', id: targetId ?? '' }], { isWebhook: true });
  await world.cycle();
  await retakeBackup();
  await pay(targetId);
  await world.advance(3_600);
  await restore();
  await world.cycle();
  await world.cycle();
  expect(String((await world.psaInvoice(psaId))['paidDate'])).toMatch(/^2025-03-04/);
});

describe('the feed was read before anybody looked', () => {
  const fails = async () => {
    await world.quickbooks.fault({ match: { path: '/batch$' }, action: { status: 503, body: '' } });
    await world.cycle();
    await world.quickbooks.clearFaults();
  };
  const isShown = async () => readCdc(world.tenant, await world.tenant.accounting());

  test.each([
    ['a session whose look fails', fails],
    ['a screen that was opened', isShown],
  ])('by %s: it is taken in all the same, and its payment told', async (_, readFeed) => {
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

test('it is looked for once, in one call', async () => {
  await post();
  await restore();
  const looks = async () =>
    (await world.quickbooks.journal()).filter(({ request_body: body = '' }) =>
      /FROM PurchaseOrder .*LastUpdatedTime/.test(body),
    );
  await world.cycle();
  expect(await looks()).toHaveLength(1);
  await world.cycle();
  expect(await looks()).toHaveLength(1);
});

/** Another backup, of a later moment. */
async function retakeBackup(): Promise<Backup> {
  await backup.forget();
  backup = await takeBackup(world.database.url);
  return backup;
}
