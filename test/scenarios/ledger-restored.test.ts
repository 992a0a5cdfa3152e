import { beforeEach, describe, expect, test } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { restoreAndStart, takeBackup } from '../support/backup.ts';
import { mapExpenses } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';
import { today } from '../support/world.ts';

const actor = { username: 'admin@northwind-msp.example' };

/** The database was lost after documents were posted, and an earlier backup is restored. */
const world = eachWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
beforeEach(async () => {
  await mapExpenses(world.store);
});

const kinds = [
  { kind: 'invoice', psaId: 48_213, entity: 'Invoice', noun: 'invoice' },
  { kind: 'purchase_order', psaId: 3_310, entity: 'PurchaseOrder', noun: 'purchase order' },
  { kind: 'expense_report', psaId: 1_207, entity: 'Bill', noun: 'expense report' },
] as const;
type Kind = (typeof kinds)[number];

const post = ({ kind, psaId }: Pick<Kind, 'kind' | 'psaId'>, mode: 'test' | 'live' = 'live') =>
  world.sync(kind, { mode, psaIds: [psaId] });

async function inAccounting({ entity, noun, psaId }: Kind): Promise<number> {
  const note = new RegExp(`Autotask ${noun} ${psaId}[ ,:]`);
  return (await world.quickbooks.list(entity)).filter((row) => note.test(String(row['PrivateNote'] ?? ''))).length;
}

const forgetInPsa = {
  invoice: () => world.autotask.put('Invoices', 48_213, { invoiceNumber: '', webServiceDate: null }),
  purchase_order: () => world.autotask.put('PurchaseOrders', 3_310, { externalPONumber: '' }),
  expense_report: () => world.autotask.put('ExpenseReports', 1_207, { quickBooksReferenceNumber: '' }),
} as const;

/** Tests a rule with each kind of document, in one world. */
const testKinds = (name: string, body: (one: Kind) => Promise<void>) =>
  test(name, async () => {
    for (const one of kinds) await body(one);
  });

testKinds('that was posted and written back is linked after its status was cleared, not posted again', async (one) => {
  const backup = await takeBackup(world.database.url);
  expect(await post(one)).toMatchObject({ succeeded: 1 });
  await backup.restore();
  await forgetInPsa[one.kind]();
  const tried = await post(one, 'test');
  expect(tried.results[0]?.message).toMatch(/^Relinked/);
  const job = await post(one);
  expect(job).toMatchObject({ succeeded: 1 });
  expect(job.results[0]?.message).toMatch(/^Relinked/);
  expect(await inAccounting(one)).toBe(1);
  expect(await world.store.readPosting(one.kind, one.psaId)).toMatchObject({ status: 'synced', generation: 1 });
  // From now on the ledger has it.
  expect((await post(one)).results[0]?.message).toMatch(/already synced/);
});

testKinds('that was posted but not written back gets its reference in the next cycle', async (one) => {
  const backup = await takeBackup(world.database.url);
  const dying = world.sync(one.kind, { mode: 'live', psaIds: [one.psaId] }, (name, when) => {
    if (name === 'commit:posted' && when === 'after') throw new ProcessEnded();
  });
  await expect(dying).rejects.toThrow(ProcessEnded);
  expect(await inAccounting(one)).toBe(1);
  await backup.restore();
  expect((await post(one)).results[0]?.message).toMatch(/^Relinked/);
  expect(await inAccounting(one)).toBe(1);
});

describe.each([
  ['only started', 'before', true],
  ['about to be sent', 'after', false],
] as const)('that was %s at the backup', (_, moment, wasAdopted) => {
  testKinds('is found again', async (one) => {
    const dying = world.sync(one.kind, { mode: 'live', psaIds: [one.psaId] }, (name, when) => {
      if (name === 'commit:posting' && when === moment) throw new ProcessEnded();
    });
    await expect(dying).rejects.toThrow(ProcessEnded);
    expect(await world.store.listBusy(one.kind)).toEqual([one.psaId]);
    const backup = await takeBackup(world.database.url);
    const takeOver = async () => {
      await world.work();
      // It may have arrived, so the search waits until it certainly ended.
      await world.advance(300);
      await world.work();
    };
    await takeOver();
    const made = await world.store.readPosting(one.kind, one.psaId);
    expect(made).toMatchObject({ status: 'synced' });
    await restoreAndStart(world, backup);
    await takeOver();
    expect(await world.store.readPosting(one.kind, one.psaId)).toMatchObject({
      status: 'synced',
      targetId: made?.targetId,
      wasAdopted,
    });
    expect(await inAccounting(one)).toBe(1);
  });
});

test('whose customer was perhaps sent at the backup is known again, although Autotask shows it as synced', async () => {
  // Its customer and its item are created first.
  const psaId = 48_307;
  const { companyID } = await world.psaInvoice(48_304);
  await world.autotask.put('Invoices', psaId, { companyID });
  await world.quickbooks.fault({ match: { path: '/customer$' }, times: 1, action: { reset: 'before' } });
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  const backup = await takeBackup(world.database.url);
  await world.advance(300);
  await world.work();
  const made = await world.store.readPosting('invoice', psaId);
  expect(made).toMatchObject({ status: 'synced' });
  await restoreAndStart(world, backup);
  await world.advance(300);
  await world.work();
  await world.cycle();
  expect(await world.store.readPosting('invoice', psaId)).toMatchObject({
    status: 'synced',
    targetId: made?.targetId,
    wasAdopted: true,
  });
  expect(await world.madeFor(psaId)).toHaveLength(1);
});

testKinds('forced is created once, although its job is restored', async (one) => {
  await world.quickbooks.behave({ requestid: 'none' });
  await post(one);
  const again = { mode: 'live', force: true, psaIds: [one.psaId] } as const;
  // The document in the ledger is not matched with another forced one.
  await world.sync(one.kind, again);
  await submit(world.tenant, { kind: one.kind, ...again, revises: false, actor });
  const backup = await takeBackup(world.database.url);
  await world.work();
  expect(await inAccounting(one)).toBe(3);
  await backup.restore();
  await world.work();
  expect(await inAccounting(one)).toBe(3);
  expect(await world.store.readPosting(one.kind, one.psaId)).toMatchObject({ status: 'synced', generation: 3 });
  await world.sync(one.kind, again);
  expect(await inAccounting(one)).toBe(4);
});

testKinds('forced is created once, even if it was adopted before its job was restored', async (one) => {
  await world.quickbooks.behave({ requestid: 'none' });
  await world.sync(one.kind, { mode: 'live', psaIds: [one.psaId] });
  const again = { mode: 'live', force: true, psaIds: [one.psaId] } as const;
  await submit(world.tenant, { kind: one.kind, ...again, revises: false, actor });
  const backup = await takeBackup(world.database.url);
  await world.work();
  expect(await inAccounting(one)).toBe(2);
  await restoreAndStart(world, backup);
  await world.work();
  expect(await inAccounting(one)).toBe(2);
  const [first, taken, second] = await world.store.listPostings(one.kind, [one.psaId]);
  expect([first?.wasAdopted, taken?.wasAdopted, second?.wasAdopted]).toEqual([false, true, false]);
  expect(second).toMatchObject({ status: 'synced', targetId: taken?.targetId });
  // Forced again, it matches neither of the two.
  await world.sync(one.kind, again);
  expect(await inAccounting(one)).toBe(3);
});

testKinds('forced is created although the ledger lost the first one', async (one) => {
  const backup = await takeBackup(world.database.url);
  await post(one);
  await backup.restore();
  // The sandbox's clock is hours ahead.
  await world.advance(4 * 3_600);
  await world.sync(one.kind, { mode: 'live', force: true, psaIds: [one.psaId] });
  expect(await inAccounting(one)).toBe(2);
});

testKinds('that was deleted in QuickBooks is created again', async (one) => {
  const backup = await takeBackup(world.database.url);
  await post(one);
  const posting = await world.store.readPosting(one.kind, one.psaId);
  await world.quickbooks.remove(one.entity, posting?.targetId ?? '');
  await backup.restore();
  await forgetInPsa[one.kind]();
  expect((await post(one)).results[0]?.message).toMatch(/was created/);
  expect(await inAccounting(one)).toBe(1);
});

test('whose id Autotask reused needs a decision', async () => {
  const backup = await takeBackup(world.database.url);
  await post(kinds[0]);
  await backup.restore();
  await forgetInPsa.invoice();
  const birchLegal = 176;
  await world.autotask.put('Invoices', 48_213, { companyID: birchLegal });
  expect(await post(kinds[0], 'test')).toMatchObject({ failed: 1 });
  expect(await post(kinds[0])).toMatchObject({ failed: 1 });
  expect((await world.logs()).at(-1)?.problems).toMatchObject([{ code: 'LINK_DIFFERS' }]);
  expect(await inAccounting(kinds[0])).toBe(1);
});

test('whose id Autotask reused needs a decision when forced, and a later forced sync creates one', async () => {
  const again = { mode: 'live', force: true, psaIds: [48_213] } as const;
  const backup = await takeBackup(world.database.url);
  await post(kinds[0]);
  await backup.restore();
  const birchLegal = 176;
  await world.autotask.put('Invoices', 48_213, { companyID: birchLegal });
  expect(await world.sync('invoice', again)).toMatchObject({ failed: 1 });
  expect((await world.logs()).at(-1)?.problems).toMatchObject([{ code: 'LINK_DIFFERS' }]);
  expect(await inAccounting(kinds[0])).toBe(1);
  // The sandbox's clock is hours ahead.
  await world.advance(4 * 3_600);
  expect(await world.sync('invoice', again)).toMatchObject({ succeeded: 1 });
  expect(await inAccounting(kinds[0])).toBe(2);
});

test('a worker that dies between the search and the ledger searches again', async () => {
  const backup = await takeBackup(world.database.url);
  await post(kinds[0]);
  await backup.restore();
  await forgetInPsa.invoice();
  const dying = world.sync('invoice', { mode: 'live', psaIds: [48_213] }, (name, when) => {
    if (name === 'commit:posting' && when === 'after') throw new ProcessEnded();
  });
  await expect(dying).rejects.toThrow(ProcessEnded);
  await world.advance(20);
  await world.work();
  expect(await inAccounting(kinds[0])).toBe(1);
  expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced' });
});

test('with Autotask’s numbers, a document with the number and the invoice in its note is adopted', async () => {
  const [preferences] = await world.quickbooks.list('Preferences');
  await world.quickbooks.put('Preferences', '1', {
    SalesFormsPrefs: { ...(preferences?.['SalesFormsPrefs'] as object), CustomTxnNumbers: true },
  });
  await world.saveSettings({ inv_numbering_option: 'autotask' });
  await world.autotask.put('Invoices', 48_213, { invoiceNumber: 'NW-7', webServiceDate: null });
  const backup = await takeBackup(world.database.url);
  expect(await post(kinds[0])).toMatchObject({ succeeded: 1 });
  await backup.restore();
  await world.autotask.put('Invoices', 48_213, { webServiceDate: null });
  expect((await post(kinds[0])).results[0]?.message).toMatch(/^Relinked/);
  expect(await inAccounting(kinds[0])).toBe(1);
});

test('the search costs one query for many documents', async () => {
  const before = (await world.quickbooks.journal()).length;
  await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214, 48_304] });
  const looks = (await world.quickbooks.journal())
    .slice(before)
    .filter(({ method, path, query }) => method === 'GET' && path.endsWith('/query') && query.includes('TxnDate'));
  expect(looks.length).toBeLessThanOrEqual(1);
});

describe('25 invoices', () => {
  const ids = Array.from({ length: 25 }, (_, n) => 100_001 + n);
  /** Queries and reads of sales documents since a request; each counts against Intuit's monthly limit. */
  const readsSince = async (last: number) =>
    (await world.quickbooks.journal())
      .filter(({ sequence }) => sequence > last)
      .flatMap(({ method, path, query, request_body: body }) => [
        ...(`${decodeURIComponent(query)} ${body}`.match(/FROM (Invoice|CreditMemo)\b/g) ?? []),
        ...(method === 'GET' && /\/(invoice|creditmemo)\/\d+/.test(path) ? [path] : []),
      ]);
  const clear = async () => {
    for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: '', webServiceDate: null });
  };

  test('are linked again with at most three reads, after their status was cleared, and after the ledger lost them', async () => {
    await world.autotask.reset({ today, invoices: ids.length, lines_per_invoice: 1 });
    const backup = await takeBackup(world.database.url);
    const sync = () => world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(await sync()).toMatchObject({ succeeded: ids.length });
    for (const lose of [clear, async () => (await backup.restore(), await clear())]) {
      await lose();
      const last = await world.quickbooks.lastRequest();
      const { results } = await sync();
      expect(results.filter(({ message }) => message.startsWith('Relinked'))).toHaveLength(ids.length);
      expect((await readsSince(last)).length).toBeLessThanOrEqual(3);
    }
  });
});
