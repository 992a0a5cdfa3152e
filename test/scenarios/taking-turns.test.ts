import { afterEach, expect, test } from 'vitest';
import type { Kind } from '#core/kinds.ts';
import type { Job } from '#core/records/jobs.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { newWorld, today, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

/** More than two chunks. */
const count = 250;
const ids = Array.from({ length: count }, (_, n) => 100_001 + n);
const [last = 0] = ids.slice(-1);

const submitLive = (kind: Kind, psaIds: number[]): Promise<Job> =>
  submit(world.tenant, {
    kind,
    mode: 'live',
    force: false,
    psaIds,
    actor: { username: 'admin@northwind-msp.example' },
  });

/** Starts a job of nearly all invoices and submits others when it has started. Returns the jobs in their order of ending. */
async function endings(later: () => Promise<readonly Job[]>): Promise<readonly string[]> {
  const large = await submitLive('invoice', ids.slice(0, -1));
  const names = new Map([[large.id, 'large']]);
  const ended: string[] = [];
  let isSubmitted = false;
  await world.work(async (name, when) => {
    if (when !== 'after') return;
    // Far less than a lease lasts in total.
    if (name === 'store.openAttempts' || name === 'store.giveWay') await world.advance(0.05);
    if (name === 'store.openAttempts' && !isSubmitted) {
      isSubmitted = true;
      for (const job of await later()) names.set(job.id, job.kind);
    }
    if (name !== 'store.finishJob') return;
    for (const { id, status } of await world.store.listJobs(10))
      if (status === 'finished' && !ended.includes(names.get(id) ?? '')) ended.push(names.get(id) ?? '');
  });

  const job = await world.store.readJob(large.id);
  expect(job?.results.filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
  expect(job).toMatchObject({ status: 'finished', succeeded: count - 1, failed: 0 });
  return ended;
}

/** Returns how many QuickBooks documents each invoice has, and their numbers in the order of the invoices. */
async function invoicesMade(): Promise<{ readonly numbers: number[]; readonly isEachOnce: boolean }> {
  const rows = await world.quickbooks.list('Invoice');
  const numbers = ids.flatMap((id) =>
    rows.flatMap((row) =>
      new RegExp(`^Autotask invoice ${id}\\b`).test(String(row['PrivateNote'])) ? [Number(row['DocNumber'])] : [],
    ),
  );
  return { numbers, isEachOnce: numbers.length === count };
}

test('a small job does not wait for all documents of a large one', async () => {
  world = await newWorld({ settings: { po_payable_account: '20', inv_numbering_option: 'autotask' } });
  await world.autotask.reset({ today, invoices: count, lines_per_invoice: 1 });
  for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: `${id}` });
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
  const ended = await endings(async () => [
    await submitLive('invoice', [last]),
    await submitLive('purchase_order', [3_310]),
  ]);
  expect(ended).toEqual(['invoice', 'purchase_order', 'large']);
  expect(await invoicesMade()).toEqual({ numbers: ids, isEachOnce: true });
});

test('invoices numbered by QuickBooks keep their order; only other kinds go before the rest of them', async () => {
  world = await newWorld({ settings: { po_payable_account: '20' } });
  await world.autotask.reset({ today, invoices: count, lines_per_invoice: 1 });
  const ended = await endings(async () => [
    await submitLive('invoice', [last]),
    await submitLive('purchase_order', [3_310]),
  ]);
  expect(ended).toEqual(['purchase_order', 'large', 'invoice']);
  const { numbers, isEachOnce } = await invoicesMade();
  expect(isEachOnce).toBe(true);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});
