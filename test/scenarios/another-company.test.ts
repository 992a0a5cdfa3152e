import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ProcessEnded } from '#flows/context.ts';
import { adoptCompany } from '#flows/connections/adopt-company.ts';
import { readSubscription } from '#flows/connections/subscription.ts';
import { disconnect } from '#flows/connections/disconnect.ts';
import { approveDrafts } from '#flows/approval/decide.ts';
import { readRun } from '#flows/approval/read.ts';
import { consent } from '#test/support/connect-services.ts';
import { asOwner } from '#test/support/database.ts';
import { eachWorld } from '#test/support/each-world.ts';
import { newJob } from '../support/attempts.ts';

const world = eachWorld();

const actor = { username: 'admin@northwind-msp.example' };
const other = '9341452000000002';

/** Connects the second company of the sandbox. */
async function connectOther(isConfirmed: boolean, tenant = world.tenant): Promise<void> {
  const credentials = await consent(world.app, other);
  const candidate = { service: 'accounting', externalId: other, name: 'Hill Country Computing' } as const;
  await adoptCompany(
    world.app,
    tenant,
    { ...candidate, user: actor.username, credentials, allowsDifferentCompany: isConfirmed },
    actor,
  );
}

const invoicesIn = async (realmId: string) => {
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/entities/Invoice?realmId=${realmId}`);
  const { items } = (await answer.json()) as { items: { PrivateNote?: string }[] };
  return items.filter(({ PrivateNote = '' }) => PrivateNote.startsWith('Autotask invoice 48213'));
};
const postsTo = async (realmId: string) =>
  (await world.quickbooks.journal()).filter(
    ({ method, path }) => method === 'POST' && path.startsWith(`/v3/company/${realmId}/`) && !path.endsWith('/query'),
  );

/** Lets the second company assign invoice numbers like the first, so that nothing else prevents a sync. */
async function numberByItself(): Promise<void> {
  const entity = `Preferences@${other}`;
  const [preferences] = await world.quickbooks.list(entity);
  await world.quickbooks.put(entity, 1, {
    SalesFormsPrefs: { ...(preferences?.['SalesFormsPrefs'] as object), CustomTxnNumbers: false },
  });
}

describe('A9 another company', () => {
  test('is refused until an administrator confirms it, and nothing changes', async () => {
    const before = await world.store.readAccountingCredentials();
    await expect(connectOther(false)).rejects.toMatchObject({
      code: 'different_company',
      message: expect.stringMatching(/keep their references/),
    });
    expect(await world.store.readAccountingCredentials()).toEqual(before);
  });

  test('is never used with the lists of the previous company, even if the process dies after the connection was saved', async () => {
    await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
    const kept = () =>
      asOwner(
        world.database.url,
        async (client) => (await client.query("select key from reference_data where key like 'accounting%'")).rowCount,
      );
    expect(await kept()).toBeGreaterThan(0);
    const { store } = world.tenant;
    const dying = {
      ...world.tenant,
      store: {
        ...store,
        async saveConnection(...given: Parameters<typeof store.saveConnection>): Promise<void> {
          await store.saveConnection(...given);
          throw new ProcessEnded('the process dies');
        },
      },
    };
    await expect(connectOther(true, dying)).rejects.toThrow('the process dies');
    expect((await store.readAccountingCredentials())?.realmId).toBe(other);
    expect(await kept()).toBe(0);
  });

  test('never gets a document that may have reached the previous one: it is marked in Autotask and needs attention', async () => {
    const name = (await world.store.listConnections())[1]?.name ?? '';
    await world.quickbooks.fault({
      match: { path: '/invoice$' },
      times: 1,
      action: { reset: 'late', apply_after_seconds: 60 },
    });
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(world.resultOf(job, 48_213)?.outcome).toBe('pending');
    await connectOther(true);
    await world.saveSettings({ inv_default_income_account: '2' });
    await world.advance(200);
    await world.work();
    await world.cycle();
    expect(await postsTo(other)).toEqual([]);
    expect(await invoicesIn(other)).toEqual([]);
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: 'ERROR' });
    const [entry] = (await world.logs()).filter(({ psaId, success }) => psaId === 48_213 && !success);
    expect(entry).toMatchObject({
      message: expect.stringContaining(`was unfinished in “${name}” when “Hill Country Computing” was connected`),
      problems: [{ code: 'COMPANY_CHANGED' }],
    });
    expect(await world.store.listUnfinished(world.clock.now())).toEqual([]);
  });

  test('gets nothing from a worker that is still syncing to the previous one', async () => {
    let isSwitched = false;
    const switching: Promise<void>[] = [];
    await world.store.addJob(newJob({ psaIds: [48_213], submittedBy: actor, createdAt: world.clock.now() }));
    await world.quickbooks.fault({ match: { path: '/invoice$' }, times: 1, action: { delay_ms: 300 } });
    await world.work((name, when) => {
      if (name !== 'post:create_invoice' || when !== 'before' || isSwitched) return;
      isSwitched = true;
      switching.push(connectOther(true));
    });
    await Promise.all(switching);
    expect(isSwitched).toBe(true);
    await world.advance(200);
    await world.work();
    expect(await postsTo(other)).toEqual([]);
    expect(await world.store.listUnfinished(world.clock.now())).toEqual([]);
  });

  test('of the PSA gets no write for documents of the previous one', async () => {
    const credentials = await world.store.readPsaCredentials();
    if (credentials === null) throw new Error('not connected');
    await world.autotask.fault({ match: { method: 'PATCH' }, action: { status: 503, body: '' } });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(await world.store.listBusy('invoice')).toEqual([48_213]);
    const candidate = { service: 'psa', externalId: '99', name: 'Another MSP', user: 'u', credentials } as const;
    await adoptCompany(world.app, world.tenant, { ...candidate, allowsDifferentCompany: true }, actor);
    await world.autotask.clearFaults();
    await world.advance(200);
    await world.work();
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: '' });
    expect(await world.store.listUnfinished(world.clock.now())).toEqual([]);
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'deleted_in_accounting' });
  });

  test('is detected after a disconnect too', async () => {
    await disconnect(world.app, world.tenant, 'accounting', actor);
    await expect(connectOther(false)).rejects.toMatchObject({ code: 'different_company' });
  });

  test('gets no waiting documents until an administrator turns the syncs on again', async () => {
    await numberByItself();
    await world.saveSettings({ inv_sync_active: true, po_sync_active: true });
    const job = await world.store.addJob(
      newJob({ psaIds: [48_213], submittedBy: actor, createdAt: world.clock.now() }),
    );
    await connectOther(true);
    await world.saveSettings({ inv_default_income_account: '2', po_default_expense_account: '14' });
    await world.advance(3_600);
    await world.work();
    await world.cycle();
    expect(await postsTo(other)).toEqual([]);
    expect(await world.store.readJob(job.id)).toMatchObject({
      status: 'cancelled',
      message: expect.stringContaining('was connected. This job posts nothing more'),
    });
    expect(await world.store.readSettings()).toMatchObject({ inv_sync_active: false, po_sync_active: false });
    const { events } = await world.store.listAudit({ actions: ['company.forgotten'], page: 1, pageSize: 5 });
    expect(events).toMatchObject([
      { after: { jobs: 1, turned_off: ['inv_sync_active', 'po_sync_active'], drafts: [], payments_owed: 0 } },
    ]);
    const deployment = { descriptors: world.app.descriptors, config: world.app.config };
    const leftCompany = async () => (await readSubscription(deployment, world.tenant)).leftCompany;
    expect(await leftCompany()).toMatchObject({ turnedOff: ['inv_sync_active', 'po_sync_active'] });
    await world.saveSettings({ inv_sync_active: true });
    expect(await leftCompany()).toMatchObject({ turnedOff: ['po_sync_active'] });
    await world.cycle();
    expect(await invoicesIn(other)).toHaveLength(1);
    await world.saveSettings({ po_sync_active: true });
    expect(await leftCompany()).toBeNull();
  });

  test('closes drafts of the previous one, which cannot be approved', async () => {
    await numberByItself();
    await world.saveSettings({ inv_sync_active: true, require_approval: true });
    await world.work();
    const { waiting } = await readRun(world.tenant);
    const ids = waiting.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(3);
    await connectOther(true);
    await world.saveSettings({ inv_default_income_account: '2' });
    expect((await readRun(world.tenant)).waiting).toEqual([]);
    await expect(approveDrafts(world.tenant, actor, { ids })).rejects.toMatchObject({
      code: expect.stringMatching(/^(not_found|run_changed)$/) as unknown,
    });
    await world.advance(3_600);
    await world.cycle();
    expect(await postsTo(other)).toEqual([]);
    const { events } = await world.store.listAudit({ actions: ['company.forgotten'], page: 1, pageSize: 5 });
    const drafts = z
      .object({ drafts: z.array(z.object({ kind: z.string(), count: z.number(), sum: z.string() })) })
      .parse(events[0]?.after).drafts;
    expect(drafts.reduce((all, { count }) => all + count, 0)).toBe(ids.length);
    expect(drafts.find(({ kind }) => kind === 'invoice')?.sum).toMatch(/^\d+\.\d\d$/);
  });
});
