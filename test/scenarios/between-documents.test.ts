import { afterAll, describe, expect, test } from 'vitest';
import type { PaymentChoice } from '#core/planning/payment-choice.ts';
import { exceptionsOf, obstaclesOf, tieOut } from '#core/reconciliation/close.ts';
import { month, type Month } from '#core/reconciliation/month.ts';
import { decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { listAttention } from '#flows/attention/list.ts';
import { gatherMonth } from '#flows/close/gather.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { Business, idOfMade, type BilledLine } from '../support/business.ts';
import { mapping } from '../support/mappings.ts';
import { proveMonth } from '../support/month-end.ts';
import { movedSince, postedNow } from '../support/moved-since.ts';
import { newWorld } from '../support/world.ts';

/**
 * Money of one customer in several documents, and what users of both services do with it. Each test has customers of
 * its own; debits and credits come from the sandbox's general ledger.
 */
const world = await newWorld({
  hasNoDocuments: true,
  settings: {
    pay_sync_active: true,
    pay_direction: 'both',
    pay_grace_hours: 0,
    void_sync_active: true,
    void_across_months: 'credit_memo',
    inv_create_item_automatically: true,
    exchange_rate_hold_over: decimal('1000'),
  },
});
afterAll(() => world.close());
const { autotask, quickbooks, store } = world;
const business = new Business(world);
const [february, march] = [month('2025-02'), month('2025-03')];
const accounts = await quickbooks.list('Account');
const accountId = (name: string) => String(accounts.find((one) => one['Name'] === name)?.['Id']);
await world.saveSettings({ prepaid_account: accountId('Customer Prepayments'), prepaid_drawdown: true });

interface Client {
  readonly company: number;
  /** Id of its customer in QuickBooks. */
  readonly customer: string;
  readonly name: string;
}
let companies = 700;
/** Adds a company to Autotask and its mapped customer to QuickBooks. */
async function client(name: string, currency: 'USD' | 'CAD' = 'USD'): Promise<Client> {
  const company = (companies += 1);
  const like = (await autotask.list('Companies')).find((row) => row['id'] === (currency === 'CAD' ? 177 : 176)) ?? {};
  await autotask.put('Companies', company, { ...like, id: company, companyName: name, companyNumber: '' });
  if (currency === 'CAD') business.canadians.add(company);
  const made = { DisplayName: name, CompanyName: name, CurrencyRef: { value: currency } };
  const customer = idOfMade(await quickbooks.add('Customer', made));
  await store.saveMappings([mapping('Customer', String(company), customer)]);
  return { company, customer, name };
}

interface Posted {
  readonly psaId: number;
  readonly type: string;
  readonly id: string;
}
/** Bills lines in Autotask and posts the invoice or credit memo. */
async function postLines({ company }: Client, lines: readonly BilledLine[], on = '2025-03-03'): Promise<Posted> {
  const psaId = await business.bill(company, lines, { on });
  await autotask.put('Invoices', psaId, { dueDate: '2025-04-02T00:00:00Z' });
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  const posting = await store.readPosting('invoice', psaId);
  expect(posting).toMatchObject({ status: 'synced' });
  return { psaId, type: posting?.targetType ?? '', id: posting?.targetId ?? '' };
}
const post = (of: Client, amount: number, on?: string): Promise<Posted> =>
  postLines(of, [{ article: 'support', quantity: 1, rate: amount }], on);

const markPaid = (psaId: number, on: string | null = '2025-03-03') =>
  autotask.put('Invoices', psaId, { paidDate: on === null ? null : `${on}T00:00:00Z` });
const paidOn = async (psaId: number) => String((await world.psaInvoice(psaId))['paidDate'] ?? '').slice(0, 10);
const voidInPsa = (psaId: number, isVoided = true) =>
  autotask.put('Invoices', psaId, { isVoided, voidedDate: isVoided ? world.clock.now() : null });

/** Types a payment into QuickBooks that covers parts of documents. */
const typePayment = async (of: Client, total: number, parts: readonly (readonly [Posted, number])[] = []) =>
  idOfMade(
    await quickbooks.add('Payment', {
      CustomerRef: { value: of.customer },
      TxnDate: '2025-03-03',
      TotalAmt: total,
      Line: parts.map(([{ type, id }, amount]) => ({ Amount: amount, LinkedTxn: [{ TxnId: id, TxnType: type }] })),
    }),
  );
/** Saves a payment as a user does who changes its total and what it covers. */
async function changePayment(id: string, total: number, parts: readonly (readonly [Posted, number])[]) {
  const { SyncToken, CustomerRef, CurrencyRef, TxnDate, PrivateNote, PaymentRefNum } = await quickbooks.item(
    'Payment',
    id,
  );
  await quickbooks.add('Payment', {
    Id: id,
    SyncToken: SyncToken ?? '0',
    CustomerRef: CustomerRef ?? null,
    CurrencyRef: CurrencyRef ?? null,
    TxnDate: TxnDate ?? null,
    PrivateNote: PrivateNote ?? null,
    PaymentRefNum: PaymentRefNum ?? null,
    TotalAmt: total,
    Line: parts.map(([document, amount]) => ({
      Amount: amount,
      LinkedTxn: [{ TxnId: document.id, TxnType: document.type }],
    })),
  });
}
async function choose(psaId: number, choice: PaymentChoice) {
  const actor = { username: 'user@example.com' };
  const job = await submit(world.tenant, {
    kind: 'payment',
    mode: 'live',
    force: false,
    psaIds: [psaId],
    choice,
    actor,
  });
  await world.work();
  return store.readJob(job.id);
}
async function twoCycles(): Promise<void> {
  await world.cycle();
  await world.cycle();
}
/** Waits for the next reading of QuickBooks' changes. */
async function nextReading(): Promise<void> {
  await world.advance(3_700);
  await twoCycles();
}

/** Open amounts of documents, in order; those of credit memos are below zero. */
const openOf = (...documents: readonly Posted[]): Promise<readonly number[]> =>
  Promise.all(
    documents.map(async ({ type, id }) => {
      const { Balance, RemainingCredit } = await quickbooks.item(type, id);
      return type === 'CreditMemo' ? -Number(RemainingCredit ?? Balance) : Number(Balance);
    }),
  );
const undeposited = (amount: number) => ({ 'Undeposited Funds': amount, 'Accounts Receivable': -amount });
const paymentOf = async ({ psaId }: Posted) => (await store.readPosting('payment', psaId))?.targetId ?? '';
const paymentLogs = async ({ psaId }: Posted) =>
  (await world.logs()).filter((log) => log.psaId === psaId && log.type === 'payment');
const codesOf = async (of: Posted) =>
  (await paymentLogs(of)).flatMap(({ problems }) => problems.map(({ code }) => code));
/** Problems of a document that need attention now. */
const attentionOn = async ({ psaId }: Posted) =>
  (await listAttention(world.tenant))
    .flatMap(({ documents }) => documents)
    .filter((one) => one.psaId === psaId && one.type !== 'difference')
    .flatMap(({ problems }) => problems.map(({ code }) => code));
/** Differences that a month's proof names for documents, with what it offers. */
async function differencesOf(of: Month, ...documents: readonly Posted[]) {
  const { proof } = await proveMonth(world, of);
  expect(obstaclesOf(proof)).toEqual([]);
  return exceptionsOf(proof)
    .filter(({ psaId, accounting }) => documents.some((one) => one.psaId === psaId || one.id === accounting?.id))
    .map((one) => [
      one.class,
      one.amount,
      one.actions.filter((action) => action !== 'accept' && action !== 'carry').join(),
    ]);
}
/** Debits less credits of a customer on an account through a day, in the home currency. */
async function balanceOf({ customer }: Client, account: string, through = '2025-12-31'): Promise<number> {
  const answer = await fetch(`${quickbooks.url}/__sandbox/ledger?account=${accountId(account)}&to=${through}`);
  const { entries } = (await answer.json()) as {
    entries: readonly { entity: { id: string } | null; home_debit: string; home_credit: string }[];
  };
  const own = entries.filter(({ entity }) => entity?.id === customer);
  return own.reduce((sum, one) => sum + Math.round((Number(one.home_debit) - Number(one.home_credit)) * 100), 0) / 100;
}

describe('credits and payments', () => {
  test('two credits that Autotask shows as used up pay parts of one invoice, and a new payment the rest', async () => {
    const acorn = await client('Acorn Press');
    const invoice = await post(acorn, 500);
    const credits = [await post(acorn, -120.35), await post(acorn, -80.15)] as const;
    const before = await postedNow(world);
    for (const { psaId } of [invoice, ...credits]) await markPaid(psaId);
    await twoCycles();
    expect(await movedSince(world, before)).toEqual(undeposited(299.5));
    expect(await openOf(invoice, ...credits)).toEqual([0, -0, -0]);
    await nextReading();
    expect(await movedSince(world, before)).toEqual(undeposited(299.5));
    expect(await differencesOf(march, invoice, ...credits)).toEqual([]);
    expect((await paymentLogs(invoice)).filter(({ success }) => !success)).toEqual([]);
  });

  test('two credits that users applied in part elsewhere pay with what is left of them', async () => {
    const alder = await client('Alder Homes');
    const [small, invoice] = [await post(alder, 150), await post(alder, 700.1)];
    const credits = [await post(alder, -200), await post(alder, -300.05)] as const;
    // 100.00 of the first and 50.00 of the second credit are used up by hand.
    await typePayment(alder, 0, [
      [small, 150],
      [credits[0], 100],
      [credits[1], 50],
    ]);
    const before = await postedNow(world);
    for (const { psaId } of [invoice, ...credits]) await markPaid(psaId);
    await nextReading();
    // 700.10 less 100.00 and 250.05.
    expect(await movedSince(world, before)).toEqual(undeposited(350.05));
    expect(await openOf(small, invoice, ...credits)).toEqual([0, 0, -0, -0]);
    expect(await paidOn(small.psaId)).not.toBe('');
    expect(await differencesOf(march, small, invoice, ...credits)).toEqual([]);
  });

  test('a credit above the invoice pays it without a payment, and its rest waits for the next invoice', async () => {
    const ash = await client('Ash Records');
    const [first, credit] = [await post(ash, 90.9), await post(ash, -240)];
    const before = await postedNow(world);
    for (const { psaId } of [first, credit]) await markPaid(psaId);
    await nextReading();
    expect(await movedSince(world, before)).toEqual({});
    expect(await openOf(first, credit)).toEqual([0, -149.1]);
    const second = await post(ash, 200);
    const now = await postedNow(world);
    await markPaid(second.psaId);
    await nextReading();
    expect(await movedSince(world, now)).toEqual(undeposited(50.9));
    expect(await openOf(second, credit)).toEqual([0, -0]);
  });

  test('a credit of the parent pays an invoice of its sub-customer, by hand or by a choice', async () => {
    const [parent, child] = [await client('Birch Holding'), await client('Birch Bakery')];
    await quickbooks.put('Customer', child.customer, {
      ParentRef: { value: parent.customer },
      Job: true,
      BillWithParent: true,
    });
    await world.advance(3_700);
    const [byHand, credit] = [await post(child, 260), await post(parent, -110)];
    await typePayment(parent, 200, [
      [byHand, 260],
      [credit, 60],
    ]);
    await nextReading();
    expect(await paidOn(byHand.psaId)).toBe('2025-03-03');
    expect(await paidOn(credit.psaId)).toBe('');
    const chosen = await post(child, 75.5);
    const before = await postedNow(world);
    await markPaid(chosen.psaId);
    await twoCycles();
    expect(await movedSince(world, before)).toEqual({});
    expect(await attentionOn(chosen)).toEqual(['OPEN_MONEY']);
    expect(await choose(chosen.psaId, 'apply')).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await movedSince(world, before)).toEqual(undeposited(25.5));
    await nextReading();
    expect(await openOf(byHand, chosen, credit)).toEqual([0, 0, -0]);
    expect(await paidOn(credit.psaId)).toBe('2025-03-03');
    expect(await differencesOf(march, byHand, chosen, credit)).toEqual([]);
  });

  test('an overpayment that is refunded by a check stays a question until the check is linked to it', async () => {
    const cedar = await client('Cedar Cycles');
    const first = await post(cedar, 500);
    await typePayment(cedar, 600, [[first, 500]]);
    await quickbooks.add('Purchase', {
      PaymentType: 'Check',
      TxnDate: '2025-03-03',
      AccountRef: { value: '35' },
      EntityRef: { value: cedar.customer, type: 'Customer' },
      Line: [
        {
          Amount: 100,
          DetailType: 'AccountBasedExpenseLineDetail',
          AccountBasedExpenseLineDetail: {
            AccountRef: { value: accountId('Accounts Receivable') },
            CustomerRef: { value: cedar.customer },
          },
        },
      ],
    });
    await nextReading();
    expect(await balanceOf(cedar, 'Accounts Receivable')).toBe(0);
    expect(await differencesOf(march, first)).toEqual([]);
    const second = await post(cedar, 100);
    const before = await postedNow(world);
    await markPaid(second.psaId);
    await twoCycles();
    expect(await attentionOn(second)).toEqual(['OPEN_MONEY']);
    expect(await movedSince(world, before)).toEqual({});
    expect(await choose(second.psaId, 'create')).toMatchObject({ succeeded: 1 });
    expect(await movedSince(world, before)).toEqual(undeposited(100));
    expect(await balanceOf(cedar, 'Accounts Receivable')).toBe(0);
  });
});

describe('a payment of the product', () => {
  /** Posts an invoice, and its payment after Autotask shows it as paid. */
  async function paid(of: Client, amount: number): Promise<Posted> {
    const invoice = await post(of, amount);
    await markPaid(invoice.psaId);
    await twoCycles();
    expect(await openOf(invoice)).toEqual([0]);
    return invoice;
  }

  test('whose deposit is moved into another month is undeposited at the end of the month, and no difference', async () => {
    const dune = await client('Dune Surf');
    const invoice = await paid(dune, 410.25);
    const deposit = idOfMade(
      await quickbooks.add('Deposit', {
        TxnDate: '2025-03-20',
        DepositToAccountRef: { value: '35' },
        Line: [
          { Amount: 410.25, LinkedTxn: [{ TxnId: await paymentOf(invoice), TxnType: 'Payment', TxnLineId: '0' }] },
        ],
      }),
    );
    // A deposit of next month leaves the payment in Undeposited Funds.
    const waiting = async () => {
      const { tieOuts } = tieOut((await gatherMonth(world.tenant, march)).facts);
      const one = tieOuts.find(({ name }) => name === 'undeposited_funds');
      expect(one?.difference).toBe('0');
      return Number(one?.right);
    };
    const before = await waiting();
    await quickbooks.put('Deposit', deposit, { TxnDate: '2025-04-02' });
    await nextReading();
    expect((await waiting()) - before).toBeCloseTo(410.25, 2);
    expect(await codesOf(invoice)).toEqual([]);
    expect(await differencesOf(march, invoice)).toEqual([]);
  });

  test.each([
    ['lowered, with the rest in a new payment', 300],
    ['divided between two invoices', 500],
  ])('that is %s of another invoice is named, and posted no second time', async (how, total) => {
    const elm = await client(`Elm Optics ${total}`);
    const invoice = await paid(elm, 500);
    const other = await post(elm, 200);
    const before = await postedNow(world);
    const payment = await paymentOf(invoice);
    await changePayment(
      payment,
      total,
      total === 300
        ? [[invoice, 300]]
        : [
            [invoice, 300],
            [other, 200],
          ],
    );
    if (total === 300) await typePayment(elm, 200, [[other, 200]]);
    await nextReading();
    expect(await openOf(invoice, other)).toEqual([200, 0]);
    expect(await movedSince(world, before), how).toEqual({});
    expect(await paidOn(other.psaId)).toBe('2025-03-03');
    expect(await attentionOn(invoice)).toEqual(['PAYMENT_MOVED']);
    expect(await attentionOn(other)).toEqual([]);
    const found = await differencesOf(march, invoice, other);
    expect(found).toContainEqual(['paid_differs', '0', '']);
    // The rest is applied to the invoice again.
    await changePayment(payment, 500, [[invoice, 500]]);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual([]);
  });
});

describe('a paid date in the future', () => {
  const day = (offset: number) =>
    new Date(Date.parse(world.clock.now()) + offset * 86_400_000).toISOString().slice(0, 10);

  test('that is reached posts a payment of that day', async () => {
    const fir = await client('Fir Farms');
    const invoice = await post(fir, 610);
    const before = await postedNow(world);
    const on = day(2);
    await markPaid(invoice.psaId, on);
    await nextReading();
    expect(await movedSince(world, before)).toEqual({});
    expect(await attentionOn(invoice)).toEqual([]);
    await world.advance(2 * 86_400);
    await twoCycles();
    expect(await movedSince(world, before)).toEqual(undeposited(610));
    expect(await quickbooks.item('Payment', await paymentOf(invoice))).toMatchObject({ TxnDate: on });
  });

  test('that is moved earlier posts a payment at once, moved later waits, and removed posts none', async () => {
    const gale = await client('Gale Yachts');
    const [earlier, later, removed] = [await post(gale, 101), await post(gale, 202), await post(gale, 303)];
    const before = await postedNow(world);
    for (const { psaId } of [earlier, later, removed]) await markPaid(psaId, day(2));
    await twoCycles();
    expect(await movedSince(world, before)).toEqual({});
    const today = day(0);
    await markPaid(earlier.psaId, today);
    await markPaid(later.psaId, day(5));
    await markPaid(removed.psaId, null);
    await twoCycles();
    expect(await movedSince(world, before)).toEqual(undeposited(101));
    expect(await quickbooks.item('Payment', await paymentOf(earlier))).toMatchObject({ TxnDate: today });
    await world.advance(3 * 86_400);
    await twoCycles();
    expect(await openOf(earlier, later, removed)).toEqual([0, 202, 303]);
    await world.advance(2 * 86_400);
    await twoCycles();
    expect(await openOf(earlier, later, removed)).toEqual([0, 0, 303]);
    expect(await movedSince(world, before)).toEqual(undeposited(303));
    expect(await differencesOf(march, earlier, later, removed)).toEqual([]);
  });
});

describe('a credit memo that reverses a void', () => {
  /** Posts an invoice of February and voids it in March. */
  async function reversed(of: Client, amount: number): Promise<readonly [invoice: Posted, memo: Posted]> {
    const invoice = await post(of, amount, '2025-02-25');
    await voidInPsa(invoice.psaId);
    await twoCycles();
    const id = (await store.readPosting('void', invoice.psaId))?.targetId ?? '';
    return [invoice, { psaId: invoice.psaId, type: 'CreditMemo', id }];
  }
  /** Changes the amount of a credit memo with one line. */
  async function reprice({ id }: Posted, amount: number): Promise<void> {
    const memo = await quickbooks.item('CreditMemo', id);
    const lines = (memo['Line'] as JsonObject[]).filter((line) => line['SalesItemLineDetail'] !== undefined);
    const [line] = lines;
    const detail = line?.['SalesItemLineDetail'] as JsonObject;
    await quickbooks.add('CreditMemo', {
      Id: id,
      SyncToken: memo['SyncToken'] ?? '0',
      sparse: true,
      CustomerRef: memo['CustomerRef'] ?? null,
      TxnDate: memo['TxnDate'] ?? null,
      Line: [{ ...line, Amount: amount, SalesItemLineDetail: { ...detail, Qty: 1, UnitPrice: amount } }],
    });
  }

  test('that was lowered before the void is taken back is one case over its present amount', async () => {
    const hazel = await client('Hazel Toys');
    const [invoice, memo] = await reversed(hazel, 830);
    expect(await balanceOf(hazel, 'Accounts Receivable')).toBe(0);
    await reprice(memo, 790.5);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual(['CHANGED_SINCE']);
    expect(await differencesOf(march, memo)).toEqual([['edited_in_accounting', '39.5', '']]);
    await voidInPsa(invoice.psaId, false);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual(['VOID_TAKEN_BACK']);
    const found = await differencesOf(march, memo);
    expect(found.map(([name]) => name)).toContain('void_taken_back');
    expect(found.reduce((sum, [, amount]) => sum + Number(amount), 0)).toBe(-790.5);
    await quickbooks.remove('CreditMemo', memo.id);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual([]);
    expect(await differencesOf(march, invoice, memo)).toEqual([]);
    expect(await balanceOf(hazel, 'Accounts Receivable')).toBe(830);
    expect(await balanceOf(hazel, 'Service Income', '2025-02-28')).toBe(-830);
  });

  test('that was deleted after the void was taken back is posted again once the invoice is voided again', async () => {
    const iris = await client('Iris Foods');
    const [invoice, memo] = await reversed(iris, 245.25);
    await voidInPsa(invoice.psaId, false);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual(['VOID_TAKEN_BACK']);
    await quickbooks.remove('CreditMemo', memo.id);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual([]);
    expect(await balanceOf(iris, 'Accounts Receivable')).toBe(245.25);
    await voidInPsa(invoice.psaId);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual([]);
    expect(await balanceOf(iris, 'Accounts Receivable')).toBe(0);
    expect((await store.readPosting('void', invoice.psaId))?.targetId).not.toBe(memo.id);
    for (const of of [february, march]) expect(await differencesOf(of, invoice, memo)).toEqual([]);
  });

  test('of a void that is taken back and repeated is reported in between, and posted once', async () => {
    const jade = await client('Jade Carpets');
    const [invoice, memo] = await reversed(jade, 99.5);
    await voidInPsa(invoice.psaId, false);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual(['VOID_TAKEN_BACK']);
    expect(await differencesOf(march, memo)).toEqual([['void_taken_back', '-99.5', '']]);
    await voidInPsa(invoice.psaId);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual([]);
    expect((await store.readPosting('void', invoice.psaId))?.targetId).toBe(memo.id);
    expect(await balanceOf(jade, 'Accounts Receivable')).toBe(0);
    expect(await differencesOf(march, invoice, memo)).toEqual([]);
  });

  test('whose class is renamed has the class of its invoice, and no month reports a difference', async () => {
    const juniper = await client('Juniper Cranes');
    await store.saveMappings([mapping('LineOfBusiness', '1', '202')]);
    const invoice = await post(juniper, 415, '2025-02-25');
    const classOf = async ({ type, id }: Posted) => {
      const [line] = (await quickbooks.item(type, id))['Line'] as JsonObject[];
      const detail = line?.['SalesItemLineDetail'] as JsonObject | undefined;
      return (detail?.['ClassRef'] as JsonObject | undefined)?.['value'];
    };
    const own = String(await classOf(invoice));
    expect(own).toMatch(/^\d+$/);
    const { Name = null, FullyQualifiedName = null } = await quickbooks.item('Class', own);
    await quickbooks.put('Class', own, { Name: 'Renamed', FullyQualifiedName: 'Renamed' });
    await world.advance(3_700);
    await voidInPsa(invoice.psaId);
    await nextReading();
    const id = (await store.readPosting('void', invoice.psaId))?.targetId ?? '';
    const memo: Posted = { psaId: invoice.psaId, type: 'CreditMemo', id };
    expect(await classOf(memo)).toBe(own);
    await quickbooks.put('Class', own, { Name: 'Renamed again', FullyQualifiedName: 'Renamed again' });
    await nextReading();
    expect(await attentionOn(invoice)).toEqual([]);
    for (const of of [february, march]) expect(await differencesOf(of, invoice, memo)).toEqual([]);
    await quickbooks.put('Class', own, { Name, FullyQualifiedName });
  });

  test('that a user applies to another invoice leaves the voided one open, which is named', async () => {
    const kiln = await client('Kiln Pottery');
    const [invoice, memo] = await reversed(kiln, 320);
    const other = await post(kiln, 320);
    await typePayment(kiln, 0, [
      [other, 320],
      [memo, 320],
    ]);
    await nextReading();
    expect(await openOf(invoice, other, memo)).toEqual([320, 0, -0]);
    expect(await balanceOf(kiln, 'Accounts Receivable')).toBe(320);
    // The void is taken back: the memo took away the sale of the other invoice.
    await voidInPsa(invoice.psaId, false);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual(['VOID_TAKEN_BACK']);
    expect(await differencesOf(march, memo)).toEqual([['void_taken_back', '-320', '']]);
  });
});

describe('names', () => {
  const merge = async (entity: string, into: string, deleted: string) => {
    const answer = await fetch(`${quickbooks.url}/__sandbox/merge`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ entity, into, deleted }),
    });
    expect(answer.status).toBe(200);
  };

  test('a customer that is merged after posting is no change of its documents once the company is mapped to it', async () => {
    const [old, into] = [await client('Larch Motors'), await client('Larch Motor Group')];
    const [invoice, paid] = [await post(old, 340), await post(old, 95)];
    await markPaid(paid.psaId);
    await twoCycles();
    const before = await postedNow(world);
    await merge('Customer', into.customer, old.customer);
    await nextReading();
    expect(await attentionOn(invoice)).toEqual(['EDITED_IN_BOOKS']);
    await store.saveMappings([mapping('Customer', String(old.company), into.customer)]);
    // Reported problems are checked again every day.
    await world.advance(86_400);
    await twoCycles();
    expect(await attentionOn(invoice)).toEqual([]);
    expect(await attentionOn(paid)).toEqual([]);
    expect(JSON.stringify(await differencesOf(march, invoice, paid))).toEqual('[]');
    expect(await movedSince(world, before)).toEqual({});
    expect(await balanceOf(into, 'Accounts Receivable')).toBe(340);
    await markPaid(invoice.psaId);
    await twoCycles();
    expect(await openOf(invoice)).toEqual([0]);
    expect(await balanceOf(into, 'Accounts Receivable')).toBe(0);
  });

  test('two companies that swap their names keep their customers', async () => {
    const names = ['Maple Motors', 'Nettle Motors'] as const;
    const ids = [801, 802] as const;
    const like = (await autotask.list('Companies')).find((row) => row['id'] === 176) ?? {};
    const rename = async (index: 0 | 1, name: string) =>
      autotask.put('Companies', ids[index], { ...like, id: ids[index], companyName: name, companyNumber: '' });
    for (const index of [0, 1] as const) {
      await rename(index, names[index]);
      await quickbooks.add('Customer', { DisplayName: names[index], CompanyName: names[index] });
    }
    const billed = async (index: 0 | 1, amount: number): Promise<unknown> => {
      const made = await post({ company: ids[index], customer: '', name: '' }, amount);
      return ((await quickbooks.item('Invoice', made.id))['CustomerRef'] as JsonObject)['name'];
    };
    expect([await billed(0, 111), await billed(1, 222)]).toEqual(names);
    await rename(0, names[1]);
    await rename(1, names[0]);
    await world.advance(3_700);
    expect([await billed(0, 333), await billed(1, 444)]).toEqual(names);
  });
});

test('a discount on a partly paid invoice is named once, and the invoice is paid by the rest', async () => {
  const oak = await client('Oak Bindery');
  const [preferences] = await quickbooks.list('Preferences');
  await quickbooks.put('Preferences', '1', {
    SalesFormsPrefs: { ...(preferences?.['SalesFormsPrefs'] as JsonObject), AllowDiscount: true },
  });
  const invoice = await post(oak, 500);
  await typePayment(oak, 200, [[invoice, 200]]);
  const row = await quickbooks.item('Invoice', invoice.id);
  const lines = (row['Line'] as JsonObject[]).filter((line) => line['SalesItemLineDetail'] !== undefined);
  const discount = { DetailType: 'DiscountLineDetail', Amount: 25, DiscountLineDetail: { PercentBased: false } };
  await quickbooks.add('Invoice', {
    Id: invoice.id,
    SyncToken: row['SyncToken'] ?? '0',
    sparse: true,
    Line: [...lines, discount],
  });
  await nextReading();
  expect(await openOf(invoice)).toEqual([275]);
  expect(await attentionOn(invoice)).toEqual(['CHANGED_SINCE']);
  const named = await differencesOf(march, invoice);
  expect(named.map(([name, amount]) => [name, amount])).toEqual([['discounted_in_accounting', '-25']]);
  await typePayment(oak, 275, [[invoice, 275]]);
  await nextReading();
  expect(await paidOn(invoice.psaId)).toBe('2025-03-03');
  expect((await differencesOf(march, invoice)).map(([name, amount]) => [name, amount])).toEqual([
    ['discounted_in_accounting', '-25'],
  ]);
  expect(await balanceOf(oak, 'Accounts Receivable')).toBe(0);
});

describe('prepaid hours', () => {
  /** Gives a company a contract with a block, and returns its lines. */
  async function block({ company, name }: Client, endDate: string, rate: number, hours = 10) {
    const id = 900_000 + company;
    const like = (await autotask.list('Contracts')).find((row) => row['id'] === 2_002) ?? {};
    await autotask.put('Contracts', id, { ...like, id, companyID: company, contractName: name });
    const sample = (await autotask.list('ContractBlocks')).find((row) => row['id'] === 1) ?? {};
    const dates = {
      startDate: '2025-02-01T00:00:00Z',
      endDate: `${endDate}T00:00:00Z`,
      datePurchased: '2025-02-01T00:00:00Z',
    };
    await autotask.put('ContractBlocks', id, {
      ...sample,
      ...dates,
      id,
      contractID: id,
      hours,
      hoursApproved: 0,
      hourlyRate: rate,
    });
    const contract = { contractID: id };
    const sold = { billingItemType: 12, subType: 17, billingCodeID: null, roleID: null, contractBlockID: id };
    return {
      sale: { article: 'milestone', name: 'Block of hours', quantity: hours, rate, psa: { ...sold, ...contract } },
      used: (quantity: number, on: string) =>
        ({
          article: 'support',
          name: 'Covered work',
          quantity,
          rate: rate + 20,
          charged: 0,
          psa: { ...contract, itemDate: `${on}T00:00:00Z` },
        }) as const,
    } as const;
  }
  const prepaid = (of: Client, through?: string) => balanceOf(of, 'Customer Prepayments', through);
  const rowOf = async (tie: string, { name }: Client, of: Month) => {
    const { tieOuts } = tieOut((await gatherMonth(world.tenant, of)).facts);
    return tieOuts.find((one) => one.name === tie)?.rows.filter(({ label }) => label.includes(name)) ?? [];
  };

  test('that are bought in one month and worked over its end are income of the months of the work', async () => {
    const pine = await client('Pine Rowing');
    const { sale, used } = await block(pine, '2025-04-30', 140);
    await postLines(pine, [sale], '2025-02-20');
    await postLines(pine, [used(3, '2025-02-26')], '2025-02-28');
    // One invoice of March bills work of both months.
    await postLines(pine, [used(1.5, '2025-02-28'), used(2, '2025-03-02')], '2025-03-03');
    expect(await prepaid(pine, '2025-02-28')).toBe(-980);
    expect(await prepaid(pine, '2025-03-31')).toBe(-490);
    expect(await balanceOf(pine, 'Service Income', '2025-02-28')).toBe(-420);
    expect(await balanceOf(pine, 'Service Income')).toBe(-910);
    expect((await rowOf('prepayments', pine, february)).map(({ right }) => right)).toEqual(['980']);
    expect((await rowOf('prepayments', pine, march)).map(({ right }) => right)).toEqual(['490']);
    expect(await rowOf('expired_prepayments', pine, march)).toEqual([]);
  });

  test('in a foreign currency whose rate changes before they are used and expire, are worth the rate of their sale', async () => {
    const quince = await client('Quince Skates', 'CAD');
    const { sale, used } = await block(quince, '2025-02-28', 150);
    await postLines(quince, [sale], '2025-02-20');
    const sold = await prepaid(quince);
    expect(sold).toBe(-1_110.3);
    for (const AsOfDate of ['2025-03-01', '2025-03-02', '2025-03-03', '2025-03-04', '2025-03-05', '2025-03-10'])
      await quickbooks.add('ExchangeRate', { SourceCurrencyCode: 'CAD', Rate: 0.7811, AsOfDate });
    await world.advance(3_700);
    await postLines(quince, [used(4, '2025-02-27')], '2025-03-03');
    expect(await balanceOf(quince, 'Service Income')).toBe(-444.12);
    expect(await prepaid(quince)).toBe(-666.18);
    await world.saveSettings({ prepaid_breakage_account: accountId('Service Income'), prepaid_grace_months: 0 });
    expect(await rowOf('expired_prepayments', quince, march)).toMatchObject([{ left: '666.18', right: '666.18' }]);
    const Entity = { Type: 'Customer', EntityRef: { value: quince.customer } };
    const line = (PostingType: string, account: string) => ({
      Amount: 666.18,
      DetailType: 'JournalEntryLineDetail',
      JournalEntryLineDetail: { PostingType, AccountRef: { value: accountId(account) }, Entity },
    });
    await quickbooks.add('JournalEntry', {
      TxnDate: '2025-03-05',
      Line: [line('Debit', 'Customer Prepayments'), line('Credit', 'Service Income')],
    });
    expect(await prepaid(quince)).toBe(0);
    expect(await rowOf('expired_prepayments', quince, march)).toEqual([]);
  });
});
