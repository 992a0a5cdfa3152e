import { afterAll, beforeAll, expect, test } from 'vitest';
import { tieOut } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import { gatherMonth } from '#flows/close/gather.ts';
import { newWorld, today, type World } from '../support/world.ts';

/** Months of many invoices on either side: how many calls each takes, and how much of our own time. */
let world: World;
const calls: string[] = [];

beforeAll(async () => {
  world = await newWorld({ onCall: ({ operation }) => calls.push(operation) });
  const counts = { today, invoices: 2_400, lines_per_invoice: 2 };
  await world.autotask.reset(counts);
  await world.quickbooks.reset(counts);
}, 240_000);
afterAll(() => world.close());

test('a busy month is proved in at most 25 calls and 2 s of our own time', async () => {
  // Lists are kept for an hour; a month is not the first thing that anybody does.
  await gatherMonth(world.tenant, month('2024-01'));
  const sizes = new Map<string, number>();
  for (const of of ['2025-01', '2025-02', '2025-03']) {
    calls.length = 0;
    const { facts } = await gatherMonth(world.tenant, month(of));
    const count = facts.kinds[0]?.sources.length ?? 0;
    sizes.set(of, count);
    expect([of, calls.length <= 25, calls]).toEqual([of, true, calls]);
    const began = process.threadCpuUsage();
    const proof = tieOut(facts);
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(2_000);
    expect(proof.rows.length).toBeGreaterThanOrEqual(count);
  }
  expect(Math.max(...sizes.values())).toBeGreaterThan(500);
}, 240_000);
