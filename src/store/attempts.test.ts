import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Attempt, In } from '#core/attempt.ts';
import type { NewAttempt } from '#core/records/attempts.ts';
import { type Lease, LeaseLost } from '#core/records/leases.ts';
import type { TenantStore } from './tenant-store.ts';
import { addSeconds } from '#core/values/dates.ts';
import {
  began,
  ended,
  logged,
  newAttempt,
  newJob,
  newTenant,
  opens,
  postedAs,
  toPosted,
  toPosting,
} from '#test/support/attempts.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';
import { mapping } from '#test/support/mappings.ts';

let store: TenantStore;
let lease: Lease;

const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());
beforeEach(async () => {
  store = await newTenant(db.store);
  lease = await hold('worker 1');
});

/** Takes the lease of a tenant whose worker has been dead for a minute. */
async function hold(owner: string): Promise<Lease> {
  await db.passLeases(60);
  const acquired = await store.acquireLease(owner, 10);
  if (acquired === null) throw new Error(`${owner} did not get the lease`);
  return acquired;
}

async function open(change: Partial<NewAttempt> = {}): Promise<In<'planning'>> {
  const { attempt, isResumed } = await store.openAttempt(lease, newAttempt(change));
  expect(isResumed).toBe(false);
  if (attempt.state !== 'planning') throw new Error(`unexpected state ${attempt.state}`);
  return attempt;
}

async function startPosting(planning: In<'planning'>, commands = 1): Promise<In<'posting'>> {
  const next = toPosting(planning, commands);
  await store.advance(lease, planning, next, opens(`request ${planning.generation}.${planning.revision}`));
  return next;
}

async function send(from: In<'posting'>): Promise<In<'posting'>> {
  const next = { ...from, sentAt: began };
  await store.advance(lease, from, next);
  return next;
}

/** Completes an attempt successfully. */
async function finish(planning: In<'planning'>, number = '1042'): Promise<void> {
  const sent = await send(await startPosting(planning));
  const posted = toPosted(sent, postedAs(`9${number}`, number));
  await store.advance(lease, sent, posted, { recordsPosting: postedAs(`9${number}`, number) });
  await store.advance(lease, posted, ended(posted, 'done'), { confirmsPosting: true, ...logged() });
}

const statuses = async (psaId = 48213) =>
  (await store.listPostings('invoice', [psaId])).map((one) => `${one.generation}.${one.revision} ${one.status}`);

describe('an attempt', () => {
  test('is read back exactly as saved, in every unfinished state', async () => {
    const planning = await open();
    expect(await store.listUnfinished(began)).toEqual([planning]);
    const posting = {
      ...toPosting(planning, 2),
      transcript: [{ at: began, level: 'info', text: 'Invoice 48213 for Acme \u0000 Dental “é” \ud800' }],
      warnings: [{ code: 'X', treatment: 'warning', message: 'm', remedy: null, screen: '/settings' }],
      notBefore: began,
    } as const;
    await store.advance(lease, planning, posting, opens('r'));
    expect(await store.listUnfinished(began)).toEqual([posting]);
    const unsure: Attempt = { ...posting, state: 'unsure', sentAt: addSeconds(began, 1), posted: [postedAs('30')] };
    await store.advance(lease, posting, unsure);
    expect(await store.listUnfinished(began)).toEqual([unsure]);
    const posted: Attempt = { ...unsure, state: 'posted', posted: [postedAs('30'), postedAs('9177', '1042')] };
    await store.advance(lease, unsure, posted, { recordsPosting: postedAs('9177', '1042') });
    expect(await store.listUnfinished(began)).toEqual([posted]);

    const other = await open({ psaId: 2 });
    const { state: _, ...base } = other;
    const refusing: Attempt = { ...base, state: 'refusing', problems: posting.warnings, mark: 'ERROR' };
    await store.advance(lease, other, refusing);
    expect(await store.listUnfinished(began)).toEqual([posted, refusing]);
  });

  test('saves its plan once and resumes one saved in the body by an earlier version', async () => {
    const planning = await open();
    const posting = await startPosting(planning);
    const owned = <T>(text: string) =>
      asOwner(db.url, async (client) => (await client.query<{ it: T }>(text)).rows[0]?.it);
    await owned(`update attempts set body = '{}' where id = '${planning.id}'`);
    const sent = await send(posting);
    expect(await owned(`select plan->'commands' as it from attempts where id = '${planning.id}'`)).toEqual(
      JSON.parse(JSON.stringify(posting.plan.commands)),
    );
    const plan = { ...posting.plan, notes: [] };
    await owned(
      `update attempts set body = '${JSON.stringify({ plan, mark: sent.mark, posted: [] })}', plan = null where id = '${planning.id}'`,
    );
    const [left] = await store.listUnfinished(began);
    expect(left).toEqual({ ...sent, plan });
    if (left?.state !== 'posting') throw new Error('unexpected state');
    const unsure: Attempt = { ...left, state: 'unsure' };
    await store.advance(lease, left, unsure);
    expect(await store.listUnfinished(began)).toEqual([unsure]);
    await owned(`update attempts set plan = '{"commands":[],"kept":true}' where id = '${planning.id}'`);
    const answer = postedAs('1');
    const posted = toPosted(sent, answer);
    await store.advance(lease, unsure, { ...posted, plan: left.plan }, { recordsPosting: answer });
    expect(await owned(`select plan->'kept' as it from attempts where id = '${planning.id}'`)).toBe(true);
  });

  test('preserves documents exactly, including key order and long numbers', async () => {
    const planning = await open();
    const sent = await send(await startPosting(planning));
    const answer = { ...postedAs('1'), document: { z: '1', a: { y: '12345678901234.5678', b: [1.5] } } };
    const posted = toPosted(sent, answer);
    await store.advance(lease, sent, posted, { recordsPosting: answer });
    const [read] = await store.listUnfinished(began);
    expect(JSON.stringify(read && 'posted' in read && read.posted[0]?.document)).toBe(
      '{"z":"1","a":{"y":"12345678901234.5678","b":[1.5]}}',
    );
  });

  test('is unique per document while unfinished: a second opening resumes it', async () => {
    const opened = await Promise.all([1, 2, 3, 4].map(() => store.openAttempt(lease, newAttempt())));
    expect(new Set(opened.map((one) => one.attempt.id)).size).toBe(1);
    expect(opened.filter((one) => !one.isResumed)).toHaveLength(1);
  });

  test('advances once: the second of two parallel steps is rejected', async () => {
    const planning = await open();
    const posting = await startPosting(planning);
    const steps = await Promise.allSettled([
      store.advance(lease, posting, { ...posting, sentAt: began }),
      store.advance(lease, posting, { ...posting, sentAt: addSeconds(began, 1) }),
    ]);
    expect(steps.map((step) => step.status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = steps.find((step) => step.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(LeaseLost);
  });

  test('never advances after its end', async () => {
    const planning = await open();
    await store.advance(lease, planning, ended(planning, 'skipped'), logged());
    await expect(store.advance(lease, planning, toPosting(planning), opens('r'))).rejects.toThrow(LeaseLost);
    expect(await store.listUnfinished(began)).toEqual([]);
    expect(await statuses()).toEqual([]);
  });

  test('cannot be advanced by a worker that lost its lease, and its step saves nothing', async () => {
    const planning = await open();
    const old = lease;
    lease = await hold('worker 2');
    expect(lease.fence).toBeGreaterThan(old.fence);
    await expect(store.advance(old, planning, toPosting(planning), opens('r'))).rejects.toThrow(LeaseLost);
    await expect(store.openAttempt(old, newAttempt({ psaId: 2 }))).rejects.toThrow(LeaseLost);
    expect(await statuses()).toEqual([]);
    expect(await store.listUnfinished(began)).toEqual([planning]);
    await startPosting(planning);
    expect(await statuses()).toEqual(['1.0 sending']);
  });

  test('cannot be advanced under an earlier lease of the same worker', async () => {
    const planning = await open();
    const old = lease;
    lease = await hold(old.owner);
    await expect(store.advance(old, planning, toPosting(planning), opens('r'))).rejects.toThrow(LeaseLost);
    await startPosting(planning);
  });

  test('is not listed before its retry time', async () => {
    const planning = await open();
    const later = addSeconds(began, 130);
    await store.advance(lease, planning, { ...planning, notBefore: later });
    expect(await store.listUnfinished(addSeconds(began, 129))).toEqual([]);
    expect(await store.listUnfinished(later)).toHaveLength(1);
    expect(await store.listBusy('invoice')).toEqual([48213]);
    expect(await store.listBusy('expense_report')).toEqual([]);
  });

  test('is visible only to its tenant', async () => {
    await open();
    const other = await newTenant(db.store);
    expect(await other.listUnfinished(began)).toEqual([]);
    expect(await other.listBusy('invoice')).toEqual([]);
    const foreign = await other.acquireLease('w', 10);
    if (foreign === null) throw new Error('no lease');
    await expect(store.openAttempt(foreign, newAttempt({ psaId: 3 }))).rejects.toThrow(LeaseLost);
  });
});

describe('several attempts', () => {
  const three = [48_215, 48_213, 48_214];
  const openThree = async () =>
    (
      await store.openAttempts(
        lease,
        three.map((psaId) => newAttempt({ psaId })),
      )
    ).map(({ attempt }) => attempt);

  test('are opened in the given order, including a resumed one', async () => {
    const left = await open({ psaId: 48_213 });
    const opened = await store.openAttempts(
      lease,
      three.map((psaId) => newAttempt({ psaId })),
    );
    expect(opened.map(({ attempt }) => attempt.psaId)).toEqual(three);
    expect(opened.map(({ isResumed }) => isResumed)).toEqual([false, true, false]);
    expect(opened[1]?.attempt.id).toBe(left.id);
  });

  test('advance together or not at all', async () => {
    const opened = await openThree();
    const moves = opened.map((from) => ({ from, to: { ...from, notBefore: addSeconds(began, 60) } }));
    await store.advanceAll(lease, moves);
    expect(await store.listUnfinished(began)).toEqual([]);
    const [first, second] = moves.map(({ to }) => ({ from: to, to: { ...to, notBefore: null } }));
    if (first === undefined || second === undefined) throw new Error('missing attempts');
    // The second attempt does not match its `from` state.
    const stale = {
      from: { ...toPosting(opened[1] as In<'planning'>), sentAt: began },
      to: toPosting(opened[1] as In<'planning'>),
    };
    await expect(store.advanceAll(lease, [first, stale])).rejects.toThrow(LeaseLost);
    expect(await store.listUnfinished(began)).toEqual([]);
  });

  test('are deleted only while undecided', async () => {
    const opened = await openThree();
    const [begun, ...others] = opened as In<'planning'>[];
    if (begun === undefined) throw new Error('missing attempts');
    await startPosting(begun);
    await store.withdrawAttempts(
      lease,
      opened.map(({ id }) => id),
    );
    expect((await store.listUnfinished(began)).map(({ id }) => id)).toEqual([begun.id]);
    expect(await store.listBusy('invoice')).toEqual([begun.psaId]);
    expect(others).toHaveLength(2);
    await expect(store.withdrawAttempts({ ...lease, fence: lease.fence + 1 }, [begun.id])).rejects.toThrow(LeaseLost);
  });
});

describe('the attempt of a dead worker', () => {
  const takeOver = async (change: Partial<NewAttempt> = {}) => {
    lease = await hold('worker 2');
    return store.openAttempt(lease, newAttempt(change));
  };

  test('resumes as unsure when a command has no response', async () => {
    const sent = await send(await startPosting(await open(), 2));
    const takenUpAt = addSeconds(began, 60);
    const { attempt, isResumed } = await takeOver({ startedAt: takenUpAt });
    expect(isResumed).toBe(true);
    expect(attempt).toEqual({ ...sent, state: 'unsure', sentAt: takenUpAt, notBefore: takenUpAt });
    // The saved state is the one that the next step starts from.
    await store.advance(lease, attempt, { ...attempt, notBefore: addSeconds(began, 130) });
  });

  test('resumes unchanged while the next command was not sent', async () => {
    const posting = await startPosting(await open(), 2);
    expect((await takeOver()).attempt).toEqual(posting);
  });

  test('resumes unchanged when all commands have responses', async () => {
    const sent = await send(await startPosting(await open()));
    const answered: In<'posting'> = { ...sent, posted: [postedAs('9177')] };
    await store.advance(lease, sent, answered);
    expect((await takeOver()).attempt).toEqual(answered);
  });

  test('reports to the job that resumes it', async () => {
    const first = await store.addJob(newJob());
    const second = await store.addJob(newJob());
    await startPosting(await open({ jobId: first.id }));
    expect((await takeOver({ jobId: second.id })).attempt.jobId).toBe(second.id);
    expect((await takeOver()).attempt.jobId).toBe(second.id);
  });

  test('uses the options of the resuming job while nothing was sent', async () => {
    await finish(await open());
    await open();
    const { attempt, isResumed } = await takeOver({ force: true, trigger: 'automatic', logLevel: 'info' });
    expect(isResumed).toBe(true);
    expect(attempt).toMatchObject({ force: true, trigger: 'automatic', logLevel: 'info', generation: 2, revision: 0 });
  });

  test('keeps its own options once something may have been sent', async () => {
    await send(await startPosting(await open()));
    expect((await takeOver({ force: true })).attempt).toMatchObject({ force: false, generation: 1 });
  });

  test('is deleted if it was a test', async () => {
    await open({ mode: 'test' });
    const { attempt, isResumed } = await takeOver({ mode: 'test' });
    expect([attempt.state, isResumed]).toEqual(['planning', false]);
    expect(await store.listUnfinished(began)).toEqual([]);
    expect(await store.listBusy('invoice')).toEqual([]);
    const count = await asOwner(db.url, async (client) => {
      const { rows } = await client.query('select 1 from attempts where tenant_id = $1', [store.tenantId]);
      return rows.length;
    });
    expect(count).toBe(1);
  });

  test('does not block a live attempt if it is a test, nor the reverse', async () => {
    await open({ mode: 'test' });
    const live = await open({ mode: 'live' });
    expect((await store.openAttempt(lease, newAttempt({ mode: 'test' }))).isResumed).toBe(false);
    expect(await store.listUnfinished(began)).toEqual([live]);
  });
});

describe('the ledger', () => {
  test('has a row with the request ID before anything is sent, and is updated to the end', async () => {
    const planning = await open();
    const posting = await startPosting(planning);
    expect(await store.readPosting('invoice', 48213)).toMatchObject({
      status: 'sending',
      requestId: 'request 1.0',
      targetId: null,
      generation: 1,
      revision: 0,
      createdAt: began,
    });
    const sent = await send(posting);
    const answer = postedAs('9177', '1042');
    const posted = toPosted(sent, answer);
    await store.advance(lease, sent, posted, { recordsPosting: answer });
    expect(await store.readPosting('invoice', 48213)).toMatchObject({
      status: 'unconfirmed',
      targetType: 'Invoice',
      targetId: '9177',
      number: '1042',
      total: '1966.25',
      tax: '41.25',
    });
    await store.advance(lease, posted, ended(posted, 'done'), { confirmsPosting: true, ...logged() });
    expect(await statuses()).toEqual(['1.0 synced']);
  });

  test('starts a new generation with force and supersedes the old document only after the new one is posted', async () => {
    await finish(await open());
    expect(await open({ psaId: 7 })).toMatchObject({ generation: 1, revision: 0 });
    const again = await open({ force: true });
    expect(again).toMatchObject({ generation: 2, revision: 0 });
    const sent = await send(await startPosting(again));
    expect(await statuses()).toEqual(['1.0 synced', '2.0 sending']);
    const answer = postedAs('9200', '1050');
    const posted = toPosted(sent, answer);
    await store.advance(lease, sent, posted, { recordsPosting: answer });
    await store.advance(lease, posted, ended(posted, 'done'), { confirmsPosting: true, ...logged() });
    expect(await statuses()).toEqual(['1.0 superseded', '2.0 synced']);
  });

  test('keeps the generation without force, so no second document is created', async () => {
    await finish(await open());
    const again = await open();
    expect(again).toMatchObject({ generation: 1, revision: 0 });
    await expect(startPosting(again)).rejects.toThrow(/in the ledger already/);
    expect(await statuses()).toEqual(['1.0 synced']);
  });

  test.each(['voided', 'deleted_in_accounting'] as const)('starts a new generation after %s', async (status) => {
    await finish(await open());
    const posting = await store.readPosting('invoice', 48213);
    await store.markPosting(posting?.id ?? '', status);
    expect(await open()).toMatchObject({ generation: 2, revision: 0 });
  });

  test('starts a new generation after another QuickBooks company was connected', async () => {
    await finish(await open());
    await store.markPostingsGone('accounting');
    expect(await store.readPosting('invoice', 48213)).toMatchObject({ status: 'deleted_in_accounting' });
    expect(await open()).toMatchObject({ generation: 2, revision: 0 });
  });

  test('increments the revision after every definite rejection', async () => {
    for (const revision of [0, 1, 2]) {
      const planning = await open();
      expect(planning).toMatchObject({ generation: 1, revision });
      const sent = await send(await startPosting(planning));
      await store.advance(lease, sent, ended(sent, 'refused'), { abandonsPosting: true, ...logged() });
    }
    expect(await statuses()).toEqual(['1.0 refused', '1.1 refused', '1.2 refused']);
  });

  test('still shows the first document when a second one was requested and rejected', async () => {
    await finish(await open());
    const again = await open({ force: true });
    const sent = await send(await startPosting(again));
    await store.advance(lease, sent, ended(sent, 'refused'), { abandonsPosting: true, ...logged() });
    const counters = { generation: 1, revision: 0 };
    expect(await store.readPosting('invoice', 48213)).toMatchObject({ ...counters, status: 'synced', number: '1042' });
    expect((await store.listPostings('invoice', [48213])).at(-1)).toMatchObject(counters);
    const relinked = await open();
    expect(relinked).toMatchObject(counters);
    await store.advance(lease, relinked, ended(relinked, 'done'), { confirmsPosting: true, ...logged() });
    expect(await statuses()).toEqual(['2.0 refused', '1.0 synced']);
    expect(await open({ force: true })).toMatchObject({ generation: 2, revision: 1 });
  });

  test('continues with the second document after the first was deleted', async () => {
    await finish(await open());
    const sent = await send(await startPosting(await open({ force: true })));
    await store.advance(lease, sent, ended(sent, 'refused'), { abandonsPosting: true, ...logged() });
    await store.markPosting((await store.readPosting('invoice', 48213))?.id ?? '', 'deleted_in_accounting');
    expect(await open()).toMatchObject({ generation: 2, revision: 1 });
  });

  test('keeps request ID and generation when an attempt ended with an unknown outcome, even with force', async () => {
    const sent = await send(await startPosting(await open()));
    await store.advance(lease, sent, ended(sent, 'postponed'), logged());
    const again = await open({ force: true });
    expect(again).toMatchObject({ generation: 1, revision: 0 });
    await startPosting(again);
    expect(await statuses()).toEqual(['1.0 sending']);
  });

  test('lists the latest posting of a document last', async () => {
    await finish(await open());
    await finish(await open({ force: true }), '1043');
    await finish(await open({ psaId: 5 }), '1');
    const listed = await store.listPostings('invoice', [48213, 5, 6]);
    expect(listed.map((one) => `${one.psaId} ${one.generation} ${one.number}`)).toEqual([
      '5 1 1',
      '48213 1 1042',
      '48213 2 1043',
    ]);
    expect(await store.readPosting('invoice', 48213)).toMatchObject({ generation: 2, number: '1043' });
    expect(await store.readPosting('purchase_order', 48213)).toBeNull();
  });

  test('rejects an unrecorded response, confirmation, or test', async () => {
    const planning = await open();
    const posting = toPosting(planning);
    const answer = postedAs('1');
    await expect(store.advance(lease, planning, posting, { recordsPosting: answer })).rejects.toThrow(
      /before it was sent/,
    );
    await expect(store.advance(lease, planning, posting, { confirmsPosting: true })).rejects.toThrow(
      /before it is confirmed/,
    );
    const tested = await open({ mode: 'test', psaId: 2 });
    await expect(store.advance(lease, tested, toPosting(tested), opens('r'))).rejects.toThrow(/leaves nothing/);
    expect(await store.listUnfinished(began)).toEqual([planning]);
  });
});

describe('a step', () => {
  test('saves state, log, job result, sync state, and mappings together', async () => {
    const job = await store.addJob(newJob());
    const sent = await send(await startPosting(await open({ jobId: job.id })));
    const answer = postedAs('9177', '1042');
    const posted = toPosted(sent, answer);
    await store.advance(lease, sent, posted, {
      recordsPosting: answer,
      mappings: [{ ...mapping('Customer', '301', '58'), sourceLabel: 'Acme' }],
    });
    await store.advance(lease, posted, ended(posted, 'done'), {
      ...logged(),
      confirmsPosting: true,
      synced: { at: began, info: { at_invoice_id: 48213, qbo_invoice_number: '1042' } },
      result: { psaId: 48213, outcome: 'succeeded', message: 'ok', logKey: null },
    });
    const logKey = `invoice/48213/${began}`;
    expect(await store.readLog(logKey)).toMatchObject({ success: true, document: { DocNumber: '1042' } });
    expect(await store.readJob(job.id)).toMatchObject({
      done: 1,
      succeeded: 1,
      results: [{ psaId: 48213, outcome: 'succeeded', message: 'ok', logKey }],
    });
    expect(await store.readSyncStates()).toEqual({
      invoice: {
        polledAt: null,
        syncedAt: began,
        info: '{"at_invoice_id":48213,"qbo_invoice_number":"1042"}',
      },
    });
    expect(await store.listMappings(['Customer'])).toMatchObject([{ sourceValue: '301', targetValue: '58' }]);
  });

  test('may match the same item twice; the later match wins', async () => {
    const sent = await send(await startPosting(await open({ jobId: (await store.addJob(newJob())).id })));
    const answer = postedAs('9177', '1042');
    const match = (to: string) => ({ ...mapping('ItemName', 'firewall', to), sourceLabel: 'Firewall' });
    await store.advance(lease, sent, toPosted(sent, answer), {
      recordsPosting: answer,
      matches: [match('7'), match('8')],
    });
    expect(await store.listMappings(['ItemName'])).toMatchObject([{ sourceValue: 'firewall', targetValue: '8' }]);
  });

  test('is saved completely or not at all', async () => {
    const planning = await open();
    const broken = newJob();
    await expect(
      store.advance(
        lease,
        { ...planning, jobId: null },
        { ...ended(planning, 'skipped'), jobId: planning.id },
        {
          ...logged(),
          suppression: 'Skipped: zero balance.',
          result: { psaId: 48213, outcome: 'skipped', message: broken.sameAs, logKey: null },
        },
      ),
    ).rejects.toThrow(/belongs to a job/);
    expect(await store.listUnfinished(began)).toEqual([planning]);
    expect(await store.listSuppressions('invoice', [48213])).toEqual(new Map());
    expect((await store.listLogs({ page: 1, pageSize: 50, sort: 'LastModified', descending: true })).total).toBe(0);
  });

  test('that is interrupted before its commit leaves the earlier state', async () => {
    const planning = await open();
    const posting = await startPosting(planning);
    const before = await store.listUnfinished(began);
    // The step waits for this lock until its connection is cut.
    await asOwner(db.url, async (client) => {
      await client.query('begin');
      await client.query('select 1 from attempts where id = $1 for update', [planning.id]);
      const step = store.advance(lease, posting, { ...posting, sentAt: began });
      const cut = expect(step).rejects.toThrow(/cannot be reached/);
      for (let cutOff = 0; cutOff === 0;) {
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and application_name = 'tallybridge'`,
        );
        cutOff = rowCount ?? 0;
      }
      await cut;
      await client.query('rollback');
    });
    expect(await store.listUnfinished(began)).toEqual(before);
    await store.advance(lease, posting, { ...posting, sentAt: began });
  });

  test('stores the last logged message of a document for live attempts only', async () => {
    const tested = await open({ mode: 'test' });
    await store.advance(lease, tested, ended(tested, 'skipped'), { suppression: 'tested', ...logged() });
    expect(await store.listSuppressions('invoice', [48213])).toEqual(new Map());
    for (const [psaId, suppression] of [
      [48213, 'Skipped: zero balance.'],
      [48213, 'The books are closed through 2025-01-31.'],
      [5, 'Skipped: zero balance.'],
    ] as const) {
      const planning = await open({ psaId });
      await store.advance(lease, planning, ended(planning, 'skipped'), { suppression, ...logged() });
    }
    expect(await store.listSuppressions('invoice', [5, 6, 48213])).toEqual(
      new Map([
        [5, 'Skipped: zero balance.'],
        [48213, 'The books are closed through 2025-01-31.'],
      ]),
    );
    expect(await store.listSuppressions('expense_report', [5])).toEqual(new Map());
  });

  test('counts consecutive postponements since the last other live result', async () => {
    const endAs = async (state: 'postponed' | 'refused', mode: 'live' | 'test' = 'live') => {
      const planning = await open({ mode });
      await store.advance(lease, planning, ended(planning, state), logged());
    };
    expect(await store.countPostponed('invoice', 48213)).toBe(0);
    await endAs('postponed');
    await endAs('postponed');
    expect(await store.countPostponed('invoice', 48213)).toBe(2);
    await endAs('refused', 'test');
    await endAs('postponed', 'test');
    expect(await store.countPostponed('invoice', 48213)).toBe(2);
    await endAs('refused');
    await endAs('postponed');
    expect(await store.countPostponed('invoice', 48213)).toBe(1);
  });
});
