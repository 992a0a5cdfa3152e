import { afterAll, describe, expect, test } from 'vitest';
import type { CloseContent } from '#core/records/closes.ts';
import { exceptionsOf, obstaclesOf, totalsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import { decimal, sum, zero } from '#core/values/decimal.ts';
import { beginPreparation, endPreparation } from '#flows/close/prepare.ts';
import { listMonths, readMonth, readProof } from '#flows/close/read.ts';
import { decideMany } from '#flows/close/decide-many.ts';
import { decide, signMonth } from '#flows/close/sign.ts';
import { openPointsOf } from '#core/reconciliation/undecided.ts';
import { checklistOf } from '#core/reconciliation/checklist.ts';
import { closeOf, proofOf } from '../support/closes.ts';
import { loggedIn, proveMonth } from '../support/month-end.ts';
import { newWorld } from '../support/world.ts';

/** Reconciles a month of the sample data with both sandboxes and QuickBooks' reports. */
const march = month('2025-03');
const actor = { username: 'admin@northwind-msp.example' };

const tieOutOf = (close: CloseContent, name: string) => close.proof.tieOuts.find((one) => one.name === name);

const world = await newWorld();
await world.sync('invoice', { mode: 'live' });
afterAll(() => world.close());

describe('a synced month', () => {
  test('has no unexplained difference, and every tie-out is 0.00', async () => {
    const close = await proveMonth(world);
    expect(obstaclesOf(close.proof)).toEqual([]);
    // Records created with a document do not count as later changes.
    expect(exceptionsOf(close.proof).filter(({ psaId }) => psaId === 48_213)).toEqual([]);
    expect(totalsOf(close.proof).map(({ unexplained }) => unexplained)).toEqual(totalsOf(close.proof).map(() => '0'));
    for (const { difference, explained, psaTotal, accountingTotal, currency } of totalsOf(close.proof)) {
      expect([currency, difference]).toEqual([currency, explained]);
      expect([currency, sum([psaTotal, difference])]).toEqual([currency, accountingTotal]);
    }
  });

  test('lists refused documents without the ERROR in their number', async () => {
    const failed = exceptionsOf((await proveMonth(world)).proof).filter(({ class: of }) => of === 'missing_error');
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.filter(({ number }) => number !== null && /ERROR/.test(number))).toEqual([]);
  });

  test('shows debits and credits: receivables, income and tax', async () => {
    const close = await proveMonth(world);
    const movement = tieOutOf(close, 'receivables_movement');
    const sales = sum(
      close.proof.bridges.flatMap((one) =>
        one.kind === 'invoice' && one.currency === 'USD' ? [one.accountingTotal] : [],
      ),
    );
    expect(movement?.difference).toBe('0');
    expect(movement?.rows.find(({ label }) => label === 'Invoices')?.left).not.toBe('0');
    expect(sales).not.toBe('0');
    for (const name of ['customer_sales', 'revenue_by_account', 'sales_tax', 'receivables_ageing']) {
      const one = tieOutOf(close, name);
      expect([name, one?.difference, one?.left === zero]).toEqual([name, '0', false]);
    }
  });

  test('shows sales tax by agency and rate like QuickBooks’ summary, and by region as Autotask billed it', async () => {
    const close = await proveMonth(world);
    const agency = tieOutOf(close, 'sales_tax_by_agency');
    expect(agency?.rows.length).toBeGreaterThan(0);
    expect(agency?.rows.map(({ label, right }) => [label, right])).toEqual(
      agency?.rows.map(({ label, left }) => [label, left]),
    );
    expect(agency?.left).toBe(tieOutOf(close, 'sales_tax')?.rows[0]?.left);
    const region = tieOutOf(close, 'sales_tax_by_region');
    expect(region?.rows.length).toBeGreaterThan(0);
    expect(region?.rows.filter(({ label }) => label.startsWith('Without'))).toEqual([]);
  });

  test('lists a user’s changes in QuickBooks with their amounts, and nothing else', async () => {
    const before = exceptionsOf((await proveMonth(world)).proof).map(({ key }) => key);
    const invoices = await world.quickbooks.list('Invoice');
    const ours = invoices.filter((row) => String(row['PrivateNote'] ?? '').startsWith('Autotask invoice 48213'));
    expect(ours).toHaveLength(1);
    const id = String(ours[0]?.['Id']);
    await world.quickbooks.put('Invoice', id, { CustomerRef: { value: '59' }, DueDate: '2025-06-30' });
    const found = exceptionsOf((await proveMonth(world)).proof).filter(({ key }) => !before.includes(key));
    expect(found.map((one) => [one.class, one.psaId, one.amount]).sort()).toEqual([
      ['customer_differs', 48213, '0'],
      ['due_differs', 48213, '0'],
    ]);
  });

  test('lists a sales receipt, a journal entry and a manual document, without an unexplained difference', async () => {
    await world.quickbooks.add('SalesReceipt', {
      TxnDate: '2025-03-03',
      CustomerRef: { value: '58' },
      Line: [{ DetailType: 'SalesItemLineDetail', Amount: 70, SalesItemLineDetail: { ItemRef: { value: '21' } } }],
    });
    const close = await proveMonth(world);
    expect(obstaclesOf(close.proof)).toEqual([]);
    const classes = close.proof.bridges.find((one) => one.kind === 'invoice' && one.currency === 'USD')?.classes;
    expect(classes).toContainEqual({ class: 'sales_receipt', count: 1, amount: '70' });
  });
});

/** Accepts all differences of the newest result. */
const acceptAll = async () => {
  for (const { key } of exceptionsOf((await proveMonth(world)).proof))
    await decide(world.tenant, loggedIn(world, 'ada'), march, { key, decision: 'accept', reason: 'Known.' });
};

describe('a refresh replaces the result', () => {
  const left = async (name: string) => tieOutOf(await readNewest(), name)?.left;
  const readNewest = async (): Promise<CloseContent> => {
    await proveMonth(world);
    const { close } = await readMonth(world.tenant, march, 'ada');
    if (close === null) throw new Error('the reconciliation was not prepared');
    return close;
  };

  test('of lists: approved work that is not invoiced', async () => {
    const before = Number(await left('unbilled'));
    const [item] = (await world.autotask.list('BillingItems')).filter((row) => row['id'] === 9_000_000);
    world.clock.advance(60);
    const totalAmount = Number(item?.['totalAmount']) + 660;
    await world.autotask.put('BillingItems', 9_000_000, { totalAmount, internalCurrencyTotalAmount: totalAmount });
    const reading = await readNewest();
    expect(Number(tieOutOf(reading, 'unbilled')?.left) - before).toBe(660);
    expect(reading.preparedAt).toBe(world.clock.now());
    expect(totalsOf(reading.proof)).toEqual(reading.totals);
  });

  test('of reasons and paid states, and a signature belongs to that result', async () => {
    const before = await readNewest();
    const paid = await world.psaInvoice(48_213);
    world.clock.advance(60);
    await world.saveSettings({ pay_sync_active: true });
    await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-02T00:00:00Z' });
    const after = await readNewest();
    expect(after.id).not.toBe(before.id);
    expect(exceptionsOf(after.proof).map((one) => [one.psaId, one.class])).toContainEqual([48_213, 'paid_differs']);
    const old = { closeId: before.id, as: 'preparer', checked: [], reason: null } as const;
    await expect(signMonth(world.tenant, loggedIn(world, 'ada'), march, old)).rejects.toMatchObject({
      code: 'outdated',
    });
    await world.autotask.put('Invoices', 48_213, { paidDate: paid['paidDate'] ?? null });
    await world.saveSettings({ pay_sync_active: false });
  });
});

test('cannot be signed after a newer one was refused or while one runs', async () => {
  const { id, proof } = await proveMonth(world);
  const checked = checklistOf(proof).map(({ key }) => key);
  const sign = () => {
    const signing = { closeId: id, as: 'preparer', checked, reason: 'Known.' } as const;
    return signMonth(world.tenant, loggedIn(world, 'ada'), march, signing);
  };
  await beginPreparation(world.tenant, march);
  await expect(sign()).rejects.toMatchObject({ code: 'outdated' });
  await world.quickbooks.fault({ match: { path: 'reports/TrialBalance' }, action: { status: 200, body: '{}' } });
  expect(await endPreparation(world.tenant, march, actor, 'test')).toBeNull();
  await expect(sign()).rejects.toMatchObject({
    code: 'refresh_failed',
    message: expect.stringContaining('TrialBalance'),
  });
  expect(await readMonth(world.tenant, march, 'ada')).toMatchObject({ maySignAs: [], problem: expect.any(String) });
  await world.quickbooks.clearFaults();
  await beginPreparation(world.tenant, march);
  await endPreparation(world.tenant, march, actor, 'test');
  expect((await readMonth(world.tenant, march, 'ada')).maySignAs).toEqual(['preparer', 'reviewer']);
});

test('cannot be signed while a document is being posted into the month', async () => {
  const [head] = (await world.autotask.list('Invoices')).filter((row) => row['id'] === 48_213);
  const [item] = (await world.autotask.list('BillingItems')).filter((row) => row['invoiceID'] === 48_213);
  const of = { invoiceNumber: '', webServiceDate: null, invoiceTotal: item?.['totalAmount'] ?? 0, totalTaxValue: 0 };
  await world.autotask.put('Invoices', 48_690, { ...head, id: 48_690, ...of });
  await world.autotask.put('BillingItems', 4_869_000, { ...item, id: 4_869_000, invoiceID: 48_690, taxDollars: 0 });
  const { id, proof } = await proveMonth(world);
  await world.quickbooks.fault({
    match: { method: 'POST', path: '/invoice$' },
    times: 1,
    action: { reset: 'late', apply_after_seconds: 100 },
  });
  expect((await world.sync('invoice', { mode: 'live', psaIds: [48_690] })).results).toMatchObject([
    { outcome: 'pending' },
  ]);
  const checked = checklistOf(proof).map(({ key }) => key);
  const signing = { closeId: id, as: 'preparer', checked, reason: 'Known.' } as const;
  await expect(signMonth(world.tenant, loggedIn(world, 'ada'), march, signing)).rejects.toMatchObject({
    code: 'outdated',
    message: expect.stringContaining('Invoice 48690 is being posted into this month.'),
  });
  await expect(signMonth(world.tenant, loggedIn(world, 'ada'), month('2025-02'), signing)).rejects.not.toMatchObject({
    code: 'outdated',
  });
  await world.advance(135);
  await world.work();
});

test('a refresh whose server stopped ends, and must be repeated before signing', async () => {
  const { id, proof } = await proveMonth(world);
  const checked = checklistOf(proof).map(({ key }) => key);
  await beginPreparation(world.tenant, march);
  expect(await readMonth(world.tenant, march, 'ada')).toMatchObject({ isPreparing: true, maySignAs: [] });
  world.clock.advance(601);
  expect(await readMonth(world.tenant, march, 'ada')).toMatchObject({
    isPreparing: false,
    maySignAs: [],
    problem: 'The server was stopped before the refresh ended.',
  });
  const signing = { closeId: id, as: 'preparer', checked, reason: 'Known.' } as const;
  await expect(signMonth(world.tenant, loggedIn(world, 'ada'), march, signing)).rejects.toMatchObject({
    code: 'refresh_failed',
  });
  await beginPreparation(world.tenant, march);
  await endPreparation(world.tenant, march, actor, 'test');
});

test('a month is ready when each difference is decided, and until then a signature needs a reason', async () => {
  const { id, proof } = await proveMonth(world);
  const count = exceptionsOf(proof).length;
  expect(count).toBeGreaterThan(1);
  expect((await readMonth(world.tenant, march, 'ada')).state).toBe('open');
  const signing = { closeId: id, as: 'preparer', checked: checklistOf(proof).map(({ key }) => key) } as const;
  await expect(
    signMonth(world.tenant, loggedIn(world, 'ada'), march, { ...signing, reason: null }),
  ).rejects.toMatchObject({
    code: 'reason_needed',
    message: expect.stringContaining(`${count} undecided differences`),
  });
  const [first, ...others] = exceptionsOf(proof).map(({ key }) => key);
  for (const key of others)
    await decide(world.tenant, loggedIn(world, 'ada'), march, { key, decision: 'carry', reason: 'Next month.' });
  expect(openPointsOf(proof, await world.store.listDecisions(march))).toEqual([
    expect.objectContaining({ label: '1 undecided difference' }),
  ]);
  expect((await listMonths(world.tenant, 1))[0]?.state).toBe('open');
  await decide(world.tenant, loggedIn(world, 'ada'), march, { key: first ?? '', decision: 'accept', reason: 'Known.' });
  expect([(await readMonth(world.tenant, march, 'ada')).state, (await listMonths(world.tenant, 1))[0]?.state]).toEqual([
    'ready',
    'ready',
  ]);
});

test('the months after show what was carried, until it is decided otherwise', async () => {
  await acceptAll();
  const { proof } = await proveMonth(world);
  const [first, second] = exceptionsOf(proof).map(({ key }) => key);
  const carried = async (later: string) =>
    (await readMonth(world.tenant, month(later), 'ada')).carried.map(({ month: from, exception }) => [
      from,
      exception.key,
    ]);
  expect(await carried('2025-04')).toEqual([]);
  for (const key of [first ?? '', second ?? ''])
    await decide(world.tenant, loggedIn(world, 'ada'), march, { key, decision: 'carry', reason: 'Next month.' });
  const both = [
    ['2025-03', first],
    ['2025-03', second],
  ];
  expect(await carried('2025-04')).toEqual(both);
  expect(await carried('2026-03')).toEqual(both);
  expect([await carried('2025-03'), await carried('2026-04')]).toEqual([[], []]);
  await decide(world.tenant, loggedIn(world, 'ada'), march, { key: first ?? '', decision: 'accept', reason: 'Known.' });
  expect(await carried('2025-04')).toEqual([['2025-03', second]]);
});

test.each([
  ['ada', 'bob'],
  ['bob', 'ada'],
])('a decision that %s made after %s saw the difference is not replaced', async (first, second) => {
  const [exception] = exceptionsOf((await proveMonth(world)).proof);
  if (exception === undefined) throw new Error('the month has no difference');
  const { key, amount } = exception;
  const by = (
    name: string,
    decision: 'accept' | 'carry',
    was?: { amount: string; decision: string | null },
    reason = 'Known.',
  ) => decide(world.tenant, loggedIn(world, name), march, { key, decision, reason, was });
  await by(first, 'accept');
  await expect(by(second, 'carry', { amount, decision: null })).rejects.toMatchObject({
    code: 'changed_meanwhile',
    message: `“Decision”: ${first} changed this to “accepted” after you opened it. Nothing was saved.`,
  });
  // The same decision with another reason would replace the first reason.
  await expect(by(second, 'accept', { amount, decision: null }, 'A discount.')).rejects.toMatchObject({
    code: 'changed_meanwhile',
  });
  await expect(by(second, 'carry', { amount: '123.45', decision: 'accept' })).rejects.toMatchObject({
    code: 'changed_meanwhile',
  });
  expect(await world.store.listDecisions(march)).toContainEqual(
    expect.objectContaining({ key, decision: 'accept', by: first }),
  );
  expect(await by(second, 'carry', { amount, decision: 'accept' })).toMatchObject({ decision: 'carry' });
});

test('several differences are decided at once, and those that another user decided or that changed are reported', async () => {
  const { proof } = await proveMonth(world);
  const all = exceptionsOf(proof);
  const [first, second, third] = all;
  if (first === undefined || second === undefined || third === undefined) throw new Error('too few differences');
  const decisions = new Map((await world.store.listDecisions(march)).map((one) => [one.key, one.decision]));
  const seen = [first, second, third].map(({ key, amount }) => ({
    key,
    amount,
    decision: decisions.get(key) ?? null,
  }));
  const other = decisions.get(first.key) === 'accept' ? 'carry' : 'accept';
  await decide(world.tenant, loggedIn(world, 'bob'), march, { key: first.key, decision: other, reason: 'Bob knows.' });
  const changed = seen.map((one, index) => (index === 1 ? { ...one, amount: decimal('123.45') } : one));
  const gone = { key: 'invoice 1 USD rounding', amount: decimal('0.01'), decision: null };
  const many = await decideMany(world.tenant, loggedIn(world, 'ada'), march, {
    decision: 'accept',
    reason: 'Rounding',
    differences: [...changed, gone],
  });
  expect(many.decided.map(({ key }) => key)).toEqual([third.key]);
  expect(many.left.map(({ key, why, decision }) => [key, why, decision?.by ?? null])).toEqual([
    [first.key, 'decided', 'bob'],
    [second.key, 'changed', null],
    [gone.key, 'gone', null],
  ]);
  expect(many.message).toBe(
    '1 difference accepted. Left as they are: 1 decided by bob meanwhile, 1 with another amount now, 1 not in the month any more.',
  );
  const after = new Map((await world.store.listDecisions(march)).map((one) => [one.key, one]));
  expect(after.get(first.key)).toMatchObject({ decision: other, by: 'bob' });
  expect(after.get(third.key)).toMatchObject({ decision: 'accept', by: 'ada', reason: 'Rounding' });
  const { events } = await world.store.listAudit({ page: 1, pageSize: 1 });
  expect(events[0]).toMatchObject({ action: 'close.differences_accepted', subject: march, after: { count: 1 } });
});

describe('a signed month', () => {
  test('needs two users and the entire checklist, and is marked as changed after any later change', async () => {
    await acceptAll();
    const close = await proveMonth(world);
    const checked = checklistOf(close.proof).map(({ key }) => key);
    const sign = (username: string, as: 'preparer' | 'reviewer', points = checked) =>
      signMonth(world.tenant, loggedIn(world, username), march, {
        closeId: close.id,
        as,
        checked: points,
        reason: null,
      });
    await expect(sign('ada', 'preparer', checked.slice(1))).rejects.toMatchObject({ code: 'checklist_open' });
    await sign('ada', 'preparer');
    await expect(sign('ada', 'reviewer')).rejects.toMatchObject({ code: 'two_people' });
    expect(await readMonth(world.tenant, march, 'ada')).toMatchObject({ maySignAs: [], areTwoPeople: true });
    await sign('grace', 'reviewer');
    expect(await readMonth(world.tenant, march, 'ada')).toMatchObject({ state: 'signed', changes: [] });

    // Without a change, another refresh adds nothing.
    await proveMonth(world);
    expect((await readMonth(world.tenant, march, 'ada')).state).toBe('signed');
    const fileOf = async (closeId?: string) => {
      const { state, signatures } = await readProof(world.tenant, march, 'ada', closeId);
      return [state, signatures.map(({ by }) => by).sort()];
    };
    expect(await fileOf()).toEqual(['signed', ['ada', 'grace']]);

    const invoice = (await world.quickbooks.list('Invoice')).find((row) =>
      String(row['PrivateNote'] ?? '').startsWith('Autotask invoice 48213'),
    );
    await world.quickbooks.put('Invoice', String(invoice?.['Id']), { DocNumber: 'CHANGED-1' });
    await proveMonth(world);
    const inAccounting = await readMonth(world.tenant, march, 'ada');
    expect(inAccounting.state).toBe('changed');
    // A file contains only the signatures of its result.
    expect(await fileOf()).toEqual(['changed', []]);
    expect(await fileOf(close.id)).toEqual(['signed', ['ada', 'grace']]);
    expect(inAccounting.changes.map(({ details }) => details)).toEqual([
      [expect.stringMatching(/^QuickBooks number: .* → CHANGED-1$/)],
    ]);

    await world.autotask.put('Invoices', 48_213, { invoiceTotal: 2_000 });
    await proveMonth(world);
    const inPsa = await readMonth(world.tenant, march, 'ada');
    expect(inPsa.changes[0]?.details).toEqual(
      expect.arrayContaining([expect.stringMatching(/^PSA total: 1966.25 → 2000$/)]),
    );
    const classes = exceptionsOf((await proveMonth(world)).proof).filter(({ psaId }) => psaId === 48_213);
    expect(classes).toContainEqual(expect.objectContaining({ class: 'edited_in_psa', amount: '-33.75' }));
  });

  test('may be signed twice by one user if the settings allow it, and shows whether the books are closed', async () => {
    const { id, proof } = await proveMonth(world);
    const signing = { closeId: id, checked: checklistOf(proof).map(({ key }) => key), reason: 'Known and accepted.' };
    const sign = (as: 'preparer' | 'reviewer') =>
      signMonth(world.tenant, loggedIn(world, 'ada'), march, { ...signing, as });
    await sign('preparer');
    await world.saveSettings({ close_two_people: false });
    const alone = await readMonth(world.tenant, march, 'ada');
    expect(alone).toMatchObject({ maySignAs: ['reviewer'], areTwoPeople: false });
    await sign('reviewer');
    await world.saveSettings({ close_two_people: true });
    const open = await readMonth(world.tenant, march, 'ada');
    expect([open.state, open.closedThrough]).toEqual(['signed', '2025-01-31']);
    // The signed result stays, but the closing date is current.
    await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-03-31' } });
    await proveMonth(world);
    const closed = await readMonth(world.tenant, march, 'ada');
    expect([closed.state, closed.closedThrough]).toEqual(['signed', '2025-03-31']);
    expect((await readProof(world.tenant, march, 'ada', undefined)).close.id).toBe(id);
  });
});

test('lists a hundred months at once, newest first, with two database queries and no service call', async () => {
  const of = (index: number) => month(`${2010 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`);
  for (let index = 0; index < 100; index += 1)
    await world.store.addClose(closeOf({ ...proofOf(), month: of(index) }, { month: of(index) }));
  const asked: string[] = [];
  const store = new Proxy(world.tenant.store, {
    get(target, key, receiver): unknown {
      asked.push(String(key));
      return Reflect.get(target, key, receiver);
    },
  });
  const listed = await listMonths({ ...world.tenant, store }, 100);
  expect(listed.map((one) => one.month)).toEqual([march, ...Array.from({ length: 99 }, (_, index) => of(99 - index))]);
  expect(listed.map(({ state }) => state)).toEqual(['signed', ...Array.from({ length: 99 }, () => 'ready')]);
  expect(asked).toEqual(['listCloses', 'listSignatures']);
});
