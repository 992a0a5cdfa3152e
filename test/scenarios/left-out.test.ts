import { expect, test } from 'vitest';
import { month } from '#core/reconciliation/month.ts';
import { calendarDate } from '#core/values/dates.ts';
import { listChangedSincePosting, readAttention } from '#flows/attention/list.ts';
import { prepareClose } from '#flows/close/prepare.ts';
import { proveMonthsOf } from '#flows/close/prove-open-months.ts';
import { picklistNumber } from '@tallybridge/sandbox';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({
  settings: {
    inv_sync_active: true,
    po_sync_active: true,
    exp_sync_active: true,
    pay_sync_active: true,
    po_payable_account: '20',
    exp_cash_advance_expense_account: '25',
  },
});

const actor = { username: 'admin@northwind-msp.example' };
const day = 86_400;
const [february, march] = [month('2025-02'), month('2025-03')];

const leftOut = async () => (await readAttention(world.tenant)).left;
const prove = (of = march) => prepareClose(world.tenant, of, actor, 'test');
const ofKind = async (kind: string, because: string) =>
  (await leftOut()).find((one) => one.kind === kind && one.because === because);

/** No sync ran for N days, so documents left the age window. */
const outage = (days: number) => world.advance(days * day);

test('invoices beyond the age window after an outage are counted with their total until they are synced', async () => {
  await outage(20);
  await world.work();
  await prove();
  const found = await ofKind('invoice', 'age');
  expect(found?.psaIds).toContain(48_213);
  expect(found?.count).toBe(found?.psaIds.length);
  expect(found?.amounts.map(({ currency }) => currency)).toContain('USD');
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  const after = await ofKind('invoice', 'age');
  expect(after?.psaIds).not.toContain(48_213);
  expect(after?.count).toBe((found?.count ?? 0) - 1);
});

test.each([
  ['purchase_order', 3_310],
  ['expense_report', 1_207],
] as const)('so is %s %i', async (kind, psaId) => {
  await outage(90);
  for (const one of [february, march]) await prove(one);
  expect((await ofKind(kind, 'age'))?.psaIds).toContain(psaId);
});

test('documents from before the start date are counted separately, and not where no automatic sync is on', async () => {
  await world.saveSettings({ sync_start_date: calendarDate('2025-03-10') });
  await prove();
  expect((await ofKind('invoice', 'start'))?.psaIds).toContain(48_213);
  await world.saveSettings({ inv_sync_active: false });
  expect(await ofKind('invoice', 'start')).toBeUndefined();
});

test('a canceled order is reported with its status', async () => {
  await world.autotask.put('PurchaseOrders', 3_310, {
    status: picklistNumber('PurchaseOrders', 'status', 'Canceled'),
  });
  await prove(february);
  expect((await ofKind('purchase_order', 'status'))?.psaIds).toContain(3_310);
});

test('an invoice with a paid date beyond the age window is reported as a missing payment', async () => {
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  await outage(20);
  await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-04T00:00:00Z' });
  await world.work();
  await prove();
  expect(await ofKind('payment', 'age')).toMatchObject({
    psaIds: [48_213],
    count: 1,
    amounts: [{ currency: 'USD', amount: '1966.25' }],
  });
});

test('after a long outage each month since the last reconciliation is reconciled automatically', async () => {
  await proveMonthsOf(world.app, world.tenant);
  expect((await ofKind('invoice', 'age'))?.psaIds ?? []).not.toContain(48_213);
  await outage(75);
  await proveMonthsOf(world.app, world.tenant);
  expect((await ofKind('invoice', 'age'))?.psaIds).toContain(48_213);
  const months = (await world.store.listCloses({ months: 12 })).map((one) => one.month);
  expect([...new Set(months)]).toEqual(['2025-02', '2025-03', '2025-04', '2025-05']);
});

test('a void beyond the age window is reported as a change after posting, with its amount', async () => {
  await world.saveSettings({ void_sync_active: true });
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  const before = await listChangedSincePosting(world.tenant);
  await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: '2025-03-03T20:00:00Z' });
  await outage(20);
  await world.work();
  await prove();
  expect(before).toEqual([]);
  expect(await listChangedSincePosting(world.tenant)).toMatchObject([
    { month: march, count: 1, amounts: [{ currency: 'USD', amount: '1966.25' }] },
  ]);
});

test('an accepted difference on Month-end is no longer reported', async () => {
  await outage(20);
  await prove();
  const found = await ofKind('invoice', 'age');
  const [close] = await world.store.listLeftOut(13);
  expect(close).toBeDefined();
  for (const { key, amount } of await world.store.listLeftOut(13))
    await world.store.addDecision({
      month: march,
      key,
      amount: amount.startsWith('-') ? (amount.slice(1) as typeof amount) : (`-${amount}` as typeof amount),
      decision: 'accept',
      reason: 'billed by hand',
      by: actor.username,
      at: world.clock.now(),
    });
  expect(found?.count).toBeGreaterThan(0);
  expect(await leftOut()).toEqual([]);
});
