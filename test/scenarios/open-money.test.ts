import { describe, expect, test } from 'vitest';
import type { PaymentChoice } from '#core/planning/payment-choice.ts';
import type { JsonObject } from '#core/values/json.ts';
import { ProcessEnded } from '#flows/context.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { eachWorld } from '../support/each-world.ts';
import { movedSince, postedNow } from '../support/moved-since.ts';

/** Payments look at the customer's account before they are created. */
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
/** Types a payment into QuickBooks that pays nothing, or some invoices. */
const typePayment = async (customer: string, total: number, lines: readonly (readonly [string, number])[] = []) =>
  idOf(
    await world.quickbooks.add('Payment', {
      CustomerRef: { value: customer },
      TxnDate: '2025-03-02',
      TotalAmt: total,
      PaymentRefNum: 'CHK-77',
      Line: lines.map(([id, amount]) => ({ Amount: amount, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] })),
    }),
  );
async function choose(psaIds: readonly number[], choice: PaymentChoice, mode: 'live' | 'test' = 'live') {
  const actor = { username: 'user@example.com' } as Parameters<typeof submit>[1]['actor'];
  const job = await submit(world.tenant, { kind: 'payment', mode, force: false, psaIds, choice, actor });
  await world.work();
  return world.store.readJob(job.id);
}
const undeposited = (amount: number) => ({ 'Undeposited Funds': amount, 'Accounts Receivable': -amount });

describe('an invoice that Autotask shows as paid, while QuickBooks has money of its customer', () => {
  test('a typed, unapplied payment is applied if the user chooses so, and posts nothing', async () => {
    const { id, customer } = await post(48_213);
    const payment = await typePayment(customer, 1966.25);
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    await world.cycle();
    expect(await movedSince(world, before)).toEqual({});
    expect(await logsOf(48_213)).toMatchObject([
      {
        success: false,
        message:
          'Autotask shows invoice 1042 as paid on Mar 3, 2025, and 1,966.25 is open in QuickBooks. QuickBooks has money of Acme Dental that is not applied to any invoice: payment CHK-77 of Mar 2, 2025 (1,966.25). Nothing was posted.',
        problems: [
          {
            code: 'OPEN_MONEY',
            repairs: [{ do: 'apply_money' }, { do: 'create_payment' }, { do: 'open_in_service' }],
          },
        ],
      },
    ]);
    expect(await choose([48_213], 'apply', 'test')).toMatchObject({ succeeded: 1 });
    expect(await movedSince(world, before)).toEqual({});
    expect(await balanceOf(id)).toBe(1966.25);
    expect(await choose([48_213], 'apply')).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await balanceOf(id)).toBe(0);
    expect(await row('Payment', payment)).toMatchObject({ UnappliedAmt: 0, TotalAmt: 1966.25, TxnDate: '2025-03-02' });
    expect(await movedSince(world, before)).toEqual({});
    expect((await logsOf(48_213)).at(-1)).toMatchObject({
      success: true,
      message: 'Existing money was applied to invoice 48213: 1,966.25 by payment CHK-77.',
    });
    await world.cycle();
    await world.advance(3 * 86_400);
    await world.work();
    expect(await movedSince(world, before)).toEqual({});
    expect(await logsOf(48_213)).toHaveLength(3);
  });

  test('a new payment is created if the user chooses so', async () => {
    const { id, customer } = await post(48_213);
    await typePayment(customer, 500);
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    await choose([48_213], 'create');
    expect(await movedSince(world, before)).toEqual(undeposited(1966.25));
    expect(await balanceOf(id)).toBe(0);
    // A second decision about the same invoice has nothing left to do.
    await choose([48_213], 'create');
    await choose([48_213], 'apply');
    expect(await movedSince(world, before)).toEqual(undeposited(1966.25));
  });

  test('money that appears after the question is asked about before a new payment is created', async () => {
    const { id, customer } = await post(48_213);
    await typePayment(customer, 500);
    await markPaid(48_213);
    await world.cycle();
    await typePayment(customer, 1966.25);
    const now = await postedNow(world);
    expect(await choose([48_213], 'create')).toMatchObject({ succeeded: 0, failed: 1 });
    expect(await movedSince(world, now)).toEqual({});
    expect((await logsOf(48_213)).at(-1)?.message).toContain('(500.00), payment CHK-77 of Mar 2, 2025 (1,966.25)');
    // The user has now seen it.
    await choose([48_213], 'create');
    expect(await movedSince(world, now)).toEqual(undeposited(1966.25));
    expect(await balanceOf(id)).toBe(0);
  });

  test('a waiting invoice is paid in the next cycle after the open money went away', async () => {
    const { id, customer } = await post(48_213);
    const payment = await typePayment(customer, 500);
    await markPaid(48_213);
    await world.cycle();
    expect(await balanceOf(id)).toBe(1966.25);
    await world.quickbooks.remove('Payment', payment);
    const before = await postedNow(world);
    await world.cycle();
    expect(await movedSince(world, before)).toEqual(undeposited(1966.25));
    expect(await balanceOf(id)).toBe(0);
  });

  test('a part is applied, and only the rest gets a new payment', async () => {
    const { id, customer } = await post(48_213);
    await typePayment(customer, 400);
    await typePayment(customer, 66.25);
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    expect(await choose([48_213], 'apply')).toMatchObject({ succeeded: 1 });
    expect(await movedSince(world, before)).toEqual(undeposited(1500));
    expect(await balanceOf(id)).toBe(0);
    await world.cycle();
    expect((await logsOf(48_213)).at(-1)?.message).toBe(
      'Existing money was applied to invoice 48213: 400.00 by payment CHK-77, 66.25 by payment CHK-77. A payment of 1,500.00 was created for the rest.',
    );
  });

  test('one check for two invoices that is applied to the first pays the second as well', async () => {
    const [first, second] = [await post(48_213), await post(48_214)];
    await world.quickbooks.put('Invoice', second.id, { CustomerRef: { value: first.customer } });
    const open = Number(await balanceOf(second.id));
    const payment = await typePayment(first.customer, 1966.25 + open, [[first.id, 1966.25]]);
    const before = await postedNow(world);
    await markPaid(48_213);
    await markPaid(48_214);
    await world.cycle();
    await world.cycle();
    expect(await movedSince(world, before)).toEqual({});
    await choose([48_214], 'apply');
    expect([await balanceOf(first.id), await balanceOf(second.id)]).toEqual([0, 0]);
    expect(await row('Payment', payment)).toMatchObject({ UnappliedAmt: 0 });
    expect(await movedSince(world, before)).toEqual({});
  });

  test('one check that pays nothing yet pays two invoices', async () => {
    const [first, second] = [await post(48_213), await post(48_214)];
    await world.quickbooks.put('Invoice', second.id, { CustomerRef: { value: first.customer } });
    await typePayment(first.customer, 1966.25 + Number(await balanceOf(second.id)));
    const before = await postedNow(world);
    await markPaid(48_213);
    await markPaid(48_214);
    await world.cycle();
    expect(await choose([48_213, 48_214], 'apply')).toMatchObject({ succeeded: 2 });
    expect([await balanceOf(first.id), await balanceOf(second.id)]).toEqual([0, 0]);
    expect(await movedSince(world, before)).toEqual({});
  });

  test('a credit that is marked as paid as well is applied, and the rest is paid', async () => {
    const credit = await post(48_301);
    const { id, customer } = await post(48_213);
    await world.quickbooks.put('CreditMemo', credit.id, { CustomerRef: { value: customer } });
    const before = await postedNow(world);
    await markPaid(48_213);
    await markPaid(48_301);
    await world.cycle();
    await world.cycle();
    expect(await movedSince(world, before)).toEqual(undeposited(1786.25));
    expect(await balanceOf(id)).toBe(0);
    expect(await row('CreditMemo', credit.id)).toMatchObject({ RemainingCredit: 0 });
    expect((await logsOf(48_213)).at(-1)?.message).toMatch(
      /^Existing money was applied to invoice 48213: 180\.00 by credit memo \S+\. A payment of 1,786\.25 was created for the rest\.$/,
    );
    await world.cycle();
    expect((await logsOf(48_213)).filter(({ success }) => !success)).toEqual([]);
  });

  test('an open credit that is not marked as paid waits for a decision', async () => {
    const credit = await post(48_301);
    const { id, customer } = await post(48_213);
    await world.quickbooks.put('CreditMemo', credit.id, { CustomerRef: { value: customer } });
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    expect(await movedSince(world, before)).toEqual({});
    await choose([48_213], 'apply');
    expect(await movedSince(world, before)).toEqual(undeposited(1786.25));
    expect(await balanceOf(id)).toBe(0);
  });

  test.each(['parent', 'sub-customer'])('money of a %s is seen', async (where) => {
    const { id, customer } = await post(48_213);
    const other = idOf(
      await world.quickbooks.add('Customer', {
        DisplayName: 'Acme Dental Holding',
        ...(where === 'sub-customer' && { ParentRef: { value: customer }, Job: true, BillWithParent: true }),
      }),
    );
    if (where === 'parent')
      await world.quickbooks.put('Customer', customer, {
        ParentRef: { value: other },
        Job: true,
        BillWithParent: true,
      });
    await typePayment(other, 1966.25);
    await world.advance(3_700);
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    expect(await movedSince(world, before)).toEqual({});
    const problem = (await logsOf(48_213)).at(-1)?.problems[0];
    expect(problem).toMatchObject({ code: 'OPEN_MONEY' });
    // Money of a sub-customer can only be applied to that sub-customer's invoices.
    expect(problem?.repairs?.some((one) => one.do === 'apply_money')).toBe(where === 'parent');
    await choose([48_213], where === 'parent' ? 'apply' : 'create');
    expect(await balanceOf(id)).toBe(0);
    expect(await movedSince(world, before)).toEqual(where === 'parent' ? {} : undeposited(1966.25));
  });

  test.each(['Deposit', 'JournalEntry'])('a %s to receivables is seen, and is not applied from here', async (how) => {
    const { id, customer } = await post(48_213);
    const bank = (await world.quickbooks.list('Account')).find((one) => one['AccountType'] === 'Bank')?.['Id'] ?? '';
    const receivable =
      (await world.quickbooks.list('Account')).find((one) => one['AccountType'] === 'Accounts Receivable')?.['Id'] ??
      '';
    await (how === 'Deposit'
      ? world.quickbooks.add('Deposit', {
          TxnDate: '2025-03-02',
          DepositToAccountRef: { value: bank },
          Line: [
            {
              Amount: 1966.25,
              DetailType: 'DepositLineDetail',
              DepositLineDetail: { AccountRef: { value: receivable }, Entity: { value: customer, type: 'Customer' } },
            },
          ],
        })
      : world.quickbooks.add('JournalEntry', {
          TxnDate: '2025-03-02',
          Line: [
            {
              Amount: 1966.25,
              DetailType: 'JournalEntryLineDetail',
              JournalEntryLineDetail: { PostingType: 'Debit', AccountRef: { value: bank } },
            },
            {
              Amount: 1966.25,
              DetailType: 'JournalEntryLineDetail',
              JournalEntryLineDetail: {
                PostingType: 'Credit',
                AccountRef: { value: receivable },
                Entity: { Type: 'Customer', EntityRef: { value: customer } },
              },
            },
          ],
        }));
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    expect(await movedSince(world, before)).toEqual({});
    expect((await logsOf(48_213)).at(-1)?.problems[0]).toMatchObject({
      code: 'OPEN_MONEY',
      repairs: [{ do: 'create_payment' }, { do: 'open_in_service' }],
    });
    expect(await choose([48_213], 'apply')).toMatchObject({ failed: 1 });
    expect(await movedSince(world, before)).toEqual({});
    // The question remains.
    await world.cycle();
    expect((await logsOf(48_213)).at(-1)?.problems).toMatchObject([{ code: 'OPEN_MONEY' }]);
    await choose([48_213], 'create');
    expect(await movedSince(world, before)).toEqual(undeposited(1966.25));
    expect(await balanceOf(id)).toBe(0);
  });

  test('money of another customer does not matter', async () => {
    const { id } = await post(48_213);
    await typePayment('59', 1966.25);
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    await world.cycle();
    expect(await movedSince(world, before)).toEqual(undeposited(1966.25));
    expect(await balanceOf(id)).toBe(0);
  });

  test('a person who applies it meanwhile settles the question', async () => {
    const { id, customer } = await post(48_213);
    const payment = await typePayment(customer, 1966.25);
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    const { SyncToken } = await row('Payment', payment);
    await world.quickbooks.add('Payment', {
      Id: payment,
      SyncToken: SyncToken ?? '0',
      sparse: true,
      CustomerRef: { value: customer },
      TotalAmt: 1966.25,
      Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
    });
    await choose([48_213], 'apply');
    await choose([48_213], 'create');
    await world.cycle();
    expect(await movedSince(world, before)).toEqual({});
    expect(await balanceOf(id)).toBe(0);
  });

  test.each(['after', 'before'] as const)('a lost response (%s) applies it once', async (when) => {
    const { id, customer } = await post(48_213);
    await typePayment(customer, 1000);
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
    // After a response was lost, the next cycle creates the rest.
    await world.cycle();
    await world.cycle();
    expect(await movedSince(world, before)).toEqual(undeposited(966.25));
    expect(await balanceOf(id)).toBe(0);
  });

  test.each([
    ['the rest is a new payment', []],
    ['the rest is another check', [966.25]],
  ])('a worker that dies between the two steps leaves the rest to others: %s', async (_, checks) => {
    const { id, customer } = await post(48_213);
    for (const amount of [1000, ...checks]) await typePayment(customer, amount);
    const before = await postedNow(world);
    await markPaid(48_213);
    await world.cycle();
    const actor = { username: 'user@example.com' } as Parameters<typeof submit>[1]['actor'];
    await submit(world.tenant, {
      kind: 'payment',
      mode: 'live',
      force: false,
      psaIds: [48_213],
      choice: 'apply',
      actor,
    });
    let answers = 0;
    const died = world.work((name, moment) => {
      if (name !== 'commit:posting' || moment !== 'after') return;
      answers += 1;
      if (answers === 2) throw new ProcessEnded('the worker dies');
    });
    await died.catch(() => undefined);
    for (let turn = 0; turn < 4; turn += 1) {
      await world.advance(140);
      await world.work(undefined, 'its successor');
    }
    // The next cycle creates the rest, as after a lost response. The other check is applied at once.
    if (checks.length === 0) await world.cycle();
    expect(await balanceOf(id)).toBe(0);
    await world.cycle();
    expect(await movedSince(world, before)).toEqual(checks.length === 0 ? undeposited(966.25) : {});
    expect((await logsOf(48_213)).filter(({ problems }) => problems.some(({ code }) => code === 'DEFECT'))).toEqual([]);
  });
});
