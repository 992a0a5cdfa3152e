import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';
import type { Failpoint } from '#flows/context.ts';
import { lateApplySeconds } from '#core/ports/accounting.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { leaseSeconds } from '#flows/sync/job/create-run.ts';
import { compose } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { startSandboxes } from '#main/sandboxes.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { databaseClock } from '#store/clock.ts';
import { openDatabase } from '#store/database.ts';
import { migrate } from '#store/migrate.ts';
import { createListener } from '#store/listener.ts';
import { DatabaseUnavailable } from '#store/errors.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import { startWorker } from '#worker/worker.ts';
import { Client } from 'pg';
import { connectServices } from '../support/connect-services.ts';
import { asOwner, testSecretKey } from '../support/database.ts';
import { silentLogger } from '../support/logger.ts';
import { ownServer } from '../support/own-server.ts';
import { controlOf, newWorld } from '../support/world.ts';
import { check, violationText } from '../disasters/checker.ts';
import { collect, historySql } from '../disasters/evidence.ts';

const psaIds = [48_213, 48_214, 48_304];
const actor = { username: 'admin@northwind-msp.example' };
/**
 * A document saved as sent when the database stopped is searched for, and sent again only after a late write is
 * impossible. Before that, the lease of the cut session must end.
 */
const longestWaitMs = (leaseSeconds + lateApplySeconds + 60) * 1_000;

/** Cuts all sessions of the product. */
async function cutSessions(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}

test.concurrent.each([
  ['rejects new connections and restarts', 'smart', 'commit:posting:2:after'],
  ['restarts immediately', 'fast', 'post:batch:1:after'],
  ['is killed and restarts', 'immediate', 'commit:posted:3:after'],
  ['cuts every session', 'sessions', 'psa:write:1:after'],
] as const)(
  'after a database %s in the middle of a run, the product continues automatically, each document once',
  async (_what, how, moment) => {
    const server = await ownServer();
    const sandboxes = await startSandboxes({ autotask: 0, qbo: 0 });
    const database = await openDatabase(server.url, { logger: silentLogger });
    await migrate(database);
    await asOwner(server.url, (owner) => owner.query(historySql));
    const clock = await databaseClock(database, silentLogger);
    let trouble: Promise<unknown> | undefined;
    const counts = new Map<string, number>();
    const effect: Failpoint = (name, when) => {
      counts.set(`${name} ${when}`, (counts.get(`${name} ${when}`) ?? 0) + 1);
      if (trouble !== undefined || `${name}:${counts.get(`${name} ${when}`)}:${when}` !== moment) return;
      trouble = how === 'sessions' ? cutSessions(server.url) : server.restart(how);
    };
    const app = await compose({
      config: readConfig({ DEMO: 'true', DATA_DIR: tmpdir() }),
      appUrl: () => 'http://localhost:3000',
      outside: await sandboxOutside(sandboxes),
      store: createStore({ database, vault: createVault(testSecretKey), clock }),
      rateLimits: new RateLimits(),
      clock,
      logger: silentLogger,
      failpoint: effect,
    });
    const { id: tenantId } = await app.store.addTenant({
      name: 'Northwind IT Services',
      status: 'active',
      timeZone: 'America/Chicago',
    });
    const tenant = app.forTenant(tenantId);
    await connectServices(app, tenant, sandboxes);
    await tenant.store.saveSettings({ ...(await tenant.store.readSettings()), inv_default_income_account: '2' }, actor);
    const announcements = createListener(server.url);
    const worker = startWorker({
      announcements,
      store: app.store,
      clock,
      logger: silentLogger,
      forTenant: (id) => app.forTenant(id),
    });
    try {
      const job = await submit(tenant, { kind: 'invoice', mode: 'live', force: false, psaIds, actor });
      await vi.waitFor(
        async () =>
          expect(await tenant.store.readJob(job.id).catch(() => null)).toMatchObject({
            status: 'finished',
            succeeded: psaIds.length,
          }),
        { timeout: longestWaitMs, interval: 200 },
      );
      expect(trouble).toBeDefined();
      await trouble;
      await worker.stop();
      // A fast run may finish before the server is back.
      const accounting = await vi.waitFor(() => tenant.store.readAccountingCredentials(), {
        timeout: 60_000,
        interval: 100,
      });
      const evidence = await collect({
        databaseUrl: server.url,
        store: app.store,
        autotask: controlOf(sandboxes.autotaskUrl),
        quickbooks: controlOf(sandboxes.quickbooksUrl),
        parties: [
          {
            tenantId,
            realmId: accounting?.realmId ?? '',
            user: (await tenant.store.readPsaCredentials())?.userName ?? '',
          },
        ],
        expected: psaIds.map((psaId) => ({ kind: 'invoice', psaId, times: 1, end: 'done' })),
        deaths: 1,
      });
      const violations = check(evidence, 'quiet');
      expect(violations, violations.map(violationText).join('\n')).toEqual([]);
    } finally {
      await worker.stop();
      await announcements.close();
      clock.stop();
      await database.close();
      await sandboxes.stop();
      await server.close();
    }
  },
  longestWaitMs + 80_000,
);

test('a commit whose response was lost is recognized by the next turn', async () => {
  const world = await newWorld();
  try {
    // Loses one commit of each document: the plan, QuickBooks' response, the end.
    const lost = new Map([
      [48_213, 'commit:posting:1'],
      [48_214, 'commit:posted:1'],
      [48_304, 'commit:done:1'],
    ]);
    for (const [psaId, commit] of lost) {
      await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: [psaId], actor });
      let count = 0;
      const cut = world.work((name, when) => {
        if (!commit.startsWith(`${name}:`) || when !== 'after') return;
        count += 1;
        if (commit === `${name}:${count}`) throw new DatabaseUnavailable('The response to a commit was lost.');
      });
      await expect(cut).rejects.toThrow('The response to a commit was lost.');
      await world.advance(30);
      await world.work();
      // The session after the loss waits for nothing that an earlier one may have sent.
      await world.advance(lateApplySeconds);
      await world.work();
    }
    const notes = (await world.quickbooks.list('Invoice')).map((row) => JSON.stringify(row['PrivateNote'] ?? ''));
    for (const psaId of lost.keys()) {
      expect(notes.filter((note) => note.startsWith(`"Autotask invoice ${psaId} `))).toHaveLength(1);
      expect((await world.logs()).filter((log) => log.psaId === psaId)).toMatchObject([{ success: true }]);
      expect(await world.store.readPosting('invoice', psaId)).toMatchObject({ status: 'synced' });
    }
    expect((await world.store.listJobs(10)).map(({ status }) => status)).toEqual(['finished', 'finished', 'finished']);
  } finally {
    await world.close();
  }
}, 120_000);
