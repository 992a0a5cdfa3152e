import { expect, test } from 'vitest';
import { listAttention } from '#flows/attention/list.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';

/** Documents in a foreign currency: CAD 1,620.00 of invoice 48308, at QuickBooks' rate of 0.7402. */
const world = eachWorld({ settings: { inv_email_automatically: true } });

const live = () => world.sync('invoice', { mode: 'live', psaIds: [48_308] });
const invoices = async () =>
  (await world.quickbooks.list('Invoice')).filter(
    ({ CurrencyRef }) => (CurrencyRef as { value?: string })?.value === 'CAD',
  );
const rateCalls = async () => (await world.quickbooks.journal()).filter(({ path }) => path.includes('exchangerate'));

test('an invoice in a foreign currency is posted at QuickBooks’ rate of its date, which is read once', async () => {
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
  expect(await rateCalls()).toHaveLength(1);
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
