import { beforeEach, describe, expect, test } from 'vitest';
import { readAttention } from '#flows/attention/list.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { today } from '../support/world.ts';

/** One record that QuickBooks cannot return stops only documents that may be this record. */
const world = eachWorld();

const ids = Array.from({ length: 12 }, (_, n) => 100_001 + n);
beforeEach(async () => {
  await world.autotask.reset({ today, invoices: ids.length, lines_per_invoice: 1 });
  // All documents are of one day.
  for (const id of ids) await world.autotask.put('Invoices', id, { invoiceDateTime: `${today}T00:00:00Z` });
});

/** Types an invoice in QuickBooks, and makes it unreadable. */
async function addUnreadable(fields: JsonObject = {}): Promise<string> {
  const made = await world.quickbooks.add('Invoice', {
    CustomerRef: { value: '58' },
    TxnDate: today,
    Line: [{ Amount: 5, DetailType: 'SalesItemLineDetail', SalesItemLineDetail: { ItemRef: { value: '21' } } }],
    ...fields,
  });
  const id = String((made['item'] as JsonObject)['Id']);
  await world.quickbooks.behave({ unreadable_id: Number(id) });
  return id;
}

const named = async () => (await readAttention(world.tenant)).groups.map(({ code, message }) => `${code} ${message}`);
const queries = async (since: number) =>
  (await world.quickbooks.journal()).filter(({ sequence, path }) => sequence > since && path.endsWith('/query')).length;

describe('an unreadable invoice of today', () => {
  test('stops no other invoice, is named under Needs attention, and costs few reads', async () => {
    const id = await addUnreadable({ DocNumber: 'TYPED-7' });
    const since = await world.quickbooks.lastRequest();
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(job).toMatchObject({ status: 'finished', succeeded: ids.length, failed: 0 });
    for (const psaId of ids) expect(await world.madeFor(psaId)).toHaveLength(1);
    expect(await named()).toEqual([
      expect.stringMatching(new RegExp(String.raw`^QBO_UNREADABLE QuickBooks cannot read Invoice \S+ \(id ${id}\)\.`)),
    ]);
    expect(await queries(since)).toBeLessThan(40);
    // It is not searched again at once.
    const again = await world.quickbooks.lastRequest();
    await world.autotask.put('Invoices', 48_214, { invoiceDateTime: `${today}T00:00:00Z` });
    expect(await world.sync('invoice', { mode: 'live', psaIds: [48_214] })).toMatchObject({ succeeded: 1 });
    expect(await queries(again)).toBeLessThan(14);
    // Once it can be read, it is no longer named.
    await world.quickbooks.behave({ unreadable_id: 0 });
    await world.advance(60);
    await world.quickbooks.put('Invoice', id, { CustomerMemo: { value: 'Corrected' } });
    await world.saveSettings({ pay_sync_active: true });
    await world.advance(2 * 86_400);
    await world.cycle();
    expect(await named()).toEqual([]);
  });

  test('also stops no test run', async () => {
    await addUnreadable();
    expect(await world.sync('invoice', { mode: 'test', psaIds: ids })).toMatchObject({ succeeded: ids.length });
  });

  test('holds the document that it may be, with its name, and no other', async () => {
    // A ledger that lost the posting.
    const [first = 0] = ids;
    await world.sync('invoice', { mode: 'live', psaIds: [first] });
    const [ours] = await world.madeFor(first);
    const [lost = 0] = ids.slice(1);
    const id = await addUnreadable({ PrivateNote: String(ours?.['PrivateNote']).replace(String(first), String(lost)) });
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids.slice(1) });
    expect(job).toMatchObject({ status: 'finished', succeeded: ids.length - 2 });
    expect(world.resultOf(job, lost)).toMatchObject({ outcome: 'held' });
    const log = (await world.logs()).find(({ psaId, isTest }) => psaId === lost && !isTest);
    expect(log?.problems).toMatchObject([
      { code: 'QBO_UNREADABLE', treatment: 'held', message: expect.stringContaining(`(id ${id})`) },
    ]);
    expect(await world.madeFor(lost)).toHaveLength(1);
    // It is linked once it can be read.
    await world.quickbooks.behave({ unreadable_id: 0 });
    await world.sync('invoice', { mode: 'live', psaIds: [lost] });
    expect(await world.madeFor(lost)).toHaveLength(1);
  });
});

test('an unreadable invoice with the number of a new one holds only that one', async () => {
  await world.saveSettings({ inv_numbering_option: 'autotask' });
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
  for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: `N-${id}` });
  const [first = 0, ...others] = ids;
  await addUnreadable({ DocNumber: `N-${first}` });
  const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
  expect(job).toMatchObject({ status: 'finished', succeeded: others.length });
  expect(await world.madeFor(first)).toEqual([]);
  expect((await world.logs()).filter(({ psaId }) => psaId === first)).toHaveLength(1);
});

test('a posted invoice that became unreadable stops no other one', async () => {
  const [first = 0, ...others] = ids;
  await world.sync('invoice', { mode: 'live', psaIds: [first] });
  const { targetId } = (await world.store.readPosting('invoice', first)) ?? {};
  await world.quickbooks.behave({ unreadable_id: Number(targetId) });
  const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
  expect(job.results).toHaveLength(ids.length);
  for (const psaId of others) expect(world.resultOf(job, psaId)).toMatchObject({ outcome: 'succeeded' });
  expect(await world.madeFor(first)).toHaveLength(1);
  // An update of it is held.
  const update = await world.sync('invoice', { mode: 'live', revises: true, psaIds: [first] });
  expect(world.resultOf(update, first)).toMatchObject({ outcome: 'held' });
});

test('an invoice whose response was lost waits while it is unreadable, and is found afterward', async () => {
  const [first = 0, ...others] = ids;
  await world.quickbooks.fault({ match: { method: 'POST', path: '/invoice$' }, times: 1, action: { reset: 'after' } });
  let isHidden = false;
  const job = await world.sync('invoice', { mode: 'live', psaIds: [first] }, async (name, when) => {
    if (isHidden || name !== 'commit:unsure' || when !== 'before') return;
    isHidden = true;
    const [made] = await world.madeFor(first);
    await world.quickbooks.behave({ unreadable_id: Number(made?.['Id']) });
  });
  expect(isHidden).toBe(true);
  expect(world.resultOf(job, first)).toMatchObject({ outcome: 'pending' });
  expect(await world.sync('invoice', { mode: 'live', psaIds: others })).toMatchObject({ succeeded: others.length });
  await world.quickbooks.behave({ unreadable_id: 0 });
  await world.advance(3_600);
  await world.work();
  expect(await world.madeFor(first)).toHaveLength(1);
  expect((await world.store.readPosting('invoice', first))?.status).toBe('synced');
});

test.each([
  ['item', 'Item', '21'],
  ['account', 'Account', '2'],
  ['customer', 'Customer', '58'],
] as const)('an unreadable %s stops nothing, and is named until it can be read', async (_, entity, id) => {
  await world.quickbooks.behave({ unreadable_id: Number(id) });
  const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
  expect(job).toMatchObject({ status: 'finished', succeeded: ids.length, failed: 0 });
  expect(await named()).toEqual([
    expect.stringMatching(new RegExp(String.raw`^QBO_UNREADABLE QuickBooks cannot read ${entity} .+ \(id ${id}\)\.`)),
  ]);
  await world.quickbooks.behave({ unreadable_id: 0 });
  await world.quickbooks.put(entity, id, entity === 'Customer' ? { Notes: 'Checked' } : { Description: 'Checked' });
  await world.advance(3_600);
  await world.sync('invoice', { mode: 'test', psaIds: ids.slice(0, 1) });
  expect(await named()).toEqual([]);
});
