import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TenantStore } from './tenant-store.ts';
import type { CycleResult } from '#core/records/tenant-sessions.ts';
import { createSemaphore } from '#core/in-parallel.ts';
import { nextSyncAt } from '#core/schedule.ts';
import { addSeconds, epochMs, type Instant } from '#core/values/dates.ts';
import { began, newAttempt, newJob, newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase, type TestDatabase } from '#test/support/database.ts';
import { leaseSeconds } from '#flows/sync/job/create-run.ts';
import { silentLogger } from '#test/support/logger.ts';
import { sql } from 'kysely';
import { openDatabase } from './database.ts';
import { DatabaseUnavailable } from './errors.ts';
import { assertLease } from './leases.ts';
import { dueQuery } from './tenants.ts';

let store: TenantStore;
const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());
beforeEach(async () => {
  store = await newTenant(db.store);
});

const end = (nextSyncAt: Instant, more: Partial<CycleResult> = {}): CycleResult => ({
  polled: [],
  nextSyncAt,
  consecutiveFailures: 0,
  ...more,
});
const later = addSeconds(began, 900);
const isDue = async (now: Instant) => (await db.store.dueTenants(now, 100_000)).includes(store.tenantId);

async function session(owner = 'w', now = began) {
  await db.passLeases((epochMs(now) - epochMs(began)) / 1_000);
  const taken = await store.openSession(owner, 10, now);
  if (taken === null) throw new Error('another worker has the tenant');
  return taken;
}

describe('a session', () => {
  test('shows the pending work', async () => {
    const first = await session();
    expect(first).toMatchObject({
      tenant: { id: store.tenantId, status: 'active' },
      settings: { inv_max_age_days: 14 },
      areConnected: false,
      isCycleDue: true,
      consecutiveFailures: 0,
      hasUnfinished: false,
      hasJobs: false,
    });
    await store.openAttempt(first.lease, newAttempt());
    await store.addJob(newJob());
    await store.closeSession(first.lease, end(later));
    expect(await session()).toMatchObject({ isCycleDue: false, hasUnfinished: true, hasJobs: true });
  });

  test('is opened by one worker at a time', async () => {
    const racing = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => store.openSession(owner, 10, began)));
    expect(racing.filter((one) => one !== null)).toHaveLength(1);
  });

  test('saves the sync cycle when it closes, in one step', async () => {
    const { lease } = await session();
    await store.closeSession(
      lease,
      end(later, { polled: [{ kind: 'invoice', at: began, fingerprint: null }], consecutiveFailures: 2 }),
    );
    expect(await store.readSyncStates()).toEqual({ invoice: { polledAt: began, syncedAt: null, info: null } });
    expect(await isDue(addSeconds(later, -1))).toBe(false);
    expect(await isDue(later)).toBe(true);
    expect(await session('another', later)).toMatchObject({ isCycleDue: true, consecutiveFailures: 2 });
  });

  test('saves nothing after it was lost', async () => {
    const { lease } = await session('slow');
    const second = await session('quick', addSeconds(began, 11));
    await store.closeSession(lease, end(later, { polled: [{ kind: 'invoice', at: began, fingerprint: null }] }));
    expect(await store.readSyncStates()).toEqual({});
    await store.closeSession(second.lease, null);
    expect(await isDue(addSeconds(began, 11))).toBe(true);
  });
});

describe('the schedule picks up', () => {
  test.each(['pending', 'suspended', 'cancelled'] as const)('no %s tenant', async (status) => {
    await store.setStatus(status);
    expect(await isDue(addSeconds(began, 86_400))).toBe(false);
    const { lease, isCycleDue } = await session();
    expect(isCycleDue).toBe(false);
    await store.closeSession(lease, end(later));
    expect(await isDue(addSeconds(began, 86_400))).toBe(false);
  });

  test('a tenant at once when it becomes active or is reconnected', async () => {
    await store.setStatus('suspended');
    await store.setStatus('active');
    expect(await isDue(began)).toBe(true);
    const { lease } = await session();
    await store.closeSession(lease, end(addSeconds(began, 3_600), { consecutiveFailures: 2 }));
    expect(await isDue(began)).toBe(false);
    await store.saveConnection(
      {
        service: 'psa',
        status: 'active',
        name: 'Northwind',
        user: null,
        externalId: 'db',
        connectedAt: began,
        problem: null,
      },
      { userName: 'user', secret: 'secret' },
    );
    expect(await isDue(began)).toBe(true);
    expect(await session()).toMatchObject({ consecutiveFailures: 0 });
  });
});

describe('ten thousand tenants', () => {
  let full: TestDatabase;
  beforeAll(async () => {
    full = await newDatabase({ clock: { now: () => began } });
    await asOwner(full.url, async (client) => {
      await client.query(
        `insert into tenants (name, status, time_zone, next_sync_at)
         select 'Tenant ' || n, 'active', 'America/Chicago', $1::timestamptz + n * interval '90 milliseconds'
           from generate_series(1, 10000) n`,
        [began],
      );
      await client.query(`insert into leases (tenant_id, owner, fence, ends_at) select id, null, 1, $1 from tenants`, [
        began,
      ]);
      await client.query('analyze');
    });
  });
  afterAll(() => full.close());

  test('are searched for due ones by index in one statement', async () => {
    // Two seconds after the last check: 22 tenants.
    const plan = await full.database.acrossTenants((tx) =>
      dueQuery(tx, addSeconds(began, 2), 1_000).explain('json', sql`analyze`),
    );
    expect(JSON.stringify(plan)).toContain('"Index Name":"tenants_due"');
    expect(JSON.stringify(plan)).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"(tenants|leases)"/);
    expect(await full.store.dueTenants(addSeconds(began, 2), 1_000)).toHaveLength(22);
  });

  test('are each handled once per interval by several workers', async () => {
    const now = addSeconds(began, 45);
    const taken: string[] = [];
    const workOn = async (tenantId: string) => {
      const tenant = full.store.forTenant(tenantId);
      const found = await tenant.openSession(crypto.randomUUID(), 60, now);
      if (found === null) return;
      if (found.isCycleDue) taken.push(tenantId);
      const next = nextSyncAt({ now, tenantId, intervalMinutes: 15, consecutiveFailures: 0, random: 0 });
      await tenant.closeSession(found.lease, found.isCycleDue ? end(next) : null);
    };
    const due = await full.store.dueTenants(now, 1_000);
    expect(due).toHaveLength(500);
    // As many in parallel as a worker has permits.
    const permit = createSemaphore(40);
    await Promise.all([...due, ...due].map((tenantId) => permit(() => workOn(tenantId))));
    expect(taken.toSorted()).toEqual(due.toSorted());
    expect(await full.store.dueTenants(now, 1_000)).toEqual([]);
  });
});

describe('a worker that stalls during a transaction', () => {
  test('is disconnected before its lease ends', async () => {
    const { rows } = await db.database.forTenant(store.tenantId, (tx) =>
      sql<{
        ms: number;
      }>`select setting::int as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`.execute(tx),
    );
    expect(rows[0]?.ms).toBeGreaterThan(0);
    expect(rows[0]?.ms).toBeLessThan(leaseSeconds * 1_000);
  });

  test('does not block the next worker of the tenant', async () => {
    const { lease } = await session('frozen');
    const frozen = await openDatabase(db.url, { logger: silentLogger, maxConnections: 1, idleInTransactionMs: 1_000 });
    const [stalled, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stopped = frozen.forTenant(store.tenantId, async (tx) => {
      await assertLease(tx, store.tenantId, lease);
      stalled.resolve();
      await resumed.promise;
    });
    await stalled.promise;
    await db.passLeases(10);
    expect(await store.openSession('successor', 10, later)).toMatchObject({ lease: { fence: lease.fence + 1 } });
    resumed.resolve();
    await expect(stopped).rejects.toThrow(DatabaseUnavailable);
    await frozen.close();
  });
});
