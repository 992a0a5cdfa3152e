import { beforeEach, describe, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { prepareClose } from '#flows/close/prepare.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { pricedLine } from './priced-line.ts';

/** After "Bill the difference", an invoice and its difference documents are paid, compared and updated as one. */
const world = eachWorld({ settings: { pay_sync_active: true } });

const hour = 3_600;
const day = 24 * hour;
const post = () => world.sync('invoice', { mode: 'live', psaIds: [48_213] });
const bill = () => world.sync('difference', { mode: 'live', psaIds: [48_213] });
const noted = async (pattern: RegExp, entity: string): Promise<JsonObject[]> =>
  (await world.quickbooks.list(entity)).filter((row) => pattern.test(String(row['PrivateNote'] ?? '')));
async function only(pattern: RegExp, entity = 'Invoice'): Promise<JsonObject> {
  const [found, ...others] = await noted(pattern, entity);
  expect(others).toEqual([]);
  if (found === undefined) throw new Error(`QuickBooks has no ${entity} with the note ${pattern}`);
  return found;
}
const posted = () => only(/^Autotask invoice 48213\b/);
const difference = (entity = 'Invoice') => only(/^Difference 1 of Autotask invoice 48213 /, entity);
const paymentsOfOurs = () => noted(/^Autotask invoice 48213 marked paid/, 'Payment');
const logsOf = async (type: string) =>
  (await world.logs()).filter((log) => log.psaId === 48_213 && log.type === type).map(({ message }) => message);
const paidDate = async () => (await world.psaInvoice(48_213))['paidDate'] ?? null;
const markPaid = (on: string | null) =>
  world.autotask.put('Invoices', 48_213, { paidDate: on === null ? null : `${on}T00:00:00Z` });

/** Changes the services line, 900.00 when the invoice was posted over 1,966.25. */
let servicesId: unknown;
async function reprice(services: number): Promise<void> {
  const items = await world.autotask.list('BillingItems');
  servicesId ??= items.find((one) => one['invoiceID'] === 48_213 && one['totalAmount'] === 900)?.['id'];
  await world.autotask.put('BillingItems', Number(servicesId), pricedLine(services));
  await world.autotask.put('Invoices', 48_213, { invoiceTotal: 1_066.25 + services });
}
beforeEach(() => {
  servicesId = undefined;
});

/** Enters a payment in QuickBooks manually. */
const pay = (amount: number, id: unknown) => payInvoice(world, String(id), amount);
/** Returns a document's entries in the general ledger of the sandbox: `account: debit credit`. */
async function entriesOf(type: string, id: unknown): Promise<readonly string[]> {
  const url = `${world.quickbooks.url}/__sandbox/ledger?transaction_type=${type}&transaction_id=${String(id)}`;
  const { entries } = (await (await fetch(url)).json()) as { entries: readonly JsonObject[] };
  return entries
    .map(
      ({ account, debit, credit }) => `${String((account as JsonObject)['name'])}: ${String(debit)} ${String(credit)}`,
    )
    .sort();
}
/** Moves past the grace period of a paid date, with a cycle before and after. */
async function passGrace(): Promise<void> {
  await world.cycle();
  await world.advance(day + hour);
  await world.cycle();
}
async function nextReading(): Promise<void> {
  await world.advance(hour);
  await world.cycle();
}

/** Classes of the invoice's differences in the reconciliation. */
async function differencesInProof(): Promise<readonly string[]> {
  const { id } = await prepareClose(world.tenant, month('2025-03'), { username: 'admin' }, 'test');
  const proof = (await world.store.readClose(id))?.proof;
  if (proof === undefined) throw new Error('reconciliation not found');
  return exceptionsOf(proof)
    .filter(({ psaId }) => psaId === 48_213)
    .map(({ class: of }) => of);
}

describe('a paid invoice whose difference was billed', () => {
  beforeEach(async () => {
    await post();
    await pay(1_966.25, (await posted())['Id']);
    await nextReading();
    expect(await paidDate()).toMatch(/^2025-03-03/);
    await reprice(1_000);
    await bill();
  });

  test('is paid in Autotask again only when the difference is paid too', async () => {
    await world.cycle();
    expect(await paidDate()).toBeNull();
    expect(await logsOf('payment')).toEqual([
      'Invoice 1042 was paid on Mar 3, 2025.',
      'Invoice 1042 has 100.00 open: a difference was billed after it was paid.',
    ]);
    await pay(40, (await difference())['Id']);
    await nextReading();
    expect(await paidDate()).toBeNull();
    await pay(60, (await difference())['Id']);
    await nextReading();
    expect(await paidDate()).toMatch(/^2025-03-03/);
    expect(await entriesOf('Invoice', (await difference())['Id'])).toEqual([
      'Accounts Receivable: 100.00 0.00',
      'Service Income: 0.00 100.00',
    ]);
    expect(await logsOf('payment')).toHaveLength(3);
  });

  test('raises no alert and has nothing to update', async () => {
    await nextReading();
    await nextReading();
    expect((await world.store.readPosting('invoice', 48_213))?.drift).toEqual([]);
    expect((await world.logs()).filter((log) => !log.success && log.psaId === 48_213)).toEqual([]);
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213], revises: true });
    expect(job).toMatchObject({ failed: 0, skipped: 1 });
    expect(job.results[0]?.message).toBe(
      'Nothing to update: invoice 1042 and what was billed of its difference total 2,066.25, as in Autotask.',
    );
    expect(await posted()).toMatchObject({ TotalAmt: 1_966.25, Balance: 0 });
  });

  test('is reported when it changes again, or when the difference document changes', async () => {
    await reprice(1_050);
    await nextReading();
    await world.sync('payment', { mode: 'live', psaIds: [48_213] });
    expect(await logsOf('payment')).toContain('Invoice 1042 was synced with 2,066.25 and is now 2,116.25 in Autotask.');
    const update = await world.sync('invoice', { mode: 'live', psaIds: [48_213], revises: true });
    expect(update).toMatchObject({ failed: 1 });
    const [problem] = (await world.logs()).findLast(({ type }) => type === 'invoice')?.problems ?? [];
    expect(problem).toMatchObject({ code: 'DIFFERENCE_STANDS', remedy: expect.stringMatching(/Bill the difference/) });
    await reprice(1_000);
    await world.quickbooks.remove('Invoice', String((await difference())['Id']));
    await nextReading();
    expect((await world.store.readPosting('invoice', 48_213))?.drift).toEqual(['missing_in_accounting']);
  });

  test('is paid on both sides of the reconciliation only when both documents are', async () => {
    expect(await differencesInProof()).toEqual(['paid_differs']);
    await nextReading();
    expect(await differencesInProof()).toEqual([]);
    await pay(100, (await difference())['Id']);
    await nextReading();
    expect(await differencesInProof()).toEqual([]);
  });
});

describe('an invoice marked as paid in Autotask', () => {
  test('is paid together with its difference by one payment', async () => {
    await post();
    await reprice(1_000);
    await bill();
    await markPaid('2025-03-04');
    await passGrace();
    const [payment, ...others] = await paymentsOfOurs();
    expect(others).toEqual([]);
    const ids = [(await posted())['Id'], (await difference())['Id']];
    expect(payment).toMatchObject({
      TotalAmt: 2_066.25,
      UnappliedAmt: 0,
      Line: [
        { Amount: 1_966.25, LinkedTxn: [{ TxnId: ids[0], TxnType: 'Invoice' }] },
        { Amount: 100, LinkedTxn: [{ TxnId: ids[1], TxnType: 'Invoice' }] },
      ],
    });
    expect(await entriesOf('Payment', payment?.['Id'])).toEqual([
      'Accounts Receivable: 0.00 2066.25',
      'Undeposited Funds: 2066.25 0.00',
    ]);
    expect(await posted()).toMatchObject({ Balance: 0 });
    expect(await difference()).toMatchObject({ Balance: 0 });
  });

  test('is paid less the credit memo of its difference, which the payment applies', async () => {
    await post();
    await reprice(800);
    await bill();
    await markPaid('2025-03-04');
    await passGrace();
    const [payment, ...others] = await paymentsOfOurs();
    expect(others).toEqual([]);
    expect(payment).toMatchObject({ TotalAmt: 1_866.25, UnappliedAmt: 0 });
    expect(await entriesOf('Payment', payment?.['Id'])).toEqual([
      'Accounts Receivable: 0.00 1866.25',
      'Undeposited Funds: 1866.25 0.00',
    ]);
    expect(await posted()).toMatchObject({ Balance: 0 });
    expect(await difference('CreditMemo')).toMatchObject({ Balance: 0 });
  });

  test('partly paid before two differences is paid the rest of all three documents', async () => {
    await post();
    const { Id: id } = await posted();
    await pay(500, id);
    await nextReading();
    await reprice(1_000);
    await bill();
    await reprice(960);
    await bill();
    await markPaid('2025-03-04');
    await passGrace();
    const [payment, ...others] = await paymentsOfOurs();
    expect(others).toEqual([]);
    // 1,966.25 less 500.00, plus 100.00, less 40.00.
    expect(payment).toMatchObject({ TotalAmt: 1526.25, UnappliedAmt: 0 });
    expect(await entriesOf('Payment', payment?.['Id'])).toEqual([
      'Accounts Receivable: 0.00 1526.25',
      'Undeposited Funds: 1526.25 0.00',
    ]);
    const before = (await logsOf('payment')).length;
    await nextReading();
    await nextReading();
    expect(await logsOf('payment')).toHaveLength(before);
    expect(await paidDate()).toMatch(/^2025-03-04/);
  });

  test('whose difference is billed later asks about it, and pays only the difference once confirmed', async () => {
    await post();
    await markPaid('2025-03-04');
    await passGrace();
    expect(await paymentsOfOurs()).toMatchObject([{ TotalAmt: 1_966.25 }]);
    await reprice(1_000);
    await bill();
    await nextReading();
    await nextReading();
    expect(await paymentsOfOurs()).toHaveLength(1);
    const [log, ...others] = (await world.logs()).filter(({ psaId, success }) => psaId === 48_213 && !success);
    expect(others).toEqual([]);
    expect(log).toMatchObject({
      message:
        'Autotask shows invoice 1042 as paid on Mar 4, 2025. A difference was billed later, and 100.00 of it is open in QuickBooks.',
      problems: [{ code: 'DIFFERENCE_OPEN' }],
    });
    await world.sync('payment', { mode: 'live', psaIds: [48_213] });
    const payments = await paymentsOfOurs();
    expect(payments.map(({ TotalAmt }) => TotalAmt)).toEqual([1_966.25, 100]);
    expect(payments[1]).toMatchObject({
      Line: [{ Amount: 100, LinkedTxn: [{ TxnId: (await difference())['Id'], TxnType: 'Invoice' }] }],
    });
    expect(await entriesOf('Payment', payments[1]?.['Id'])).toEqual([
      'Accounts Receivable: 0.00 100.00',
      'Undeposited Funds: 100.00 0.00',
    ]);
    const postings = await world.store.listPostings('payment', [48_213]);
    expect(postings.map(({ status, targetId }) => [status, targetId])).toEqual(
      payments.map(({ Id }) => ['synced', Id]),
    );
    await world.sync('payment', { mode: 'live', psaIds: [48_213] });
    await passGrace();
    expect(await paymentsOfOurs()).toHaveLength(2);
    expect(await differencesInProof()).toEqual([]);
  });

  test('again on a later date after its difference was billed pays the difference', async () => {
    await post();
    await markPaid('2025-03-04');
    await passGrace();
    await reprice(1_000);
    await bill();
    await nextReading();
    await markPaid('2025-03-05');
    await passGrace();
    expect((await paymentsOfOurs()).map(({ TotalAmt, TxnDate }) => [TotalAmt, TxnDate])).toEqual([
      [1_966.25, '2025-03-04'],
      [100, '2025-03-05'],
    ]);
  });
});
