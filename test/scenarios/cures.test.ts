import { beforeEach, expect, test } from 'vitest';
import { exceptionsOf, obstaclesOf, type Exception } from '#core/reconciliation/close.ts';
import type { Settlement } from '#core/reconciliation/exception-actions.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { settleException } from '#flows/close/settle.ts';
import { loggedIn, proveMonth } from '../support/month-end.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';

/** Each fix offered on Month-end settles its difference in both sandboxes. */
const world = eachWorld({ settings: { pay_sync_active: true } });
beforeEach(async () => {
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
});

const march = month('2025-03');

const found = async (): Promise<readonly Exception[]> =>
  exceptionsOf((await proveMonth(world)).proof).filter(({ psaId, kind }) => psaId === 48_213 && kind === 'invoice');
const settlementsOf = (exceptions: readonly Exception[]) =>
  exceptions.map((one) => [one.class, one.actions.filter((action) => action !== 'accept' && action !== 'carry')]);

/** Expects one difference with this fix, fixes it, and expects none afterward. */
async function settle(of: Exception['class'], action: Settlement): Promise<void> {
  const differences = await found();
  expect(settlementsOf(differences)).toEqual([[of, [action]]]);
  const key = differences[0]?.key ?? '';
  const job = await settleException(world.tenant, loggedIn(world), march, { key, action });
  await world.work();
  expect(await world.store.readJob(job.id)).toMatchObject({ status: 'finished', succeeded: 1, failed: 0 });
  expect(await found()).toEqual([]);
}

async function inAccounting(): Promise<JsonObject> {
  const [only, ...others] = (await world.quickbooks.list('Invoice')).filter((row) =>
    /Autotask invoice 48213\b/.test(String(row['PrivateNote'])),
  );
  expect(others).toEqual([]);
  if (only === undefined) throw new Error('invoice 48213 not found in QuickBooks');
  return only;
}
const change = async (more: JsonObject) => world.quickbooks.put('Invoice', String((await inAccounting())['Id']), more);
/** Debits less credits by account, for the invoice and its payments. */
async function ledger(): Promise<Readonly<Record<string, number>>> {
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/ledger`);
  const { entries } = (await answer.json()) as { entries: JsonObject[] };
  const payments = (await world.quickbooks.list('Payment')).filter((one) =>
    String(one['PrivateNote']).startsWith('Autotask invoice 48213'),
  );
  const ids = new Set([
    `Invoice ${String((await inAccounting())['Id'])}`,
    ...payments.map((one) => `Payment ${String(one['Id'])}`),
  ]);
  const cents = new Map<string, number>();
  for (const one of entries) {
    if (!ids.has(`${String(one['transaction_type'])} ${String(one['transaction_id'])}`)) continue;
    const name = String((one['account'] as JsonObject)['name']);
    const moved = Math.round((Number(one['debit']) - Number(one['credit'])) * 100);
    cents.set(name, (cents.get(name) ?? 0) + moved);
  }
  return Object.fromEntries([...cents].filter(([, amount]) => amount !== 0));
}

test('restores what was changed in QuickBooks: a due date, a number, the tax, and a day that Autotask changed', async () => {
  const [before, entries] = [await inAccounting(), await ledger()];
  await change({ DueDate: '2025-07-31' });
  await settle('due_differs', 'update_accounting');
  expect(await inAccounting()).toMatchObject({
    Id: before['Id'],
    DueDate: before['DueDate'],
    TotalAmt: before['TotalAmt'],
  });

  await change({ DocNumber: 'OTHER-9' });
  await settle('number_differs', 'update_accounting');
  expect(await inAccounting()).toMatchObject({ Id: before['Id'], DocNumber: before['DocNumber'] });

  const [first, ...rest] = (await inAccounting())['Line'] as readonly JsonObject[];
  const amount = Number(first?.['Amount']) + 41.25;
  const detail = { ...(first?.['SalesItemLineDetail'] as JsonObject), Qty: 1, UnitPrice: amount };
  await change({
    TxnTaxDetail: { TotalTax: 0 },
    Line: [{ ...first, Amount: amount, SalesItemLineDetail: detail }, ...rest],
  });
  await settle('amounts_moved', 'update_accounting');
  expect(await ledger()).toEqual(entries);

  await world.autotask.put('Invoices', 48_213, { invoiceDateTime: '2025-03-25T12:00:00Z' });
  await settle('date_differs', 'update_accounting');
  expect(await inAccounting()).toMatchObject({ TxnDate: '2025-03-25', TotalAmt: 1966.25 });
});

test('restores a location that was changed in QuickBooks', async () => {
  const [kept] = await world.quickbooks.list('Preferences');
  const accounting = { ...(kept?.['AccountingInfoPrefs'] as JsonObject), TrackDepartments: true };
  await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: accounting });
  await world.saveSettings({ location_by: 'department' });
  await world.advance(3_601);
  const of = async (psaId: number) =>
    (await world.quickbooks.list('Invoice')).find((row) =>
      new RegExp(`Autotask invoice ${psaId}\\b`).test(String(row['PrivateNote'])),
    );
  await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
  const row = await of(48_214);
  await world.quickbooks.put('Invoice', String(row?.['Id']), { DepartmentRef: { value: '210' } });
  const different = async () =>
    exceptionsOf((await proveMonth(world)).proof).find(
      (one) => one.psaId === 48_214 && one.class === 'location_differs',
    );
  const job = await settleException(world.tenant, loggedIn(world), march, {
    key: (await different())?.key ?? '',
    action: 'update_accounting',
  });
  await world.work();
  expect(await world.store.readJob(job.id)).toMatchObject({ status: 'finished', succeeded: 1, failed: 0 });
  expect((await of(48_214))?.['DepartmentRef']).toEqual(row?.['DepartmentRef']);
  expect(await different()).toBeUndefined();
});

test('restores an exchange rate that was changed in QuickBooks, and posts its worth', async () => {
  await world.sync('invoice', { mode: 'live', psaIds: [48_308] });
  const id = (await world.store.readPosting('invoice', 48_308))?.targetId ?? '';
  await world.quickbooks.put('Invoice', id, { ExchangeRate: 0.76 });
  const differing = async () => exceptionsOf((await proveMonth(world)).proof).filter(({ psaId }) => psaId === 48_308);
  const [exception] = await differing();
  expect(exception).toMatchObject({ class: 'rate_differs', actions: ['update_accounting', 'accept', 'carry'] });
  const settling = { key: exception?.key ?? '', action: 'update_accounting' } as const;
  const job = await settleException(world.tenant, loggedIn(world), march, settling);
  await world.work();
  expect(await world.store.readJob(job.id)).toMatchObject({ succeeded: 1 });
  expect(await differing()).toEqual([]);
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/ledger?transaction_type=Invoice&transaction_id=${id}`);
  const { entries } = (await answer.json()) as { entries: JsonObject[] };
  const sides = (side: 'debit' | 'credit') =>
    entries.map((one) => Math.round(Number(one[`home_${side}`]) * 100)).reduce((sum, cents) => sum + cents, 0);
  expect([sides('debit'), sides('credit')]).toEqual([119_912, 119_912]);
});

test('offers no fix while the total in Autotask is not the sum of its lines', async () => {
  await world.autotask.put('Invoices', 48_213, { invoiceTotal: 2000 });
  expect(settlementsOf(await found())).toEqual([['edited_in_psa', []]]);
});

test('offers no posting of an invoice that waits for approval', async () => {
  await world.saveSettings({ require_approval: true, inv_sync_active: true });
  await world.cycle();
  const waiting = exceptionsOf((await proveMonth(world)).proof).filter(
    ({ class: of }) => of === 'missing_awaits_approval',
  );
  expect(waiting.length).toBeGreaterThan(0);
  expect(waiting.flatMap(({ actions }) => actions.filter((one) => one === 'post'))).toEqual([]);
});

test.each([
  ['in the same month', 0],
  ['in a later month, where voids otherwise need a decision', 40 * 86_400],
])('voids an invoice that was voided in Autotask only, %s', async (_, seconds) => {
  world.clock.advance(seconds);
  await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: world.clock.now() });
  await settle('voided_in_psa', 'void');
  expect(await ledger()).toEqual({});
  expect(obstaclesOf((await proveMonth(world)).proof)).toEqual([]);
});

test.each(['void', 'sync_payment'] as const)('%s is reviewed first, and the test changes nothing', async (action) => {
  const change =
    action === 'void' ? { isVoided: true, voidedDate: world.clock.now() } : { paidDate: '2025-03-03T00:00:00Z' };
  await world.autotask.put('Invoices', 48_213, change);
  const [exception] = await found();
  const before = await inAccounting();
  const request = { key: exception?.key ?? '', action };
  const reviewed = await settleException(world.tenant, loggedIn(world), march, { ...request, mode: 'test' });
  await world.work();
  expect(await world.store.readJob(reviewed.id)).toMatchObject({ status: 'finished', succeeded: 1 });
  expect(await inAccounting()).toEqual(before);
  await settleException(world.tenant, loggedIn(world), march, { ...request, mode: 'live', reviewed: reviewed.id });
  await world.work();
  expect(await found()).toEqual([]);
});

test('offers no void after a payment was applied', async () => {
  const invoice = await inAccounting();
  await payInvoice(world, String(invoice['Id']), 100);
  await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: world.clock.now() });
  expect(settlementsOf(await found())).toEqual([['voided_in_psa', []]]);
});

test('pays an invoice that was paid in Autotask only, without waiting', async () => {
  await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-03T00:00:00Z' });
  await settle('paid_differs', 'sync_payment');
  expect(await inAccounting()).toMatchObject({ TotalAmt: 1966.25, Balance: 0 });
  const moved = await ledger();
  expect([moved['Undeposited Funds'], moved['Accounts Receivable']]).toEqual([196_625, undefined]);
});

test('writes the paid date of an invoice that was paid in QuickBooks only', async () => {
  const invoice = await inAccounting();
  await payInvoice(world, String(invoice['Id']), 1966.25, { on: '2025-03-02' });
  await settle('paid_differs', 'sync_payment');
  expect(String((await world.psaInvoice(48_213))['paidDate'])).toMatch(/^2025-03-02/);
});

test('offers a payment only in the direction of the settings', async () => {
  await world.saveSettings({ pay_direction: 'qbo_to_psa' });
  await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-03T00:00:00Z' });
  expect(settlementsOf(await found())).toEqual([['paid_differs', []]]);
});

test('offers no posting while QuickBooks is closed for the day and documents are held', async () => {
  await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-03-31' } });
  const missing = async () =>
    exceptionsOf((await proveMonth(world)).proof).filter(
      ({ kind, class: of }) => kind === 'invoice' && of.startsWith('missing_'),
    );
  expect((await missing()).length).toBeGreaterThan(0);
  expect((await missing()).flatMap(({ actions }) => actions.filter((one) => one === 'post'))).toEqual([]);
  await world.saveSettings({ closed_period_policy: 'next_open_day' });
  expect((await missing()).flatMap(({ actions }) => actions.filter((one) => one === 'post')).length).toBeGreaterThan(0);
});
