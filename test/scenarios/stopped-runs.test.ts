import { beforeEach, describe, expect, test } from 'vitest';
import { readSubscription } from '#flows/connections/subscription.ts';
import type { TenantContext } from '#flows/context.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { po_payable_account: '20' } });

/** Stopped runs, as the Overview shows them. */
const stopped = async () => (await readSubscription(world.app, world.tenant)).stopped;
const numbering = (isOn: boolean) =>
  world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: isOn } });
const mismatch =
  'QuickBooks expects Tallybridge to number invoices, but the setting leaves numbering to QuickBooks. Invoices would have no number. Change the numbering in Settings, or in QuickBooks: Settings (gear) > Account and settings > Sales > Sales form content > Custom transaction numbers (for purchase orders: Expenses > Purchase orders).';

describe('different numbering in QuickBooks and in the settings', () => {
  // Settings are checked with lists up to an hour old, but a run reads them again.
  beforeEach(async () => {
    await world.sync('invoice', { mode: 'test', psaIds: [48_308] });
    await numbering(true);
  });

  test('stops a manual run at its first document, with a message; nothing is marked and no other document is started', async () => {
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214, 48_310] });
    expect(job).toMatchObject({ status: 'failed', message: mismatch, total: 3, done: 1, failed: 1 });
    const logs = (await world.logs()).filter(({ isTest }) => !isTest);
    expect(logs).toMatchObject([{ success: false, problems: [{ code: 'NUMBERING_MISMATCH', screen: '/settings' }] }]);
    for (const psaId of [48_213, 48_214, 48_310]) {
      expect((await world.psaInvoice(psaId))['invoiceNumber'] ?? '').toBe('');
      expect(await world.madeFor(psaId)).toEqual([]);
    }
    expect(await world.store.listBusy('invoice')).toEqual([]);
    expect(await stopped()).toMatchObject([{ kind: 'invoice', trigger: 'manual', message: mismatch }]);
  });

  test('is reported once by scheduled syncs, and the next cycle continues after the fix', async () => {
    await world.saveSettings({ inv_sync_active: true });
    await world.work();
    const polled = async () => (await world.store.readSyncStates()).invoice?.polledAt ?? null;
    expect(await polled()).toBeNull();
    await world.cycle();
    await world.cycle();
    const of = async () => (await world.store.listJobs(20)).filter(({ kind }) => kind === 'invoice');
    expect((await of()).filter(({ mode }) => mode === 'live')).toMatchObject([
      { status: 'failed', trigger: 'automatic', message: mismatch },
    ]);
    expect(
      (await world.logs()).filter(({ type, isTest, success }) => type === 'invoice' && !isTest && !success),
    ).toHaveLength(1);
    expect(await stopped()).toMatchObject([{ kind: 'invoice', trigger: 'automatic', message: mismatch }]);
    expect(await polled()).toBeNull();

    await numbering(false);
    const before = world.clock.now();
    await world.cycle();
    expect(await world.madeFor(48_213)).toHaveLength(1);
    expect(await stopped()).toEqual([]);
    expect((await polled()) ?? '').toSatisfy((at: string) => at > before);
  });
});

test('invalid settings stop the schedule with a message once documents are eligible', async () => {
  await world.saveSettings({ inv_sync_active: true, po_sync_active: true, inv_default_income_account: null });
  await world.work();
  await world.cycle();
  expect(await stopped()).toMatchObject([
    { kind: 'invoice', trigger: 'automatic', message: expect.stringMatching(/account.* See Settings[.]$/) },
  ]);
  expect(await world.store.listJobs(20)).toHaveLength(1);
  expect(await world.madeFor(48_213)).toEqual([]);
  await world.saveSettings({ inv_default_income_account: '2' });
  await world.cycle();
  expect(await world.madeFor(48_213)).toHaveLength(1);
  expect(await stopped()).toEqual([]);
});

describe('an unavailable service', () => {
  test('before a search ended is reported by scheduled syncs once, until a later search succeeds', async () => {
    await world.saveSettings({ inv_sync_active: true });
    await world.autotask.fault({ match: { path: '/Invoices/query' }, action: { status: 503, body: '' } });
    await world.work();
    const said = [
      {
        kind: 'invoice',
        trigger: 'automatic',
        status: 'failed',
        total: null,
        message: 'Autotask responded with status 503. The next sync retries the remaining work.',
      },
    ];
    expect(await stopped()).toMatchObject(said);
    await world.cycle();
    expect(await stopped()).toMatchObject(said);
    expect(await world.store.listJobs(20)).toHaveLength(1);

    await world.autotask.clearFaults();
    await world.saveSettings({ sync_start_date: null, inv_max_age_days: 1 });
    await world.cycle();
    expect(await stopped()).toEqual([]);
  });

  test('is not reported as a missing setting, although no list was ever read', async () => {
    await world.saveSettings({ inv_sync_active: true });
    await world.quickbooks.fault({ match: { path: '/(query|preferences)$' }, action: { status: 503, body: '' } });
    await world.cycle();
    const did = 'QuickBooks responded with status 503. The next sync retries the remaining work.';
    expect(await stopped()).toMatchObject([{ kind: 'invoice', trigger: 'automatic', message: did }]);
    const sync = world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    await expect(sync).rejects.toMatchObject({ about: { service: 'accounting', next: 'try_again' } });
  });

  test('is reported to the user who started Sync Now, also after they left the screen, until the next run', async () => {
    await world.autotask.fault({ match: { path: '/Invoices/query' }, action: { status: 503, body: '' } });
    const job = await world.sync('invoice', { mode: 'test' });
    expect(job).toMatchObject({ status: 'failed', total: null });
    expect(await stopped()).toMatchObject([{ id: job.id, trigger: 'manual', message: job.message }]);
    await world.autotask.clearFaults();
    await world.sync('invoice', { mode: 'test' });
    expect(await stopped()).toEqual([]);
  });

  test('is no longer reported after a day', async () => {
    await world.autotask.fault({ match: { path: '/Invoices/query' }, action: { status: 503, body: '' } });
    await world.sync('invoice', { mode: 'test' });
    expect(await stopped()).toHaveLength(1);
    await world.advance(24 * 3_600 + 1);
    expect(await stopped()).toEqual([]);
  });
});

test('a job that fails before its documents are known, because of a defect, is retried for five minutes and then reported', async () => {
  const { id } = await submit(world.tenant, {
    kind: 'invoice',
    mode: 'live',
    force: false,
    psaIds: [48_213],
    actor: { username: 'admin@northwind-msp.example' },
  });
  const broken: TenantContext = {
    ...world.tenant,
    store: { ...world.store, listMappings: () => Promise.reject(new Error('mappings that cannot be read')) },
  };
  const turn = (tenant: TenantContext) => runTenantSession(tenant, 'test worker', new AbortController().signal);
  await expect(turn(broken)).rejects.toThrow('cannot be read');
  expect(await world.store.readJob(id)).toMatchObject({ status: 'running' });
  await world.advance(200);
  await expect(turn(broken)).rejects.toThrow('cannot be read');
  expect(await stopped()).toEqual([]);
  await world.advance(200);
  await turn(broken);
  expect(await stopped()).toMatchObject([{ id, message: expect.stringContaining(`send support the job id ${id}`) }]);
  expect((await world.sync('invoice', { mode: 'live', psaIds: [48_213] })).succeeded).toBe(1);
});
