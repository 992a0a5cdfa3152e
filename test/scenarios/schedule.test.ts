import { describe, expect, test } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import { addSeconds, calendarDate, secondsBetween } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { testConnection } from '#flows/connections/test-connection.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { inv_sync_active: true } });

const logsOf = async (psaId: number) => (await world.logs()).filter((log) => log.psaId === psaId);
const calls = async () => (await world.autotask.journal()).length + (await world.quickbooks.journal()).length;
const polledAt = async () => (await world.store.readSyncStates()).invoice?.polledAt;
const isDueAt = async (at = world.clock.now()) => (await world.app.store.dueTenants(at, 10)).length === 1;

describe('the schedule', () => {
  test('syncs all eligible documents and no others', async () => {
    await world.work();
    const [job, ...others] = await world.store.listJobs(10);
    expect(others).toEqual([]);
    expect(job).toMatchObject({ kind: 'invoice', mode: 'live', trigger: 'automatic', status: 'finished' });
    expect(job?.submittedBy).toBeNull();
    // The window includes its first midnight, not the day before.
    expect(await world.madeFor(48_310)).toHaveLength(1);
    expect(await world.madeFor(48_311)).toEqual([]);
    expect(await world.madeFor(48_213)).toHaveLength(1);
    const logs = await world.logs();
    expect(logs.length).toBeGreaterThan(5);
    expect(logs.every((log) => !log.isManual && !log.isTest)).toBe(true);
    expect(await polledAt()).toBe(world.clock.now());
  });

  test('does nothing while its switch is off', async () => {
    await world.saveSettings({ inv_sync_active: false });
    const before = await calls();
    await world.work();
    await world.cycle();
    expect(await calls()).toBe(before);
    expect(await world.store.listJobs(10)).toEqual([]);
    expect(await world.logs()).toEqual([]);
    expect(await polledAt()).toBeUndefined();
  });

  test.each(['pending', 'suspended', 'cancelled'] as const)('skips a %s client', async (status) => {
    await world.store.setStatus(status);
    expect(await isDueAt(addSeconds(world.clock.now(), 86_400))).toBe(false);
    await world.cycle();
    expect(await world.store.listJobs(10)).toEqual([]);
  });

  test('starts nothing while the settings are incomplete', async () => {
    await world.saveSettings({ inv_default_income_account: null });
    await world.work();
    expect(await world.logs()).toEqual([]);
    expect(await world.store.listJobs(10)).toMatchObject([{ status: 'failed', total: null }]);
    await world.saveSettings({ inv_default_income_account: '2' });
    await world.cycle();
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });

  test('syncs no document from before the sync start date', async () => {
    await world.saveSettings({ sync_start_date: calendarDate('2025-02-28') });
    await world.work();
    const created = new Map(
      (await world.autotask.list('Invoices')).map((row) => [
        row['id'],
        JSON.stringify(row['createDateTime']).slice(1, -1),
      ]),
    );
    const taken = new Set((await world.logs()).map((log) => log.psaId));
    // Midnight in Chicago.
    expect([...taken].filter((id) => (created.get(id) ?? '') < '2025-02-28T06:00:00')).toEqual([]);
    expect(taken.has(48_213)).toBe(true);
    expect(await world.madeFor(48_310)).toEqual([]);
  });

  test('costs two transactions, one call and no row when nothing is due', async () => {
    await world.saveSettings({ sync_start_date: calendarDate('2025-03-31') });
    await world.work();
    await world.advance(16 * 60);
    const [before, polled] = [await calls(), await polledAt()];
    const transactions = world.transactions();
    await world.work();
    // One at the start and one at the end of the turn.
    expect(world.transactions() - transactions).toBe(2);
    expect((await calls()) - before).toBe(1);
    expect(await polledAt()).toBe(addSeconds(polled ?? world.clock.now(), 16 * 60));
    expect(await world.logs()).toEqual([]);
    expect(await world.store.listJobs(10)).toEqual([]);
  });

  test('syncs orders and reports only within their age windows, including the first midnight', async () => {
    await world.saveSettings({
      inv_sync_active: false,
      po_sync_active: true,
      exp_sync_active: true,
      po_payable_account: '20',
      po_max_age_days: 7,
      exp_max_age_days: 7,
    });
    // Midnight of Feb 24 in Chicago, and the second before it.
    const [first, before] = ['2025-02-24T06:00:00Z', '2025-02-24T05:59:59Z'];
    await world.autotask.put('PurchaseOrders', 3_310, { createDateTime: first });
    await world.autotask.put('PurchaseOrders', 3_311, { createDateTime: before });
    await world.autotask.put('ExpenseReports', 1_207, { submitDate: first });
    await world.autotask.put('ExpenseReports', 1_208, { submitDate: before });
    await world.work();
    const taken = (await world.logs()).map(({ psaId }) => psaId);
    expect(taken).toEqual(expect.arrayContaining([3_310, 1_207]));
    expect(taken).not.toContain(3_311);
    expect(taken).not.toContain(1_208);
  });

  test('voids before it creates', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    await world.autotask.put('Invoices', 48_213, { isVoided: true, voidedDate: '2025-03-03T15:00:00Z' });
    await world.autotask.put('Invoices', 48_214, { invoiceNumber: '' });
    await world.saveSettings({ void_sync_active: true });
    const before = (await world.store.listJobs(10)).length;
    await world.cycle();
    const kinds = (await world.store.listJobs(10)).map(({ kind }) => kind).toReversed();
    expect(kinds.slice(before)).toEqual(['void', 'invoice']);
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'voided' });
  });

  test('marks a document only after the fifth transient failure in a row', async () => {
    await world.saveSettings({ inv_max_age_days: 1 });
    const open = (await world.autotask.list('Invoices')).filter((row) => (row['invoiceNumber'] ?? '') === '');
    for (const row of open)
      if (row['id'] !== 48_213) await world.autotask.put('Invoices', Number(row['id']), { invoiceNumber: 'T-1' });
    await world.quickbooks.fault({ match: { path: '/invoice$' }, action: { status: 429, body: '' } });
    const number = async () => (await world.psaInvoice(48_213))['invoiceNumber'] ?? '';
    for (let failures = 1; failures <= 4; failures += 1) {
      await world.cycle();
      expect([(await logsOf(48_213)).length, await number()]).toEqual([failures, '']);
    }
    await world.cycle();
    expect([(await logsOf(48_213)).length, await number()]).toEqual([5, 'ERROR']);
    expect((await logsOf(48_213)).every(({ problems }) => problems[0]?.['code'] === 'QBO_THROTTLED')).toBe(true);
    await world.quickbooks.clearFaults();
    await world.cycle();
    expect(await world.madeFor(48_213)).toEqual([]);
  });

  test('skips documents with ERROR or IN PROCESS', async () => {
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: 'ERROR' });
    await world.autotask.put('Invoices', 48_310, { invoiceNumber: 'IN PROCESS' });
    await world.work();
    expect(await world.madeFor(48_213)).toEqual([]);
    expect(await world.madeFor(48_310)).toEqual([]);
    expect(await logsOf(48_213)).toEqual([]);
  });

  test('reports a zero balance once, and a held document once per closing date', async () => {
    await world.work();
    await world.cycle();
    await world.cycle();
    expect(await logsOf(48_302)).toMatchObject([{ success: true, message: 'Skipped: zero balance.' }]);
    const held = await logsOf(48_305);
    expect(held).toMatchObject([{ success: false, message: 'The books are closed through Jan 31, 2025.' }]);
    expect(await world.psaInvoice(48_305)).toMatchObject({ invoiceNumber: '' });
    // Nothing was synced twice. Every other document was posted or marked.
    expect((await world.store.listJobs(10)).length).toBe(1);

    await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-02-10' } });
    // A held document is checked again once an hour.
    for (let round = 0; round < 5; round += 1) await world.cycle();
    expect((await logsOf(48_305)).map((log) => log.message)).toEqual([
      'The books are closed through Jan 31, 2025.',
      'The books are closed through Feb 10, 2025.',
    ]);

    await world.saveSettings({ closed_period_policy: 'next_open_day' });
    await world.cycle();
    expect(await world.madeFor(48_305)).toMatchObject([{ TxnDate: '2025-02-11' }]);
  });

  test('never runs two cycles at once, and every document is created once', async () => {
    await Promise.all([world.work(undefined, 'one'), world.work(undefined, 'another')]);
    expect(await world.store.listJobs(10)).toHaveLength(1);
    expect(await world.madeFor(48_213)).toHaveLength(1);
    expect(await isDueAt()).toBe(false);
  });

  test('skips the rounds that a long cycle missed', async () => {
    let isFirst = true;
    await world.work((name, when) => {
      if (name === 'commit:done' && when === 'before' && isFirst) {
        isFirst = false;
        world.clock.advance(40 * 60);
      }
    });
    expect(await isDueAt()).toBe(false);
    expect(await isDueAt(addSeconds(world.clock.now(), 16 * 60))).toBe(true);
  });

  test('continues what a dead worker started', async () => {
    let made = 0;
    const died = world.work((name, when) => {
      if (name === 'psa:write' && when === 'after') made += 1;
      if (made === 3) throw new ProcessEnded('the worker dies');
    });
    await expect(died).rejects.toThrow('the worker dies');
    world.clock.advance(60);
    await world.work(undefined, 'its successor');
    await world.advance(135);
    await world.work(undefined, 'its successor');
    // The others did not wait for the search for what was being sent.
    expect(await world.madeFor(48_304)).toHaveLength(1);
    await world.advance(135);
    await world.work(undefined, 'its successor');
    const [job] = await world.store.listJobs(10);
    expect(job).toMatchObject({ status: 'finished', trigger: 'automatic' });
    const { results = [] } = (await world.store.readJob(job?.id ?? '')) ?? {};
    expect(results.filter(({ outcome }) => outcome === 'pending')).toEqual([]);
    for (const psaId of [48_213, 48_214, 48_304, 48_310]) expect(await world.madeFor(psaId)).toHaveLength(1);
  });
});

test('shows all documents of a job that another worker resumed on the Overview', async () => {
  let done = 0;
  const died = world.work((name, when) => {
    if (name === 'commit:done' && when === 'after') done += 1;
    if (done >= 2) throw new ProcessEnded('the worker dies');
  });
  await expect(died).rejects.toThrow('the worker dies');
  const [left] = await world.store.listJobs(1);
  expect(left).toMatchObject({ status: 'running' });
  const state = async () => {
    const state = (await world.store.readSyncStates()).invoice;
    return { ...state, info: JSON.parse(state?.info ?? '{}') as JsonObject };
  };
  expect((await state()).polledAt ?? null).toBeNull();

  await world.work(undefined, 'its successor');
  await world.advance(135);
  await world.work(undefined, 'its successor');
  const job = await world.store.readJob(left?.id ?? '');
  expect(job).toMatchObject({ status: 'finished' });
  const made = (job?.results ?? []).filter(({ outcome }) => outcome === 'succeeded').map(({ psaId }) => psaId);
  expect(made.length).toBeGreaterThan(done);
  const { info, syncedAt } = await state();
  const documents = info['documents'] as unknown as readonly JsonObject[];
  expect(info).toMatchObject({ ...documents.at(-1), count: made.length });
  expect(documents.map((document) => document['at_invoice_id']).toSorted()).toEqual(made.toSorted());
  for (const { at_invoice_id: psaId, qbo_invoice_number: number } of documents)
    expect(await world.psaInvoice(Number(psaId))).toMatchObject({ invoiceNumber: number });
  const successes = (await world.logs()).filter(({ psaId }) => made.includes(psaId));
  expect(syncedAt).toBe(
    successes
      .map(({ at }) => at)
      .toSorted()
      .at(-1),
  );
});

describe('a service that rejects calls', () => {
  test('ends the cycle, is reported once, and is retried after 30 and then 60 minutes', async () => {
    await world.saveSettings({ closed_period_policy: 'next_open_day' });
    await world.work();
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '' });
    // The app registration was rejected, which the client cannot fix.
    await world.quickbooks.fault({
      match: { path: '/tokens/bearer$' },
      action: { status: 401, body: '{"error":"invalid_client"}' },
    });
    await world.advance(3_600);
    await world.work();
    const [job] = await world.store.listJobs(10);
    expect(job).toMatchObject({ status: 'failed', message: expect.stringContaining('QuickBooks Online refused') });
    const now = world.clock.now();
    expect(await isDueAt(addSeconds(now, 30 * 60 - 1))).toBe(false);
    expect(await isDueAt(addSeconds(now, 31 * 60))).toBe(true);

    await world.advance(31 * 60);
    await world.work();
    const then = world.clock.now();
    expect(await isDueAt(addSeconds(then, 60 * 60 - 1))).toBe(false);
    expect(await isDueAt(addSeconds(then, 61 * 60))).toBe(true);

    await world.quickbooks.clearFaults();
    await world.advance(61 * 60);
    await world.work();
    expect(await world.madeFor(48_213)).toHaveLength(1);
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: expect.stringMatching(/^10/) });
    const after = world.clock.now();
    expect(await isDueAt(addSeconds(after, 16 * 60))).toBe(true);
  });

  test('A8 whose subscription has ended is retried daily with one call, and continues after the renewal', async () => {
    await world.work();
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '' });
    await world.quickbooks.behave({ subscription_ended: true });
    await world.cycle();
    const accounting = async () => (await world.store.listConnections())[1];
    expect(await accounting()).toMatchObject({
      status: 'active',
      problem: 'The QuickBooks subscription is not active. Renew the subscription in QuickBooks.',
    });
    expect(await isDueAt(addSeconds(world.clock.now(), 24 * 3_600 - 1))).toBe(false);
    await world.advance(24 * 3_600 + 61);
    const asked: string[] = [];
    await world.work((name, when) => {
      if (when === 'before' && /^(psa|accounting)\./.test(name)) asked.push(name);
    });
    expect(asked).toEqual(['accounting.identify']);
    expect(await isDueAt(addSeconds(world.clock.now(), 24 * 3_600 - 1))).toBe(false);
    await world.quickbooks.behave({ subscription_ended: false });
    await world.advance(24 * 3_600 + 61);
    await world.work();
    expect(await accounting()).toMatchObject({ status: 'active', problem: null });
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: expect.stringMatching(/^10/) });
  });

  test('A8 is retried immediately after a successful connection test', async () => {
    await world.work();
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '' });
    await world.quickbooks.behave({ subscription_ended: true });
    await world.cycle();
    await world.quickbooks.behave({ subscription_ended: false });
    expect(await isDueAt()).toBe(false);
    expect(await testConnection(world.app, world.tenant, 'accounting')).toMatchObject({ isConnected: true });
    expect(await isDueAt()).toBe(true);
  });

  test('A6 gets at most two calls with a rejected API user, until a user tries again', async () => {
    await world.autotask.fault({ match: { method: 'PATCH' }, action: { status: 503, body: '' } });
    await world.work();
    expect(await world.store.listBusy('invoice')).not.toEqual([]);
    await world.autotask.clearFaults();
    await world.autotask.fault({ match: { path: '/V1.0/(?!zoneInformation)' }, action: { status: 401, body: '' } });
    const refused = async () => (await world.autotask.journal()).filter(({ status }) => status === 401).length;
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await world.advance(61);
      await world.work();
    }
    await expect(world.tenant.psa()).rejects.toMatchObject({ code: 'not_connected' });
    expect(await refused()).toBe(2);
    expect((await world.store.listConnections())[0]).toMatchObject({
      status: 'inactive',
      problem: expect.stringContaining('Autotask needs to be reconnected'),
    });
    expect((await world.store.listConnections())[1]).toMatchObject({ status: 'active', problem: null });
    await world.autotask.clearFaults();
    expect(await testConnection(world.app, world.tenant, 'psa')).toMatchObject({ isConnected: true });
    await world.advance(61);
    await world.work();
    expect(await world.store.listBusy('invoice')).toEqual([]);
  });

  test('is not called after the connection is lost, until a user reconnects', async () => {
    await world.store.markConnection('accounting', { status: 'inactive', problem: 'QuickBooks was disconnected.' });
    const before = await calls();
    await world.work();
    await world.advance(31 * 60);
    await world.work();
    expect(await calls()).toBe(before);
    expect(await isDueAt(addSeconds(world.clock.now(), 59 * 60))).toBe(false);
    await world.store.markConnection('accounting', { status: 'active' });
    await world.advance(61 * 60);
    await world.work();
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });
});

test('cycles follow each other by the interval', async () => {
  await world.work();
  const began = world.clock.now();
  const dueIn: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    let minutes = 0;
    while (!(await isDueAt())) {
      world.clock.advance(60);
      minutes += 1;
    }
    dueIn.push(minutes);
    await world.work();
  }
  // The first interval spreads the tenants, the others are 15 minutes plus or minus the jitter.
  expect(dueIn.slice(1).every((minutes) => minutes >= 13 && minutes <= 17)).toBe(true);
  expect(secondsBetween(began, world.clock.now())).toBeGreaterThan(0);
});
