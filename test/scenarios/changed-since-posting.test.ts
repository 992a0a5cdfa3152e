import { afterAll, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import { listChangedSincePosting } from '#flows/attention/list.ts';
import { proveMonthsOf } from '#flows/close/prove-open-months.ts';
import { readMonth } from '#flows/close/read.ts';
import { settleException } from '#flows/close/settle.ts';
import { decide } from '#flows/close/sign.ts';
import { mapExpenses } from '../support/mappings.ts';
import { newWorld } from '../support/world.ts';

/** Changes after posting are found at night, listed, and settled. */
const march = month('2025-03');
const world = await newWorld();
await world.sync('invoice', { mode: 'live' });
afterAll(() => world.close());

const administrator = () => ({
  jti: 'x',
  userId: 'x',
  username: 'admin@northwind-msp.example',
  roles: ['clientadmin'] as const,
  client: { id: world.tenant.tenantId, name: 'Northwind IT Services' },
  masquerader: null,
  emailIsProved: true,
  cookieHash: null,
  accessVersion: 0,
  proof: 'password' as const,
  endsAt: world.clock.now(),
});
const inAccounting = async () =>
  (await world.quickbooks.list('Invoice')).filter((row) =>
    String(row['PrivateNote'] ?? '').startsWith('Autotask invoice 48213'),
  );
const countOf = async () =>
  (await listChangedSincePosting(world.tenant)).find((one) => one.month === march)?.count ?? 0;
const proveAll = () => proveMonthsOf(world.app, world.tenant);

test('a deleted invoice is found at night, posted again with one click, and removed from the list', async () => {
  await proveAll();
  expect((await world.store.listCloses({ months: 12 })).map((one) => [one.month, one.preparedBy])).toEqual([
    ['2025-02', 'automatic'],
    ['2025-03', 'automatic'],
  ]);
  const before = await countOf();

  const [invoice] = await inAccounting();
  await world.quickbooks.remove('Invoice', String(invoice?.['Id']));
  await proveAll();
  expect(await countOf()).toBe(before + 1);

  const newest = (await world.store.listCloses({ month: march })).at(-1);
  const close = newest === undefined ? null : await world.store.readClose(newest.id);
  const deleted = exceptionsOf(close?.proof ?? { rows: [] }).find(
    ({ psaId, class: of }) => psaId === 48_213 && of === 'deleted_in_accounting',
  );
  expect(deleted?.actions).toContain('post_again');
  const settle = (action: 'post' | 'post_again') =>
    settleException(world.tenant, administrator(), march, { key: deleted?.key ?? '', action });
  await expect(settle('post')).rejects.toMatchObject({ code: 'not_possible' });
  const job = await settle('post_again');
  await world.work();
  expect(await world.store.readJob(job.id)).toMatchObject({ status: 'finished', succeeded: 1 });
  expect(await inAccounting()).toHaveLength(1);
  const { events } = await world.store.listAudit({ page: 1, pageSize: 5, text: 'difference' });
  expect(events.map(({ action, subject }) => [action, subject])).toEqual([['close.difference_settled', '2025-03']]);

  await proveAll();
  expect(await countOf()).toBe(before);
});

test('a resolved difference cannot be settled', async () => {
  const settled = settleException(world.tenant, administrator(), march, { key: 'invoice 1 USD none', action: 'post' });
  await expect(settled).rejects.toMatchObject({ code: 'not_found' });
});

test('a deleted bill and a deleted order are each listed once with their options, and posted again', async () => {
  await world.saveSettings({
    po_payable_account: '20',
    po_default_expense_account: '14',
    exp_cash_advance_expense_account: '25',
  });
  await mapExpenses(world.store);
  await world.sync('purchase_order', { mode: 'live', psaIds: [3310] });
  await world.sync('expense_report', { mode: 'live', psaIds: [1_207] });
  const order = await world.store.readPosting('purchase_order', 3310);
  const bill = await world.store.readPosting('expense_report', 1_207);
  expect([order?.status, bill?.status]).toEqual(['synced', 'synced']);
  const found = async () => {
    const months = await world.store.listCloses({ months: 12 });
    const closes = await Promise.all(
      [...new Map(months.map((one) => [one.month, one.id])).values()].map((id) => world.store.readClose(id)),
    );
    return closes.flatMap((close) =>
      exceptionsOf(close?.proof ?? { rows: [] })
        .filter(({ kind }) => kind === 'purchase_order' || kind === 'expense_report')
        .filter(({ psaId }) => psaId === 3310 || psaId === 1_207)
        .map(({ kind, psaId, class: of, key, actions }) => ({
          month: close?.month ?? march,
          kind,
          psaId,
          of,
          key,
          actions,
        })),
    );
  };
  await proveAll();
  expect(await found()).toEqual([]);

  await world.quickbooks.remove('PurchaseOrder', order?.targetId ?? '');
  await world.quickbooks.remove('Bill', bill?.targetId ?? '');
  await proveAll();
  const deleted = await found();
  expect(deleted.map(({ kind, psaId, of }) => [kind, psaId, of]).sort()).toEqual([
    ['expense_report', 1_207, 'deleted_in_accounting'],
    ['purchase_order', 3310, 'deleted_in_accounting'],
  ]);
  for (const one of deleted) {
    expect(one.actions).toContain('post_again');
    await settleException(world.tenant, administrator(), one.month, { key: one.key, action: 'post_again' });
    await world.work();
  }
  await proveAll();
  expect(await found()).toEqual([]);
  const again = [
    await world.store.readPosting('purchase_order', 3310),
    await world.store.readPosting('expense_report', 1_207),
  ];
  expect(again.map((one) => one?.status)).toEqual(['synced', 'synced']);
  expect(again.map((one) => one?.targetId)).not.toEqual([order?.targetId, bill?.targetId]);
});

test('a carried difference that is settled months later is no longer carried', async () => {
  await proveAll();
  const [invoice] = await inAccounting();
  await world.quickbooks.remove('Invoice', String(invoice?.['Id']));
  await proveAll();
  const newest = (await world.store.listCloses({ month: march })).at(-1);
  const close = newest === undefined ? null : await world.store.readClose(newest.id);
  const key =
    exceptionsOf(close?.proof ?? { rows: [] }).find(({ class: of }) => of === 'deleted_in_accounting')?.key ?? '';
  await decide(world.tenant, administrator(), march, { key, decision: 'carry', reason: 'Ask the customer.' });

  await world.advance(65 * 86_400);
  const carried = async () =>
    (await readMonth(world.tenant, month('2025-05'), 'ada')).carried.map(({ exception }) => exception.key);
  await proveAll();
  await proveAll();
  expect(await carried()).toEqual([key]);
  await settleException(world.tenant, administrator(), march, { key, action: 'post_again' });
  await world.work();
  expect(await inAccounting()).toHaveLength(1);
  await proveAll();
  expect(await carried()).toEqual([]);

  // Nothing is carried anymore, so the month is not proved again.
  const count = async () => (await world.store.listCloses({ month: march })).length;
  const before = await count();
  await proveAll();
  expect(await count()).toBe(before);
});
