import { describe, expect, test } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import { decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { pay_sync_active: true } });

const hour = 3_600;
const day = 24 * hour;
const logsOf = async (psaId: number) =>
  (await world.logs()).filter((log) => log.psaId === psaId && log.type === 'payment');
const payments = () => world.quickbooks.list('Payment');
const invoice = async (id: string) => (await world.quickbooks.list('Invoice')).find((row) => row['Id'] === id);
const paidDate = async (psaId: number) => (await world.psaInvoice(psaId))['paidDate'] ?? null;
const paymentPost = { method: 'POST', path: '/payment$' };

/** Posts an invoice and returns the id of its document. */
async function post(psaId: number): Promise<string> {
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  const id = (await world.store.readPosting('invoice', psaId))?.targetId;
  if (id === undefined || id === null) throw new Error(`invoice ${psaId} was not posted`);
  return id;
}
/** Records a payment in QuickBooks. */
const pay = (customer: string, on: string, total: number, ...parts: readonly (readonly [string, number])[]) =>
  world.quickbooks.add('Payment', {
    CustomerRef: { value: customer },
    TxnDate: on,
    TotalAmt: total,
    Line: parts.map(([id, amount]) => ({ Amount: amount, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] })),
  });
/** Moves to the afternoon of a later day. */
async function goTo(date: string): Promise<void> {
  await world.advance((Date.parse(`${date}T20:00:00Z`) - Date.parse(world.clock.now())) / 1_000);
}
/** Runs the next cycle that reads QuickBooks' feed, once an hour without webhooks. */
async function nextReading(): Promise<void> {
  await world.advance(hour);
  await world.cycle();
}
const idOf = (row: JsonObject | undefined): string => JSON.stringify(row?.['Id'] ?? '').slice(1, -1);

describe('from QuickBooks to Autotask', () => {
  test('rows 57 and 61: 1042 is paid in two parts, and its second payment bounces', async () => {
    const id = await post(48_213);
    await goTo('2025-03-20');
    await pay('58', '2025-03-20', 1000, [id, 1000]);
    await world.cycle();
    expect(await paidDate(48_213)).toBeNull();
    expect(await logsOf(48_213)).toEqual([]);
    expect(await world.store.listPaymentStates([48_213])).toMatchObject([
      { balance: decimal('966.25'), wasPaid: false, isDue: false },
    ]);

    await goTo('2025-04-02');
    await pay('58', '2025-04-02', 966.25, [id, 966.25]);
    await world.cycle();
    expect(await paidDate(48_213)).toMatch(/^2025-04-02/);
    expect(await logsOf(48_213)).toMatchObject([
      {
        success: true,
        isManual: false,
        message: 'Invoice 1042 was paid on Apr 2, 2025.',
        document: { Id: id, Balance: 0 },
      },
    ]);
    await world.cycle();
    expect(await logsOf(48_213)).toHaveLength(1);

    await goTo('2025-04-09');
    const bounced = (await payments()).find((row) => row['TotalAmt'] === 966.25);
    await world.quickbooks.remove('Payment', idOf(bounced));
    await world.cycle();
    expect(await paidDate(48_213)).toBeNull();
    expect((await logsOf(48_213)).map(({ message }) => message)).toEqual([
      'Invoice 1042 was paid on Apr 2, 2025.',
      'Payment reversed: invoice 1042 has 966.25 open again.',
    ]);
    await world.cycle();
    expect(await logsOf(48_213)).toHaveLength(2);
    expect(await payments()).toHaveLength(2);
  });

  test('row 27: an applied credit memo closes its negative invoice, and reopens it when it is unapplied', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_301] });
    const credit = await world.store.readPosting('invoice', 48_301);
    const memo = (await world.quickbooks.list('CreditMemo')).find((row) => row['Id'] === credit?.targetId);
    const customer = memo?.['CustomerRef'] as JsonObject;
    const made = await world.quickbooks.add('Invoice', {
      CustomerRef: customer,
      TxnDate: '2025-03-10',
      Line: [
        {
          Amount: Number(memo?.['TotalAmt']),
          DetailType: 'SalesItemLineDetail',
          SalesItemLineDetail: { ItemRef: { value: '21' } },
        },
      ],
    });
    await goTo('2025-03-12');
    const link = (id: string, type: string) => ({
      Amount: Number(memo?.['TotalAmt']),
      LinkedTxn: [{ TxnId: id, TxnType: type }],
    });
    const applied = await world.quickbooks.add('Payment', {
      CustomerRef: customer,
      TxnDate: '2025-03-12',
      TotalAmt: 0,
      Line: [
        link(idOf((made['item'] as JsonObject | undefined) ?? made), 'Invoice'),
        link(credit?.targetId ?? '', 'CreditMemo'),
      ],
    });
    await nextReading();
    expect(await paidDate(48_301)).toMatch(/^2025-03-12/);
    await world.quickbooks.remove('Payment', idOf((applied['item'] as JsonObject | undefined) ?? applied));
    await nextReading();
    expect(await paidDate(48_301)).toBeNull();
    expect((await logsOf(48_301)).map(({ message }) => message)).toEqual([
      `Credit memo ${credit?.number} was used up on Mar 12, 2025.`,
      `Payment reversed: credit memo ${credit?.number} has 180.00 open again.`,
    ]);
  });

  test('an invoice written off by a credit memo is settled, not paid', async () => {
    const id = await post(48_213);
    await goTo('2025-03-20');
    const written = (await invoice(id)) as JsonObject;
    const memo = await world.quickbooks.add('CreditMemo', {
      CustomerRef: written['CustomerRef'],
      TxnDate: '2025-03-20',
      Line: [{ Amount: 1966.25, DetailType: 'SalesItemLineDetail', SalesItemLineDetail: { ItemRef: { value: '21' } } }],
    });
    const link = (txnId: string, type: string) => ({ Amount: 1966.25, LinkedTxn: [{ TxnId: txnId, TxnType: type }] });
    await world.quickbooks.add('Payment', {
      CustomerRef: written['CustomerRef'],
      TxnDate: '2025-03-20',
      TotalAmt: 0,
      Line: [link(id, 'Invoice'), link(idOf((memo['item'] as JsonObject | undefined) ?? memo), 'CreditMemo')],
    });
    await nextReading();
    expect((await logsOf(48_213)).map(({ message }) => message)).toEqual([
      'Invoice 1042 was settled by a credit on Mar 20, 2025: no money came in.',
    ]);
  });

  test('row 59: the unapplied part of an overpayment is reported', async () => {
    const id = await post(48_213);
    await goTo('2025-03-20');
    await pay('58', '2025-03-20', 2016.25, [id, 1966.25]);
    await world.cycle();
    expect((await logsOf(48_213)).map(({ message }) => message)).toEqual([
      'Invoice 1042 was paid on Mar 20, 2025. 50.00 that came in is not applied to any invoice.',
    ]);
  });

  test('D14 unapplying a payment removes the paid date, and applying it again restores it', async () => {
    const id = await post(48_213);
    await goTo('2025-03-20');
    await pay('58', '2025-03-20', 1966.25, [id, 1966.25]);
    await world.cycle();
    expect(await paidDate(48_213)).toMatch(/^2025-03-20/);
    const before = await payments();
    const payment = before.find((row) => row['TotalAmt'] === 1966.25);
    const links = (await invoice(id))?.['LinkedTxn'] ?? [];
    await world.quickbooks.put('Payment', idOf(payment), { Line: [], UnappliedAmt: 1966.25 });
    await world.quickbooks.put('Invoice', id, { Balance: 1966.25, LinkedTxn: [] });
    await nextReading();
    expect(await paidDate(48_213)).toBeNull();
    await world.quickbooks.put('Payment', idOf(payment), { Line: payment?.['Line'] ?? [], UnappliedAmt: 0 });
    await world.quickbooks.put('Invoice', id, { Balance: 0, LinkedTxn: links });
    await nextReading();
    expect(await paidDate(48_213)).toMatch(/^2025-03-20/);
    expect((await logsOf(48_213)).map(({ message }) => message)).toEqual([
      'Invoice 1042 was paid on Mar 20, 2025.',
      'Payment reversed: invoice 1042 has 1,966.25 open again.',
      'Invoice 1042 was paid on Mar 20, 2025.',
    ]);
    expect(await payments()).toHaveLength(before.length);
  });

  test('row 58: one check over two invoices pays one and leaves the other partly open', async () => {
    const [first, second] = [await post(48_213), await post(48_214)];
    // Both belong to one customer here, which has no effect.
    await world.quickbooks.put('Invoice', second, { CustomerRef: { value: '58' } });
    await goTo('2025-03-21');
    await pay('58', '2025-03-21', 2500, [first, 1966.25], [second, 533.75]);
    await world.cycle();
    expect(await paidDate(48_213)).toMatch(/^2025-03-21/);
    expect(await paidDate(48_214)).toBeNull();
    expect(await world.store.listPaymentStates([48_214])).toMatchObject([{ balance: decimal('153.75') }]);
  });

  test('a date set by a user is never overwritten or cleared, and the contradiction is reported once', async () => {
    const id = await post(48_213);
    await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-04T00:00:00Z' });
    await goTo('2025-03-04');
    const payment = await pay('58', '2025-03-05', 1966.25, [id, 1966.25]);
    await world.cycle();
    expect(await paidDate(48_213)).toMatch(/^2025-03-04/);
    expect(await logsOf(48_213)).toEqual([]);
    await world.quickbooks.remove('Payment', idOf((payment['item'] as JsonObject | undefined) ?? payment));
    await world.cycle();
    await world.cycle();
    await world.advance(3 * day);
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-04/);
    expect(await logsOf(48_213)).toMatchObject([
      {
        success: false,
        message: 'Invoice 1042 is open again in QuickBooks (1,966.25), and Autotask shows it as paid on Mar 4, 2025.',
      },
    ]);
    // A bounced payment is not replaced.
    expect((await payments()).filter((row) => row['TotalAmt'] === 1966.25)).toEqual([]);
  });

  test.each([
    ['unapplied', 'is not applied to any invoice', 1],
    ['applied to another invoice', 'is applied to another document', 2],
    ['lowered', 'was reduced to', 3],
  ])(
    'a payment of the product that a user has %s must be applied again, and no second one is created',
    async (_how, words, how) => {
      await world.saveSettings({ pay_direction: 'both', pay_grace_hours: 0 });
      const id = await post(48_213);
      const other = await world.quickbooks.add('Invoice', {
        CustomerRef: { value: '58' },
        TxnDate: '2025-03-03',
        Line: [{ Amount: 3000, DetailType: 'SalesItemLineDetail', SalesItemLineDetail: { ItemRef: { value: '21' } } }],
      });
      await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-03T00:00:00Z' });
      await world.cycle();
      await world.cycle();
      const ours = (await payments()).find((row) => row['TotalAmt'] === 1966.25);
      expect(ours).toMatchObject({ PaymentRefNum: 'PSA-1042', UnappliedAmt: 0 });
      const lines = [
        [],
        [{ Amount: 1966.25, LinkedTxn: [{ TxnId: idOf(other['item'] as JsonObject), TxnType: 'Invoice' }] }],
        [{ Amount: 966.25, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
      ];
      await world.quickbooks.add('Payment', {
        Id: idOf(ours),
        SyncToken: ours?.['SyncToken'] ?? '0',
        CustomerRef: { value: '58' },
        TxnDate: '2025-03-03',
        PaymentRefNum: 'PSA-1042',
        PrivateNote: ours?.['PrivateNote'] ?? null,
        TotalAmt: how === 3 ? 966.25 : 1966.25,
        Line: lines[how - 1] ?? [],
      });
      await nextReading();
      await world.cycle();
      const problem = (await logsOf(48_213)).flatMap(({ problems }) => problems)[0];
      expect(problem).toMatchObject({ code: 'PAYMENT_MOVED', message: expect.stringContaining(words) });
      expect(problem?.remedy).toMatch(/payment PSA-1042/);
      await world.advance(3 * day);
      await world.work();
      expect((await payments()).filter((row) => row['PaymentRefNum'] === 'PSA-1042')).toHaveLength(1);
    },
  );

  test('an invoice that was voided or deleted in QuickBooks is never shown as paid', async () => {
    const [voided, deleted] = [await post(48_213), await post(48_214)];
    await world.cycle();
    await world.quickbooks.put('Invoice', voided, { TotalAmt: 0, Balance: 0, PrivateNote: 'Voided - by hand' });
    await world.quickbooks.remove('Invoice', deleted);
    await nextReading();
    await world.cycle();
    expect([await paidDate(48_213), await paidDate(48_214)]).toEqual([null, null]);
    expect(await logsOf(48_213)).toMatchObject([
      {
        success: false,
        message: 'Invoice 1042 was voided in QuickBooks but not in Autotask; it last changed there on Mar 3, 2025.',
      },
    ]);
    expect(await logsOf(48_214)).toMatchObject([
      { success: false, message: 'Invoice 1043 no longer exists in QuickBooks.' },
    ]);
  });

  test('does nothing while its switch is off, and catches up when it is turned on', async () => {
    await world.saveSettings({ pay_sync_active: false });
    const id = await post(48_213);
    await pay('58', '2025-03-03', 1966.25, [id, 1966.25]);
    await world.cycle();
    expect(await paidDate(48_213)).toBeNull();
    await world.saveSettings({ pay_sync_active: true });
    await world.advance(5 * day);
    await world.work();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
  });

  test('a date that Autotask rejected is written by a later cycle', async () => {
    const id = await post(48_213);
    await pay('58', '2025-03-03', 1966.25, [id, 1966.25]);
    await world.autotask.fault({
      match: { method: 'PATCH', path: '/Invoices$' },
      times: 10,
      action: { status: 503, body: '' },
    });
    await nextReading();
    expect(await paidDate(48_213)).toBeNull();
    await world.autotask.clearFaults();
    await world.cycle();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
    expect((await logsOf(48_213)).at(-1)).toMatchObject({ success: true });
  });

  test('a worker that dies right after the date was written leaves it as the product’s, and a later bounce clears it', async () => {
    const id = await post(48_213);
    await pay('58', '2025-03-03', 1966.25, [id, 1966.25]);
    await world.advance(hour + 60);
    const died = world.work((name, when) => {
      if (name === 'psa:write' && when === 'after') throw new ProcessEnded('the worker dies');
    });
    await expect(died).rejects.toThrow('the worker dies');
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
    await world.advance(60);
    await world.work(undefined, 'its successor');
    await world.quickbooks.remove('Payment', idOf((await payments()).find((row) => row['TotalAmt'] === 1966.25)));
    await nextReading();
    expect(await paidDate(48_213)).toBeNull();
  });
});

describe('from Autotask to QuickBooks', () => {
  /** Posts 48304 over 300.00, which a user marks as paid in Autotask on Mar 10. A cycle has seen the date. */
  async function markedPaid(): Promise<string> {
    const id = await post(48_304);
    await goTo('2025-03-10');
    await world.autotask.put('Invoices', 48_304, { paidDate: '2025-03-10T00:00:00Z' });
    await world.cycle();
    return id;
  }
  const ours = async () =>
    (await payments()).filter((row) => row['PrivateNote'] === 'Autotask invoice 48304 marked paid');

  test('an invoice marked as paid and still open a day later gets a payment of that day', async () => {
    const id = await markedPaid();
    await world.advance(23 * hour);
    await world.work();
    expect(await ours()).toEqual([]);
    await world.advance(hour + 15 * 60);
    await world.work();
    const [payment, ...others] = await ours();
    expect(others).toEqual([]);
    expect(payment).toMatchObject({
      TotalAmt: 300,
      UnappliedAmt: 0,
      TxnDate: '2025-03-10',
      PaymentRefNum: expect.stringMatching(/^PSA-10\d\d$/),
      Line: [{ Amount: 300, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }],
    });
    expect(await invoice(id)).toMatchObject({ Balance: 0 });
    expect(await logsOf(48_304)).toMatchObject([
      {
        success: true,
        message: 'A payment of 300.00 for invoice 48304 was created in QuickBooks.',
        document: { Id: id, Balance: 0 },
      },
    ]);
    expect(await world.store.readPosting('payment', 48_304)).toMatchObject({ status: 'synced', total: decimal('300') });
    // Autotask keeps the user's date, and nothing is paid twice.
    await world.cycle();
    await world.advance(3 * day);
    await world.work();
    expect(await ours()).toHaveLength(1);
    expect(await paidDate(48_304)).toMatch(/^2025-03-10/);
    expect(await logsOf(48_304)).toHaveLength(1);
  });

  test('a payment that a portal records in QuickBooks meanwhile has priority', async () => {
    const id = await markedPaid();
    const customer = (await invoice(id))?.['CustomerRef'] as JsonObject | undefined;
    await world.advance(10 * hour);
    await pay(String(customer?.['value']), '2025-03-10', 300, [id, 300]);
    await world.advance(20 * hour);
    await world.work();
    await world.advance(2 * day);
    await world.work();
    expect(await ours()).toEqual([]);
    expect(await logsOf(48_304)).toEqual([]);
  });

  test('uses the chosen account, only in the allowed direction', async () => {
    await world.saveSettings({ pay_direction: 'qbo_to_psa', pay_deposit_account: '35' });
    await markedPaid();
    await world.advance(2 * day);
    await world.work();
    expect(await ours()).toEqual([]);
    await world.saveSettings({ pay_direction: 'psa_to_qbo', pay_grace_hours: 0 });
    await world.cycle();
    expect(await ours()).toMatchObject([{ DepositToAccountRef: { value: '35' } }]);
  });

  test('in a closed period it is held and reported once', async () => {
    await markedPaid();
    await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-03-10' } });
    await world.advance(day + hour);
    await world.work();
    await world.cycle();
    await world.cycle();
    expect(await ours()).toEqual([]);
    expect(await logsOf(48_304)).toMatchObject([
      { success: false, message: 'The books are closed through Mar 10, 2025.', problems: [{ code: 'PERIOD_CLOSED' }] },
    ]);
    await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-03-09' } });
    await nextReading();
    expect(await ours()).toHaveLength(1);
  });

  test('a payment that arrives while a dead worker’s plan waits is noticed before sending', async () => {
    const id = await markedPaid();
    await world.advance(day + hour);
    const died = world.work((name, when) => {
      if (name === 'commit:posting' && when === 'after') throw new ProcessEnded('the worker dies');
    });
    await expect(died).rejects.toThrow('the worker dies');
    const customer = (await invoice(id))?.['CustomerRef'] as JsonObject | undefined;
    await pay(String(customer?.['value']), '2025-03-11', 300, [id, 300]);
    await world.advance(60);
    await world.work(undefined, 'its successor');
    // The row says “sent”, so a late write must be impossible first.
    expect(await ours()).toEqual([]);
    await world.advance(135);
    await world.work(undefined, 'its successor');
    expect(await ours()).toEqual([]);
    expect(await payments()).toHaveLength(2);
    expect(await logsOf(48_304)).toMatchObject([{ success: true, message: 'Nothing to do: both sides agree.' }]);
  });

  test('a lost response leaves one payment', async () => {
    await markedPaid();
    await world.quickbooks.behave({ requestid: 'none' });
    await world.quickbooks.fault({ match: paymentPost, times: 1, action: { reset: 'after' } });
    await world.advance(day + hour);
    await world.work();
    await world.advance(135);
    await world.work();
    expect(await ours()).toHaveLength(1);
    expect(await logsOf(48_304)).toMatchObject([{ success: true }]);
  });

  test('a payment that is applied late exists once', async () => {
    await markedPaid();
    await world.quickbooks.behave({ requestid: 'none' });
    await world.quickbooks.fault({
      match: paymentPost,
      times: 1,
      action: { reset: 'late', apply_after_seconds: 119 },
    });
    await world.advance(day + hour);
    await world.work();
    expect(await logsOf(48_304)).toEqual([]);
    await world.advance(135);
    await world.work();
    expect(await ours()).toHaveLength(1);
    expect(await logsOf(48_304)).toMatchObject([{ success: true }]);
  });
});
