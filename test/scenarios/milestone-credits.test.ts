import { expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { inv_income_account_milestone: '3' } });

test('a milestone credited by a service adjustment moves no income between accounts', async () => {
  const job = await world.sync('invoice', { mode: 'live', psaIds: [48_303] });
  expect(world.resultOf(job, 48_303)).toMatchObject({ outcome: 'succeeded' });
  const posting = await world.store.readPosting('invoice', 48_303);
  const answer = await fetch(
    `${world.quickbooks.url}/__sandbox/ledger?transaction_type=Invoice&transaction_id=${posting?.targetId}`,
  );
  const { entries } = (await answer.json()) as { entries: readonly JsonObject[] };
  const balances = new Map<string, number>();
  for (const { account, debit, credit } of entries)
    balances.set(
      JSON.stringify(account),
      (balances.get(JSON.stringify(account)) ?? 0) + Math.round((Number(debit) - Number(credit)) * 100),
    );
  const income = entries.filter(({ credit }) => Number(credit) === 500);
  expect(income).toHaveLength(1);
  expect(entries.filter(({ debit }) => Number(debit) === 500)).toMatchObject([{ account: income[0]?.['account'] }]);
  expect([...balances.values()].every((cents) => cents === 0)).toBe(true);
});

/** Returns debits and credits of an invoice by account, and the accounts of its items. */
async function ledgerOf(psaId: number): Promise<string[]> {
  const posting = await world.store.readPosting('invoice', psaId);
  const answer = await fetch(
    `${world.quickbooks.url}/__sandbox/ledger?transaction_type=${posting?.targetType}&transaction_id=${posting?.targetId}`,
  );
  const { entries } = (await answer.json()) as {
    entries: readonly { account: { name: string }; home_debit: string; home_credit: string }[];
  };
  return entries
    .map(({ account, home_debit: debit, home_credit: credit }) =>
      Number(debit) === 0 ? `Cr ${account.name} ${credit}` : `Dr ${account.name} ${debit}`,
    )
    .filter((row) => !/ 0(\.00)?$/.test(row))
    .sort();
}

/** Creates an invoice like 48303, with its lines. */
async function invoiced(id: number, lines: readonly JsonObject[]): Promise<void> {
  const [head] = (await world.autotask.list('Invoices')).filter((one) => one['id'] === 48_303);
  const [milestone, credit] = (await world.autotask.list('BillingItems'))
    .filter((one) => one['invoiceID'] === 48_303)
    .sort((a, b) => Number(b['totalAmount']) - Number(a['totalAmount']));
  const total = lines.reduce((all, { totalAmount }) => all + Number(totalAmount), 0);
  await world.autotask.put('Invoices', id, { ...head, id, invoiceNumber: '', invoiceTotal: total, totalTaxValue: 0 });
  for (const [index, line] of lines.entries()) {
    const amount = Number(line['totalAmount']);
    await world.autotask.put('BillingItems', id * 100 + index, {
      ...(amount > 0 ? milestone : credit),
      id: id * 100 + index,
      invoiceID: id,
      contractID: 2_002,
      quantity: 1,
      rate: amount,
      extendedPrice: amount,
      internalCurrencyTotalAmount: amount,
      internalCurrencyRate: amount,
      ...line,
    });
  }
}

test('with items named after the milestones, a credit uses the item of its milestone', async () => {
  for (const [name, account] of [
    ['Design', '1'],
    ['Rollout', '3'],
  ])
    await world.quickbooks.add('Item', { Name: name, Type: 'Service', IncomeAccountRef: { value: account } });
  await world.tenant.store.saveItemSettings(
    { ...(await world.store.readItemSettings()), milestone: 'item_name' },
    { username: 'admin@northwind-msp.example' },
  );
  await invoiced(48_520, [
    { itemName: 'Design', totalAmount: 400 },
    { itemName: 'Rollout', totalAmount: 700 },
    { itemName: 'Milestone reversed', totalAmount: -700 },
  ]);
  expect((await world.sync('invoice', { mode: 'live', psaIds: [48_520] })).results).toMatchObject([
    { outcome: 'succeeded' },
  ]);
  expect(await ledgerOf(48_520)).toEqual([
    'Cr Project Income 700.00',
    'Cr Service Income 400.00',
    'Dr Accounts Receivable 400.00',
    'Dr Project Income 700.00',
  ]);
  // A part of either milestone is unclear, although both have one billing code.
  await invoiced(48_521, [
    { itemName: 'Design', totalAmount: 400 },
    { itemName: 'Rollout', totalAmount: 700 },
    { itemName: 'Milestone reversed', totalAmount: -150 },
  ]);
  expect((await world.sync('invoice', { mode: 'live', psaIds: [48_521] })).results).toMatchObject([
    { outcome: expect.stringMatching(/failed|held/) },
  ]);
});

test('a credit on a later invoice does not reverse what another credit has already reversed', async () => {
  const sync = async (id: number) => (await world.sync('invoice', { mode: 'live', psaIds: [id] })).results;
  await invoiced(48_522, [{ itemName: 'Design', totalAmount: 500 }]);
  await invoiced(48_523, [{ itemName: 'Reversed', totalAmount: -500 }]);
  await invoiced(48_524, [{ itemName: 'Reversed again', totalAmount: -500 }]);
  for (const id of [48_522, 48_523, 48_524]) expect(await sync(id)).toMatchObject([{ outcome: 'succeeded' }]);
  expect(await ledgerOf(48_522)).toEqual(['Cr Project Income 500.00', 'Dr Accounts Receivable 500.00']);
  expect(await ledgerOf(48_523)).toEqual(['Cr Accounts Receivable 500.00', 'Dr Project Income 500.00']);
  // The milestone is used up, so this credit reverses its own service.
  expect(await ledgerOf(48_524)).toEqual(['Cr Accounts Receivable 500.00', 'Dr Hardware Income 500.00']);
});
