import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await newWorld({ settings: { inv_income_account_milestone: '3' } });
});
afterEach(() => world.close());

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
