import { beforeEach, describe, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { ProcessEnded, type Failpoint } from '#flows/context.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { mapExpenses, mapping } from '../support/mappings.ts';
import { listAttention } from '#flows/attention/list.ts';
import { proveMonth } from '../support/month-end.ts';
import { textOf } from '../support/rows.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
beforeEach(async () => {
  await mapExpenses(world.store);
});

const billsFor = async (psaId: number): Promise<JsonObject[]> =>
  (await world.quickbooks.list('Bill')).filter((row) => row['DocNumber'] === `EXP-${psaId}`);
const reference = async (id: number): Promise<string> =>
  textOf(
    (await world.autotask.list('ExpenseReports')).find((row) => row['id'] === id),
    'quickBooksReferenceNumber',
  );
const linesOf = (bill: JsonObject | undefined): JsonObject[] => bill?.['Line'] as JsonObject[];
const writesOfReport = async (): Promise<number> =>
  (await world.autotask.journal()).filter((entry) => entry.method === 'PATCH' && entry.applied).length;
/** Pays a bill or a part of it in QuickBooks. */
const pay = (bill: JsonObject | undefined, amount: number, on: string) =>
  world.quickbooks.add('BillPayment', {
    VendorRef: bill?.['VendorRef'] ?? null,
    TxnDate: on,
    PayType: 'Check',
    CheckPayment: { BankAccountRef: { value: '35' } },
    TotalAmt: amount,
    Line: [{ Amount: amount, LinkedTxn: [{ TxnId: textOf(bill, 'Id'), TxnType: 'Bill' }] }],
  });
const live = (psaId: number, force = false) => world.sync('expense_report', { mode: 'live', force, psaIds: [psaId] });

describe('an expense report', () => {
  test('a test sync shows the bill and changes nothing in either service', async () => {
    const everything = async () => [
      await world.quickbooks.list('Bill'),
      await world.quickbooks.list('Vendor'),
      await world.autotask.list('ExpenseReports'),
    ];
    const before = await everything();
    const job = await world.sync('expense_report', { mode: 'test', psaIds: [1_207] });
    expect(job).toMatchObject({ status: 'finished', succeeded: 1 });
    expect(await everything()).toEqual(before);
    expect(await writesOfReport()).toBe(0);
    const [log] = await world.logs();
    expect(log).toMatchObject({ type: 'expense_report', isTest: true, success: true });
    expect(log?.message).toBe('Expense report 1207 would be created as a bill. Nothing was sent.');
    expect(log?.document).toMatchObject({ DocNumber: 'EXP-1207', VendorRef: { value: '91' } });
  });

  test('is reported when it is rejected after its bill was posted, or loses an item, once each', async () => {
    await world.saveSettings({ exp_sync_active: true });
    await live(1_207);
    const reported = async () =>
      (await world.logs()).flatMap(({ problems }) =>
        problems.flatMap(({ code, message }) => (code === 'REPORT_WITHDRAWN' ? [message] : [])),
      );
    const cycle = async () => {
      await world.advance(86_400);
      await world.cycle();
      await world.work();
    };
    await cycle();
    expect(await reported()).toEqual([]);
    await world.autotask.put('ExpenseReports', 1_207, { amountDue: 100 });
    await cycle();
    await cycle();
    expect(await reported()).toEqual([
      'Items of the expense report of bill EXP-1207 were withdrawn in Autotask: it was 190.35 and is now 100.00.',
    ]);
    await world.autotask.put('ExpenseReports', 1_207, { status: 4 });
    await cycle();
    await cycle();
    expect((await reported()).slice(1)).toEqual([
      'The expense report of bill EXP-1207 (190.35) is no longer approved in Autotask. The bill is still in QuickBooks.',
    ]);
    expect(await billsFor(1_207)).toHaveLength(1);
    const { proof } = await proveMonth(world, month('2025-02'));
    expect(exceptionsOf(proof).filter(({ kind, psaId }) => kind === 'expense_report' && psaId === 1_207)).toMatchObject(
      [{ class: 'voided_in_psa', amount: '190.35', actions: ['accept', 'carry'] }],
    );
    // It is approved again, and then rejected for good.
    const needsAttention = async () =>
      (await listAttention(world.tenant)).some(({ code }) => code === 'REPORT_WITHDRAWN');
    expect(await needsAttention()).toBe(true);
    await world.autotask.put('ExpenseReports', 1_207, { status: 3, amountDue: 190.35 });
    await cycle();
    expect(await needsAttention()).toBe(false);
    await world.autotask.put('ExpenseReports', 1_207, { status: 4 });
    await cycle();
    expect(await needsAttention()).toBe(true);
    expect(await reported()).toHaveLength(3);
    const [bill] = await billsFor(1_207);
    await world.quickbooks.remove('Bill', textOf(bill, 'Id'));
    const before = (await world.logs()).length;
    await cycle();
    await cycle();
    expect(await world.logs()).toHaveLength(before + 1);
    expect((await world.logs()).map(({ message }) => message).slice(-1)).toEqual([
      'Nothing to do: bill EXP-1207 is deleted in QuickBooks, and its report is no longer approved in Autotask.',
    ]);
  });

  test('syncs although a setting of purchase orders is missing', async () => {
    await world.saveSettings({ po_sync_active: true, po_payable_account: null });
    const request = { mode: 'live', force: false, actor: { username: 'admin@northwind-msp.example' } } as const;
    await submit(world.tenant, { ...request, kind: 'expense_report', psaIds: [1_207] });
    await world.work();
    expect(await billsFor(1_207)).toHaveLength(1);
  });

  test('the worked example is a bill of 190.35, and its id is written to Autotask', async () => {
    const job = await live(1_207);
    expect(job).toMatchObject({ status: 'finished', succeeded: 1 });
    const [bill, ...more] = await billsFor(1_207);
    expect(more).toEqual([]);
    expect(bill).toMatchObject({
      TotalAmt: 190.35,
      Balance: 190.35,
      TxnDate: '2025-02-28',
      VendorRef: { value: '91' },
      APAccountRef: { value: '20' },
    });
    expect(
      linesOf(bill).map((line) => {
        const detail = line['AccountBasedExpenseLineDetail'] as JsonObject;
        const valueOf = (name: string) => (detail[name] as JsonObject | undefined)?.['value'];
        return [
          line['Amount'],
          valueOf('AccountRef'),
          valueOf('CustomerRef'),
          detail['BillableStatus'],
          valueOf('ClassRef'),
        ];
      }),
    ).toEqual([
      [186.4, '11', '58', 'NotBillable', '202'],
      [42.75, '12', undefined, 'NotBillable', '202'],
      [61.2, '13', undefined, 'NotBillable', '202'],
      [-100, '25', undefined, 'NotBillable', '202'],
    ]);
    const id = textOf(bill, 'Id');
    expect(await reference(1_207)).toBe(id);
    const [log] = await world.logs();
    expect(log).toMatchObject({
      success: true,
      message: `Expense report 1207 was created in QuickBooks as bill ${id}.`,
    });
    expect(log?.transcript).toContain('QuickBooks total 190.35, tax 0.00: equal to Autotask');
    const { expense_report: state } = await world.store.readSyncStates();
    expect(JSON.parse(state?.info ?? '')).toEqual({ at_expense_report_id: 1_207, qbo_bill_id: id });
  });

  test('a report that needs a fix is refused and marked', async () => {
    await live(1_208);
    expect(await billsFor(1_208)).toEqual([]);
    expect(await reference(1_208)).toBe('ERROR');
    expect((await world.logs())[0]).toMatchObject({
      success: false,
      message: 'No non-billable account is mapped for “Toner”.',
    });
  });

  test('an advance above the expenses creates a bill of 0.00, and the rest stays in the advance account', async () => {
    await world.store.saveMappings([mapping('ExpenseCategoryNonBillable', '41', '11')]);
    await live(1_209);
    expect(await billsFor(1_209)).toMatchObject([{ TotalAmt: 0 }]);
    expect((await world.logs())[0]).toMatchObject({ success: true });
  });

  test('row 56: a bill paid in QuickBooks is reported once, and nothing is written to Autotask', async () => {
    await world.saveSettings({ exp_sync_active: true });
    await live(1_207);
    const id = await reference(1_207);
    const [bill] = await billsFor(1_207);
    const messages = async () =>
      (await world.logs())
        .filter(({ psaId, message }) => psaId === 1_207 && message.includes('paid in QuickBooks'))
        .map(({ message, success }) => [message, success]);
    await world.work();
    const writes = await writesOfReport();
    await pay(bill, 100, '2025-03-05');
    await world.cycle();
    expect(await messages()).toEqual([]);
    await pay(bill, 90.35, '2025-03-10');
    // Bills are checked once a day, so an idle cycle costs QuickBooks nothing.
    await world.cycle();
    expect(await messages()).toEqual([]);
    await world.advance(24 * 3_600);
    await world.work();
    await world.cycle();
    expect(await messages()).toEqual([
      [
        `The bill ${id} of expense report 1207 was paid in QuickBooks on Mar 10, 2025. Autotask does not let programs set the status of a report: mark it as paid there.`,
        true,
      ],
    ]);
    const report = (await world.autotask.list('ExpenseReports')).find((row) => row['id'] === 1_207);
    expect([report?.['status'], report?.['quickBooksReferenceNumber']]).toEqual([3, id]);
    expect(await writesOfReport()).toBe(writes);
  });

  test('row 56: a paid bill is not reported once Autotask shows its report as paid', async () => {
    await world.saveSettings({ exp_sync_active: true });
    await live(1_207);
    const [bill] = await billsFor(1_207);
    await world.autotask.put('ExpenseReports', 1_207, { status: 5 });
    await pay(bill, 190.35, '2025-03-10');
    await world.work();
    await world.cycle();
    await live(1_207);
    expect((await world.logs()).at(-1)?.message).toMatch(/^Skipped: already synced as \d+\.$/);
    expect((await world.logs()).filter(({ message }) => message.includes('paid in QuickBooks'))).toEqual([]);
  });

  test('a report paid by the company is skipped without a status in Autotask', async () => {
    await live(1_210);
    expect(await billsFor(1_210)).toEqual([]);
    expect(await reference(1_210)).toBe('');
    expect((await world.logs())[0]).toMatchObject({
      success: true,
      message: 'Nothing to reimburse: 2 items paid by the company or rejected (110.40).',
    });
  });

  test('creates a vendor for a new employee once', async () => {
    await world.store.saveMappings([mapping('ExpenseCategoryNonBillable', '44', '14')]);
    await live(1_208);
    expect(await billsFor(1_208)).toMatchObject([{ TotalAmt: 58 }]);
    await live(1_208, true);
    const vendors = (await world.quickbooks.list('Vendor')).filter((row) => row['FamilyName'] === "O'Brien");
    expect(vendors).toMatchObject([{ DisplayName: "v-O'Brien, John", GivenName: 'John' }]);
    // An employee is not a company in Autotask, so no mapping exists.
    expect(await world.store.listMappings(['Vendor'])).toEqual([]);
  });

  test('a search skips marked and synced reports, and resumes those of a dead worker', async () => {
    await world.autotask.put('ExpenseReports', 1_208, { quickBooksReferenceNumber: 'ERROR' });
    await world.autotask.put('ExpenseReports', 1_209, { quickBooksReferenceNumber: '77' });
    await world.autotask.put('ExpenseReports', 1_207, { quickBooksReferenceNumber: 'IN PROCESS' });
    const job = await world.sync('expense_report', { mode: 'live' });
    expect(job.results.map(({ psaId }) => psaId).toSorted()).toEqual([1_207, 1_210]);
    const [bill] = await billsFor(1_207);
    expect(await reference(1_207)).toBe(textOf(bill, 'Id'));
  });

  test('a reference that was cleared, or became a status, is written again, without a second bill', async () => {
    await live(1_207);
    const id = await reference(1_207);
    for (const text of ['', 'IN PROCESS', 'ERROR']) {
      await world.autotask.put('ExpenseReports', 1_207, { quickBooksReferenceNumber: text });
      await live(1_207);
      expect(await billsFor(1_207)).toHaveLength(1);
      expect(await reference(1_207)).toBe(id);
    }
  });
});

describe('the IN PROCESS of a running report', () => {
  const bill = { method: 'POST', path: '/bill(\\?|$)' };
  const actor = { username: 'admin@northwind-msp.example' };
  const queue = (force = false) =>
    submit(world.tenant, { kind: 'expense_report', mode: 'live', force, psaIds: [1_207], actor });
  /** Stops the work like a kill. */
  const killedAt =
    (effect: string, when: 'before' | 'after'): Failpoint =>
    (name, at) => {
      if (name === effect && at === when) throw new ProcessEnded('killed');
    };

  test('is in Autotask when the bill is sent', async () => {
    await queue();
    const seen: string[] = [];
    await expect(
      world.work((name, when) => {
        seen.push(`${name} ${when}`);
        void killedAt('post:create_bill', 'before')(name, when);
      }),
    ).rejects.toThrow('killed');
    expect(await reference(1_207)).toBe('IN PROCESS');
    expect(await billsFor(1_207)).toEqual([]);
    const steps = ['commit:posting after', 'psa:running before', 'psa:running after', 'post:create_bill before'];
    expect(seen.filter((step) => steps.includes(step)).slice(0, 3)).toEqual(steps.slice(0, 3));
  });

  test.each([
    // `npm run disasters` has all effects.
    ['psa:running', 'after', false],
    ['post:create_bill', 'before', true],
    ['post:create_bill', 'after', false],
    ['psa:write', 'before', false],
  ] as const)('is removed after a crash %s %s, and there is one bill', async (effect, when, waits) => {
    await queue();
    await expect(world.work(killedAt(effect, when))).rejects.toThrow('killed');
    await world.work();
    if (waits) {
      // The create may still arrive, so the report stays in progress.
      expect(await reference(1_207)).toBe('IN PROCESS');
      await world.advance(135);
      await world.work();
    }
    const [made, ...more] = await billsFor(1_207);
    expect(more).toEqual([]);
    expect(await reference(1_207)).toBe(textOf(made, 'Id'));
    expect(await world.logs()).toMatchObject([{ success: true }]);
  });

  test('is removed when QuickBooks is busy, and the report is not synced and not marked', async () => {
    await world.quickbooks.fault({ match: bill, action: { status: 429, body: '' } });
    const job = await live(1_207);
    expect(job.status).toBe('failed');
    expect(await reference(1_207)).toBe('');
    await world.quickbooks.clearFaults();
    await world.advance(120);
    await live(1_207);
    expect(await billsFor(1_207)).toHaveLength(1);
  });

  test('is replaced by the first bill’s reference when QuickBooks is too busy for a second', async () => {
    await live(1_207);
    const id = await reference(1_207);
    await world.quickbooks.fault({ match: bill, action: { status: 429, body: '' } });
    await live(1_207, true);
    expect(await reference(1_207)).toBe(id);
    expect(await billsFor(1_207)).toHaveLength(1);
  });

  test('becomes ERROR when QuickBooks refuses the bill', async () => {
    await world.quickbooks.behave({ bill_negative_lines: false });
    await live(1_207);
    expect(await reference(1_207)).toBe('ERROR');
    expect(await billsFor(1_207)).toEqual([]);
  });

  test('is replaced by the first bill’s reference when a second bill is refused', async () => {
    await live(1_207);
    const id = await reference(1_207);
    await world.quickbooks.behave({ bill_negative_lines: false });
    await live(1_207, true);
    expect(await reference(1_207)).toBe(id);
    expect(await billsFor(1_207)).toHaveLength(1);
  });

  test('is written before anything is sent', async () => {
    const match = { method: 'PATCH', path: '/ExpenseReports$' };
    await world.autotask.fault({ match, times: 10, action: { status: 503, body: '' } });
    await live(1_207);
    expect(await billsFor(1_207)).toEqual([]);
    await world.autotask.clearFaults();
    await world.advance(90);
    await world.work();
    const [made, ...more] = await billsFor(1_207);
    expect(more).toEqual([]);
    expect(await reference(1_207)).toBe(textOf(made, 'Id'));
  });

  test('is cleared when the report is held', async () => {
    await world.autotask.put('ExpenseReports', 1_207, {
      quickBooksReferenceNumber: 'IN PROCESS',
      weekEnding: '2025-01-31T00:00:00Z',
    });
    await live(1_207);
    expect(await reference(1_207)).toBe('');
    expect((await world.logs())[0]?.transcript).toContain('PERIOD_CLOSED');
  });
});
