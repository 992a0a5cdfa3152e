import { describe, expect, test } from 'vitest';
import type { PaymentChoice } from '#core/planning/payment-choice.ts';
import type { JsonObject } from '#core/values/json.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { eachWorld } from '../support/each-world.ts';
import { movedSince, postedNow } from '../support/moved-since.ts';

/** Money of one customer that several invoices, people and answers compete for. */
const world = eachWorld({ settings: { pay_sync_active: true, pay_direction: 'both', pay_grace_hours: 0 } });

const logsOf = async (psaId: number) =>
  (await world.logs()).filter((log) => log.psaId === psaId && log.type === 'payment');
const row = async (entity: string, id: string) =>
  (await world.quickbooks.list(entity)).find((one) => one['Id'] === id) ?? {};
const balanceOf = async (id: string) => (await row('Invoice', id))['Balance'];
const idOf = (made: JsonObject): string => String(((made['item'] as JsonObject | undefined) ?? made)['Id']);

/** Posts an invoice or credit memo and returns the id and customer of its document. */
async function post(psaId: number): Promise<{ readonly id: string; readonly customer: string }> {
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  const { targetId, targetType } = (await world.store.readPosting('invoice', psaId)) ?? {};
  const document = await row(targetType ?? '', targetId ?? '');
  return { id: targetId ?? '', customer: String((document['CustomerRef'] as JsonObject)['value']) };
}
const markPaid = (psaId: number, on = '2025-03-03') =>
  world.autotask.put('Invoices', psaId, { paidDate: `${on}T00:00:00Z` });
const linesOf = (lines: readonly (readonly [string, number])[]) =>
  lines.map(([id, amount]) => ({ Amount: amount, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }));
/** Types a payment into QuickBooks that pays nothing, or some invoices. */
const typePayment = async (
  customer: string,
  total: number,
  lines: readonly (readonly [string, number])[] = [],
  more: JsonObject = {},
) =>
  idOf(
    await world.quickbooks.add('Payment', {
      CustomerRef: { value: customer },
      TxnDate: '2025-03-02',
      TotalAmt: total,
      PaymentRefNum: 'CHK-77',
      Line: linesOf(lines),
      ...more,
    }),
  );
async function choose(psaIds: readonly number[], choice: PaymentChoice) {
  const actor = { username: 'user@example.com' } as Parameters<typeof submit>[1]['actor'];
  const job = await submit(world.tenant, { kind: 'payment', mode: 'live', force: false, psaIds, choice, actor });
  await world.work();
  return world.store.readJob(job.id);
}
const undeposited = (amount: number) => ({ 'Undeposited Funds': amount, 'Accounts Receivable': -amount });

describe('money that several invoices or people use at once', () => {
  test('one used-up credit memo pays one of two invoices, and both are settled without a failure', async () => {
    const credit = await post(48_301);
    const [first, second] = [await post(48_213), await post(48_214)];
    for (const [entity, { id }] of [
      ['CreditMemo', credit],
      ['Invoice', second],
    ] as const)
      await world.quickbooks.put(entity, id, { CustomerRef: { value: first.customer } });
    const open = Number(await balanceOf(second.id));
    const before = await postedNow(world);
    for (const psaId of [48_301, 48_213, 48_214]) await markPaid(psaId);
    await world.cycle();
    await world.cycle();
    expect([await balanceOf(first.id), await balanceOf(second.id)]).toEqual([0, 0]);
    expect(await row('CreditMemo', credit.id)).toMatchObject({ RemainingCredit: 0 });
    expect(await movedSince(world, before)).toEqual(undeposited(1966.25 + open - 180));
    const logs = [...(await logsOf(48_213)), ...(await logsOf(48_214))];
    expect(logs.map(({ success, message }) => [success, message])).toEqual([
      [true, expect.anything()],
      [true, expect.anything()],
    ]);
  });

  test('a credit memo of another company that shares the customer is not applied without a decision', async () => {
    const credit = await post(48_301);
    const { id, customer } = await post(48_213);
    await world.quickbooks.put('CreditMemo', credit.id, { CustomerRef: { value: customer } });
    await world.autotask.put('Invoices', 48_301, { companyID: 302 });
    const before = await postedNow(world);
    await markPaid(48_213);
    await markPaid(48_301);
    await world.cycle();
    await world.cycle();
    expect(await movedSince(world, before)).toEqual({});
    expect(await balanceOf(id)).toBe(1966.25);
    expect((await logsOf(48_213)).at(-1)).toMatchObject({ success: false, problems: [{ code: 'OPEN_MONEY' }] });
  });

  test('a payment that pays a part of the invoice already pays the rest, in one line', async () => {
    const { id, customer } = await post(48_213);
    const payment = await typePayment(customer, 2500, [[id, 1000]]);
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    await choose([48_213], 'apply');
    expect(await balanceOf(id)).toBe(0);
    expect(await row('Payment', payment)).toMatchObject({
      UnappliedAmt: 533.75,
      Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: id }] }],
    });
    expect(await movedSince(world, before)).toEqual({});
  });

  test.each(['after', 'before'] as const)(
    'a lost response (%s) about such a payment applies the rest',
    async (when) => {
      const { id, customer } = await post(48_213);
      const payment = await typePayment(customer, 2500, [[id, 1500]]);
      const before = await postedNow(world);
      await markPaid(48_213);
      await world.cycle();
      await world.quickbooks.behave({ requestid: 'none' });
      await world.quickbooks.fault({ match: { method: 'POST', path: '/payment$' }, times: 1, action: { reset: when } });
      await choose([48_213], 'apply');
      for (let turn = 0; turn < 3; turn += 1) {
        await world.advance(140);
        await world.work();
      }
      await world.cycle();
      expect(await balanceOf(id)).toBe(0);
      expect(await row('Payment', payment)).toMatchObject({ UnappliedAmt: 533.75 });
      expect(await movedSince(world, before)).toEqual({});
    },
  );

  test('an existing payment keeps what people entered, also if QuickBooks takes the update for a full one', async () => {
    const { id, customer } = await post(48_213);
    const bank = (await world.quickbooks.list('Account')).find((one) => one['AccountType'] === 'Bank')?.['Id'] ?? '';
    const entered = { DepositToAccountRef: { value: bank }, PrivateNote: 'Lockbox 7' };
    const payment = await typePayment(customer, 1966.25, [], entered);
    await markPaid(48_213);
    await world.cycle();
    await world.quickbooks.behave({ payment_sparse: 'full' });
    const before = await postedNow(world);
    await choose([48_213], 'apply');
    expect(await balanceOf(id)).toBe(0);
    expect(await row('Payment', payment)).toMatchObject({
      ...entered,
      TxnDate: '2025-03-02',
      PaymentRefNum: 'CHK-77',
    });
    expect(await movedSince(world, before)).toEqual({});
  });

  test('an unreadable payment of one customer stops only invoices of that customer', async () => {
    const [first, second] = [await post(48_213), await post(48_214)];
    const payment = await typePayment(first.customer, 500);
    await world.quickbooks.behave({ unreadable_id: Number(payment) });
    const open = Number(await balanceOf(second.id));
    const before = await postedNow(world);
    await markPaid(48_213);
    await markPaid(48_214);
    await world.cycle();
    await world.cycle();
    expect(await movedSince(world, before)).toEqual(undeposited(open));
    expect(await balanceOf(first.id)).toBe(1966.25);
    expect((await logsOf(48_213)).at(-1)).toMatchObject({ success: false, problems: [{ code: 'OPEN_MONEY' }] });
  });
});
