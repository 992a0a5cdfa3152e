import { describe, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import type { Settlement } from '#core/reconciliation/exception-actions.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { settleException } from '#flows/close/settle.ts';
import { eachWorld } from '../support/each-world.ts';
import { loggedIn, proveMonth } from '../support/month-end.ts';
import { movedSince, postedNow } from '../support/moved-since.ts';

/** Every document that was posted for an invoice is watched: reversals, differences and payments. */
const world = eachWorld({
  settings: {
    pay_sync_active: true,
    pay_direction: 'both',
    pay_grace_hours: 0,
    void_sync_active: true,
    void_across_months: 'credit_memo',
  },
});

const march = month('2025-03');
const problemsOf = async (psaId: number) =>
  (await world.logs())
    .filter((log) => log.psaId === psaId && log.type === 'payment')
    .flatMap(({ problems }) => problems.map(({ code }) => code));
const messagesOf = async (psaId: number) =>
  (await world.logs()).filter((log) => log.psaId === psaId && log.type === 'payment').map(({ message }) => message);
async function nextReading(): Promise<void> {
  await world.advance(3_600);
  await world.cycle();
}
const row = async (entity: string, id: string): Promise<JsonObject> =>
  (await world.quickbooks.list(entity)).find((one) => one['Id'] === id) ?? {};
const exceptions = async (of = march) => exceptionsOf((await proveMonth(world, of)).proof);
const ofMemo = async (id: string, of = march) =>
  (await exceptions(of)).filter(({ key }) => key.includes(`CreditMemo ${id} `)).map((one) => [one.class, one.amount]);
async function settle(key: string, action: Settlement) {
  const job = await settleException(world.tenant, loggedIn(world), march, { key, action });
  await world.work();
  return world.store.readJob(job.id);
}

describe('a credit memo that reverses a voided invoice', () => {
  /** Posts an invoice of February and voids it in March; returns the id of the credit memo. */
  async function reversed(): Promise<{ readonly id: string; readonly memo: string }> {
    await world.autotask.put('Invoices', 48_213, { invoiceDateTime: '2025-02-20T12:00:00Z' });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    const id = (await world.store.readPosting('invoice', 48_213))?.targetId ?? '';
    await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: '2025-03-03T00:00:00Z' });
    await world.cycle();
    const posting = await world.store.readPosting('void', 48_213);
    expect(posting).toMatchObject({ status: 'synced', targetType: 'CreditMemo' });
    await nextReading();
    expect(await problemsOf(48_213)).toEqual([]);
    expect(await ofMemo(posting?.targetId ?? '')).toEqual([]);
    return { id, memo: posting?.targetId ?? '' };
  }
  const change = async (memo: string, to: JsonObject) => world.quickbooks.put('CreditMemo', memo, to);

  test('that is deleted is reported, blocks the month, and is posted again on request', async () => {
    const { memo } = await reversed();
    const before = await postedNow(world);
    await world.quickbooks.remove('CreditMemo', memo);
    await nextReading();
    await nextReading();
    expect(await problemsOf(48_213)).toEqual(['EXTRA_GONE']);
    expect(await ofMemo(memo)).toEqual([['deleted_in_accounting', '1966.25']]);
    const found = (await exceptions()).find(({ key }) => key.includes(`CreditMemo ${memo} `));
    expect(found?.actions).toEqual(['void', 'accept', 'carry']);
    expect(await settle(found?.key ?? '', 'void')).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await movedSince(world, before)).toEqual({});
    expect(await ofMemo(memo)).toEqual([]);
    expect(await world.store.readPosting('void', 48_213)).toMatchObject({ status: 'synced' });
  });

  test('that is voided is reported and blocks the month', async () => {
    const { memo } = await reversed();
    await change(memo, {
      TotalAmt: 0,
      Balance: 0,
      RemainingCredit: 0,
      PrivateNote: 'Voided - Autotask invoice 48213 voided',
    });
    await nextReading();
    expect(await problemsOf(48_213)).toEqual(['EXTRA_GONE']);
    expect(await ofMemo(memo)).toEqual([['voided_in_accounting', '1966.25']]);
  });

  test('that is lowered, moved to another month or given to another customer is reported, and blocks the month', async () => {
    const { memo } = await reversed();
    const was = await row('CreditMemo', memo);
    await change(memo, { TotalAmt: 1900, Balance: 1900, RemainingCredit: 1900 });
    await nextReading();
    expect(await problemsOf(48_213)).toEqual(['CHANGED_SINCE']);
    expect(await ofMemo(memo)).toEqual([['edited_in_accounting', '66.25']]);
    await change(memo, { TotalAmt: 1966.25, Balance: 1966.25, RemainingCredit: 1966.25, TxnDate: '2025-04-02' });
    await nextReading();
    expect((await messagesOf(48_213)).at(-1)).toMatch(
      /^Credit memo .* was changed in QuickBooks .*: date Mar \d, 2025 → Apr 2, 2025\.$/,
    );
    expect(await ofMemo(memo)).toEqual([['date_edited', '1966.25']]);
    expect(await ofMemo(memo, month('2025-04'))).toEqual([['date_edited', '-1966.25']]);
    await change(memo, { TxnDate: was['TxnDate'] ?? '', CustomerRef: { value: '59' } });
    await nextReading();
    expect((await messagesOf(48_213)).at(-1)).toMatch(/customer Acme Dental → Birch Legal/);
    expect((await ofMemo(memo)).map(([name]) => name)).toEqual(['customer_differs']);
  });

  test('of an invoice that is not voided any more is reported and blocks the month', async () => {
    const { memo } = await reversed();
    await world.autotask.put('Invoices', 48_213, { isVoided: false });
    await change(memo, { CustomerMemo: { value: 'seen' } });
    await nextReading();
    expect(await problemsOf(48_213)).toEqual(['VOID_TAKEN_BACK']);
    expect(await ofMemo(memo)).toEqual([['void_taken_back', '-1966.25']]);
    await world.quickbooks.remove('CreditMemo', memo);
    await nextReading();
    expect(await ofMemo(memo)).toEqual([]);
  });
});

describe('a document that bills a difference', () => {
  async function billed(): Promise<string> {
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    const [line] = (await world.autotask.list('BillingItems')).filter(
      (one) => one['invoiceID'] === 48_213 && Number(one['totalAmount']) > 0,
    );
    await world.autotask.put('BillingItems', Number(line?.['id']), {
      totalAmount: Number(line?.['totalAmount']) + 100,
    });
    await world.autotask.put('Invoices', 48_213, { invoiceTotal: 2066.25 });
    await world.sync('difference', { mode: 'live', psaIds: [48_213] });
    const posting = await world.store.readPosting('difference', 48_213);
    expect(posting).toMatchObject({ status: 'synced', targetType: 'Invoice' });
    await nextReading();
    expect(await problemsOf(48_213)).toEqual([]);
    return posting?.targetId ?? '';
  }
  const ofDifference = async (id: string) =>
    (await exceptions()).filter(({ key }) => key.includes(`Invoice ${id} `)).map((one) => [one.class, one.amount]);

  test('that is deleted is named, and is billed again on request', async () => {
    const id = await billed();
    const before = await postedNow(world);
    await world.quickbooks.remove('Invoice', id);
    await nextReading();
    expect(await problemsOf(48_213)).toEqual(['EXTRA_GONE']);
    expect(await ofDifference(id)).toEqual([['deleted_in_accounting', '-100']]);
    expect((await exceptions()).filter(({ psaId, kind }) => psaId === 48_213 && kind === 'invoice')).toHaveLength(1);
    const found = (await exceptions()).find(({ key }) => key.includes(`Invoice ${id} `));
    expect(await settle(found?.key ?? '', 'bill_difference')).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await movedSince(world, before)).toEqual({});
    expect((await exceptions()).filter(({ psaId, kind }) => psaId === 48_213 && kind === 'invoice')).toEqual([]);
  });

  test('that is lowered or moved is named', async () => {
    const id = await billed();
    await world.quickbooks.put('Invoice', id, { TotalAmt: 60, Balance: 60 });
    await nextReading();
    expect(await problemsOf(48_213)).toContain('CHANGED_SINCE');
    expect(await ofDifference(id)).toEqual([['edited_in_accounting', '-40']]);
    await world.quickbooks.put('Invoice', id, { TotalAmt: 100, Balance: 100, TxnDate: '2025-04-02' });
    await nextReading();
    expect(await ofDifference(id)).toEqual([['date_edited', '-100']]);
  });
});

describe('a payment that was created for a paid date', () => {
  async function paid(): Promise<{ readonly id: string; readonly payment: string }> {
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-03T00:00:00Z' });
    await world.cycle();
    await world.cycle();
    const posting = await world.store.readPosting('payment', 48_213);
    expect(posting).toMatchObject({ status: 'synced' });
    await nextReading();
    expect(await problemsOf(48_213)).toEqual([]);
    return { id: (await world.store.readPosting('invoice', 48_213))?.targetId ?? '', payment: posting?.targetId ?? '' };
  }
  const ofPayment = async (of = march) =>
    (await exceptions(of)).filter(({ kind, psaId }) => kind === 'payment' && psaId === 48_213);
  const shown = async (of = march) => (await ofPayment(of)).map((one) => [one.class, one.amount]);

  test('re-dated in QuickBooks is reported and named', async () => {
    const { payment } = await paid();
    expect(await shown()).toEqual([]);
    await world.quickbooks.put('Payment', payment, { TxnDate: '2025-03-20' });
    await nextReading();
    expect((await messagesOf(48_213)).at(-1)).toMatch(
      /^Payment \S+ was changed in QuickBooks .*: date Mar 3, 2025 → Mar 20, 2025\.$/,
    );
    expect((await shown()).map(([name]) => name)).toEqual(['date_differs']);
    await world.quickbooks.put('Payment', payment, { TxnDate: '2025-04-02' });
    await nextReading();
    expect(await shown()).toEqual([['date_edited', '-1966.25']]);
  });

  test('deleted in QuickBooks is named, and created again on request', async () => {
    const { id, payment } = await paid();
    const before = await postedNow(world);
    await world.quickbooks.remove('Payment', payment);
    await nextReading();
    expect(await problemsOf(48_213)).toEqual(['PAYMENT_GONE']);
    expect(await shown()).toEqual([['deleted_in_accounting', '-1966.25']]);
    const [found] = await ofPayment();
    expect(found?.actions).toEqual(['sync_payment', 'accept', 'carry']);
    expect(await settle(found?.key ?? '', 'sync_payment')).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await movedSince(world, before)).toEqual({});
    expect((await row('Invoice', id))['Balance']).toBe(0);
  });

  test('lowered in QuickBooks is named', async () => {
    const { id, payment } = await paid();
    const was = await row('Payment', payment);
    await world.quickbooks.add('Payment', {
      Id: payment,
      SyncToken: was['SyncToken'] ?? '0',
      CustomerRef: was['CustomerRef'] ?? null,
      TxnDate: '2025-03-03',
      PrivateNote: was['PrivateNote'] ?? null,
      TotalAmt: 1000,
      Line: [{ Amount: 1000, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
    });
    await nextReading();
    expect(await problemsOf(48_213)).toEqual(['PAYMENT_MOVED']);
    expect(await shown()).toEqual([['edited_in_accounting', '-966.25']]);
  });
});
