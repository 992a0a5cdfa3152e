import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { maxProgramJobs, programName } from '#core/api-key.ts';
import type { In } from '#core/attempt.ts';
import type { JobResult, RunFilter } from '#core/records/jobs.ts';
import { type Lease, LeaseLost } from '#core/records/leases.ts';
import type { TenantStore } from './tenant-store.ts';
import { assert } from '#core/values/assert.ts';
import { addSeconds, instant } from '#core/values/dates.ts';
import { began, ended, logged, newAttempt, newJob, newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase, testSecretKey } from '#test/support/database.ts';
import { createListener } from './listener.ts';
import { createStore } from './root-store.ts';
import { createVault } from './vault.ts';

let store: TenantStore;

const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());
beforeEach(async () => {
  store = await newTenant(db.store);
});

async function hold(owner: string, afterSeconds = 0): Promise<Lease> {
  await db.passLeases(afterSeconds);
  const lease = await store.acquireLease(owner, 10);
  if (lease === null) throw new Error(`${owner} did not get the lease`);
  return lease;
}

describe('a job', () => {
  test('is stored completely from queued to finished', async () => {
    const wanted = newJob({ psaIds: [3, 1, 9_007_199_254_740_991], submittedBy: { username: 'a', masquerader: 'b' } });
    const added = await store.addJob(wanted);
    expect(added).toEqual({
      ...wanted,
      id: added.id,
      status: 'queued',
      total: null,
      done: 0,
      succeeded: 0,
      failed: 0,
      skipped: 0,
      held: 0,
      message: null,
      stopCode: null,
      cancelRequestedAt: null,
      startedAt: null,
      finishedAt: null,
      results: [],
    });
    const lease = await hold('w');
    expect(await store.takeJob(lease, began)).toEqual({ ...added, status: 'running', startedAt: began });
    expect(await store.takeJob(lease, began)).toBeNull();
    await store.saveJobTotal(lease, added.id, 3);
    await store.finishJob(lease, added.id, { status: 'finished', message: null }, addSeconds(began, 5));
    expect(await store.readJob(added.id)).toMatchObject({
      status: 'finished',
      total: 3,
      startedAt: began,
      finishedAt: addSeconds(began, 5),
    });
    await expect(store.finishJob(lease, added.id, { status: 'failed', message: 'x' }, began)).rejects.toThrow(
      LeaseLost,
    );
  });

  test('is created once for parallel equal submissions until it has ended', async () => {
    const jobs = await Promise.all([1, 2, 3, 4].map(() => store.addJob(newJob({ sameAs: 'all invoices, live' }))));
    expect(new Set(jobs.map((job) => job.id)).size).toBe(1);
    const lease = await hold('w');
    const taken = await store.takeJob(lease, began);
    expect((await store.addJob(newJob({ sameAs: 'all invoices, live' }))).id).toBe(taken?.id);
    await store.finishJob(lease, taken?.id ?? '', { status: 'finished', message: null }, began);
    expect((await store.addJob(newJob({ sameAs: 'all invoices, live' }))).id).not.toBe(taken?.id);
  });

  test('is limited in number for each program and for all programs, not for users', async () => {
    const { ofKey, ofClient } = maxProgramJobs;
    const add = (username: string, n: number) =>
      store.addJob(newJob({ sameAs: `${username} ${n}`, submittedBy: { username } }));
    const tries = (name: string) =>
      Promise.allSettled(Array.from({ length: ofKey + 5 }, (_, n) => add(programName(name), n)));
    for (const name of ['a', 'b', 'c'])
      expect((await tries(name)).filter(({ status }) => status === 'fulfilled')).toHaveLength(ofKey);
    await expect(add(programName('a'), 99)).rejects.toThrow(`${ofKey} syncs of this API key wait or run.`);
    await expect(add(programName('d'), 1)).rejects.toThrow(`${ofClient} syncs of all API keys wait or run.`);
    expect((await add(programName('a'), 0)).status).toBe('queued');
    for (let n = 0; n < ofKey + 1; n += 1) expect((await add('a@b.example', n)).status).toBe('queued');
  });

  test('is separate from an equal job of another tenant', async () => {
    const other = await newTenant(db.store);
    const [mine, theirs] = [await store.addJob(newJob({ sameAs: 'x' })), await other.addJob(newJob({ sameAs: 'x' }))];
    expect(mine.id).not.toBe(theirs.id);
    expect(await store.readJob(theirs.id)).toBeNull();
    expect(await store.cancelJob(theirs.id, began)).toBeNull();
    expect(await store.isCancelRequested(theirs.id)).toBe(false);
  });

  test('notifies listeners with its tenant when committed', async () => {
    await asOwner(db.url, async (client) => {
      const announced = new Promise<string | undefined>((settle) =>
        client.once('notification', (message) => settle(message.payload)),
      );
      await client.query('listen tallybridge_wake');
      await store.addJob(newJob());
      expect(await announced).toBe(store.tenantId);
    });
  });

  test('announces each change to followers, once per transaction', async () => {
    const received: (string | undefined)[] = [];
    const listener = createListener(db.url);
    listener.on('tallybridge_job', (payload) => received.push(payload));
    await Promise.all([listener.ensure(), listener.ensure()]);
    try {
      const job = await store.addJob(newJob());
      const lease = await hold('w1');
      await store.takeJob(lease, began);
      await store.saveJobTotal(lease, job.id, 2);
      await store.saveJobResult(lease, job.id, { psaId: 1, outcome: 'failed', message: 'No.', logKey: null });
      await store.finishJob(lease, job.id, { status: 'finished', message: null }, began);
      await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(4));
      expect(received).toEqual(Array.from({ length: 4 }, () => `${store.tenantId} ${job.id}`));
    } finally {
      await listener.close();
    }
  });

  test('is taken oldest first, and again by the next lease holder after its worker died', async () => {
    const [first, second] = [await store.addJob(newJob()), await store.addJob(newJob())];
    const dead = await hold('w1');
    expect((await store.takeJob(dead, began))?.id).toBe(first.id);
    const lease = await hold('w2', 20);
    expect(await store.takeJob(lease, addSeconds(began, 20))).toMatchObject({ id: first.id, startedAt: began });
    expect((await store.takeJob(lease, began))?.id).toBe(second.id);
    await expect(store.takeJob(dead, began)).rejects.toThrow(LeaseLost);
    await expect(store.saveJobTotal(dead, first.id, 1)).rejects.toThrow(LeaseLost);
    await expect(store.finishJob(dead, first.id, { status: 'finished', message: null }, began)).rejects.toThrow(
      LeaseLost,
    );
  });

  test('is canceled at once before it starts and never taken', async () => {
    const job = await store.addJob(newJob());
    expect(await store.cancelJob(job.id, began)).toMatchObject({ status: 'cancelled', finishedAt: began });
    expect(await store.takeJob(await hold('w'), began)).toBeNull();
  });

  test('receives one stop request while it runs', async () => {
    const job = await store.addJob(newJob());
    const lease = await hold('w');
    await store.takeJob(lease, began);
    expect(await store.isCancelRequested(job.id)).toBe(false);
    expect(await store.cancelJob(job.id, began)).toMatchObject({ status: 'running', cancelRequestedAt: began });
    expect(await store.cancelJob(job.id, addSeconds(began, 9))).toMatchObject({ cancelRequestedAt: began });
    expect(await store.isCancelRequested(job.id)).toBe(true);
    await store.finishJob(lease, job.id, { status: 'cancelled', message: null }, began);
    expect(await store.cancelJob(job.id, began)).toMatchObject({ status: 'cancelled' });
  });

  test('returns nothing for invalid IDs', async () => {
    for (const id of ['', 'abc', "'; drop table jobs", '00000000-0000-0000-0000-000000000000']) {
      expect(await store.readJob(id)).toBeNull();
      expect(await store.cancelJob(id, began)).toBeNull();
    }
  });

  test('submitted by a user is taken before scheduled ones', async () => {
    const automatic = await store.addJob(newJob({ trigger: 'automatic' }));
    const manual = await store.addJob(newJob());
    const lease = await hold('w');
    expect((await store.takeJob(lease, began))?.id).toBe(manual.id);
    expect((await store.takeJob(lease, began))?.id).toBe(automatic.id);
  });

  test('stopped before its start is never taken, and the latest of each kind is returned', async () => {
    const lease = await hold('w');
    const older = await store.addJob(newJob({ kind: 'invoice', sameAs: 'older' }));
    const order = await store.addJob(newJob({ kind: 'purchase_order', sameAs: 'order' }));
    await store.addStoppedJob(lease, newJob({ kind: 'invoice', trigger: 'automatic' }), {
      code: 'PSA_UNREACHABLE',
      message: 'Autotask did not respond.',
    });
    const newest = await store.listNewestJobs();
    expect(newest.toSorted((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
      {
        kind: 'invoice',
        status: 'failed',
        message: 'Autotask did not respond.',
        stopCode: 'PSA_UNREACHABLE',
        total: null,
        finishedAt: began,
      },
      { id: order.id },
    ]);
    expect((await store.takeJob(lease, began))?.id).toBe(older.id);
    expect((await store.takeJob(lease, began))?.id).toBe(order.id);
    expect(await store.takeJob(lease, began)).toBeNull();
    const next = await hold('v', 11);
    await expect(store.addStoppedJob(lease, newJob(), { code: 'DEFECT', message: 'too late' })).rejects.toThrow(
      LeaseLost,
    );
    await store.releaseLease(next);
  });

  test('is listed newest first', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await store.addJob(newJob())).id);
    expect((await store.listJobs(2)).map((job) => job.id)).toEqual(ids.slice(0, 2));
  });
});

describe('runs', () => {
  test('are filtered, counted and paged, newest first', async () => {
    const lease = await hold('w');
    const jobs = [];
    for (const [kind, mode] of [
      ['invoice', 'test'],
      ['invoice', 'live'],
      ['void', 'live'],
    ] as const)
      jobs.push(await store.addJob(newJob({ kind, mode })));
    const [tested, live, voided] = jobs.map(({ id }) => id);
    const save = (id = '', psaId: number, outcome: JobResult['outcome']) =>
      store.saveJobResult(lease, id, { psaId, outcome, message: 'm', logKey: null });
    await save(tested, 1, 'failed');
    await save(live, 2, 'held');
    const ids = async (filter: Partial<RunFilter>) =>
      (await store.listRuns({ page: 1, pageSize: 10, ...filter })).runs.map(({ id }) => id);
    expect(await ids({})).toEqual([voided, live, tested]);
    expect(await ids({ kind: 'invoice' })).toEqual([live, tested]);
    expect(await ids({ mode: 'live' })).toEqual([voided, live]);
    expect(await ids({ outcome: 'failed' })).toEqual([tested]);
    expect(await ids({ outcome: 'held' })).toEqual([live]);
    expect(await ids({ page: 2, pageSize: 2 })).toEqual([tested]);
    const counts = async (filter: Partial<RunFilter>) =>
      (await store.listRuns({ page: 1, pageSize: 1, ...filter })).counts;
    expect(await counts({})).toEqual({ all: 3, failed: 1, held: 1 });
    expect(await counts({ mode: 'live', outcome: 'held' })).toEqual({ all: 2, failed: 0, held: 1 });
    const other = await newTenant(db.store);
    expect(await other.listRuns({ page: 1, pageSize: 10 })).toEqual({
      runs: [],
      counts: { all: 0, failed: 0, held: 0 },
    });
  });
});

describe('results', () => {
  test('replace earlier results of the same document and update the counters', async () => {
    const job = await store.addJob(newJob());
    const lease = await hold('w');
    const save = (psaId: number, outcome: JobResult['outcome']) =>
      store.saveJobResult(lease, job.id, { psaId, outcome, message: 'm', logKey: null });
    await save(1, 'pending');
    await save(2, 'failed');
    await save(3, 'skipped');
    expect(await store.readJob(job.id)).toMatchObject({ done: 3, succeeded: 0, failed: 1, skipped: 1 });
    await save(1, 'succeeded');
    await save(2, 'succeeded');
    const read = await store.readJob(job.id);
    expect(read).toMatchObject({ done: 3, succeeded: 2, failed: 0, skipped: 1, held: 0 });
    await save(3, 'held');
    expect(await store.readJob(job.id)).toMatchObject({ done: 3, succeeded: 2, skipped: 0, held: 1 });
    await save(3, 'skipped');
    expect(read?.results.map((one) => [one.psaId, one.outcome])).toEqual([
      [1, 'succeeded'],
      [2, 'succeeded'],
      [3, 'skipped'],
    ]);
  });

  test('of the same document saved in parallel count once', async () => {
    const job = await store.addJob(newJob());
    const lease = await hold('w');
    const outcomes = ['succeeded', 'failed', 'skipped', 'pending'] as const;
    for (const psaId of [1, 2, 3, 4, 5])
      await Promise.all(
        [...outcomes, ...outcomes].map((outcome) =>
          store.saveJobResult(lease, job.id, { psaId, outcome, message: 'm', logKey: null }),
        ),
      );
    const read = await store.readJob(job.id);
    const count = (outcome: string) => read?.results.filter((one) => one.outcome === outcome).length;
    expect(read).toMatchObject({
      done: 5,
      succeeded: count('succeeded'),
      failed: count('failed'),
      skipped: count('skipped'),
    });
  });

  test('of many documents saved in parallel are all counted', async () => {
    const job = await store.addJob(newJob());
    const lease = await hold('w');
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        store.saveJobResult(lease, job.id, { psaId: index, outcome: 'succeeded', message: 'm', logKey: null }),
      ),
    );
    expect(await store.readJob(job.id)).toMatchObject({ done: 30, succeeded: 30 });
  });

  test('that wait in an earlier job are completed when the attempt ends in any job', async () => {
    const [first, second] = [await store.addJob(newJob()), await store.addJob(newJob())];
    const lease = await hold('w');
    const pending = { psaId: 48213, outcome: 'pending', message: 'Waiting', logKey: null } as const;
    const { attempt } = await store.openAttempt(lease, newAttempt({ jobId: first.id }));
    const later: In<'planning'> = { ...attempt, state: 'planning', notBefore: addSeconds(began, 130) };
    await store.advance(lease, attempt, later, { result: pending });
    const resumed = (await store.openAttempt(lease, newAttempt({ jobId: second.id }))).attempt;
    if (resumed.state !== 'planning') throw new Error(resumed.state);
    await store.advance(lease, resumed, ended(resumed, 'done'), {
      ...logged(),
      result: { ...pending, outcome: 'succeeded', message: 'Created.' },
    });
    for (const id of [first.id, second.id])
      expect(await store.readJob(id)).toMatchObject({
        done: 1,
        succeeded: 1,
        results: [{ outcome: 'succeeded', message: 'Created.', logKey: `invoice/48213/${began}` }],
      });
  });
});

describe('the lease of a tenant', () => {
  test('is held by one of several workers that request it', async () => {
    const taken = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => store.acquireLease(owner, 10)));
    expect(taken.filter((lease) => lease !== null)).toHaveLength(1);
  });

  test('passes on when it expires or is released, with a higher fence each time', async () => {
    const first = await hold('a');
    await db.passLeases(8);
    expect(await store.acquireLease('b', 10)).toBeNull();
    const second = await hold('b', 2);
    expect(await store.renewLease(first, 10)).toBe(false);
    await store.releaseLease(first);
    expect(await store.acquireLease('c', 10)).toBeNull();
    await store.releaseLease(second);
    const third = await hold('c');
    expect([first.fence, second.fence, third.fence]).toEqual([1, 2, 3]);
    expect(await hold('c')).toMatchObject({ fence: 4 });
  });

  test('lasts as long as it is renewed', async () => {
    const lease = await hold('a');
    await db.passLeases(8);
    expect(await store.renewLease(lease, 10)).toBe(true);
    await db.passLeases(8);
    expect(await store.acquireLease('b', 10)).toBeNull();
    await db.passLeases(2);
    expect(await store.acquireLease('b', 10)).not.toBeNull();
  });

  test('is timed by the database, not by the clock of a process', async () => {
    const years = [2001, 2060].map((year) =>
      createStore({
        database: db.database,
        vault: createVault(testSecretKey),
        clock: { now: () => instant(`${year}-01-01T00:00:00Z`) },
      }),
    );
    const [past, future] = years.map((one) => one.forTenant(store.tenantId));
    const lease = await future?.acquireLease('a', 10);
    assert(lease !== null && lease !== undefined, 'the lease was free');
    expect(await past?.acquireLease('b', 10)).toBeNull();
    await db.passLeases(10);
    expect(await past?.renewLease(lease, 10)).toBe(true);
    expect(await future?.acquireLease('b', 10)).toBeNull();
    await store.addJob(newJob());
    expect(await db.store.dueTenants(began, 1_000)).not.toContain(store.tenantId);
    await db.passLeases(10);
    expect(await db.store.dueTenants(began, 1_000)).toContain(store.tenantId);
    expect((await past?.acquireLease('b', 10))?.fence).toBe(2);
  });
});

describe('due tenants', () => {
  beforeEach(() => store.setStatus('suspended'));
  const due = async (now = began) => (await db.store.dueTenants(now, 1_000)).filter((id) => id === store.tenantId);

  test('have a waiting job or a job of a dead worker', async () => {
    expect(await due()).toEqual([]);
    await store.addJob(newJob());
    expect(await due()).toEqual([store.tenantId]);
    const lease = await hold('w');
    expect(await due()).toEqual([]);
    const job = await store.takeJob(lease, began);
    await db.passLeases(10);
    expect(await due(addSeconds(began, 10))).toEqual([store.tenantId]);
    await store.finishJob(lease, job?.id ?? '', { status: 'finished', message: null }, began);
    expect(await due(addSeconds(began, 10))).toEqual([]);
  });

  test('have an unfinished live attempt that is due', async () => {
    const lease = await hold('w');
    await store.openAttempt(lease, newAttempt({ mode: 'test' }));
    const { attempt } = await store.openAttempt(lease, newAttempt());
    await store.advance(lease, attempt, { ...attempt, notBefore: addSeconds(began, 130) });
    await store.releaseLease(lease);
    expect(await due(addSeconds(began, 129))).toEqual([]);
    expect(await due(addSeconds(began, 130))).toEqual([store.tenantId]);
  });

  test('are sorted by waiting time, so a limit starves none', async () => {
    const fresh = await newDatabase({ clock: { now: () => addSeconds(began, 99) } });
    const stores = [await newTenant(fresh.store), await newTenant(fresh.store), await newTenant(fresh.store)];
    for (const one of stores) await one.addJob(newJob());
    const order = await fresh.store.dueTenants(began, 3);
    const [latest] = order;
    const lease = await fresh.store.forTenant(latest ?? '').acquireLease('w', 10);
    if (lease === null) throw new Error('no lease');
    await fresh.store.forTenant(latest ?? '').releaseLease(lease);
    expect(await fresh.store.dueTenants(began, 3)).toEqual([...order.slice(1), latest]);
    expect(await fresh.store.dueTenants(began, 1)).toEqual(order.slice(1, 2));
    await fresh.close();
  });
});
