import { beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { mapExpenses } from '../support/mappings.ts';

/** Rules that are the same for each kind of document. */
const world = eachWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
beforeEach(() => mapExpenses(world.store));

const invoice = {
  kind: 'invoice',
  psaId: 48_213,
  entity: 'Invoice',
  note: 'invoice 48213',
  of: 'Invoices',
  field: 'invoiceNumber',
  link: 'DocNumber',
} as const;
const order = {
  kind: 'purchase_order',
  psaId: 3_310,
  entity: 'PurchaseOrder',
  note: 'purchase order 3310',
  of: 'PurchaseOrders',
  field: 'externalPONumber',
  link: 'DocNumber',
} as const;
const report = {
  kind: 'expense_report',
  psaId: 1_207,
  entity: 'Bill',
  note: 'expense report 1207',
  of: 'ExpenseReports',
  field: 'quickBooksReferenceNumber',
  link: 'Id',
} as const;
type Document = typeof invoice | typeof order | typeof report;

/** Tests a rule with these documents in one world. */
const testWith = (documents: readonly Document[], name: string, body: (one: Document) => Promise<void>) =>
  test(name, async () => {
    for (const one of documents) await body(one);
  });
const all = [invoice, order, report];

const sync = ({ kind, psaId }: Document, force = false) => world.sync(kind, { mode: 'live', force, psaIds: [psaId] });
const made = async ({ entity, note }: Document): Promise<readonly JsonObject[]> =>
  (await world.quickbooks.list(entity)).filter((row) =>
    new RegExp(`^Autotask ${note}[ ,:]`).test(String(row['PrivateNote'])),
  );
const reference = async ({ of, psaId, field }: Document) => (await world.autotask.item(of, psaId))[field] ?? '';
/** Expects documents in QuickBooks, and the reference of the last one in Autotask. */
async function expectLinked(one: Document, count = 1): Promise<void> {
  const rows = await made(one);
  expect([one.kind, rows.length]).toEqual([one.kind, count]);
  expect(await reference(one)).toBe(rows.at(-1)?.[one.link]);
}
const logsOf = async ({ psaId }: Document) => (await world.logs()).filter((log) => log.psaId === psaId);
/** Lets the next create of a document fail like this. */
const cut = ({ entity }: Document, action: JsonObject) =>
  world.quickbooks.fault({ match: { method: 'POST', path: `/${entity.toLowerCase()}$` }, times: 1, action });

testWith(all, 'syncing again changes nothing, and a forced sync creates one more', async (one) => {
  await sync(one);
  expect(world.resultOf(await sync(one), one.psaId)).toMatchObject({
    outcome: 'skipped',
    message: expect.stringMatching(/^Skipped: already synced as \d+\.$/),
  });
  await expectLinked(one);
  await world.advance(60);
  expect(await sync(one, true)).toMatchObject({ succeeded: 1 });
  await expectLinked(one, 2);
});

testWith(all, 'clearing the reference links the document again instead of creating a second', async (one) => {
  await sync(one);
  // The order was received meanwhile.
  await world.autotask.put(one.of, one.psaId, { [one.field]: '', ...(one.kind === 'purchase_order' && { status: 4 }) });
  expect(await sync(one)).toMatchObject({ succeeded: 1 });
  await expectLinked(one);
});

testWith(all, 'a document deleted in QuickBooks is created again by a normal sync', async (one) => {
  await sync(one);
  const [before] = await made(one);
  await world.quickbooks.remove(one.entity, String(before?.['Id']));
  await world.autotask.put(one.of, one.psaId, { [one.field]: '' });
  await sync(one);
  await expectLinked(one);
  expect((await made(one))[0]?.['Id']).not.toBe(before?.['Id']);
});

for (const requestid of ['all', 'none'])
  testWith(all, `a create whose response was lost is found again (requestid honored by ${requestid})`, async (one) => {
    await world.quickbooks.behave({ requestid });
    await cut(one, { reset: 'after' });
    expect(await sync(one)).toMatchObject({ succeeded: 1 });
    await expectLinked(one);
    expect(await logsOf(one)).toMatchObject([{ success: true }]);
  });

testWith(all, 'a create that is applied late is never sent twice', async (one) => {
  await world.quickbooks.behave({ requestid: 'none' });
  await cut(one, { reset: 'late', apply_after_seconds: 119 });
  const job = await sync(one);
  expect(world.resultOf(job, one.psaId)).toMatchObject({ outcome: 'pending' });
  // Any text in a running order counts as synced.
  expect(await reference(one)).toBe(one.kind === 'expense_report' ? 'IN PROCESS' : '');
  expect(await logsOf(one)).toEqual([]);
  if (one.kind === 'expense_report') {
    // A search meanwhile does not treat the mark as outdated.
    const { results } = await world.sync(one.kind, { mode: 'test' });
    expect(results.map(({ psaId }) => psaId)).not.toContain(one.psaId);
  }
  await world.advance(135);
  await world.work();
  await expectLinked(one);
  expect((await logsOf(one)).filter(({ isTest }) => !isTest)).toMatchObject([{ success: true }]);
  expect(world.resultOf((await world.store.readJob(job.id)) ?? job, one.psaId)).toMatchObject({ outcome: 'succeeded' });
});

testWith(all, 'a create that never arrived is sent again only after the wait', async (one) => {
  await cut(one, { reset: 'before' });
  await sync(one);
  expect(await made(one)).toEqual([]);
  await world.advance(135);
  await world.work();
  await expectLinked(one);
});

// An expense report is marked in Autotask before it is sent.
testWith([invoice, order], 'a reference that Autotask rejected is written later', async (one) => {
  await world.autotask.fault({
    match: { method: 'PATCH', path: `/${one.of}$` },
    times: 10,
    action: { status: 503, body: '' },
  });
  const job = await sync(one);
  expect(world.resultOf(job, one.psaId)?.message).toBe('It is in QuickBooks. Waiting to finish it.');
  expect(await made(one)).toHaveLength(1);
  await world.autotask.clearFaults();
  await world.advance(90);
  await world.work();
  await expectLinked(one);
  expect(await logsOf(one)).toMatchObject([{ success: true }]);
});
