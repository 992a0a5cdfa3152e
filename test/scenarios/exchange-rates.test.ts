import { expect, test } from 'vitest';
import { listAttention } from '#flows/attention/list.ts';
import { loadCachedLists } from '#flows/connections/cached-lists.ts';
import { decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { movedSince, postedNow } from '../support/moved-since.ts';
import { eachWorld } from '../support/each-world.ts';

/** Documents in a foreign currency: CAD 1,620.00 of invoice 48308, at QuickBooks' rate of 0.7402. */
const world = eachWorld({ settings: { inv_email_automatically: true } });

const live = () => world.sync('invoice', { mode: 'live', psaIds: [48_308] });
const invoices = async () =>
  (await world.quickbooks.list('Invoice')).filter(
    ({ CurrencyRef }) => (CurrencyRef as { value?: string })?.value === 'CAD',
  );
const rateCalls = async () => (await world.quickbooks.journal()).filter(({ path }) => path.includes('exchangerate'));

test('an invoice in a foreign currency is posted at QuickBooks’ rate of its date, which is read once for the lists', async () => {
  const before = (await invoices()).length;
  await live();
  const made = (await invoices()).slice(before);
  expect(made).toMatchObject([{ TotalAmt: 1620, ExchangeRate: 0.7402, HomeTotalAmt: 1199.12 }]);
  const answer = await fetch(
    `${world.quickbooks.url}/__sandbox/ledger?transaction_type=Invoice&transaction_id=${String(made[0]?.['Id'])}`,
  );
  const { entries } = (await answer.json()) as { entries: readonly JsonObject[] };
  const cents = (side: string) => entries.map((entry) => Math.round(Number(entry[side]) * 100));
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
  expect(cents('home_debit')).toContain(119_912);
  expect([sum(cents('home_debit')), sum(cents('home_credit'))]).toEqual([119_912, 119_912]);
  await world.sync('invoice', { mode: 'test', psaIds: [48_308], force: true });
  // A user's request reads the lists again, and the rate with them.
  expect(await rateCalls()).toHaveLength(2);
});

test('a test sync shows the rate and sends nothing', async () => {
  const before = (await invoices()).length;
  const job = await world.sync('invoice', { mode: 'test', psaIds: [48_308] });
  expect(world.resultOf(job, 48_308)).toMatchObject({ outcome: 'succeeded' });
  expect(await invoices()).toHaveLength(before);
});

test('an invoice that QuickBooks posts at another rate needs attention and is not emailed', async () => {
  await world.quickbooks.behave({ sent_rate: 'ignored' });
  await live();
  const groups = await listAttention(world.tenant);
  expect(groups).toContainEqual(
    expect.objectContaining({
      code: 'EXCHANGE_RATE_DIFFERS',
      documents: [expect.objectContaining({ psaId: 48_308, success: true })],
    }),
  );
});

test('without a rate nothing is posted, and the problem names currency and day', async () => {
  const before = (await invoices()).length;
  await world.quickbooks.fault({ match: { path: '/exchangerate' }, times: 1, action: { status: 200, body: {} } });
  const job = await live();
  // EXCHANGE_RATE_MISSING
  expect(world.resultOf(job, 48_308)?.message).toMatch(/^QuickBooks has no exchange rate for CAD on \w+ \d+, \d{4}\./);
  expect(await invoices()).toHaveLength(before);
  // A user has entered the rate.
  await live();
  expect((await invoices()).slice(before)).toMatchObject([{ TotalAmt: 1620, ExchangeRate: 0.7402 }]);
});

/** Sets the rate of the day. */
async function setRate(rate: number): Promise<void> {
  const rates = await world.quickbooks.list('ExchangeRate');
  for (const row of rates)
    if (row['SourceCurrencyCode'] === 'CAD')
      await world.quickbooks.put('ExchangeRate', `CAD ${String(row['AsOfDate'])}`, { Rate: rate });
}
/** Debits in the home currency of an invoice, from the general ledger. */
async function homeDebits(id: unknown): Promise<readonly string[]> {
  const query = `transaction_type=Invoice&transaction_id=${String(id)}`;
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/ledger?${query}`);
  const { entries } = (await answer.json()) as { entries: readonly JsonObject[] };
  return entries.map((entry) => String(entry['home_debit'])).filter((debit) => debit !== '0.00');
}

test('a rate that a user corrects is used within minutes, and at once after the lists are read', async () => {
  await world.sync('invoice', { mode: 'test', psaIds: [48_308] });
  await setRate(0.75);
  await world.advance(301);
  await world.sync('invoice', { mode: 'test', psaIds: [48_308], force: true });
  expect((await world.logs()).some(({ transcript }) => transcript.includes('1 CAD = 0.75 USD'))).toBe(true);
  await setRate(0.7402);
  await loadCachedLists(world.tenant, 'as_they_are');
  const before = (await invoices()).length;
  await live();
  const made = (await invoices()).slice(before);
  expect(made).toMatchObject([{ TotalAmt: 1620, ExchangeRate: 0.7402 }]);
  expect(await homeDebits(made[0]?.['Id'])).toEqual(['1199.12']);
});

test.each([
  [1, '1,620.00'],
  [0.82, '1,328.40'],
])('a rate of %s waits with both amounts, and is posted once it is corrected', async (rate, worth) => {
  const before = (await invoices()).length;
  await setRate(rate);
  const job = await live();
  // EXCHANGE_RATE_DOUBTFUL
  expect(world.resultOf(job, 48_308)?.message).toBe(
    `QuickBooks’ exchange rate of Mar 3, 2025 is 1 CAD = ${rate} USD, so 1,620.00 CAD would be ${worth} USD. Autotask has 1,200.00 USD. Nothing was posted.`,
  );
  expect(await invoices()).toHaveLength(before);
  await setRate(0.7402);
  await world.advance(301);
  await live();
  const made = (await invoices()).slice(before);
  expect(made).toMatchObject([{ TotalAmt: 1620, ExchangeRate: 0.7402 }]);
  expect(await homeDebits(made[0]?.['Id'])).toEqual(['1199.12']);
});

test('a payment whose rate is far from that of its invoice waits, and a higher limit releases it', async () => {
  await world.saveSettings({ pay_sync_active: true, pay_grace_hours: 0 });
  await live();
  await world.autotask.put('Invoices', 48_308, { paidDate: '2025-03-04T00:00:00Z' });
  await setRate(0.82);
  await world.advance(86_400);
  const payments = async () => (await world.quickbooks.list('Payment')).length;
  const [before, posted] = [await payments(), await postedNow(world)];
  const job = await world.sync('payment', { mode: 'live', psaIds: [48_308] });
  expect(await movedSince(world, posted)).toEqual({});
  expect(world.resultOf(job, 48_308)?.message).toContain('At the rate of its invoice, it is 1,199.12 USD.');
  expect(await payments()).toBe(before);
  await world.saveSettings({ exchange_rate_hold_over: decimal(20) });
  await world.sync('payment', { mode: 'live', psaIds: [48_308] });
  expect(await payments()).toBe(before + 1);
  // In Canadian dollars, as the ledger shows both accounts.
  expect(await movedSince(world, posted)).toEqual({
    'Undeposited Funds': 1620,
    'Accounts Receivable (A/R) - CAD': -1620,
  });
});

test('QuickBooks has no rate for a day more than three years ago', async () => {
  await world.autotask.put('Invoices', 48_308, { invoiceDateTime: '2022-02-01T00:00:00Z' });
  await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2021-12-31' } });
  await loadCachedLists(world.tenant, 'as_they_are');
  const job = await live();
  expect(world.resultOf(job, 48_308)?.message).toContain(
    'no exchange rate for CAD on Feb 1, 2022, because it has rates of the last three years only.',
  );
});

test('a payment that QuickBooks posts at another rate needs attention', async () => {
  await world.saveSettings({ pay_sync_active: true, pay_grace_hours: 0 });
  await live();
  await world.autotask.put('Invoices', 48_308, { paidDate: '2025-03-04T00:00:00Z' });
  await world.advance(86_400);
  await world.quickbooks.behave({ sent_rate: 'ignored' });
  const job = await world.sync('payment', { mode: 'live', psaIds: [48_308] });
  expect(world.resultOf(job, 48_308)).toMatchObject({ outcome: 'succeeded' });
  expect(await listAttention(world.tenant)).toContainEqual(
    expect.objectContaining({
      code: 'EXCHANGE_RATE_DIFFERS',
      documents: [expect.objectContaining({ type: 'payment', psaId: 48_308 })],
    }),
  );
});
