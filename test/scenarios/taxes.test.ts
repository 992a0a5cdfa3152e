import { expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { Business } from '../support/business.ts';
import { mapping } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';
import { proveMonth } from '../support/month-end.ts';

/** Tax rates with dates, and accounts of the day of the sale. Amounts come from the ledger of the sandbox. */
const world = eachWorld();

/** Debits less credits of a document by account, in cents. */
async function balancesOf(made: JsonObject | undefined, type = 'Invoice'): Promise<Record<string, number>> {
  const query = `transaction_type=${type}&transaction_id=${String(made?.['Id'])}`;
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/ledger?${query}`);
  const { entries } = (await answer.json()) as { entries: readonly JsonObject[] };
  const cents: Record<string, number> = {};
  for (const { account, debit, credit } of entries) {
    const name = String((account as JsonObject)['name']);
    cents[name] = (cents[name] ?? 0) + Math.round(Number(debit) * 100) - Math.round(Number(credit) * 100);
  }
  return cents;
}
const sync = (psaId: number) => world.sync('invoice', { mode: 'live', psaIds: [psaId] });
const raise = (on: string, from = 8.25, to = 9) =>
  world.quickbooks.put('TaxRate', '9', {
    RateValue: to,
    EffectiveTaxRate: [
      { RateValue: to, EffectiveDate: `${on}T00:00:00-08:00` },
      { RateValue: from, EffectiveDate: '2010-01-01T00:00:00-08:00', EndDate: `${on}T00:00:00-08:00` },
    ],
  });

test('an invoice dated before a raise is posted with the rate of its day', async () => {
  await raise('2025-03-04');
  const job = await sync(48_213);
  expect(world.resultOf(job, 48_213)).toMatchObject({ outcome: 'succeeded' });
  const [made] = await world.madeFor(48_213);
  expect(await balancesOf(made)).toMatchObject({ 'Accounts Receivable': 196_625, 'Sales Tax Payable': -4_125 });
});

test('an invoice dated after a raise waits if Autotask billed the old rate', async () => {
  await raise('2025-03-03');
  const job = await sync(48_213);
  expect(world.resultOf(job, 48_213)?.message).toContain('QuickBooks would charge 45.00 of sales tax');
  expect(await world.madeFor(48_213)).toEqual([]);
});

test('a void is reversed at the rates of the day of its credit memo', async () => {
  await sync(48_213);
  await world.saveSettings({ void_across_months: 'credit_memo' });
  await raise('2025-04-02');
  await world.advance(30 * 24 * 3_600);
  await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: world.clock.now() });
  const job = await world.sync('void', { mode: 'live', psaIds: [48_213] });
  // On April 2 the new rate applies, so the credit memo would not have the tax of the invoice.
  expect(world.resultOf(job, 48_213)?.message).toContain('would credit 45.00 of sales tax');
  await raise('2025-04-03');
  await world.sync('void', { mode: 'live', psaIds: [48_213] });
  const memos = (await world.quickbooks.list('CreditMemo')).filter((row) =>
    String(row['PrivateNote']).startsWith('Autotask invoice 48213 voided'),
  );
  expect(await balancesOf(memos[0], 'CreditMemo')).toMatchObject({
    'Accounts Receivable': -196_625,
    'Sales Tax Payable': 4_125,
  });
});

test('a credit memo dated after a raise has the rate of its day, and its invoice the one before', async () => {
  await raise('2025-03-01');
  const business = new Business(world);
  const line = { article: 'hardware', quantity: 1 } as const;
  const sold = await business.bill(175, [{ ...line, rate: 400 }], { on: '2025-02-27' });
  await sync(sold);
  const credit = await business.bill(175, [{ ...line, rate: -400 }], { on: '2025-03-03' });
  const waiting = await sync(credit);
  expect(world.resultOf(waiting, credit)?.outcome).not.toBe('succeeded');
  expect(await world.madeFor(credit, 'CreditMemo')).toEqual([]);
  // Autotask bills the new rate: 9 % of 400.00.
  const [item] = (await world.autotask.list('BillingItems')).filter((row) => row['invoiceID'] === credit);
  const tax = { taxDollars: -36, internalCurrencyTaxDollars: -36 };
  await world.autotask.put('BillingItems', Number(item?.['id']), tax);
  await world.autotask.put('Invoices', credit, { totalTaxValue: -36, invoiceTotal: -436 });
  await world.sync('invoice', { mode: 'live', force: true, psaIds: [credit] });
  const [invoice] = await world.madeFor(sold);
  const [memo] = await world.madeFor(credit, 'CreditMemo');
  expect(await balancesOf(invoice)).toMatchObject({ 'Accounts Receivable': 43_300, 'Sales Tax Payable': -3_300 });
  expect(await balancesOf(memo, 'CreditMemo')).toMatchObject({
    'Accounts Receivable': -43_600,
    'Sales Tax Payable': 3_600,
  });
});

test('outside the US, lines without tax have the code that is mapped for their region', async () => {
  const [info] = await world.quickbooks.list('CompanyInfo');
  await world.quickbooks.put('CompanyInfo', String(info?.['Id']), { Country: 'GB' });
  for (const [id, name] of [
    ['30', 'Exempt'],
    ['31', 'EU reverse charge'],
  ] as const) {
    await world.quickbooks.put('TaxRate', id, { Name: name, RateValue: 0, AgencyRef: { value: '1' } });
    const rates = { TaxRateDetail: [{ TaxRateRef: { value: id } }] };
    await world.quickbooks.put('TaxCode', id, { Name: name, Active: true, SalesTaxRateList: rates });
  }
  for (const item of await world.autotask.list('BillingItems'))
    if (item['invoiceID'] === 48_213) await world.autotask.put('BillingItems', Number(item['id']), { taxDollars: 0 });
  const untaxed = { taxRegionName: 'European Union', totalTaxValue: 0, invoiceTotal: 1_925 };
  await world.autotask.put('Invoices', 48_213, untaxed);
  const guessed = await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
  expect(world.resultOf(guessed, 48_213)?.message).toContain('1 warning');
  await world.store.saveMappings([mapping('TaxRegion', 'European Union', '31')]);
  const job = await sync(48_213);
  expect(world.resultOf(job, 48_213)).toMatchObject({ outcome: 'succeeded' });
  const [made] = await world.madeFor(48_213);
  const codes = ((made?.['Line'] ?? []) as JsonObject[]).flatMap(({ SalesItemLineDetail: detail }) =>
    detail === undefined ? [] : [((detail as JsonObject)['TaxCodeRef'] as JsonObject)['value']],
  );
  expect(new Set(codes)).toEqual(new Set(['31']));
  const balances = await balancesOf(made);
  expect(balances['Accounts Receivable']).toBe(192_500);
  expect(Object.values(balances).reduce((sum, one) => sum + one, 0)).toBe(0);
});

test('an item whose account changed for new sales is no difference of the month', async () => {
  await sync(48_213);
  const [made] = await world.madeFor(48_213);
  const before = await balancesOf(made);
  await world.quickbooks.put('Item', '21', { IncomeAccountRef: { value: '3' } });
  expect(await balancesOf(made)).toEqual(before);
  const { proof } = await proveMonth(world);
  for (const name of ['revenue_by_account', 'sales_lines_psa']) {
    const one = proof.tieOuts.find((tieOut) => tieOut.name === name);
    expect(one?.rows.length).toBeGreaterThan(0);
    for (const { left, right } of one?.rows ?? []) expect(left).toBe(right);
  }
});

test('an invoice whose tax QuickBooks calculates for Autotask waits', async () => {
  await world.autotask.behave({ quickbooks_calculates_taxes: true });
  const job = await sync(48_213);
  // TAX_OF_PSA_NOT_FINAL
  expect(world.resultOf(job, 48_213)).toMatchObject({
    outcome: 'held',
    message: expect.stringContaining('Autotask lets QuickBooks calculate the tax of this invoice') as string,
  });
  expect(await world.madeFor(48_213)).toEqual([]);
  const [invoice] = (await world.autotask.list('Invoices')).filter(({ id }) => id === 48_213);
  expect(invoice?.['invoiceNumber']).not.toContain('ERROR');
  await world.autotask.behave({ quickbooks_calculates_taxes: false });
  await sync(48_213);
  expect(await balancesOf((await world.madeFor(48_213))[0])).toMatchObject({ 'Accounts Receivable': 196_625 });
});
