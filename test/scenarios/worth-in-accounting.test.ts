import { expect, test } from 'vitest';
import { decimal, sum } from '#core/values/decimal.ts';
import { approveDrafts } from '#flows/approval/decide.ts';
import { readLastMonth, readRun } from '#flows/approval/read.ts';
import { readReview } from '#flows/jobs/review.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mapExpenses } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';

/** Amounts of an approval are counted as QuickBooks will have them, regardless of Autotask's header. */
const world = eachWorld({
  settings: {
    foreign_currency_policy: 'home_amounts',
    po_payable_account: '20',
    exp_cash_advance_expense_account: '25',
  },
});

const anna = { username: 'anna@northwind-msp.example' };

/** An invoice of CAD 1,620.00, 1,200.00 in the home currency; and one in USD. */
const inCanadianDollars = 48_308;
const inDollars = 48_213;

/** Single-currency QuickBooks takes the home amounts. */
async function withOneCurrency(): Promise<void> {
  const [preferences] = await world.quickbooks.list('Preferences');
  await world.quickbooks.put('Preferences', '1', {
    CurrencyPrefs: { ...(preferences?.['CurrencyPrefs'] as JsonObject), MultiCurrencyEnabled: false },
  });
  await world.quickbooks.put('Customer', '60', { CurrencyRef: { value: 'USD' } });
}

test('a draft in single-currency QuickBooks counts its home amount: in the total, for the limit, and compared with the previous month', async () => {
  await withOneCurrency();
  await world.saveSettings({ require_approval: true, approval_limit: decimal(1_500), approval_four_eyes: true });
  for (const psaId of [inCanadianDollars, inDollars]) await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  const { waiting, summary, needTwo } = await readRun(world.tenant);
  const draft = waiting.find(({ psaId }) => psaId === inCanadianDollars);
  expect(draft?.view.total).toBe('1200');
  expect(draft?.about).toMatchObject({ amount: '1200', currency: 'USD' });
  expect(summary.sums).toEqual([{ kind: 'invoice', currency: 'USD', count: 2, amount: '3166.25' }]);
  expect(summary.effects.map(({ currency }) => currency)).toEqual(['USD']);
  // The other draft of 1,966.25 is above the limit, this one of 1,200.00 is not.
  expect(needTwo).toBe(1);
  const ids = draft === undefined ? [] : [draft.id];
  expect(await approveDrafts(world.tenant, anna, { ids })).toMatchObject({ posting: 1, first: 0 });
  await world.work();
  const posted = await world.store.readPosting('invoice', inCanadianDollars);
  expect(posted).toMatchObject({ status: 'synced', total: '1200' });
  await world.advance(31 * 86_400);
  expect(await readLastMonth(world.tenant)).toContainEqual(
    expect.objectContaining({ party: 'Maple Clinic', currency: 'USD', amount: '1200' }),
  );
});

test('a draft in multi-currency QuickBooks keeps its currency, which the limit in the home currency does not cover', async () => {
  await world.saveSettings({ require_approval: true, approval_limit: decimal(1_500), approval_four_eyes: true });
  await world.sync('invoice', { mode: 'live', psaIds: [inCanadianDollars] });
  const { waiting, needTwo } = await readRun(world.tenant);
  expect(waiting[0]?.about).toMatchObject({ amount: '1620', currency: 'CAD' });
  expect(needTwo).toBe(1);
});

/** Moves an expense of the report to the next month, so that it becomes two bills. */
async function splitReport(): Promise<void> {
  await mapExpenses(world.store);
  await world.saveSettings({ exp_split_month_end: true });
  const [item] = (await world.autotask.list('ExpenseItems')).filter((one) => one['expenseReportID'] === 1_207);
  await world.autotask.put('ExpenseItems', Number(item?.['id']), { expenseDate: '2025-03-01T00:00:00Z' });
  await world.autotask.put('ExpenseReports', 1_207, { weekEnding: '2025-03-02T00:00:00Z' });
}

test('an expense report with a bill for each month is reviewed with the sum of all', async () => {
  await splitReport();
  const { id } = await world.sync('expense_report', { mode: 'test', psaIds: [1_207] });
  const { planned, summary, notPosted } = await readReview(world.tenant, id);
  expect(notPosted).toEqual([]);
  expect(planned[0]?.result.head).toMatchObject({ amount: '190.35', currency: 'USD' });
  const preview = planned[0]?.preview;
  expect(preview?.view.total).toBe('190.35');
  expect(new Set(preview?.view.lines.map(({ description }) => description.slice(0, 'Bill EXP-1207'.length)))).toEqual(
    new Set(['Bill EXP-1207']),
  );
  expect(sum((preview?.view.lines ?? []).map(({ amount }) => amount))).toBe('190.35');
  expect(preview?.view.source?.total).toBe('190.35');
  expect(summary.sums).toEqual([{ kind: 'expense_report', currency: 'USD', count: 1, amount: '190.35' }]);
  const payable = summary.effects[0]?.entries.find(({ account }) => /Payable/.test(account));
  expect(payable?.credit).toBe('190.35');
});

test('an expense report with a bill for each month waits for approval with the sum of all', async () => {
  await splitReport();
  await world.saveSettings({ require_approval: true, approval_limit: decimal(150), approval_four_eyes: true });
  await world.sync('expense_report', { mode: 'live', psaIds: [1_207] });
  const { waiting, needTwo } = await readRun(world.tenant);
  expect(waiting[0]?.about.amount).toBe('190.35');
  expect(needTwo).toBe(1);
});
