import { beforeEach, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mapping } from '../support/mappings.ts';
import { proveMonth } from '../support/month-end.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';

/** QuickBooks tracks one class per document: invoices, billed differences and credit memos of voids have it. */
const world = eachWorld({ settings: { void_across_months: 'credit_memo' } });
const psaId = 48_213;

beforeEach(async () => {
  const [preferences] = await world.quickbooks.list('Preferences');
  const accounting = preferences?.['AccountingInfoPrefs'] as JsonObject;
  await world.quickbooks.put('Preferences', '1', {
    AccountingInfoPrefs: { ...accounting, ClassTrackingPerTxn: true, ClassTrackingPerTxnLine: false },
  });
  await world.store.saveMappings([mapping('LineOfBusiness', '1', '200'), mapping('LineOfBusiness', '2', '200')]);
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
});

/** Returns the documents of a type whose note begins with a text. */
const noted = async (text: string, type = 'Invoice') =>
  (await world.quickbooks.list(type)).filter((row) => String(row['PrivateNote']).startsWith(text));
/** Returns a document's entries in the general ledger: `Dr account amount class`. */
async function entriesOf(type: string, id: unknown): Promise<readonly string[]> {
  const url = `${world.quickbooks.url}/__sandbox/ledger?transaction_type=${type}&transaction_id=${String(id)}`;
  const { entries } = (await (await fetch(url)).json()) as { entries: readonly JsonObject[] };
  return entries
    .map(({ account, debit, credit, class: of }) => {
      const side = Number(debit) === 0 ? `Cr ${String(credit)}` : `Dr ${String(debit)}`;
      const name = (of as JsonObject | null)?.['name'];
      return `${side} ${String((account as JsonObject)['name'])}${name === undefined ? '' : ` (${String(name)})`}`;
    })
    .filter((row) => !row.startsWith('Cr 0.00'))
    .sort();
}

test('an invoice has its class, and a billed difference only what changed', async () => {
  const [posted] = await world.madeFor(psaId);
  expect(posted).toMatchObject({ ClassRef: { value: '200' } });
  await payInvoice(world, String(posted?.['Id']), 1_966.25);
  const [item] = (await world.autotask.list('BillingItems')).filter(
    (one) => one['invoiceID'] === psaId && one['totalAmount'] === 900,
  );
  await world.autotask.put('BillingItems', Number(item?.['id']), {
    rate: 50,
    extendedPrice: 1_000,
    totalAmount: 1_000,
    internalCurrencyTotalAmount: 1_000,
  });
  await world.autotask.put('Invoices', psaId, { invoiceTotal: 2_066.25 });
  const job = await world.sync('difference', { mode: 'live', psaIds: [psaId] });
  expect(world.resultOf(job, psaId)).toMatchObject({ outcome: 'succeeded' });
  const [difference] = await noted(`Difference 1 of Autotask invoice ${psaId}`);
  expect(await entriesOf('Invoice', difference?.['Id'])).toEqual([
    'Cr 100.00 Service Income (Managed Services)',
    'Dr 100.00 Accounts Receivable (Managed Services)',
  ]);
  const { proof } = await proveMonth(world, month('2025-03'));
  expect(exceptionsOf(proof).filter((one) => one.psaId === psaId && one.class !== 'paid_differs')).toEqual([]);
});

test('the credit memo of a void in a later month has the class of its invoice', async () => {
  await world.advance(30 * 86_400);
  await world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: '2025-04-02T12:00:00Z' });
  const job = await world.sync('void', { mode: 'live', psaIds: [psaId] });
  expect(world.resultOf(job, psaId)).toMatchObject({ outcome: 'succeeded' });
  const [memo] = await noted(`Autotask invoice ${psaId} voided`, 'CreditMemo');
  expect(memo).toMatchObject({ TotalAmt: 1_966.25, ClassRef: { value: '200' } });
});
