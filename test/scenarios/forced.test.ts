import { expect, test } from 'vitest';
import { submit, type SubmitRequest } from '#flows/sync/job/submit.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld();

const actor = { username: 'admin@northwind-msp.example' };
const again = (more: Partial<SubmitRequest> = {}) =>
  submit(world.tenant, { kind: 'invoice', mode: 'live', force: true, psaIds: null, actor, ...more });

test('a forced sync of all documents needs the confirmed number, and posts exactly those', async () => {
  const refusal = await again().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ kind: 'conflict', code: 'confirm_number', errors: [{ key: 'confirmed' }] });
  const count = Number(/^(\d+) invoices would be synced/.exec((refusal as Error).message)?.[1]);
  expect(count).toBeGreaterThan(5);
  await expect(again({ confirmed: count - 1 })).rejects.toMatchObject({ code: 'confirm_number' });
  expect(await world.store.listJobs(10)).toEqual([]);

  const job = await again({ confirmed: count });
  expect(job).toMatchObject({ force: true, mode: 'live' });
  expect(job.psaIds).toHaveLength(count);
  // An invoice created after the confirmation is not included.
  expect(job.psaIds).not.toContain(48_312);
});

test('a test, selected documents and a single one need no number', async () => {
  await expect(again({ mode: 'test' })).resolves.toMatchObject({ psaIds: null });
  await expect(again({ psaIds: [48_213, 48_214] })).resolves.toMatchObject({ psaIds: [48_213, 48_214] });
  await world.autotask.put('PurchaseOrders', 3311, { status: 1 });
  await world.saveSettings({ po_payable_account: '20' });
  await expect(again({ kind: 'purchase_order' })).resolves.toMatchObject({ psaIds: [3310] });
});
