import { beforeEach, describe, expect, test } from 'vitest';
import { exceptionsOf, obstaclesOf, type Exception } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import { decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { approveDrafts } from '#flows/approval/decide.ts';
import { readRun } from '#flows/approval/read.ts';
import { settleException } from '#flows/close/settle.ts';
import { ProcessEnded } from '#flows/context.ts';
import { Client } from 'pg';
import { loggedIn, proveMonth } from '../support/month-end.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { type World } from '../support/world.ts';
import { pricedLine } from './priced-line.ts';

/** When an invoice changed after posting, a user can bill the difference with a separate document. */
const world = eachWorld();

const march = month('2025-03');

const found = async (): Promise<readonly Exception[]> =>
  exceptionsOf((await proveMonth(world)).proof).filter((one) => one.psaId === 48_213);
const noted = async (pattern: RegExp, entity = 'Invoice'): Promise<JsonObject[]> =>
  (await world.quickbooks.list(entity)).filter((row) => pattern.test(String(row['PrivateNote'] ?? '')));
const posted = async (): Promise<JsonObject> => {
  const [only, ...others] = await noted(/^Autotask invoice 48213\b/);
  expect(others).toEqual([]);
  if (only === undefined) throw new Error('invoice 48213 not found in QuickBooks');
  return only;
};
const differences = (entity = 'Invoice') => noted(/^Difference \d+ of Autotask invoice 48213 /, entity);
const post = () => world.sync('invoice', { mode: 'live', psaIds: [48_213] });
const bill = (hook?: Parameters<World['sync']>[2]) =>
  world.sync('difference', { mode: 'live', psaIds: [48_213] }, hook);

/** Changes the services line, 900.00 when posted, and the total. */
async function reprice(services: number): Promise<void> {
  const [item] = (await world.autotask.list('BillingItems')).filter(
    (one) => one['invoiceID'] === 48_213 && isServices(one),
  );
  await world.autotask.put('BillingItems', Number(item?.['id']), pricedLine(services));
  await world.autotask.put('Invoices', 48_213, { invoiceTotal: 1_066.25 + services });
}
let servicesId: unknown;
const isServices = (one: JsonObject): boolean => {
  if (servicesId === undefined && one['totalAmount'] === 900) servicesId = one['id'];
  return one['id'] === servicesId;
};
beforeEach(() => {
  servicesId = undefined;
});

async function pay(amount: number): Promise<void> {
  await payInvoice(world, String((await posted())['Id']), amount);
}

async function closeAccounting(through: string): Promise<void> {
  const [preferences] = await world.quickbooks.list('Preferences');
  await world.quickbooks.put('Preferences', '1', {
    AccountingInfoPrefs: { ...(preferences?.['AccountingInfoPrefs'] as JsonObject), BookCloseDate: through },
  });
}

async function setNumbering(isOurs: boolean): Promise<void> {
  const [preferences] = await world.quickbooks.list('Preferences');
  const forms = preferences?.['SalesFormsPrefs'] as JsonObject;
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { ...forms, CustomTxnNumbers: isOurs } });
}

/** Returns a document's entries in the general ledger: `account: debit credit`. */
async function entriesOf(type: string, id: unknown): Promise<readonly string[]> {
  const answer = await fetch(
    `${world.quickbooks.url}/__sandbox/ledger?transaction_type=${type}&transaction_id=${String(id)}`,
  );
  const { entries } = (await answer.json()) as { entries: readonly JsonObject[] };
  return entries
    .map(
      ({ account, debit, credit }) => `${String((account as JsonObject)['name'])}: ${String(debit)} ${String(credit)}`,
    )
    .sort();
}

describe('a paid invoice whose total increased after posting', () => {
  test('is billed from Month-end by an invoice over the difference, and no difference remains', async () => {
    await post();
    await pay(1_966.25);
    await reprice(1_000);
    const [exception] = (await found()).filter((one) => one.class === 'edited_in_psa');
    expect(exception?.amount).toBe('-100');
    expect(exception?.actions).toEqual(['bill_difference', 'accept', 'carry']);
    const job = await settleException(world.tenant, loggedIn(world), march, {
      key: exception?.key ?? '',
      action: 'bill_difference',
    });
    await world.work();
    expect(await world.store.readJob(job.id)).toMatchObject({ kind: 'difference', status: 'finished', succeeded: 1 });

    const [billed, ...others] = await differences();
    expect(others).toEqual([]);
    expect(billed).toMatchObject({
      DocNumber: '1043',
      CustomerRef: { value: '58' },
      TxnDate: '2025-03-03',
      TotalAmt: 100,
      Balance: 100,
    });
    // The posted invoice is unchanged and paid.
    expect(await posted()).toMatchObject({ TotalAmt: 1966.25, Balance: 0 });
    expect(await entriesOf('Invoice', billed?.['Id'])).toEqual([
      'Accounts Receivable: 100.00 0.00',
      'Service Income: 0.00 100.00',
    ]);

    const { proof } = await proveMonth(world);
    expect(exceptionsOf(proof).filter(({ psaId, class: of }) => psaId === 48_213 && of !== 'paid_differs')).toEqual([]);
    expect(obstaclesOf(proof)).toEqual([]);
    const classes = proof.bridges.flatMap((bridge) => bridge.classes);
    expect(classes.filter(({ class: of }) => of.startsWith('difference_'))).toEqual([
      { class: 'difference_billed', count: 1, amount: '-100' },
      { class: 'difference_document', count: 1, amount: '100' },
    ]);
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced', number: '1042' });
    const [log] = (await world.logs()).filter(({ type }) => type === 'difference');
    expect(log?.message).toBe('Invoice 48213 totals more: the difference was billed in QuickBooks by invoice 1043.');
  });

  test('is billed once despite repeated requests, and after another increase only the new difference', async () => {
    await post();
    await pay(1_966.25);
    await reprice(1_000);
    await bill();
    const again = await bill();
    expect(again).toMatchObject({ succeeded: 0, skipped: 1 });
    expect(again.results[0]?.message).toBe('Nothing to bill: QuickBooks and Autotask have the same total.');
    expect(await differences()).toHaveLength(1);
    await reprice(1_050);
    expect(await bill()).toMatchObject({ succeeded: 1 });
    expect((await differences()).map(({ DocNumber, TotalAmt }) => [DocNumber, TotalAmt])).toEqual([
      ['1043', 100],
      ['1044', 50],
    ]);
  });

  test('is billed once although the database was restored to an earlier backup', async () => {
    await post();
    await pay(1_966.25);
    await reprice(1_000);
    await bill();
    const client = new Client({ connectionString: world.database.url });
    await client.connect();
    await client.query(`delete from postings where kind = 'difference'`);
    await client.end();
    expect(await bill()).toMatchObject({ succeeded: 0, skipped: 1 });
    expect(await differences()).toHaveLength(1);
    expect((await found()).filter((one) => one.actions.includes('bill_difference'))).toEqual([]);
  });

  test("has the number of the posted one, with Autotask's numbering", async () => {
    await setNumbering(true);
    await world.saveSettings({ inv_numbering_option: 'autotask' });
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: 'AT-48213' });
    await post();
    await pay(1_966.25);
    for (const services of [1_000, 1_050]) {
      await reprice(services);
      await bill();
    }
    expect((await differences()).map(({ DocNumber }) => DocNumber)).toEqual(['AT-48213-D1', 'AT-48213-D2']);
  });

  test('is only shown by a test sync, with its amount', async () => {
    await post();
    await pay(1_966.25);
    await reprice(1_000);
    const job = await world.sync('difference', { mode: 'test', psaIds: [48_213] });
    expect(job.results[0]?.message).toBe(
      'The difference of invoice 48213 would become an invoice of 100.00. Nothing was sent.',
    );
    expect(await differences()).toEqual([]);
  });

  test('waits for approval and is billed as approved', async () => {
    await post();
    await pay(1_966.25);
    await reprice(1_000);
    await world.saveSettings({ require_approval: true, approval_limit: decimal('50') });
    await bill();
    expect(await differences()).toEqual([]);
    const { waiting } = await readRun(world.tenant);
    expect(waiting.map(({ kind, psaId }) => [kind, psaId])).toEqual([['difference', 48_213]]);
    const ids = waiting.map(({ id }) => id);
    await approveDrafts(world.tenant, { username: 'anna@northwind-msp.example' }, { ids });
    await approveDrafts(world.tenant, { username: 'ben@northwind-msp.example' }, { ids }).catch(() => undefined);
    await world.work();
    expect((await differences()).map(({ TotalAmt }) => TotalAmt)).toEqual([100]);
  });
});

test('an invoice of a closed month with a lower total is credited on the first open day', async () => {
  await post();
  await closeAccounting('2025-03-31');
  await reprice(800);
  expect((await found()).filter((one) => one.class === 'edited_in_psa').map(({ actions }) => actions[0])).toEqual([
    'bill_difference',
  ]);
  expect(await bill()).toMatchObject({ succeeded: 1 });
  const [credit, ...others] = await differences('CreditMemo');
  expect(others).toEqual([]);
  expect(credit).toMatchObject({ DocNumber: '1043', TxnDate: '2025-04-01', TotalAmt: 100 });
  expect(await entriesOf('CreditMemo', credit?.['Id'])).toEqual([
    'Accounts Receivable: 0.00 100.00',
    'Service Income: 100.00 0.00',
  ]);
  // March has no difference. April has a document for an earlier month.
  expect((await found()).filter((one) => one.class === 'edited_in_psa')).toEqual([]);
  const april = (await proveMonth(world, month('2025-04'))).proof.bridges.flatMap((bridge) => bridge.classes);
  expect(april).toContainEqual({ class: 'difference_document', count: 1, amount: '-100' });
});

describe('while a document bills the difference', () => {
  beforeEach(async () => {
    await post();
    await pay(1_966.25);
    await reprice(1_000);
    await bill();
  });
  const because = 'A later change of invoice 48213 is billed by invoice 1043 (100.00).';

  test('the invoice is neither updated nor posted again', async () => {
    const remedyOf = async () =>
      (await world.logs()).findLast(({ type }) => type === 'invoice')?.problems.map(({ remedy }) => remedy);
    const update = await world.sync('invoice', { mode: 'live', psaIds: [48_213], revises: true });
    expect([update.failed, update.skipped, update.results[0]?.message]).toEqual([
      0,
      1,
      expect.stringContaining('Nothing to update'),
    ]);
    const again = await world.sync('invoice', { mode: 'live', psaIds: [48_213], force: true });
    expect([again.failed, again.results[0]?.message]).toEqual([1, expect.stringContaining(because)]);
    expect(await remedyOf()).toEqual([expect.stringContaining('Void or delete that document')]);
    // A paid document must not be voided.
    const [{ Id: id } = {}] = await differences();
    await payInvoice(world, String(id), 100);
    await world.sync('invoice', { mode: 'live', psaIds: [48_213], force: true });
    expect(await remedyOf()).toEqual([expect.stringContaining('Do not void or delete that document')]);
    expect(await posted()).toMatchObject({ TotalAmt: 1966.25 });
  });

  test('the older of two documents blocks it too, even after the newer one was deleted', async () => {
    await reprice(1_050);
    await bill();
    const [, newer] = await differences();
    await world.quickbooks.remove('Invoice', String(newer?.['Id']));
    for (const { Id } of await world.quickbooks.list('Payment')) await world.quickbooks.remove('Payment', String(Id));
    const update = await world.sync('invoice', { mode: 'live', psaIds: [48_213], revises: true });
    expect(update.results[0]?.message).toContain(because);
    await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: '2025-03-03T12:00:00Z' });
    const job = await world.sync('void', { mode: 'live', psaIds: [48_213] });
    expect(job.results[0]?.message).toContain(because);
    expect(await posted()).toMatchObject({ TotalAmt: 1966.25 });
  });

  test('the invoice is not voided until that document is deleted', async () => {
    for (const { Id } of await world.quickbooks.list('Payment')) await world.quickbooks.remove('Payment', String(Id));
    await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: '2025-03-03T12:00:00Z' });
    const job = await world.sync('void', { mode: 'live', psaIds: [48_213] });
    expect(job.results[0]?.message).toContain(because);
    expect(await posted()).toMatchObject({ TotalAmt: 1966.25 });
    const [billed] = await differences();
    await world.quickbooks.remove('Invoice', String(billed?.['Id']));
    expect(await world.sync('void', { mode: 'live', psaIds: [48_213] })).toMatchObject({ succeeded: 1 });
  });
});

describe('bills nothing', () => {
  test.each([
    ['for another customer', { CustomerRef: { value: '59' } }, 'its document belongs to another customer'],
    [
      'of a voided document',
      { Line: [], TotalAmt: 0, Balance: 0, PrivateNote: 'Voided' },
      'no longer exists in QuickBooks',
    ],
  ])('%s', async (_what, change, why) => {
    await post();
    await reprice(1_000);
    await world.quickbooks.put('Invoice', String((await posted())['Id']), change);
    const job = await bill();
    expect(job).toMatchObject({ succeeded: 0, failed: 1 });
    expect(job.results[0]?.message).toContain(why);
    expect((await world.logs()).at(-1)?.problems.map(({ code }) => code)).toEqual(['CANNOT_BILL_DIFFERENCE']);
    expect(await differences()).toEqual([]);
  });

  test('of an invoice that was never posted', async () => {
    const job = await bill();
    expect(job.results[0]?.message).toBe(
      'The difference of invoice 48213 was not billed: its document no longer exists in QuickBooks.',
    );
    expect(await differences()).toEqual([]);
  });
});

test.each([
  // `npm run disasters` has all effects.
  ['post:batch', 'before'],
  ['post:batch', 'after'],
  ['commit:done', 'before'],
])('a process that dies at %s, %s, leaves one document for the difference', async (point, moment) => {
  await world.quickbooks.behave({ requestid: 'none' });
  await post();
  await pay(1_966.25);
  await reprice(1_000);
  let isOver = false;
  await bill((name, when) => {
    if (isOver || !(name.startsWith(point) || (point === 'post:batch' && name.startsWith('post:'))) || when !== moment)
      return;
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
  expect((await differences()).map(({ DocNumber, TotalAmt }) => [DocNumber, TotalAmt])).toEqual([['1043', 100]]);
  expect((await world.store.listJobs(1))[0]).toMatchObject({ status: 'finished', succeeded: 1, failed: 0 });
  expect(await world.store.readPosting('difference', 48_213)).toMatchObject({ status: 'synced', total: '100' });
});
