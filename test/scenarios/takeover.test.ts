import { tmpdir } from 'node:os';
import { beforeEach, expect, test } from 'vitest';
import { ProcessStopping } from '#core/stopping.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { compose } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { silentLogger } from '../support/logger.ts';
import { sandboxDriver } from '../support/sandbox-driver.ts';
import { eachWorld } from '../support/each-world.ts';
import { today } from '../support/world.ts';

const actor = { username: 'admin@northwind-msp.example' };
const invoices = 600;
const batchesOfSession = 5;

const world = eachWorld();
beforeEach(async () => {
  await world.autotask.reset({ today, invoices, lines_per_invoice: 1 });
  // Time jumps while calls are on their way, so the limit of the second cannot be tested here.
  const limits = { enforce: true, requests_per_second: null };
  await sandboxDriver(world.quickbooks.url, today).call('PUT', '/limits', limits);
});

/** A worker process whose sessions stop after some batches. */
async function newWorker(name: string): Promise<() => Promise<void>> {
  let [batches, stop] = [0, new AbortController()];
  const app = await compose({
    config: readConfig({ DEMO: 'true', DATA_DIR: tmpdir() }),
    appUrl: () => 'http://localhost:3000',
    outside: await sandboxOutside({ autotaskUrl: world.autotask.url, quickbooksUrl: world.quickbooks.url }),
    store: world.app.store,
    rateLimits: new RateLimits(),
    clock: world.clock,
    logger: silentLogger,
    failpoint: () => undefined,
    onCall({ service, operation }) {
      if (service !== 'accounting' || operation !== 'post batch') return;
      batches += 1;
      if (batches === batchesOfSession) stop.abort(new ProcessStopping());
    },
    async sleep(milliseconds) {
      await Promise.all([world.autotask.advance(milliseconds / 1_000), world.quickbooks.advance(milliseconds / 1_000)]);
      // Last, because other calls leave by this clock.
      world.clock.advance(milliseconds / 1_000);
    },
  });
  const tenant = app.forTenant(world.tenant.tenantId);
  return async () => {
    [batches, stop] = [0, new AbortController()];
    await runTenantSession(tenant, name, stop.signal);
  };
}

test('workers that take turns repeat what QuickBooks refuses because of their calls together, and post it once', async () => {
  const workers = [await newWorker('first'), await newWorker('second')];
  const job = await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: null, actor });
  const read = () => world.store.readJob(job.id);
  let sessions = 0;
  for (; (await read())?.status !== 'finished' && sessions < 20; sessions += 1) await workers[sessions % 2]?.();
  expect(sessions).toBeGreaterThan(3);
  const calls = (await world.quickbooks.journal()).filter(({ path }) => path.startsWith('/v3/company/'));
  expect(calls.some(({ status }) => status === 429)).toBe(true);
  const results = (await read())?.results ?? [];
  const failed = results.filter(({ psaId, outcome }) => psaId > 100_000 && outcome !== 'succeeded');
  expect(failed).toEqual([]);
  const sources = (await world.quickbooks.list('Invoice')).flatMap(
    ({ PrivateNote: note }) => /^Autotask invoice (\d+) · synced/.exec(String(note))?.slice(1, 2) ?? [],
  );
  expect(new Set(sources).size).toBe(sources.length);
  expect(sources.filter((id) => Number(id) > 100_000)).toHaveLength(invoices);
}, 120_000);
