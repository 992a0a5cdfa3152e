import { exceptionsOf, obstaclesOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import { prepareClose } from '#flows/close/prepare.ts';
import { listAttention } from '#flows/attention/list.ts';
import { describe, expect, test } from 'vitest';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { ProcessEnded } from '#flows/context.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { void_sync_active: true, void_across_months: 'void' } });

const invoice = async (id: string, entity = 'Invoice'): Promise<JsonObject> => {
  const found = (await world.quickbooks.list(entity)).find((row) => row['Id'] === id);
  if (found === undefined) throw new Error(`QuickBooks has no ${entity} ${id}`);
  return found;
};
const logsOf = async (psaId: number) =>
  (await world.logs()).filter((log) => log.psaId === psaId && log.type === 'void');
/** Counts the applied voids of an invoice. */
const countVoids = async (id = '9177') =>
  (await world.quickbooks.journal()).filter(
    ({ method, applied, query, request_body: body }) =>
      method === 'POST' && applied && /operation=void/.test(query) && body.includes(`"Id":"${id}"`),
  ).length;
const voidPost = { method: 'POST', path: '/invoice$', body: '^\\{"Id":' };
/** Posts an invoice and voids it in Autotask. */
async function postAndVoid(psaId: number): Promise<void> {
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  await world.autotask.put('Invoices', psaId, { isVoided: true });
}

describe('a void in Autotask', () => {
  test('voids the posted invoice: 1042 over 1,966.25 shows 0.00', async () => {
    await postAndVoid(48_213);
    await world.cycle();
    expect(await countVoids()).toBe(1);
    expect(await invoice('9177')).toMatchObject({
      DocNumber: '1042',
      TotalAmt: 0,
      Balance: 0,
      PrivateNote: expect.stringMatching(/^Voided/),
    });
    const [log, ...others] = await logsOf(48_213);
    expect(others).toEqual([]);
    expect(log).toMatchObject({
      success: true,
      isManual: false,
      message: 'Invoice 48213 was voided in QuickBooks (1042).',
      document: { Id: '9177', TotalAmt: 0 },
    });
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'voided', targetId: '9177' });
    // A void writes nothing to Autotask, and nothing else happens to it.
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: '1042' });
    await world.cycle();
    expect(await logsOf(48_213)).toHaveLength(1);
    expect((await world.store.readSyncStates()).void?.polledAt).toBe(world.clock.now());
  });

  test('with a new invoice for the same items keeps the old number used, and 1,966.25 is open once', async () => {
    const items = (await world.autotask.list('BillingItems')).filter((row) => row['invoiceID'] === 48_213);
    await postAndVoid(48_213);
    await world.autotask.add('Invoices', {
      ...(await world.psaInvoice(48_213)),
      id: 48_260,
      invoiceNumber: '',
      webServiceDate: null,
      isVoided: false,
    });
    // Autotask released the items of the voided invoice and bills them again.
    for (const { id } of items) await world.autotask.put('BillingItems', Number(id), { invoiceID: 48_260 });
    await world.cycle();
    await world.sync('invoice', { mode: 'live', psaIds: [48_260] });
    expect(await invoice('9177')).toMatchObject({ DocNumber: '1042', TotalAmt: 0, Balance: 0 });
    const again = await world.store.readPosting('invoice', 48_260);
    expect(again?.number).toBe('1043');
    expect(await invoice(again?.targetId ?? '')).toMatchObject({ TotalAmt: 1966.25, Balance: 1966.25 });
    const owed = (await world.quickbooks.list('Invoice')).filter((row) => row['Balance'] === 1966.25);
    expect(owed.map((row) => row['Id'])).toEqual([again?.targetId]);
  });

  test('voids 1038 of an earlier tool, and reports once that 1039 has 300.00 applied', async () => {
    await world.work();
    expect(await invoice('9141')).toMatchObject({ TotalAmt: 0, PrivateNote: expect.stringMatching(/^Voided/) });
    expect(await logsOf(48_312)).toMatchObject([{ success: true }]);
    expect(await invoice('9138')).toMatchObject({ TotalAmt: 800, Balance: 500 });
    expect(await logsOf(48_313)).toMatchObject([
      {
        success: false,
        message: 'Invoice 1039 has 300.00 applied.',
        problems: [
          {
            code: 'VOID_HAS_PAYMENTS',
            remedy:
              'Open it in QuickBooks and remove the payment or credit: the link under the total > the payment > uncheck the invoice > Save. The void is then retried automatically. If the customer owes the money, keep both and issue a credit memo instead.',
          },
        ],
        document: { Id: '9138' },
      },
    ]);
    await world.cycle();
    await world.cycle();
    expect(await logsOf(48_313)).toHaveLength(1);

    // Without the payment it is voided automatically within the hour.
    await fetch(`${world.quickbooks.url}/__sandbox/entities/Payment/9152`, { method: 'DELETE' });
    await world.advance(3_600);
    await world.cycle();
    expect(await invoice('9138')).toMatchObject({ TotalAmt: 0 });
    expect((await logsOf(48_313)).map(({ success }) => success)).toEqual([false, true]);
  });

  test('that waits for its payments can be posted manually once they are gone, and not before', async () => {
    await world.work();
    await world.sync('void', { mode: 'live', psaIds: [48_313] });
    expect(await invoice('9138')).toMatchObject({ TotalAmt: 800, Balance: 500 });
    expect((await logsOf(48_313)).map(({ success }) => success)).toEqual([false, false]);
    await fetch(`${world.quickbooks.url}/__sandbox/entities/Payment/9152`, { method: 'DELETE' });
    await world.sync('void', { mode: 'live', psaIds: [48_313] });
    expect(await invoice('9138')).toMatchObject({ TotalAmt: 0 });
    expect((await logsOf(48_313)).map(({ success }) => success)).toEqual([false, false, true]);
  });

  test.each([
    ['ours', 48_213, '9177'],
    ['of an earlier tool', 48_313, '9138'],
  ])('with a cleared status never succeeds while money stays open: an invoice %s', async (_of, psaId, id) => {
    if (psaId === 48_213) {
      await postAndVoid(psaId);
      const line = [{ Amount: 100, LinkedTxn: [{ TxnId: id, TxnType: 'Invoice' }] }];
      await world.quickbooks.add('Payment', { CustomerRef: { value: '58' }, TotalAmt: 100, Line: line });
    }
    await world.work();
    const open = (await invoice(id))['Balance'];
    expect(open).not.toBe(0);
    await clearSyncStatus(world.tenant, 'invoice', [psaId], { username: 'admin' });
    expect(await world.psaInvoice(psaId)).toMatchObject({ invoiceNumber: '' });
    await world.sync('void', { mode: 'live', psaIds: [psaId] });
    await world.advance(3_600);
    await world.cycle();
    expect(await invoice(id)).toMatchObject({ Balance: open });
    expect((await logsOf(psaId)).filter(({ success }) => success)).toEqual([]);
    expect((await logsOf(psaId)).at(-1)).toMatchObject({ success: false, problems: [{ code: 'VOID_HAS_PAYMENTS' }] });
  });

  test.each([
    ['its number', { DocNumber: '7038' }],
    ['its customer', { CustomerRef: { value: '59' } }],
  ])('skips 1038 of an earlier tool when %s does not match, and reports it once', async (_what, change) => {
    await world.quickbooks.put('Invoice', '9141', change);
    await world.work();
    await world.cycle();
    expect(await invoice('9141')).toMatchObject({ TotalAmt: 420 });
    expect(await logsOf(48_312)).toMatchObject([
      { success: true, message: 'Not found in QuickBooks, nothing to void.' },
    ]);
  });

  test('has nothing to do if the invoice is voided or deleted in QuickBooks already', async () => {
    await postAndVoid(48_213);
    await postAndVoid(48_214);
    const first = await world.store.readPosting('invoice', 48_213);
    const second = await world.store.readPosting('invoice', 48_214);
    await world.quickbooks.put('Invoice', first?.targetId ?? '', {
      TotalAmt: 0,
      Balance: 0,
      PrivateNote: 'Voided - by hand',
    });
    await fetch(`${world.quickbooks.url}/__sandbox/entities/Invoice/${second?.targetId}`, { method: 'DELETE' });
    await world.cycle();
    expect(await logsOf(48_213)).toMatchObject([{ success: true, message: 'Already voided.' }]);
    expect(await logsOf(48_214)).toMatchObject([{ success: true, message: 'Nothing to void. (1 warning)' }]);
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'voided' });
    expect(await world.store.readPosting('invoice', 48_214)).toMatchObject({ status: 'deleted_in_accounting' });
    expect(await countVoids(first?.targetId ?? '')).toBe(0);
    expect(await countVoids(second?.targetId ?? '')).toBe(0);
  });

  describe('row 63: of an invoice of an earlier month', () => {
    /** Posts an invoice in March, and voids it in Autotask in April. */
    async function voidInApril(policy: 'ask' | 'credit_memo', taxRate?: number): Promise<void> {
      await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
      if (taxRate !== undefined) await world.quickbooks.put('TaxRate', '9', { RateValue: taxRate });
      await world.saveSettings({ void_across_months: policy });
      await world.advance(30 * 24 * 3_600);
      await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: world.clock.now() });
      await world.advance(3_600);
      await world.cycle();
    }

    test('asks once and changes nothing, then applies the choice automatically', async () => {
      await voidInApril('ask');
      await world.cycle();
      expect(await countVoids()).toBe(0);
      expect(await logsOf(48_213)).toMatchObject([
        { success: false, problems: [{ code: 'VOID_OF_AN_EARLIER_MONTH' }] },
      ]);
      await world.saveSettings({ void_across_months: 'void' });
      await world.cycle();
      expect(await invoice('9177')).toMatchObject({ TotalAmt: 0 });
    });

    test('creates one credit memo of the same amount dated now, and March keeps its revenue', async () => {
      await voidInApril('credit_memo');
      await world.cycle();
      expect(await invoice('9177')).toMatchObject({ TotalAmt: 1966.25, TxnDate: '2025-03-03' });
      const made = (await world.quickbooks.list('CreditMemo')).filter((row) =>
        String(row['PrivateNote']).startsWith('Autotask invoice 48213 voided'),
      );
      expect(made).toMatchObject([
        { TotalAmt: 1966.25, TxnDate: '2025-04-02', TxnTaxDetail: { TotalTax: 41.25 }, CustomerRef: { value: '58' } },
      ]);
      expect(await logsOf(48_213)).toMatchObject([
        {
          success: true,
          message: `Invoice 48213 was credited in QuickBooks by credit memo ${String(made[0]?.['DocNumber'])}, dated Apr 2, 2025; its month did not change. (1 warning)`,
        },
      ]);
      // The reconciliations of both months explain it and require no action.
      for (const [of, name] of [
        ['2025-03', 'credited_later'],
        ['2025-04', 'credit_of_void'],
      ] as const) {
        const { id } = await prepareClose(world.tenant, month(of), { username: 'admin' }, 'test');
        const proof = (await world.store.readClose(id))?.proof;
        if (proof === undefined) throw new Error('reconciliation not found');
        expect(obstaclesOf(proof)).toEqual([]);
        const amount = of === '2025-03' ? '1966.25' : '-1966.25';
        const classes = proof.bridges.flatMap((one) => (one.kind === 'invoice' ? one.classes : []));
        expect(classes).toContainEqual({ class: name, count: 1, amount });
        expect(exceptionsOf(proof).filter(({ psaId }) => psaId === 48_213)).toEqual([]);
        expect(exceptionsOf(proof).filter(({ class: one }) => one === 'accounting_made_by_us')).toEqual([]);
      }
    });

    test('a credit memo in a foreign currency reverses the income at the rate of the invoice', async () => {
      await world.saveSettings({ void_across_months: 'credit_memo' });
      await world.sync('invoice', { mode: 'live', psaIds: [48_308] });
      await world.autotask.put('Invoices', 48_308, { isVoided: true, voidedDate: '2025-04-02T12:00:00Z' });
      await world.advance(30 * 86_400);
      await world.quickbooks.add('ExchangeRate', {
        SourceCurrencyCode: 'CAD',
        TargetCurrencyCode: 'USD',
        Rate: 0.76,
        AsOfDate: '2025-04-02',
      });
      await world.sync('void', { mode: 'live', psaIds: [48_308] });
      const [memo] = (await world.quickbooks.list('CreditMemo')).filter((row) =>
        String(row['PrivateNote']).startsWith('Autotask invoice 48308 voided'),
      );
      expect(memo).toMatchObject({ TotalAmt: 1620, ExchangeRate: 0.7402, TxnDate: '2025-04-02' });
      const url = `${world.quickbooks.url}/__sandbox/ledger?transaction_type=CreditMemo&transaction_id=${String(memo?.['Id'])}`;
      const { entries } = (await (await fetch(url)).json()) as { entries: readonly JsonObject[] };
      expect(entries.map((one) => [one['home_debit'], one['home_credit']])).toEqual(
        expect.arrayContaining([
          ['1199.12', '0.00'],
          ['0.00', '1199.12'],
        ]),
      );
    });

    const creditMemos = async () =>
      (await world.quickbooks.list('CreditMemo')).filter((row) =>
        String(row['PrivateNote']).startsWith('Autotask invoice 48213 voided'),
      );

    test('a credit memo that would reverse another tax is created only once the rate equals that of the invoice', async () => {
      await voidInApril('credit_memo', 8.5);
      expect(await creditMemos()).toEqual([]);
      expect(await logsOf(48_213)).toMatchObject([
        {
          success: false,
          problems: [
            {
              code: 'CREDIT_TAX_WOULD_DIFFER',
              message:
                'At today’s rates, a credit memo for invoice 1042 would credit 42.50 of sales tax, but the invoice has 41.25 (+1.25). Nothing was posted.',
            },
          ],
        },
      ]);
      await world.quickbooks.put('TaxRate', '9', { RateValue: 8.25 });
      await world.advance(25 * 3_600);
      await world.cycle();
      expect(await creditMemos()).toMatchObject([{ TotalAmt: 1966.25, TxnTaxDetail: { TotalTax: 41.25 } }]);
    });

    test('a credit memo that would reverse the tax of other agencies waits, although the total is the same', async () => {
      const rates = ['9', '19'].map((value) => ({ TaxRateRef: { value } }));
      const [state] = (await world.quickbooks.list('TaxRate')).filter(({ Id }) => Id === '9');
      await world.quickbooks.put('TaxAgency', '2', { DisplayName: 'Capital Metro', TaxTrackedOnSales: true });
      await world.quickbooks.put('TaxRate', '19', { ...state, Id: '19', Name: 'Transit', AgencyRef: { value: '2' } });
      await world.quickbooks.put('TaxCode', '5', { SalesTaxRateList: { TaxRateDetail: rates } });
      const shares = async (ofState: number, ofTransit: number) => {
        await world.quickbooks.put('TaxRate', '9', { RateValue: ofState });
        await world.quickbooks.put('TaxRate', '19', { RateValue: ofTransit });
      };
      await shares(6.25, 2);
      await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
      await shares(5.25, 3);
      await voidInApril('credit_memo');
      expect(await creditMemos()).toEqual([]);
      expect(await logsOf(48_213)).toMatchObject([
        {
          success: false,
          problems: [
            { code: 'CREDIT_TAX_WOULD_DIFFER', message: expect.stringContaining('“Transit”: 15.00, not 10.00') },
          ],
        },
      ]);
      await shares(6.25, 2);
      await world.advance(25 * 3_600);
      await world.cycle();
      expect(await creditMemos()).toMatchObject([{ TotalAmt: 1966.25, TxnTaxDetail: { TotalTax: 41.25 } }]);
    });

    test.each([
      ['Credits 1042, tax overridden', true],
      ['Credits 10421', false],
    ])('recognizes a manual credit memo with the note "%s": %s', async (note, isRecognized) => {
      await voidInApril('credit_memo', 8.5);
      await world.quickbooks.add('CreditMemo', {
        CustomerRef: { value: '58' },
        TxnDate: '2025-04-02',
        PrivateNote: note,
        Line: [
          {
            Amount: 1966.25,
            DetailType: 'SalesItemLineDetail',
            SalesItemLineDetail: { ItemRef: { value: '21' }, TaxCodeRef: { value: 'NON' } },
          },
        ],
      });
      // The rate is restored, so only the memo prevents another one.
      await world.quickbooks.put('TaxRate', '9', { RateValue: 8.25 });
      await world.advance(25 * 3_600);
      await world.cycle();
      expect(await creditMemos()).toHaveLength(isRecognized ? 0 : 1);
      expect((await logsOf(48_213)).at(-1)?.message).toMatch(isRecognized ? /already reverses it/ : /was credited/);
      // Receivables of the customer are reversed once.
      const memos = (await world.quickbooks.list('CreditMemo')).filter((row) => row['TotalAmt'] === 1966.25);
      expect(memos).toHaveLength(isRecognized ? 1 : 2);
    });

    test('a credit memo with another tax than its invoice needs attention where only QuickBooks knows the tax', async () => {
      const [preferences] = await world.quickbooks.list('Preferences');
      const automated = { ...(preferences?.['TaxPrefs'] as JsonObject), PartnerTaxEnabled: true };
      await voidInApril('ask');
      await world.saveSettings({ void_across_months: 'credit_memo' });
      await world.quickbooks.put('Preferences', '1', { TaxPrefs: automated });
      await world.advance(25 * 3_600);
      await world.cycle();
      const made = await creditMemos();
      expect(made).toHaveLength(1);
      expect(made).not.toMatchObject([{ TxnTaxDetail: { TotalTax: 41.25 } }]);
      expect(await listAttention(world.tenant)).toContainEqual(
        expect.objectContaining({ code: 'CREDIT_TAX_DIFFERS', state: 'needs_you' }),
      );
    });
  });

  test('voids a credit memo if QuickBooks allows it, otherwise reports what a user must do', async () => {
    await postAndVoid(48_301);
    await world.cycle();
    const number = (await world.store.readPosting('invoice', 48_301))?.number;
    const [refused] = await logsOf(48_301);
    expect(refused).toMatchObject({
      success: false,
      message: `Credit memo ${number} of Acme Dental (180.00), dated Mar 3, 2025, was voided in Autotask. QuickBooks does not let other applications void credit memos, so it is unchanged there.`,
      problems: [{ code: 'CREDIT_MEMO_NOT_VOIDED', remedy: expect.stringContaining('More > Void') }],
    });
    // The service's message stays in the transcript for support.
    expect(refused?.transcript).toContain('Operation void is not supported.');
    await world.cycle();
    // A rejected void is not retried on the same day while the memo is unchanged.
    expect(await logsOf(48_301)).toHaveLength(1);
    await world.quickbooks.behave({ credit_memo_void: true });
    await world.advance(24 * 3_600);
    await world.work();
    const posting = await world.store.readPosting('invoice', 48_301);
    expect(posting).toMatchObject({ status: 'voided', targetType: 'CreditMemo' });
    expect(await invoice(posting?.targetId ?? '', 'CreditMemo')).toMatchObject({ TotalAmt: 0 });
  });

  test('is ignored outside the age window, while its switch is off, or in a closed period', async () => {
    await postAndVoid(48_213);
    await world.saveSettings({ void_sync_active: false });
    await world.cycle();
    expect(await countVoids()).toBe(0);
    await world.saveSettings({ void_sync_active: true });
    await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-03-03' } });
    await world.cycle();
    await world.cycle();
    expect(await countVoids()).toBe(0);
    expect(await logsOf(48_213)).toMatchObject([
      {
        success: false,
        message: 'The books are closed through Mar 3, 2025.',
        problems: [{ code: 'PERIOD_CLOSED', remedy: expect.stringContaining('credit memo') }],
      },
    ]);
    await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-01-31' } });
    await world.autotask.put('Invoices', 48_213, { voidedDate: '2025-02-16T12:00:00Z' });
    await world.cycle();
    expect(await countVoids()).toBe(0);
  });

  test('of an unposted invoice prevents its creation', async () => {
    await world.saveSettings({ inv_sync_active: true });
    await world.autotask.put('Invoices', 48_310, { isVoided: true });
    await world.work();
    const made = (await world.quickbooks.list('Invoice')).filter((row) =>
      JSON.stringify(row['PrivateNote'] ?? '').includes('Autotask invoice 48310'),
    );
    expect(made).toEqual([]);
  });
});

describe('after failures', () => {
  let pending: Promise<void> = Promise.resolve();
  const stale = {
    status: 400,
    body: '{"Fault":{"type":"ValidationFault","Error":[{"Message":"Stale Object Error","Detail":"stale","code":"5010"}]}}',
  };
  test('a void with a lost response is searched for and sent once', async () => {
    await postAndVoid(48_213);
    await world.quickbooks.behave({ requestid: 'none' });
    await world.quickbooks.fault({ match: voidPost, times: 1, action: { reset: 'after' } });
    await world.cycle();
    expect(await invoice('9177')).toMatchObject({ TotalAmt: 0 });
    expect(await logsOf(48_213)).toMatchObject([{ success: true }]);
    expect(await countVoids()).toBe(1);
  });

  test('a void that is applied late is found and ends as one success', async () => {
    await postAndVoid(48_213);
    await world.quickbooks.behave({ requestid: 'none' });
    await world.quickbooks.fault({ match: voidPost, times: 1, action: { reset: 'late', apply_after_seconds: 119 } });
    await world.cycle();
    expect(await logsOf(48_213)).toEqual([]);
    await world.advance(135);
    await world.work();
    expect(await invoice('9177')).toMatchObject({ TotalAmt: 0 });
    expect(await logsOf(48_213)).toMatchObject([{ success: true }]);
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'voided' });
  });

  test('a void that never arrived is sent again', async () => {
    await postAndVoid(48_213);
    await world.quickbooks.fault({ match: voidPost, times: 1, action: { reset: 'before' } });
    await world.cycle();
    expect(await invoice('9177')).toMatchObject({ TotalAmt: 1966.25 });
    await world.advance(135);
    await world.work();
    expect(await invoice('9177')).toMatchObject({ TotalAmt: 0 });
    expect(await logsOf(48_213)).toMatchObject([{ success: true }]);
  });

  test('an invoice that changed since it was read is read again and voided in its current state', async () => {
    await postAndVoid(48_213);
    await world.advance(16 * 60);
    let isFirst = true;
    await world.work((name, when) => {
      if (name !== 'post:void' || when !== 'before' || !isFirst) return;
      isFirst = false;
      // A user saves the invoice at this moment.
      pending = world.quickbooks.put('Invoice', '9177', { PrivateNote: 'Autotask invoice 48213 · looked at' });
    });
    await pending;
    await world.advance(135);
    await world.work();
    expect(await invoice('9177')).toMatchObject({ TotalAmt: 0 });
    expect(await logsOf(48_213)).toMatchObject([{ success: true }]);
  });

  test('a payment applied after the read is noticed before the void', async () => {
    await postAndVoid(48_213);
    await world.quickbooks.fault({
      match: voidPost,
      times: 1,
      action: stale,
    });
    await world.advance(16 * 60);
    let isFirst = true;
    await world.work((name, when) => {
      if (name === 'post:void' && when === 'before' && isFirst) {
        isFirst = false;
        pending = world.quickbooks.put('Invoice', '9177', { Balance: 966.25 });
      }
    });
    await pending;
    await world.cycle();
    expect(await logsOf(48_213)).toMatchObject([{ success: false, message: 'Invoice 1042 has 1,000.00 applied.' }]);
    expect(await countVoids()).toBe(0);
  });

  test('a record that is stale repeatedly is left to the next cycle', async () => {
    await postAndVoid(48_213);
    await world.quickbooks.fault({ match: voidPost, times: 3, action: stale });
    await world.cycle();
    expect(await invoice('9177')).toMatchObject({ TotalAmt: 1966.25 });
    const job = (await world.store.listJobs(1))[0];
    expect(job).toMatchObject({ kind: 'void', status: 'finished' });
    await world.cycle();
    expect(await invoice('9177')).toMatchObject({ TotalAmt: 0 });
    expect((await logsOf(48_213)).map(({ success }) => success)).toEqual([false, true]);
  });

  test('a worker that dies right after the void was applied leaves one success to its successor', async () => {
    await postAndVoid(48_213);
    await world.advance(16 * 60);
    const died = world.work((name, when) => {
      if (name === 'post:void' && when === 'after') throw new ProcessEnded('the worker dies');
    });
    await expect(died).rejects.toThrow('the worker dies');
    await world.advance(60);
    await world.work(undefined, 'its successor');
    expect(await invoice('9177')).toMatchObject({ TotalAmt: 0 });
    expect(await logsOf(48_213)).toMatchObject([{ success: true }]);
  });
});
