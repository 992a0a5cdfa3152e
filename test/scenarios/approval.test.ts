import { describe, expect, test } from 'vitest';
import type { Draft } from '#core/records/drafts.ts';
import { ProcessEnded } from '#flows/context.ts';
import { decimal } from '#core/values/decimal.ts';
import { approveDrafts, rejectDrafts } from '#flows/approval/decide.ts';
import { readRun } from '#flows/approval/read.ts';
import { describeDocuments } from '#flows/sync/job/describe.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({
  settings: { inv_sync_active: true, require_approval: true, inv_include_customer_message: true },
});

const anna = { username: 'anna@northwind-msp.example' };
const ben = { username: 'ben@northwind-msp.example' };

const writes = async (service: 'autotask' | 'quickbooks'): Promise<number> =>
  (await world[service].journal()).filter(
    ({ method, path, query }) =>
      method !== 'GET' &&
      !path.endsWith('/query') &&
      // Reading lists in a batch has no request id.
      !(path.endsWith('/batch') && !query.includes('requestid')) &&
      !path.includes('/oauth') &&
      !path.includes('tokens'),
  ).length;
const draftOf = async (psaId: number): Promise<Draft | undefined> =>
  (await world.store.listNewestDrafts('invoice', [psaId])).get(psaId);
const waiting = async () => (await readRun(world.tenant)).waiting;
const idsOf = (drafts: readonly Draft[], ...psaIds: number[]): string[] =>
  drafts.filter(({ psaId }) => psaIds.includes(psaId)).map(({ id }) => id);

describe('a cycle with required approval', () => {
  test('plans everything, posts nothing, and records the same state in the log, the job, the list and the reconciliation', async () => {
    await world.work();
    const drafts = await waiting();
    expect(drafts.map(({ psaId }) => psaId)).toContain(48_213);
    expect(drafts.length).toBeGreaterThan(3);
    expect(await world.madeFor(48_213)).toEqual([]);
    // Customers and items are created only after the approval.
    expect(
      (await world.quickbooks.journal()).filter(
        ({ method, path, query }) => method === 'POST' && /requestid/.test(`${path}?${query}`),
      ),
    ).toEqual([]);
    expect(await world.psaInvoice(48_213)).toMatchObject({
      invoiceNumber: expect.not.stringMatching(/ERROR/) as unknown,
    });
    const draft = drafts.find(({ psaId }) => psaId === 48_213);
    expect(draft?.view.party).not.toMatch(/\d/);
    expect(draft?.about.amount).toBe('1966.25');
    const log = (await world.logs()).find(({ psaId }) => psaId === 48_213);
    expect(log).toMatchObject({
      success: true,
      awaitsApproval: true,
      message: expect.stringMatching(/^Waiting for/) as unknown,
    });
    const [job] = await world.store.listJobs(1);
    const results = (await world.store.readJob(job?.id ?? ''))?.results;
    expect(results?.find(({ psaId }) => psaId === 48_213)).toMatchObject({ outcome: 'held', awaitsApproval: true });
    expect(await describeDocuments(world.tenant, 'invoice', [48_213])).toMatchObject([{ awaitsApproval: true }]);
    expect((await world.store.listLastOutcomes('invoice', [48_213])).get(48_213)).toBe('awaits_approval');
    // An unchanged document is reported once.
    const logs = (await world.logs()).length;
    await world.advance(86_400);
    await world.cycle();
    expect((await waiting()).map(({ id }) => id)).toEqual(drafts.map(({ id }) => id));
    expect((await world.logs()).length).toBe(logs);
  });

  test('replaces the draft of a changed document, and closes that of a voided one', async () => {
    await world.work();
    const before = await draftOf(48_213);
    await world.autotask.put('Invoices', 48_213, { comments: 'Changed meanwhile' });
    await world.cycle();
    const after = await draftOf(48_213);
    expect(after?.id).not.toBe(before?.id);
    expect(after).toMatchObject({ state: 'waiting', replaces: { id: before?.id, state: 'replaced' } });
    await world.autotask.put('Invoices', 48_213, { isVoided: true });
    await world.cycle();
    expect((await draftOf(48_213))?.state).toBe('closed');
  });
});

describe('an approval', () => {
  test('posts exactly the approved plan', async () => {
    await world.work();
    const drafts = await waiting();
    const other = drafts.find(({ psaId }) => psaId !== 48_213);
    const approved = await approveDrafts(world.tenant, anna, { ids: idsOf(drafts, 48_213) });
    expect(approved).toMatchObject({ posting: 1, first: 0 });
    await rejectDrafts(world.tenant, anna, { ids: [other?.id ?? ''], reason: 'wrong price' });
    await world.work();
    const ids = [48_213, other?.psaId ?? 0];
    expect((await describeDocuments(world.tenant, 'invoice', ids)).map((one) => one.awaitsApproval)).toEqual([
      false,
      false,
    ]);
    expect((await world.store.listLastOutcomes('invoice', ids)).get(ids[1] ?? 0)).not.toBe('awaits_approval');
    const [invoice, ...more] = await world.madeFor(48_213);
    expect(more).toEqual([]);
    const draft = await draftOf(48_213);
    expect(draft?.state).toBe('posted');
    expect(invoice).toMatchObject({ TotalAmt: Number(draft?.view.total), TxnDate: draft?.view.datedOn });
    expect((await waiting()).map(({ psaId }) => psaId)).toEqual(
      drafts.map(({ psaId }) => psaId).filter((psaId) => !ids.includes(psaId)),
    );
    expect((await world.store.listJobs(1))[0]).toMatchObject({ submittedBy: anna, trigger: 'manual', succeeded: 1 });
  });

  test('of the entire run posts every draft once, including those with the same new customer', async () => {
    await world.work();
    const run = await readRun(world.tenant);
    await approveDrafts(world.tenant, anna, { run: run.fingerprint });
    await world.work();
    await world.cycle();
    expect(await waiting()).toEqual([]);
    for (const { psaId, about } of run.waiting) {
      if (about.what !== 'Invoice') continue;
      expect(await world.madeFor(psaId), String(psaId)).toHaveLength(1);
    }
  });

  test('posts no document that changed, and shows both versions', async () => {
    await world.work();
    const before = await draftOf(48_213);
    await approveDrafts(world.tenant, anna, { ids: [before?.id ?? ''] });
    await world.autotask.put('Invoices', 48_213, { comments: 'Changed meanwhile' });
    await world.work();
    expect(await world.madeFor(48_213)).toEqual([]);
    const after = await draftOf(48_213);
    expect(after).toMatchObject({
      state: 'waiting',
      replaces: { id: before?.id, state: 'changed', decidedBy: anna.username },
    });
    await approveDrafts(world.tenant, ben, { ids: [after?.id ?? ''] });
    await world.work();
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });

  test('by two users at the same time posts once, and a later one is refused', async () => {
    await world.work();
    const ids = idsOf(await waiting(), 48_213);
    const answers = await Promise.allSettled([
      approveDrafts(world.tenant, anna, { ids }),
      approveDrafts(world.tenant, ben, { ids }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await world.work();
    await expect(
      rejectDrafts(world.tenant, { username: 'dora@northwind-msp.example' }, { ids, reason: 'Wrong price' }),
    ).rejects.toMatchObject({
      code: 'run_changed',
      message: expect.stringMatching(/^Invoice 48213 \(.+\) was approved by (anna|ben)@.+ after you opened it\./),
    });
    await world.cycle();
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });

  test.each(['post:create_invoice', 'psa:write'])('survives a crash at %s', async (at) => {
    await world.work();
    await approveDrafts(world.tenant, anna, { ids: idsOf(await waiting(), 48_213) });
    let isDead = false;
    await world
      .work((name, when) => {
        if (isDead || (name === at && when === 'after')) {
          isDead = true;
          throw new ProcessEnded();
        }
      })
      .catch((error: unknown) => {
        if (!(error instanceof ProcessEnded)) throw error;
      });
    expect(isDead).toBe(true);
    for (let round = 0; round < 3; round += 1) {
      await world.advance(140);
      await world.work();
    }
    expect(await world.madeFor(48_213)).toHaveLength(1);
    expect((await draftOf(48_213))?.state).toBe('posted');
  });

  test('of a stopped run returns the drafts', async () => {
    await world.work();
    const { jobs } = await approveDrafts(world.tenant, anna, { ids: idsOf(await waiting(), 48_213) });
    await world.store.cancelJob(jobs[0]?.id ?? '', world.clock.now());
    expect(await draftOf(48_213)).toMatchObject({ state: 'waiting', decidedBy: null, jobId: null });
    await world.cycle();
    expect(await world.madeFor(48_213)).toEqual([]);
  });
});

describe('a rejection', () => {
  test('blocks a document until it changes, and makes the run outdated', async () => {
    await world.work();
    const { fingerprint } = await readRun(world.tenant);
    await rejectDrafts(world.tenant, anna, { ids: idsOf(await waiting(), 48_213), reason: 'Wrong price' });
    await expect(approveDrafts(world.tenant, anna, { run: fingerprint })).rejects.toMatchObject({
      code: 'run_changed',
    });
    await world.cycle();
    expect(await draftOf(48_213)).toMatchObject({ state: 'rejected', reason: 'Wrong price', decidedBy: anna.username });
    // Also after approvals are turned off.
    await world.saveSettings({ require_approval: false });
    await world.cycle();
    expect(await world.madeFor(48_213)).toEqual([]);
    await world.autotask.put('Invoices', 48_213, { comments: 'Changed meanwhile' });
    await world.saveSettings({ require_approval: true });
    await world.cycle();
    expect(await draftOf(48_213)).toMatchObject({ state: 'waiting', replaces: { state: 'rejected' } });
  });
});

describe('the approver', () => {
  test('of a document above the limit must be one of two users', async () => {
    await world.saveSettings({ approval_limit: decimal('1000') });
    await world.work();
    const ids = idsOf(await waiting(), 48_213);
    expect(await approveDrafts(world.tenant, anna, { ids })).toMatchObject({ posting: 0, first: 1 });
    await world.work();
    expect(await world.madeFor(48_213)).toEqual([]);
    await expect(approveDrafts(world.tenant, anna, { ids })).rejects.toMatchObject({ code: 'four_eyes' });
    expect(await approveDrafts(world.tenant, ben, { ids })).toMatchObject({ posting: 1, first: 0 });
    await world.work();
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });

  test('is not the user who changed the settings', async () => {
    await world.saveSettings({ approval_four_eyes: true });
    await world.work();
    const ids = idsOf(await waiting(), 48_213);
    const admin = { username: 'admin@northwind-msp.example' };
    await expect(approveDrafts(world.tenant, admin, { ids })).rejects.toMatchObject({ code: 'four_eyes' });
    await approveDrafts(world.tenant, ben, { ids });
    await world.work();
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });

  test('of a manual sync is the user who started it, unless two are required', async () => {
    await world.saveSettings({ inv_sync_active: false });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(await world.madeFor(48_213)).toHaveLength(1);
    await world.saveSettings({ approval_four_eyes: true });
    await world.sync('invoice', { mode: 'live', psaIds: [48_310] });
    expect(await world.madeFor(48_310)).toEqual([]);
    const draft = await draftOf(48_310);
    expect(draft).toMatchObject({ state: 'waiting', preparedBy: 'admin@northwind-msp.example' });
  });
});

test('a test sync leaves no draft', async () => {
  await world.saveSettings({ inv_sync_active: false });
  const before = await writes('quickbooks');
  await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
  expect(await writes('quickbooks')).toBe(before);
  expect(await waiting()).toEqual([]);
});
