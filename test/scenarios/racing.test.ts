import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { compose } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { startSandboxes } from '#main/sandboxes.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { databaseClock } from '#store/clock.ts';
import { openDatabase } from '#store/database.ts';
import { createListener } from '#store/listener.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import { startWorker, type Worker } from '#worker/worker.ts';
import { connectServices } from '../support/connect-services.ts';
import { newDatabase, testSecretKey } from '../support/database.ts';
import { silentLogger } from '../support/logger.ts';
import { mapExpenses } from '../support/mappings.ts';
import { controlOf, newWorld, type World } from '../support/world.ts';
import { check, violationText } from '../disasters/checker.ts';
import { collect, historySql } from '../disasters/evidence.ts';

const actor = { username: 'admin@northwind-msp.example' };

describe('a dead worker', () => {
  let world: World;
  beforeEach(async () => {
    world = await newWorld();
  });
  afterEach(() => world.close());

  const post = { method: 'POST', path: '/invoice$' };

  test('tried until its end, so the wait is counted from the takeover', async () => {
    await world.quickbooks.behave({ requestid: 'none' });
    const busy = { status: 429, headers: { 'Retry-After': '40' }, body: '' };
    await world.quickbooks.fault({ match: post, times: 1, action: busy });
    await world.quickbooks.fault({ match: post, times: 1, action: { reset: 'late', apply_after_seconds: 119 } });
    await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: [48_304], actor });
    const dies = world.work((name, when) => {
      if (name === 'commit:unsure' && when === 'before') throw new ProcessEnded('the worker dies');
    });
    await expect(dies).rejects.toThrow('the worker dies');
    // The first send was rejected. The second left 40 seconds later and is applied 119 seconds after that.
    for (const seconds of [20, 75, 60]) {
      await world.advance(seconds);
      await world.work(undefined, 'its successor');
    }
    expect(await world.madeFor(48_304)).toHaveLength(1);
    expect((await world.logs()).filter(({ psaId }) => psaId === 48_304)).toMatchObject([{ success: true }]);
  }, 120_000);
});

describe('four workers', () => {
  test('share every document of two clients, each once, and the small client does not wait for the large one', async () => {
    const own = await newDatabase({ schema: historySql });
    const sandboxes = await startSandboxes({ autotask: 0, qbo: 0 });
    const [autotask, quickbooks] = [controlOf(sandboxes.autotaskUrl), controlOf(sandboxes.quickbooksUrl)];
    const outside = await sandboxOutside(sandboxes);
    const crew = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const database = await openDatabase(own.url, { logger: silentLogger, maxConnections: 8 });
        const clock = await databaseClock(database, silentLogger);
        const rateLimits = new RateLimits();
        const app = await compose({
          config: readConfig({ DEMO: 'true', DATA_DIR: tmpdir() }),
          appUrl: () => 'http://localhost:3000',
          outside,
          store: createStore({ database, vault: createVault(testSecretKey), clock }),
          rateLimits,
          clock,
          logger: silentLogger,
          failpoint: () => undefined,
        });
        return { app, rateLimits, database, clock, announcements: createListener(own.url) };
      }),
    );
    const [first] = crew;
    if (first === undefined) throw new Error('worker not found');
    const { app } = first;
    const credentials = await fetch(`${quickbooks.url}/__sandbox/credentials`);
    const { realms } = (await credentials.json()) as { realms: { realmId: string }[] };
    const client = async (name: string, company: number, settings: Partial<Settings>) => {
      const { id } = await app.store.addTenant({ name, status: 'active', timeZone: 'America/Chicago' });
      const tenant = app.forTenant(id);
      await connectServices(app, tenant, sandboxes, realms[company]?.realmId, `database of ${name}`);
      await tenant.store.saveSettings({ ...(await tenant.store.readSettings()), ...settings }, actor);
      const accounting = await tenant.store.readAccountingCredentials();
      const psa = await tenant.store.readPsaCredentials();
      return { tenant, party: { tenantId: id, realmId: accounting?.realmId ?? '', user: psa?.userName ?? '' } };
    };
    const workers: Worker[] = [];
    try {
      const large = await client('Large', 0, { inv_default_income_account: '2' });
      const small = await client('Small', 1, {
        inv_default_income_account: '2',
        po_payable_account: '20',
        exp_cash_advance_expense_account: '25',
        inv_numbering_option: 'autotask',
        po_numbering_option: 'autotask',
      });
      await mapExpenses(small.tenant.store);
      const invoices = [48_213, 48_214, 48_304, 48_307, 48_310];
      const submitInvoices = () =>
        submit(large.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: invoices, actor });
      // Two users submit at the same time.
      const [job, same] = await Promise.all([submitInvoices(), submitInvoices()]);
      expect(same.id).toBe(job.id);
      const other = await submit(small.tenant, {
        kind: 'expense_report',
        mode: 'live',
        force: false,
        psaIds: [1_207],
        actor,
      });
      // The large client cannot call QuickBooks until the small one is done.
      const gate = Promise.withResolvers<undefined>();
      const held = crew.flatMap(({ rateLimits }) =>
        Array.from({ length: 10 }, () => rateLimits.inLine(`qbo:${large.party.realmId}`, 6, () => gate.promise)),
      );
      workers.push(
        ...crew.map(({ app: its, clock, announcements }) =>
          startWorker({
            announcements,
            store: its.store,
            clock,
            logger: silentLogger,
            forTenant: (id) => its.forTenant(id),
          }),
        ),
      );
      const until = (what: () => Promise<void>) => vi.waitFor(what, { timeout: 100_000, interval: 100 });
      await until(async () => expect(await large.tenant.store.readJob(job.id)).toMatchObject({ status: 'running' }));
      await until(async () =>
        expect(await small.tenant.store.readJob(other.id)).toMatchObject({ status: 'finished', succeeded: 1 }),
      );
      expect(await large.tenant.store.readJob(job.id)).toMatchObject({ status: 'running', succeeded: 0 });
      gate.resolve(undefined);
      await Promise.all(held);
      await until(async () =>
        expect(await large.tenant.store.readJob(job.id)).toMatchObject({ status: 'finished', succeeded: 5 }),
      );
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
      const evidence = await collect({
        databaseUrl: own.url,
        store: app.store,
        autotask,
        quickbooks,
        parties: [large.party, small.party],
        expected: [
          ...invoices.map((psaId) => ({ kind: 'invoice', psaId, times: 1, end: 'done' }) as const),
          { kind: 'expense_report', psaId: 1_207, times: 1, end: 'done' },
        ],
        deaths: 0,
      });
      const violations = check(evidence, 'quiet');
      expect(violations, violations.map(violationText).join('\n')).toEqual([]);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
      for (const { database, clock, announcements } of crew) {
        await announcements.close();
        clock.stop();
        await database.close();
      }
      await sandboxes.stop();
      await own.close();
    }
  }, 180_000);
});
