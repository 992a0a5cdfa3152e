import { beforeEach, expect, test } from 'vitest';
import { obstaclesOf } from '#core/reconciliation/close.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { proveMonth } from '../support/month-end.ts';

/** Single-currency QuickBooks gets the home amounts of an invoice in Canadian dollars: lines, tax and payment. */
const world = eachWorld({ settings: { foreign_currency_policy: 'home_amounts' } });
const psaId = 48_308;

beforeEach(async () => {
  const [preferences] = await world.quickbooks.list('Preferences');
  await world.quickbooks.put('Preferences', '1', {
    CurrencyPrefs: { ...(preferences?.['CurrencyPrefs'] as JsonObject), MultiCurrencyEnabled: false },
  });
  await world.quickbooks.put('Customer', '60', { CurrencyRef: { value: 'USD' }, Taxable: true });
});

/** Sets the billed amounts. The line is always worth 1,200.00 in the home currency. */
async function bill({ net, tax, homeTax }: { readonly net: number; readonly tax: number; readonly homeTax: number }) {
  const [item] = (await world.autotask.list('BillingItems')).filter((one) => one['invoiceID'] === psaId);
  const amounts = { totalAmount: net, taxDollars: tax, internalCurrencyTaxDollars: homeTax };
  await world.autotask.put('BillingItems', Number(item?.['id']), amounts);
  await world.autotask.put('Invoices', psaId, {
    invoiceTotal: net + tax,
    totalTaxValue: tax,
    taxRegionName: 'Travis County',
  });
}
const post = async () => {
  const job = await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  expect(world.resultOf(job, psaId)).toMatchObject({ outcome: 'succeeded' });
  const [made] = await world.madeFor(psaId);
  return made;
};
async function ledgerOf(made: JsonObject | undefined): Promise<readonly unknown[]> {
  const url = `${world.quickbooks.url}/__sandbox/ledger?transaction_type=Invoice&transaction_id=${String(made?.['Id'])}`;
  const { entries } = (await (await fetch(url)).json()) as { entries: readonly JsonObject[] };
  return entries.map(({ account, debit, credit }) => [(account as JsonObject)['name'], debit, credit]);
}

test('the billed tax is sent in the home currency too', async () => {
  const [preferences] = await world.quickbooks.list('Preferences');
  const taxes = { ...(preferences?.['TaxPrefs'] as JsonObject), PartnerTaxEnabled: true };
  await world.quickbooks.put('Preferences', '1', { TaxPrefs: taxes });
  await world.quickbooks.behave({ ast_override: 'always' });
  await world.saveSettings({ inv_tax_authority: 'autotask' });
  await world.autotask.put('Companies', 177, { state: 'TX', postalCode: '78701', city: 'Austin' });
  await bill({ net: 1_620, tax: 135, homeTax: 100 });
  expect(await ledgerOf(await post())).toEqual([
    ['Accounts Receivable', '1300.00', '0.00'],
    ['Service Income', '0.00', '1200.00'],
    ['Sales Tax Payable', '0.00', '100.00'],
  ]);
  const [log] = await world.logs();
  expect(log?.transcript).toContain('QuickBooks total 1,300.00, tax 100.00: equal to Autotask');
});

test('another tax than the billed one is found before posting', async () => {
  await bill({ net: 1_620, tax: 270, homeTax: 200 });
  const job = await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  expect(world.resultOf(job, psaId)?.message).toContain('QuickBooks would charge 99.00');
  expect(await world.madeFor(psaId)).toEqual([]);
});

test.each([
  ['below', 900],
  ['above', 1_620],
])('a paid invoice whose total in Autotask is %s the home amount is paid in full', async (_, net) => {
  await world.saveSettings({ pay_sync_active: true, pay_grace_hours: 0 });
  await bill({ net, tax: 0, homeTax: 0 });
  await post();
  await world.autotask.put('Invoices', psaId, { paidDate: '2025-03-04T00:00:00Z' });
  await world.advance(86_400);
  await world.cycle();
  expect(await world.madeFor(psaId)).toMatchObject([{ TotalAmt: 1_200, Balance: 0 }]);
  const [payment] = (await world.quickbooks.list('Payment')).filter(
    ({ PaymentRefNum: number }) => number === 'PSA-1042',
  );
  expect(payment).toMatchObject({ TotalAmt: 1_200, UnappliedAmt: 0 });
});

test('the month shows it in both currencies, and its receivable once in the home currency', async () => {
  await bill({ net: 1_620, tax: 0, homeTax: 0 });
  await post();
  const { proof } = await proveMonth(world);
  expect(obstaclesOf(proof)).toEqual([]);
  const open = proof.tieOuts.find(({ name }) => name === 'receivables_psa');
  expect(open?.rows.map(({ label }) => label)).not.toContain('Maple Clinic');
});
