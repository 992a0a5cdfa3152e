import { describe, expect, test } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import { exceptionsOf, obstaclesOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import { decimal } from '#core/values/decimal.ts';
import type { Preference } from '#core/planning/update-merge.ts';
import type { JsonObject } from '#core/values/json.ts';
import { approveDrafts } from '#flows/approval/decide.ts';
import { readRun } from '#flows/approval/read.ts';
import { settleException } from '#flows/close/settle.ts';
import { Refusal } from '#core/refusal.ts';
import { readReview } from '#flows/jobs/review.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { mapExpenses } from '../support/mappings.ts';
import { loggedIn, proveMonth } from '../support/month-end.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { type World } from '../support/world.ts';
import { movedSince, postedNow } from '../support/moved-since.ts';
import { pricedLine } from './priced-line.ts';

/** On Month-end a user can update a document in QuickBooks to match Autotask. */
const world = eachWorld();

const march = month('2025-03');
const actor = { username: 'admin@northwind-msp.example' };

const found = async (psaId: number) =>
  exceptionsOf((await proveMonth(world)).proof).filter((one) => one.psaId === psaId);
const made = async (psaId: number, entity = 'Invoice', noun = 'invoice'): Promise<JsonObject[]> =>
  (await world.quickbooks.list(entity)).filter((row) =>
    new RegExp(`Autotask ${noun} ${psaId}[ ,:]`).test(`${String(row['PrivateNote'] ?? '')} `),
  );
/** Returns the only document of an invoice. */
async function readPosted(psaId = 48_213): Promise<JsonObject> {
  const [only, ...others] = await made(psaId);
  expect(others).toEqual([]);
  if (only === undefined) throw new Error(`invoice ${psaId} not found in QuickBooks`);
  return only;
}
const post = (psaId = 48_213) => world.sync('invoice', { mode: 'live', psaIds: [psaId] });
const update = (hook?: Parameters<World['sync']>[2]) =>
  world.sync('invoice', { mode: 'live', revises: true, psaIds: [48_213] }, hook);
/** Adds 100.00 in Autotask to the services line and the total. */
async function raise(): Promise<void> {
  const [item] = (await world.autotask.list('BillingItems')).filter(
    (one) => one['invoiceID'] === 48_213 && one['totalAmount'] === 900,
  );
  await world.autotask.put('BillingItems', Number(item?.['id']), pricedLine(1000));
  await world.autotask.put('Invoices', 48_213, { invoiceTotal: 2_066.25 });
}
const updates = async (): Promise<JsonObject[]> =>
  (await world.quickbooks.journal()).flatMap(({ method, path, request_body: body, applied }) =>
    method === 'POST' && path.endsWith('/invoice') && applied && (body ?? '').includes('"SyncToken"')
      ? [JSON.parse(body ?? '{}') as JsonObject]
      : [],
  );
const messagesOf = async (psaId: number) =>
  (await world.logs()).filter((log) => log.psaId === psaId).map(({ message }) => message);

describe('an invoice whose total increased in Autotask after posting', () => {
  test('is updated from Month-end: the same document with its new total in the ledger, and no difference remains', async () => {
    await post();
    const before = await readPosted();
    await raise();
    const [exception] = (await found(48_213)).filter((one) => one.class === 'edited_in_psa');
    expect(exception?.amount).toBe('-100');
    expect(exception?.actions).toContain('update_accounting');
    const job = await settleException(world.tenant, loggedIn(world), march, {
      key: exception?.key ?? '',
      action: 'update_accounting',
    });
    await world.work();
    expect(await world.store.readJob(job.id)).toMatchObject({ status: 'finished', succeeded: 1, failed: 0 });

    const after = await readPosted();
    expect(after).toMatchObject({
      Id: before['Id'],
      DocNumber: before['DocNumber'],
      PrivateNote: before['PrivateNote'],
      TotalAmt: 2066.25,
      Balance: 2066.25,
    });
    expect(await found(48_213)).toEqual([]);
    // QuickBooks' reports agree: receivables, income and tax.
    expect(obstaclesOf((await proveMonth(world)).proof)).toEqual([]);
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: before['DocNumber'] });
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({
      status: 'synced',
      targetId: before['Id'],
      total: '2066.25',
      psaTotal: '2066.25',
      generation: 2,
    });
    expect(await messagesOf(48_213)).toContain('Invoice 48213 was updated in QuickBooks (1042).');
  });

  test('is reviewed on Month-end first: the test settles nothing, and later changes are not sent', async () => {
    await post();
    const before = await readPosted();
    await raise();
    const key = (await found(48_213)).find((one) => one.class === 'edited_in_psa')?.key ?? '';
    const settle = (how: {
      mode?: 'test' | 'live';
      reviewed?: string;
      action?: 'update_accounting' | 'bill_difference';
    }) => settleException(world.tenant, loggedIn(world), march, { key, action: 'update_accounting', ...how });
    const settled = async () =>
      (await world.store.listAudit({ actions: ['close.difference_settled'], page: 1, pageSize: 9 })).events.length;

    const test = await settle({ mode: 'test' });
    await world.work();
    const { job, summary } = await readReview(world.tenant, test.id);
    expect(job).toMatchObject({ mode: 'test', revises: true, succeeded: 1 });
    expect(summary.sums).toEqual([{ kind: 'invoice', currency: 'USD', count: 1, amount: '2066.25' }]);
    expect(await readPosted()).toEqual(before);
    expect(await settled()).toBe(0);
    // A review of one settlement is not valid for another.
    await expect(settle({ reviewed: test.id, action: 'bill_difference' })).rejects.toBeInstanceOf(Refusal);

    await world.autotask.put('Invoices', 48_213, { comments: 'Changed', invoiceDateTime: '2025-03-01T00:00:00Z' });
    const stale = await settle({ reviewed: test.id });
    await world.work();
    expect(await world.store.readJob(stale.id)).toMatchObject({ succeeded: 0, skipped: 1 });
    expect(await readPosted()).toEqual(before);

    const again = await settle({ mode: 'test' });
    await world.work();
    const live = await settle({ reviewed: again.id });
    await world.work();
    expect(await world.store.readJob(live.id)).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await readPosted()).toMatchObject({ Id: before['Id'], TotalAmt: 2066.25 });
    expect(await settled()).toBe(2);
    await expect(settle({ reviewed: again.id })).rejects.toMatchObject({ code: 'review_over' });
  });

  test('is updated once, and has nothing to do when requested again', async () => {
    await post();
    await raise();
    await update();
    expect(await update()).toMatchObject({ succeeded: 0, skipped: 1 });
    expect(await updates()).toHaveLength(1);
    expect((await messagesOf(48_213)).filter((one) => one.startsWith('Nothing to do'))).toHaveLength(1);
    // A normal sync recognizes it.
    expect(await post()).toMatchObject({ skipped: 1 });
  });

  test('is reviewed, and then updated exactly as reviewed', async () => {
    await post();
    await raise();
    const before = await readPosted();
    const test = await world.sync('invoice', { mode: 'test', revises: true, psaIds: [48_213] });
    expect(test.results[0]?.message).toBe('Invoice 48213 would be updated in QuickBooks. Nothing was sent.');
    expect(await readPosted()).toEqual(before);
    const { planned, summary } = await readReview(world.tenant, test.id);
    expect(planned.map(({ preview }) => preview?.view.total)).toEqual(['2066.25']);
    expect(summary.sums).toEqual([{ kind: 'invoice', currency: 'USD', count: 1, amount: '2066.25' }]);
    const updateAsReviewed = (reviewed: string, revises = true) =>
      submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, revises, psaIds: [48_213], actor, reviewed });
    // A review of an update is not valid for a posting, or the reverse.
    await expect(updateAsReviewed(test.id, false)).rejects.toMatchObject({ code: 'review_over' });

    await world.autotask.put('Invoices', 48_213, {
      comments: 'Changed meanwhile',
      invoiceDateTime: '2025-03-01T00:00:00Z',
    });
    const stale = await updateAsReviewed(test.id);
    await world.work();
    expect(await world.store.readJob(stale.id)).toMatchObject({ succeeded: 0, skipped: 1 });
    expect(await readPosted()).toEqual(before);

    const again = await world.sync('invoice', { mode: 'test', revises: true, psaIds: [48_213] });
    const live = await updateAsReviewed(again.id);
    await world.work();
    expect(await world.store.readJob(live.id)).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await readPosted()).toMatchObject({ Id: before['Id'], TotalAmt: 2066.25 });
  });

  test('waits for approval above the limit, and is updated as approved', async () => {
    await post();
    await raise();
    await world.saveSettings({ require_approval: true, approval_limit: decimal('1000') });
    await update();
    expect(await readPosted()).toMatchObject({ TotalAmt: 1966.25 });
    const { waiting } = await readRun(world.tenant);
    expect(waiting.map(({ psaId, revises }) => [psaId, revises])).toEqual([[48_213, true]]);
    // Approval shows what the update replaces.
    expect(waiting[0]?.view.replaces).toEqual([
      { what: 'Line 3, amount', was: expect.stringMatching(/= 900\.00$/), is: '1 × 1000 = 1,000.00' },
    ]);
    // The run adds only the difference to the ledger.
    expect(waiting[0]?.effect.entries.map(({ debit, credit }) => [debit, credit])).toEqual([
      ['100', null],
      [null, '100'],
    ]);
    const ids = waiting.map(({ id }) => id);
    await approveDrafts(world.tenant, { username: 'anna@northwind-msp.example' }, { ids });
    await approveDrafts(world.tenant, { username: 'ben@northwind-msp.example' }, { ids }).catch(() => undefined);
    await world.work();
    expect(await readPosted()).toMatchObject({ TotalAmt: 2066.25 });
  });
});

test('restores a user’s changes in QuickBooks: customer, date, due date, item and number', async () => {
  await post();
  const before = await readPosted();
  const [first, ...rest] = before['Line'] as readonly JsonObject[];
  const detail = first?.['SalesItemLineDetail'] as JsonObject;
  await world.quickbooks.put('Invoice', String(before['Id']), {
    CustomerRef: { value: '59' },
    TxnDate: '2025-03-20',
    DueDate: '2025-06-30',
    DocNumber: 'X-1',
    EmailStatus: 'EmailSent',
    Line: [{ ...first, SalesItemLineDetail: { ...detail, ItemRef: { value: '27' } } }, ...rest],
  });
  const offered = (await found(48_213)).filter(({ actions }) => actions.includes('update_accounting'));
  expect(offered.map((one) => one.class).sort()).toEqual([
    'customer_differs',
    'date_differs',
    'due_differs',
    'item_differs',
    'number_differs',
  ]);
  await update();
  const { CustomerRef, TxnDate, DueDate, DocNumber } = before;
  expect(await readPosted()).toMatchObject({ CustomerRef, TxnDate, DueDate, DocNumber, EmailStatus: 'EmailSent' });
  expect(await found(48_213)).toEqual([]);
});

describe('changes nothing', () => {
  const refused = async (why: string) => {
    const job = await update();
    expect(job).toMatchObject({ succeeded: 0, failed: 1 });
    expect(job.results[0]?.message).toContain(why);
    expect(await updates()).toEqual([]);
    // The document exists, and Autotask still shows its number.
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: '1042' });
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced', generation: 1 });
  };

  test('that money was applied to, and Month-end does not offer it', async () => {
    await post();
    await payInvoice(world, String((await readPosted())['Id']), 100);
    await raise();
    expect((await found(48_213)).filter(({ actions }) => actions.includes('update_accounting'))).toEqual([]);
    await refused('Invoice 48213 was not updated in QuickBooks: a payment or receipt is applied to it.');
  });

  test('in a closed period, and Month-end does not offer it', async () => {
    await post();
    await raise();
    const [preferences] = await world.quickbooks.list('Preferences');
    const accounting = preferences?.['AccountingInfoPrefs'] as JsonObject;
    await world.quickbooks.put('Preferences', '1', {
      AccountingInfoPrefs: { ...accounting, BookCloseDate: '2025-03-31' },
    });
    expect((await found(48_213)).filter(({ actions }) => actions.includes('update_accounting'))).toEqual([]);
    await refused('closed');
  });

  test('that was deleted in QuickBooks', async () => {
    await post();
    await raise();
    await world.quickbooks.remove('Invoice', String((await readPosted())['Id']));
    const job = await update();
    expect(job.results[0]?.message).toBe(
      'Invoice 48213 was not updated in QuickBooks: it no longer exists in QuickBooks.',
    );
    expect(await made(48_213)).toEqual([]);
  });

  test('that would become a credit memo', async () => {
    await post();
    await world.autotask.put('Invoices', 48_213, { invoiceTotal: -10, totalTaxValue: 0 });
    for (const one of (await world.autotask.list('BillingItems')).filter((item) => item['invoiceID'] === 48_213))
      await world.autotask.put('BillingItems', Number(one['id']), { ...pricedLine(-2.5), taxDollars: 0 });
    const job = await update();
    expect(job.results[0]?.message).toContain('another type of document');
    expect(await updates()).toEqual([]);
  });

  test('that a user keeps changing while it is sent', async () => {
    await post();
    await raise();
    const { Id: id } = await readPosted();
    let changes = 0;
    const job = await update(async (name, when) => {
      if (when !== 'before' || !name.startsWith('post:update')) return;
      changes += 1;
      await world.quickbooks.put('Invoice', String(id), { CustomerMemo: { value: `Change ${changes}` } });
    });
    expect(job.results[0]?.message).toContain('it was changed in QuickBooks');
    expect(changes).toBe(3);
    expect(await readPosted()).toMatchObject({ TotalAmt: 1966.25, CustomerMemo: { value: 'Change 3' } });
    // After another search the update is possible.
    expect(await update()).toMatchObject({ succeeded: 1 });
    expect(await readPosted()).toMatchObject({ TotalAmt: 2066.25, CustomerMemo: { value: 'Change 3' } });
  });
});

describe('what a user enters in QuickBooks', () => {
  /** Changes the posted document as a user does. */
  const edit = async (members: JsonObject) =>
    world.quickbooks.put('Invoice', String((await readPosted())['Id']), members);
  const detailOf = (line: JsonObject | undefined) => line?.['SalesItemLineDetail'] as JsonObject;
  const lines = async () => (await readPosted())['Line'] as readonly JsonObject[];
  const services = async () => (await lines()).find((line) => detailOf(line)?.['ServiceDate'] === '2025-03-01');

  test('is kept by an update: members, lines and their ids; the ledger has the new amounts', async () => {
    await post();
    await raise();
    const before = await lines();
    const [first, ...rest] = before;
    const entered = {
      BillEmailCc: { Address: 'cfo@acmedental.example' },
      BillEmailBcc: { Address: 'archive@northwind-msp.example' },
      CustomField: [{ DefinitionId: '2', Name: 'Ticket', Type: 'StringType', StringValue: 'T-77' }],
      CustomerMemo: { value: 'Thank you, Anna!' },
      TrackingNum: '1Z999',
      DueDate: '2025-06-30',
    };
    const travel = {
      DetailType: 'SalesItemLineDetail',
      Amount: 50,
      Description: 'Travel',
      SalesItemLineDetail: { ItemRef: { value: '21' }, Qty: 1, UnitPrice: 50 },
    };
    await edit({ ...entered, Line: [{ ...first, Description: 'VPN outage, agreed' }, ...rest, travel] });
    expect(await update()).toMatchObject({ succeeded: 1 });
    const after = await readPosted();
    expect(after).toMatchObject({ ...entered, CustomField: expect.arrayContaining(entered.CustomField) as unknown });
    expect(after).toMatchObject({ TotalAmt: 2116.25, Balance: 2116.25, DocNumber: '1042' });
    const shown = (await lines()).map(({ Id: id, Description: text, Amount: amount }) => [id, text, amount]);
    expect(shown.slice(0, 5)).toEqual([
      ['1', 'VPN outage, agreed', 525],
      ['2', before[1]?.['Description'], 0],
      ['3', before[2]?.['Description'], 1000],
      ['4', before[3]?.['Description'], 500],
      ['5', 'Travel', 50],
    ]);
    // The ledger has the raised service and the travel of the user.
    const answer = await fetch(
      `${world.quickbooks.url}/__sandbox/ledger?transaction_type=Invoice&transaction_id=${String(after['Id'])}`,
    );
    const { entries } = (await answer.json()) as { entries: JsonObject[] };
    const booked = entries.map(({ account, debit, credit }) => [(account as JsonObject)['name'], debit, credit]);
    expect(booked).toEqual([
      ['Accounts Receivable', '2116.25', '0.00'],
      ['Service Income', '0.00', '525.00'],
      ['Service Income', '0.00', '1000.00'],
      ['Hardware Income', '0.00', '500.00'],
      ['Service Income', '0.00', '50.00'],
      ['Sales Tax Payable', '0.00', '41.25'],
    ]);
    // Nothing is left to update, and the line of the user is reported.
    expect((await update()).results[0]?.message).toContain('an update keeps those');
  });

  test('while the update is sent is kept, too', async () => {
    await post();
    await raise();
    const { Id: id } = await readPosted();
    let isOver = false;
    const job = await update(async (name, when) => {
      if (isOver || when !== 'before' || !name.startsWith('post:update')) return;
      isOver = true;
      await world.quickbooks.put('Invoice', String(id), { CustomerMemo: { value: 'Agreed by phone' } });
    });
    expect(job).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await readPosted()).toMatchObject({ TotalAmt: 2066.25, CustomerMemo: { value: 'Agreed by phone' } });
    expect(await updates()).toHaveLength(1);
  });

  test('and Autotask changed too is asked about, and gets the chosen value', async () => {
    await post();
    await raise();
    const line = await services();
    const [detail, others] = [detailOf(line), (await lines()).filter((one) => one['Id'] !== line?.['Id'])];
    await edit({ Line: [...others, { ...line, Amount: 950, SalesItemLineDetail: { ...detail, UnitPrice: 47.5 } }] });
    const asked = await update();
    expect(asked).toMatchObject({ succeeded: 0, failed: 1 });
    const [problem] = (await world.logs()).at(-1)?.problems ?? [];
    expect(problem).toMatchObject({ code: 'CHANGED_ON_BOTH_SIDES' });
    expect(problem?.message).toContain('QuickBooks: 20 × 47.5 = 950.00; Autotask: ');
    expect(problem?.repairs).toMatchObject([{}, { prefers: 'psa' }, { prefers: 'accounting' }, {}]);
    expect(await updates()).toEqual([]);
    // The review and what is posted after it have the same choice.
    const choose = { kind: 'invoice', force: false, revises: true, psaIds: [48_213], actor } as const;
    const test = await submit(world.tenant, { ...choose, mode: 'test', prefers: 'psa' });
    await world.work();
    const { planned } = await readReview(world.tenant, test.id);
    expect(planned[0]?.preview?.view.replaces).toEqual([
      { what: 'Line 3, amount', was: '20 × 47.5 = 950.00', is: '1 × 1000 = 1,000.00' },
    ]);
    await submit(world.tenant, { ...choose, mode: 'live', reviewed: test.id });
    await world.work();
    expect(await readPosted()).toMatchObject({ TotalAmt: 2066.25 });
  });

  describe('in two fields that Autotask changed too', () => {
    const choose = { kind: 'invoice', force: false, revises: true, psaIds: [48_213], actor } as const;
    const enter = async (amount: number, dueOn: string) => {
      const line = await services();
      const [detail, others] = [detailOf(line), (await lines()).filter((one) => one['Id'] !== line?.['Id'])];
      const priced = { Amount: amount, SalesItemLineDetail: { ...detail, Qty: 20, UnitPrice: amount / 20 } };
      await edit({ DueDate: dueOn, Line: [...others, { ...line, ...priced }] });
    };
    const plan = async (prefers: Preference = {}) => {
      const { id } = await submit(world.tenant, { ...choose, mode: 'test', prefers });
      await world.work();
      const { asking } = await readReview(world.tenant, id);
      const fields = asking.get(48_213) ?? [];
      return { id, fields, keyOf: (what: string) => fields.find((one) => one.what === what)?.key ?? '' };
    };
    const postReviewed = async (reviewed: string) => {
      const { id } = await submit(world.tenant, { ...choose, mode: 'live', reviewed });
      await world.work();
      return world.store.readJob(id);
    };
    const conflict = async () => {
      await post();
      await raise();
      await world.autotask.put('Invoices', 48_213, { dueDate: '2025-04-15T00:00:00Z' });
      await enter(950, '2025-06-30');
    };

    test.each([
      ['psa', 'accounting', 2066.25, { DueDate: '2025-06-30' }, { 'Accounts Receivable': 50, 'Service Income': -50 }],
      ['accounting', 'psa', 2016.25, { DueDate: '2025-04-15' }, {}],
    ] as const)('each gets the chosen value: amount %s, due date %s', async (amount, due, total, members, moved) => {
      await conflict();
      const unchanged = await postedNow(world);
      const asked = await plan();
      expect(asked.fields).toEqual([
        {
          what: 'Line 3, amount',
          was: '20 × 47.5 = 950.00',
          is: '1 × 1000 = 1,000.00',
          key: asked.keyOf('Line 3, amount'),
        },
        { what: 'Due date', was: 'Jun 30, 2025', is: 'Apr 15, 2025', key: asked.keyOf('Due date') },
      ]);
      const prefers = { [asked.keyOf('Line 3, amount')]: amount, [asked.keyOf('Due date')]: due };
      const planned = await plan(prefers);
      expect(planned.fields).toEqual([]);
      expect(await movedSince(world, unchanged)).toEqual({});
      expect(await postReviewed(planned.id)).toMatchObject({ succeeded: 1, failed: 0 });
      expect(await readPosted()).toMatchObject({ TotalAmt: total, ...members });
      // Debits and credits of the sandbox's ledger.
      expect(await movedSince(world, unchanged)).toEqual(moved);
    });

    test('a third change in QuickBooks is asked about again, and nothing is sent', async () => {
      await conflict();
      // The value that would stay as well as the one that would be replaced.
      for (const [entered, dueOn, what] of [
        [950, '2025-07-31', 'Due date'],
        [960, '2025-07-31', 'Line 3, amount'],
      ] as const) {
        const asked = await plan();
        const [amount, due] = [asked.keyOf('Line 3, amount'), asked.keyOf('Due date')];
        const planned = await plan({ [amount]: 'psa', [due]: 'accounting' });
        await enter(entered, dueOn);
        const before = await postedNow(world);
        expect(await postReviewed(planned.id)).toMatchObject({ succeeded: 0, failed: 1 });
        const [problem] = (await world.logs()).at(-1)?.problems ?? [];
        expect(problem).toMatchObject({ code: 'CHANGED_ON_BOTH_SIDES', fields: [{ what }] });
        expect(await movedSince(world, before)).toEqual({});
        const job = await submit(world.tenant, { ...choose, mode: 'live', prefers: { [amount]: 'psa', [due]: 'psa' } });
        await world.work();
        expect(await world.store.readJob(job.id)).toMatchObject({ succeeded: 0, failed: 1 });
      }
      expect(await updates()).toEqual([]);
    });

    test('a third change while the update is sent is asked about again', async () => {
      await conflict();
      const asked = await plan();
      const prefers = { [asked.keyOf('Line 3, amount')]: 'psa', [asked.keyOf('Due date')]: 'accounting' } as const;
      let isOver = false;
      const job = await submit(world.tenant, { ...choose, mode: 'live', prefers });
      await world.work(async (name, when) => {
        if (isOver || when !== 'before' || !name.startsWith('post:update')) return;
        isOver = true;
        await enter(950, '2025-07-31');
      });
      expect(isOver).toBe(true);
      expect(await world.store.readJob(job.id)).toMatchObject({ succeeded: 0, failed: 1 });
      expect(await readPosted()).toMatchObject({ DueDate: '2025-07-31' });
      expect(await updates()).toEqual([]);
    });
  });
});

test.each([
  // `npm run disasters` has all effects.
  ['post:update', 'before'],
  ['post:update', 'after'],
  ['psa:write', 'before'],
  ['commit:done', 'before'],
])('a process that dies at %s, %s, leaves one update, applied once', async (point, moment) => {
  await world.quickbooks.behave({ requestid: 'none' });
  await post();
  await raise();
  let isOver = false;
  await update((name, when) => {
    if (isOver || !name.startsWith(point) || when !== moment) return;
    isOver = true;
    throw new ProcessEnded();
  }).catch((error: unknown) => {
    if (!(error instanceof ProcessEnded)) throw error;
  });
  expect(isOver).toBe(true);
  for (let round = 0; round < 4; round += 1) {
    await world.advance(140);
    await world.work();
  }
  const job = (await world.store.listJobs(1))[0];
  expect(job).toMatchObject({ status: 'finished', succeeded: 1, failed: 0 });
  expect(await readPosted()).toMatchObject({ TotalAmt: 2066.25, SyncToken: '1' });
  expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced', generation: 2 });
  expect(await found(48_213)).toEqual([]);
});

test('a purchase order, a bill and a credit memo are updated too, with their debits and credits', async () => {
  await world.saveSettings({ po_payable_account: '20', exp_cash_advance_expense_account: '25' });
  await mapExpenses(world.store);
  for (const [kind, psaId, entity, noun] of [
    ['purchase_order', 3310, 'PurchaseOrder', 'purchase order'],
    ['expense_report', 1207, 'Bill', 'expense report'],
    ['invoice', 48_301, 'CreditMemo', 'invoice'],
  ] as const) {
    const unposted = await postedNow(world);
    await world.sync(kind, { mode: 'live', psaIds: [psaId] });
    const [before] = await made(psaId, entity, noun);
    if (before === undefined) throw new Error(`${noun} ${psaId} was not posted`);
    const posted = await postedNow(world);
    // An order posts nothing.
    const isOrder = kind === 'purchase_order';
    expect([kind, Object.keys(await movedSince(world, unposted)).length > 0]).toEqual([kind, !isOrder]);
    const [line, ...rest] = before['Line'] as readonly JsonObject[];
    await world.quickbooks.put(entity, String(before['Id']), {
      Line: [{ ...line, Description: 'Something else', Amount: 1 }, ...rest].map((one) => ({ ...one })),
      TxnDate: '2025-03-29',
    });
    expect([kind, Object.keys(await movedSince(world, posted)).length > 0]).toEqual([kind, !isOrder]);
    const changed = exceptionsOf((await proveMonth(world)).proof).filter(
      (one) => one.kind === kind && one.psaId === psaId,
    );
    expect([kind, changed.some(({ actions }) => actions.includes('update_accounting'))]).toEqual([kind, true]);
    const job = await world.sync(kind, { mode: 'live', revises: true, psaIds: [psaId] });
    expect([kind, job.succeeded, job.results[0]?.message]).toEqual([kind, 1, expect.stringContaining('was updated')]);
    const [after, ...others] = await made(psaId, entity, noun);
    expect(others).toEqual([]);
    expect(after).toMatchObject({
      Id: before['Id'],
      DocNumber: before['DocNumber'],
      TxnDate: before['TxnDate'],
      TotalAmt: before['TotalAmt'],
    });
    expect([kind, await movedSince(world, posted)]).toEqual([kind, {}]);
  }
});
