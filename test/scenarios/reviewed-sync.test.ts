import { Client } from 'pg';
import { expect, test } from 'vitest';
import { countByState } from '#core/attention.ts';
import type { Job } from '#core/records/jobs.ts';
import { addSeconds, calendarDate } from '#core/values/dates.ts';
import { listAttention } from '#flows/attention/list.ts';
import { readReview } from '#flows/jobs/review.ts';
import { previewSettings } from '#flows/settings/preview.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { inv_include_customer_message: true } });

const anna = { username: 'anna@northwind-msp.example' };

const run = async (psaIds: readonly number[], reviewed?: string): Promise<Job> => {
  const { id } = await submit(world.tenant, {
    kind: 'invoice',
    mode: reviewed === undefined ? 'test' : 'live',
    force: false,
    psaIds,
    actor: anna,
    ...(reviewed !== undefined && { reviewed }),
  });
  await world.work();
  const job = await world.store.readJob(id);
  if (job === null) throw new Error('the requested job was not found');
  return job;
};
const total = async () =>
  (await world.quickbooks.list('Invoice'))
    .filter((row) => /^"Autotask invoice (48213|48307|48308)[ ,]/.test(JSON.stringify(row['PrivateNote'] ?? '')))
    .map((row) => row['TotalAmt']);
const refusalOf = (asked: Promise<unknown>) => asked.catch((error: unknown) => error);

/** Sample invoices: of existing customers in both currencies, and of a new one. */
const chosen = [48_213, 48_307, 48_308] as const;

test('a review adds up what would be posted, and posting it posts exactly that, including new customers', async () => {
  const { id } = await run(chosen);
  const { summary, planned, notPosted } = await readReview(world.tenant, id);
  expect(await total()).toEqual([]);
  expect(planned.map(({ result }) => result.psaId)).toEqual(chosen);
  expect(notPosted).toEqual([]);
  expect(summary.count).toBe(3);
  for (const { currency, amount } of summary.sums) {
    const receivable = summary.effects
      .find((one) => one.currency === currency)
      ?.entries.find(({ account }) => /Receivable/.test(account));
    expect(receivable?.debit).toBe(amount);
  }
  expect(new Set(summary.sums.map(({ currency }) => currency))).toEqual(new Set(['USD', 'CAD']));
  expect(summary.effects.map(({ entries }) => entries.length > 1)).toEqual([true, true]);
  expect(await readReview(world.tenant, id)).toMatchObject({ postedBy: null });
  const live = await run(chosen, id);
  expect(await readReview(world.tenant, id)).toMatchObject({ postedBy: live.id });
  expect(live).toMatchObject({ mode: 'live', succeeded: 3, failed: 0, skipped: 0, reviews: id });
  expect((await total()).toSorted()).toEqual(planned.map(({ preview }) => Number(preview?.view.total)).toSorted());
});

test('a changed document is not posted, the others are, and its result shows the change', async () => {
  const { id } = await run(chosen);
  await world.autotask.put('Invoices', 48_213, {
    comments: 'Changed meanwhile',
    invoiceDateTime: '2025-03-01T00:00:00Z',
  });
  const live = await run(chosen, id);
  expect(live).toMatchObject({ succeeded: 2, skipped: 1 });
  const left = live.results.find(({ psaId }) => psaId === 48_213);
  expect(left?.message).toMatch(/^It would be posted differently from the review.+Date: .+ → Mar 1, 2025/);
  expect(await total()).toHaveLength(2);
  // After another review it is posted.
  const again = await run([48_213]);
  expect(await run([48_213], again.id)).toMatchObject({ succeeded: 1 });
  expect(await total()).toHaveLength(3);
});

test('a document that cannot be posted is listed separately with its reason, and is not posted unseen', async () => {
  await world.autotask.put('Invoices', 48_213, { totalTaxValue: 60 });
  const { id } = await run(chosen);
  const { planned, notPosted } = await readReview(world.tenant, id);
  expect(planned.map(({ result }) => result.psaId)).toEqual([48_307, 48_308]);
  expect(notPosted).toMatchObject([{ psaId: 48_213, message: expect.stringContaining('sales tax') as unknown }]);
  await world.autotask.put('Invoices', 48_213, { totalTaxValue: 41.25 });
  expect(await run(chosen, id)).toMatchObject({ succeeded: 2, skipped: 1 });
  expect(await total()).toHaveLength(2);
});

const attention = async () => {
  const groups = await listAttention(world.tenant);
  const { needs_you, held } = countByState(groups);
  return { needs_you, held, ids: groups.flatMap(({ documents }) => documents.map(({ psaId }) => psaId)) };
};
const nothing = { needs_you: 0, held: 0, ids: [] };

test('counts a held document that a posted review left out until the document is posted', async () => {
  const close = (through: string) =>
    world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: through } });
  await close('2025-02-28');
  await world.autotask.put('Invoices', 48_213, { invoiceDateTime: '2025-02-20T00:00:00Z' });
  const { id } = await run(chosen);
  expect(await attention(), 'a test alone leaves nothing out').toEqual(nothing);
  await run([48_307, 48_308], id);
  expect(await attention()).toEqual({ needs_you: 0, held: 1, ids: [48_213] });
  await close('2025-01-31');
  const again = await run([48_213]);
  expect((await listAttention(world.tenant))[0]?.documents).toMatchObject([{ testedSince: true }]);
  await run([48_213], again.id);
  expect(await attention()).toEqual(nothing);
});

test('a document on hold is on hold in the log, the list of invoices and the last 24 hours', async () => {
  await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-02-28' } });
  await world.autotask.put('Invoices', 48_213, { invoiceDateTime: '2025-02-20T00:00:00Z' });
  const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_307] });
  expect(world.resultOf(job, 48_213)).toMatchObject({ outcome: 'held' });
  const { logs } = await world.store.listLogs({ page: 1, pageSize: 9, sort: 'LastModified', descending: true });
  expect(logs.map(({ psaId, success, isOnHold }) => [psaId, success, isOnHold])).toContainEqual([48_213, false, true]);
  expect(logs.filter(({ isOnHold }) => isOnHold)).toHaveLength(1);
  expect(await world.store.listOnHold('invoice', [48_213, 48_307])).toEqual([48_213]);
  const [hour] = await world.store.countAttemptsByHour(addSeconds(world.tenant.clock.now(), -3_600));
  expect(hour).toMatchObject({ succeeded: 1, failed: 0, held: 1 });
});

test('counts a failed document of several reviews once, and after a live failure that one', async () => {
  await world.autotask.put('Invoices', 48_213, { totalTaxValue: 60 });
  for (const posted of [48_307, 48_308]) {
    const { id } = await run([posted, 48_213]);
    await run([posted], id);
  }
  expect(await attention()).toEqual({ needs_you: 1, held: 0, ids: [48_213] });
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(await attention()).toEqual({ needs_you: 1, held: 0, ids: [48_213] });
  expect((await listAttention(world.tenant))[0]?.documents).toMatchObject([{ isTest: false }]);
});

test('only a finished test of the same documents is a review', async () => {
  const { id } = await run([48_213]);
  const submitted = (psaIds: readonly number[], more: object) =>
    refusalOf(
      submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds, actor: anna, reviewed: id, ...more }),
    );
  expect(await submitted([48_213, 48_307], {})).toMatchObject({ code: 'review_over' });
  expect(await submitted([48_213], { force: true })).toMatchObject({ code: 'review_over' });
  expect(await submitted([48_213], { mode: 'test' })).toMatchObject({ code: 'review_over' });
  expect(await submitted([48_213], { reviewed: '3f6f4f0e-7d0c-4d6c-9c56-2f6f35a1f0aa' })).toMatchObject({
    code: 'not_found',
  });
  expect(await readReview(world.tenant, id)).toMatchObject({ postedBy: null });
  const live = await run([48_213], id);
  expect(await readReview(world.tenant, id)).toMatchObject({ postedBy: live.id });
  // A review is posted once, so going back to it creates no second document.
  expect(await submitted([48_213], {})).toMatchObject({
    code: 'review_over',
    message: 'This review was already posted, by another user or in another window. Runs shows the result.',
  });
  expect(await submitted([48_213], { reviewed: live.id })).toMatchObject({ code: 'review_over' });
  expect(await refusalOf(readReview(world.tenant, live.id))).toMatchObject({ code: 'no_review' });
});

test('reviews up to 10,000 documents and shows the limit above that', async () => {
  const { id } = await run([48_213]);
  const client = new Client({ connectionString: world.database.url });
  await client.connect();
  const add = (from: number, to: number) =>
    client.query(
      `insert into job_results (tenant_id, job_id, psa_id, outcome, message)
       select tenant_id, id, n, 'skipped', 'Nothing to do' from jobs, generate_series($2::int, $3::int) n where id = $1`,
      [id, from, to],
    );
  await add(900_001, 909_999);
  const { planned, notPosted, summary } = await readReview(world.tenant, id);
  expect([planned.length, notPosted.length, summary.count]).toEqual([1, 9_999, 1]);
  await add(910_000, 910_000);
  await client.end();
  expect(await refusalOf(readReview(world.tenant, id))).toMatchObject({
    code: 'too_many',
    message:
      'At most 10,000 documents can be reviewed at once, and 10,001 invoices were found. Search a shorter date range, then sync again.',
  });
});

test('turning on a sync promises only what the next run posts', async () => {
  const promised = async () =>
    (
      await previewSettings(world.app, world.tenant, {
        inv_sync_active: true,
        sync_start_date: calendarDate('2020-01-01'),
      })
    ).effects.filter((text) => /invoices?/.test(text));
  const syncAll = async (mode: 'test' | 'live') => {
    const { id } = await submit(world.tenant, { kind: 'invoice', mode, force: false, psaIds: null, actor: anna });
    await world.work();
    return world.store.readJob(id);
  };
  await world.autotask.put('Invoices', 48_213, { totalTaxValue: 60 });
  expect(await promised()).toEqual([expect.stringMatching(/^\d+ invoices .*are not tested yet\./)]);
  const tested = await syncAll('test');
  const counts = (await promised()).map((text) => /^(\d+) .*?(passed|failed|on hold|skipped)/.exec(text)?.slice(1));
  expect(counts).toContainEqual([String(tested?.succeeded), 'passed']);
  expect(counts).toContainEqual([String(tested?.failed), 'failed']);
  expect(await syncAll('live')).toMatchObject({ succeeded: tested?.succeeded, failed: tested?.failed });
});
