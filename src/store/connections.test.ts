import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ChangedMeanwhile } from '#core/changed-meanwhile.ts';
import { RefreshUnderWay } from '#core/records/connections.ts';
import { Refusal } from '#core/refusal.ts';
import type { TenantStore } from './tenant-store.ts';
import type { AccountingCredentials, NewConnection } from '#core/tenant.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { began, newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase, testSecretKey } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { openDatabase } from './database.ts';
import { createStore } from './root-store.ts';
import { rotateKeys } from './secrets.ts';
import { createVault, VaultError } from './vault.ts';

let store: TenantStore;
const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());
/** A company belongs to one tenant at a time, so each test uses its own companies. */
let companies = 0;
let accounting: NewConnection;
let psa: NewConnection;
beforeEach(async () => {
  store = await newTenant(db.store);
  companies += 1;
  accounting = accountingOf(`realm-canary-${companies}`);
  psa = {
    ...accounting,
    service: 'psa',
    name: 'Northwind',
    externalId: `database-${companies}`,
    user: 'api@n.example',
  };
});

const accountingOf = (realmId: string): NewConnection => ({
  service: 'accounting',
  status: 'active',
  name: 'Northwind Accounting',
  user: 'Ann',
  externalId: realmId,
  connectedAt: began,
  problem: null,
});
const tokens = (count: number, realmId = accounting.externalId ?? ''): AccountingCredentials => ({
  realmId,
  accessToken: `access-canary-${count}`,
  accessTokenEndsAt: addSeconds(began, count * 3_600),
  refreshToken: `refresh-canary-${count}`,
  refreshTokenEndsAt: addSeconds(began, 8_640_000),
});

const dump = (): Promise<string> =>
  asOwner(db.url, async (client) => JSON.stringify((await client.query('select * from connections')).rows));

describe('a connection', () => {
  test('is inactive and nameless before the first connection', async () => {
    const none = {
      status: 'inactive',
      name: '',
      user: null,
      externalId: null,
      connectedAt: null,
      problem: null,
      consentEndsAt: null,
    };
    expect(await store.listConnections()).toEqual([
      { service: 'psa', ...none },
      { service: 'accounting', ...none },
    ]);
    expect(await store.readPsaCredentials()).toBeNull();
    expect(await store.readAccountingCredentials()).toBeNull();
  });

  test('is read back as saved, without plain secrets in the database', async () => {
    await store.saveConnection(psa, { userName: 'u', secret: 'secret-canary' });
    await store.saveConnection(accounting, tokens(1));
    expect(await store.listConnections()).toEqual([
      { ...psa, consentEndsAt: null },
      { ...accounting, consentEndsAt: tokens(1).refreshTokenEndsAt },
    ]);
    expect(await store.readPsaCredentials()).toEqual({ userName: 'u', secret: 'secret-canary' });
    expect(await store.readAccountingCredentials()).toEqual(tokens(1));
    expect(await dump()).not.toContain('canary');
    expect(await (await newTenant(db.store)).readPsaCredentials()).toBeNull();
  });

  test('loses its credentials and keeps its name and company when removed', async () => {
    await store.saveConnection(accounting, tokens(1));
    await store.removeCredentials('accounting');
    expect(await store.readAccountingCredentials()).toBeNull();
    expect((await store.listConnections())[1]).toEqual({ ...accounting, status: 'inactive', consentEndsAt: null });
  });

  test('shows why it became inactive until it is active again', async () => {
    await store.saveConnection(accounting, tokens(1));
    await store.markConnection('accounting', { status: 'inactive', problem: 'Consent was withdrawn.' });
    expect((await store.listConnections())[1]).toMatchObject({ status: 'inactive', problem: 'Consent was withdrawn.' });
    await store.markConnection('accounting', { status: 'inactive', name: 'New name' });
    expect((await store.listConnections())[1]).toMatchObject({ name: 'New name', problem: 'Consent was withdrawn.' });
    await store.markConnection('accounting', { status: 'active' });
    expect((await store.listConnections())[1]).toMatchObject({ status: 'active', problem: null });
    expect(await store.readAccountingCredentials()).toEqual(tokens(1));
  });
});

describe('a company', () => {
  const taken = { kind: 'conflict', code: 'company_taken' };
  const connect = (tenant: TenantStore) => tenant.saveConnection(accounting, tokens(1));
  const refusals = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
    outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));

  test('connected by two tenants at once belongs to one of them, and the other gets an error', async () => {
    const rival = await newTenant(db.store);
    const refused = refusals(await Promise.allSettled([store, rival].map(connect)));
    expect(refused).toEqual([expect.any(Refusal)]);
    expect(refused).toMatchObject([
      { ...taken, message: expect.stringContaining('“Northwind Accounting” is connected') },
    ]);
    expect(await db.store.findConnected('accounting', accounting.externalId ?? '')).toHaveLength(1);
    const credentials = await Promise.all([store, rival].map((one) => one.readAccountingCredentials()));
    expect(credentials.filter((one) => one !== null)).toHaveLength(1);
  });

  test('is free again after disconnecting, and both tenants still know it', async () => {
    const next = await newTenant(db.store);
    await connect(store);
    await expect(connect(next)).rejects.toMatchObject(taken);
    await store.removeCredentials('accounting');
    await connect(next);
    const holders = await db.store.findHolders('accounting', accounting.externalId ?? '');
    expect(holders.toSorted((one, other) => Number(one.isActive) - Number(other.isActive))).toEqual([
      { tenantId: store.tenantId, tenantStatus: 'active', isActive: false },
      { tenantId: next.tenantId, tenantStatus: 'active', isActive: true },
    ]);
    expect(await db.store.findHolders('psa', accounting.externalId ?? '')).toEqual([]);
  });

  test('that is now connected elsewhere cannot be reactivated', async () => {
    await connect(store);
    await store.markConnection('accounting', { status: 'inactive', problem: 'Reconnect.' });
    await connect(await newTenant(db.store));
    await expect(store.markConnection('accounting', { status: 'active', problem: null })).rejects.toMatchObject(taken);
    expect((await store.listConnections())[1]).toMatchObject({ status: 'inactive', problem: 'Reconnect.' });
  });

  test('connected by two tenants before hashes existed stays with the first one', async () => {
    const fresh = await newDatabase({ clock: { now: () => began } });
    const [first, second] = [await newTenant(fresh.store), await newTenant(fresh.store)];
    await second.saveConnection({ ...accounting, connectedAt: addSeconds(began, 60) }, tokens(1));
    await asOwner(fresh.url, (client) => client.query('update connections set external_hash = null'));
    await first.saveConnection(accounting, tokens(1));
    await asOwner(fresh.url, (client) => client.query('update connections set external_hash = null'));
    await rotateKeys(fresh.database, createVault(testSecretKey));
    expect(await fresh.store.findConnected('accounting', accounting.externalId ?? '')).toEqual([first.tenantId]);
    expect((await second.listConnections())[1]).toMatchObject({
      status: 'inactive',
      problem: expect.stringContaining('connected to another subscription'),
    });
    // Nothing is left to renew.
    await rotateKeys(fresh.database, createVault(testSecretKey));
    expect(await fresh.store.findHolders('accounting', accounting.externalId ?? '')).toHaveLength(2);
    await fresh.close();
  });
});

describe('maintaining the QuickBooks connection', () => {
  const due = async (now: Instant) => (await db.store.tenantsDueForMaintenance(now, 1_000)).includes(store.tenantId);
  const week = 7 * 86_400;

  test('is due a week after the last token renewal, for one worker at a time', async () => {
    await store.saveConnection(accounting, tokens(1));
    expect(await due(addSeconds(began, week - 1))).toBe(false);
    expect(await store.claimMaintenance(addSeconds(began, week - 1))).toBeNull();
    const then = addSeconds(began, week);
    expect(await due(then)).toBe(true);
    const taken = await Promise.all([
      store.claimMaintenance(then),
      store.claimMaintenance(then),
      store.claimMaintenance(then),
    ]);
    expect(taken.filter((one) => one !== null)).toEqual([{ isIdle: true, ended: null }]);
    // The worker that claimed it died: another one tries an hour later.
    expect(await due(addSeconds(then, 3_599))).toBe(false);
    expect(await store.claimMaintenance(addSeconds(then, 3_600))).toMatchObject({ isIdle: true });
    await store.refreshAccountingCredentials(async () => tokens(2));
    expect(await due(addSeconds(began, week - 1))).toBe(false);
  });

  test('stops for a rejected connection until a user reconnects', async () => {
    await store.saveConnection(accounting, tokens(1));
    await store.markConnection('accounting', { status: 'inactive', problem: 'Reconnect.' });
    expect(await store.claimMaintenance(addSeconds(began, week))).toEqual({ isIdle: false, ended: null });
    expect(await due(addSeconds(began, 10 * week))).toBe(false);
  });

  test('revokes an ended access whose tokens are no longer used', async () => {
    await store.saveConnection(accounting, tokens(1));
    expect(await store.endAccountingAccess(began)).toEqual(tokens(1));
    expect(await store.endAccountingAccess(began)).toBeNull();
    expect(await store.readAccountingCredentials()).toBeNull();
    await expect(store.refreshAccountingCredentials(async () => tokens(2))).rejects.toBeInstanceOf(Refusal);
    expect((await store.listConnections())[1]).toMatchObject({ status: 'inactive', name: 'Northwind Accounting' });
    expect(await dump()).not.toContain('canary');
    const then = addSeconds(began, 300);
    expect(await store.claimMaintenance(then)).toEqual({ isIdle: false, ended: { credentials: tokens(1), at: began } });
    await store.scheduleMaintenance(addSeconds(then, 60));
    expect(await due(addSeconds(then, 60))).toBe(true);
    await store.forgetEndedAccess();
    expect(await store.claimMaintenance(addSeconds(then, 60))).toEqual({ isIdle: false, ended: null });
    expect(await due(addSeconds(then, 10 * week))).toBe(false);
  });

  test('is not ended if another company was connected since the user saw it', async () => {
    await store.saveConnection(accounting, tokens(1));
    await store.saveConnection(psa, { userName: 'u', secret: 's' });
    const was = { name: 'Old Company' };
    await expect(store.endAccountingAccess(began, was)).rejects.toBeInstanceOf(ChangedMeanwhile);
    for (const service of ['accounting', 'psa'] as const)
      await expect(store.removeCredentials(service, was)).rejects.toBeInstanceOf(ChangedMeanwhile);
    expect(await store.readAccountingCredentials()).toEqual(tokens(1));
    expect((await store.listConnections()).map(({ status }) => status)).toEqual(['active', 'active']);
    expect(await store.endAccountingAccess(began, { name: accounting.name })).toEqual(tokens(1));
  });

  test('keeps an ended access if the same company is connected again, and revokes it for another company', async () => {
    await store.saveConnection(accounting, tokens(1));
    await store.endAccountingAccess(began);
    await store.saveConnection(accounting, { ...tokens(2), realmId: 'another-realm' });
    const then = addSeconds(began, 300);
    expect(await store.claimMaintenance(then)).toMatchObject({ isIdle: true, ended: { credentials: tokens(1) } });
    await store.saveConnection(accounting, tokens(3));
    expect(await store.claimMaintenance(addSeconds(began, week))).toEqual({ isIdle: true, ended: null });
  });
});

describe('secrets', () => {
  test('do not decrypt for another tenant, even with their key', async () => {
    const otherTenant = await newTenant(db.store);
    await store.saveConnection(accounting, tokens(1));
    await otherTenant.saveConnection(accountingOf('realm-of-the-thief'), tokens(2, 'realm-of-the-thief'));
    await asOwner(db.url, async (client) => {
      await client.query(
        `update connections t set credentials = s.credentials from connections s
          where t.tenant_id = $1 and s.tenant_id = $2 and t.service = 'accounting' and s.service = 'accounting'`,
        [otherTenant.tenantId, store.tenantId],
      );
    });
    await expect(otherTenant.readAccountingCredentials()).rejects.toThrow(VaultError);
    await asOwner(db.url, async (client) => {
      await client.query(
        `insert into data_keys (tenant_id, id, root_key_id, wrapped)
         select $1, id, root_key_id, wrapped from data_keys where tenant_id = $2`,
        [otherTenant.tenantId, store.tenantId],
      );
    });
    await expect(otherTenant.readAccountingCredentials()).rejects.toThrow(VaultError);
  });

  test('do not decrypt in another column or service', async () => {
    await store.saveConnection(accounting, tokens(1));
    await store.saveConnection(psa, { userName: 'u', secret: 's' });
    await asOwner(db.url, (client) =>
      client.query(`update connections set external_id = credentials where tenant_id = $1 and service = 'accounting'`, [
        store.tenantId,
      ]),
    );
    await expect(store.listConnections()).rejects.toThrow(VaultError);
    await asOwner(db.url, (client) =>
      client.query(
        `update connections t set credentials = s.credentials from connections s
          where t.tenant_id = $1 and s.tenant_id = $1 and t.service = 'psa' and s.service = 'accounting'`,
        [store.tenantId],
      ),
    );
    await expect(store.readPsaCredentials()).rejects.toThrow(VaultError);
  });

  test('saved before company hashes existed are found by company after the next start', async () => {
    const fresh = await newDatabase({ clock: { now: () => began } });
    const tenant = await newTenant(fresh.store);
    await tenant.saveConnection(accounting, tokens(1));
    const find = () => fresh.store.findConnected('accounting', accounting.externalId ?? '');
    expect(await find()).toEqual([tenant.tenantId]);
    await asOwner(fresh.url, (client) => client.query('update connections set external_hash = null'));
    expect(await find()).toEqual([]);
    await rotateKeys(fresh.database, createVault(testSecretKey));
    expect(await find()).toEqual([tenant.tenantId]);
    await fresh.close();
  });

  test('survive a rotation of the root key; the old key then decrypts nothing', async () => {
    const fresh = await newDatabase();
    const clock = { now: () => began };
    const tenants = [await newTenant(fresh.store), await newTenant(fresh.store), await newTenant(fresh.store)];
    for (const one of tenants) await one.saveConnection(accountingOf(one.tenantId), tokens(1, one.tenantId));
    const secret = 'another root secret made for the rotation';
    const both = createVault(`${secret},${testSecretKey}`);
    expect(await rotateKeys(fresh.database, both)).toBe(3);
    expect(await rotateKeys(fresh.database, both)).toBe(0);
    const renewed = createStore({ database: fresh.database, vault: createVault(secret), clock });
    for (const { tenantId } of tenants) {
      expect(await renewed.forTenant(tenantId).readAccountingCredentials()).toEqual(tokens(1, tenantId));
      expect(await renewed.findConnected('accounting', tenantId)).toEqual([tenantId]);
    }
    await expect(tenants[0]?.readAccountingCredentials()).rejects.toThrow('not set here');
    await fresh.close();
  });
});

describe('a token refresh', () => {
  beforeEach(() => store.saveConnection(accounting, tokens(1)));

  /** Refreshes as a flow does: only if the tokens are still the old ones. */
  const refresher = (calls: string[]) => (current: AccountingCredentials) => {
    if (current.accessToken !== 'access-canary-1') return Promise.resolve(null);
    calls.push(current.refreshToken);
    return Promise.resolve(tokens(2));
  };

  /** Keeps a call to the service open until all other workers wait for it, or have called the service as well. */
  const everybodyIsThere = (calls: readonly string[], others: number) =>
    asOwner(db.url, async (client) => {
      for (let waiting = 0; waiting + calls.length - 1 < others;) {
        const { rowCount } = await client.query(
          `select 1 from pg_stat_activity
            where datname = current_database() and application_name = 'tallybridge' and wait_event_type = 'Lock'`,
        );
        waiting = rowCount ?? 0;
      }
    });

  test('calls the service once for any number of workers, and all get the latest tokens', async () => {
    const calls: string[] = [];
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() =>
        store.refreshAccountingCredentials(async (current) => {
          const next = await refresher(calls)(current);
          if (next !== null) await everybodyIsThere(calls, 4);
          return next;
        }),
      ),
    );
    expect(calls).toEqual(['refresh-canary-1']);
    expect(answers).toEqual(answers.map(() => tokens(2)));
    expect(await store.readAccountingCredentials()).toEqual(tokens(2));
  });

  test('may exceed the idle transaction timeout while no other worker calls the service', async () => {
    const own = await openDatabase(db.url, { logger: silentLogger, maxConnections: 1, idleInTransactionMs: 1_000 });
    const slow = createStore({ database: own, vault: createVault(testSecretKey), clock: { now: () => began } });
    const calls: string[] = [];
    const isCalled = Promise.withResolvers<void>();
    const first = slow.forTenant(store.tenantId).refreshAccountingCredentials(async (current) => {
      const next = await refresher(calls)(current);
      isCalled.resolve();
      await delay(1_500);
      return next;
    });
    await isCalled.promise;
    await store.refreshAccountingCredentials(refresher(calls));
    await first;
    await own.close();
    expect(calls).toEqual(['refresh-canary-1']);
    expect(await store.readAccountingCredentials()).toEqual(tokens(2));
  });

  describe('of a worker that stalls after calling the service', () => {
    const withLimits = (heldMs: number, waitMs: number) =>
      createStore({
        database: db.database,
        vault: createVault(testSecretKey),
        clock: { now: () => began },
        refreshLimits: { heldMs, waitMs },
      }).forTenant(store.tenantId);
    const stall = async (heldMs = 1_000) => {
      const isAsked = Promise.withResolvers<void>();
      const late = Promise.withResolvers<AccountingCredentials>();
      const stalled = withLimits(heldMs, 30_000).refreshAccountingCredentials(() => {
        isAsked.resolve();
        return late.promise;
      });
      await isAsked.promise;
      return { stalled, resume: () => late.resolve(tokens(9)) };
    };

    test('delays the next worker for at most a refresh, and its late response replaces no newer tokens', async () => {
      const { stalled, resume } = await stall(200);
      const calls: string[] = [];
      expect(await withLimits(200, 30_000).refreshAccountingCredentials(refresher(calls))).toEqual(tokens(2));
      expect(calls).toEqual(['refresh-canary-1']);
      resume();
      expect(await stalled).toEqual(tokens(2));
      expect(await store.readAccountingCredentials()).toEqual(tokens(2));
    });

    test('stores its late response if no other worker refreshed, because the old token may be invalid', async () => {
      const { stalled, resume } = await stall(200);
      await asOwner(db.url, async (client) => {
        const held = `select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
        while ((await client.query(held)).rowCount !== 0) await delay(20);
      });
      resume();
      expect(await stalled).toEqual(tokens(9));
      expect(await store.readAccountingCredentials()).toEqual(tokens(9));
    });

    test('reports a running refresh to workers that cannot wait', async () => {
      const { stalled, resume } = await stall();
      const waits = withLimits(1_000, 50).refreshAccountingCredentials(refresher([]));
      await expect(waits).rejects.toBeInstanceOf(RefreshUnderWay);
      resume();
      await stalled;
    });

    test('delays no disconnect or new connection and restores nothing', async () => {
      const { stalled, resume } = await stall();
      expect(await store.endAccountingAccess(began)).toEqual(tokens(1));
      resume();
      await expect(stalled).rejects.toMatchObject({ code: 'not_connected' });
      expect(await store.readAccountingCredentials()).toBeNull();
    });
  });

  test('changes nothing when the service rejects it', async () => {
    await expect(store.refreshAccountingCredentials(() => Promise.reject(new Error('invalid_grant')))).rejects.toThrow(
      'invalid_grant',
    );
    expect(await store.readAccountingCredentials()).toEqual(tokens(1));
  });

  test('stores the rotated token even if the connection is cut after the response', async () => {
    const cut = async (current: AccountingCredentials) => {
      await asOwner(db.url, (client) =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'tallybridge' and state = 'idle in transaction'`,
        ),
      );
      return { ...tokens(2), realmId: current.realmId };
    };
    expect(await store.refreshAccountingCredentials(cut)).toEqual(tokens(2));
    expect(await store.readAccountingCredentials()).toEqual(tokens(2));
  });

  test('is rejected without a connection', async () => {
    await store.removeCredentials('accounting');
    const refused = store.refreshAccountingCredentials(refresher([]));
    await expect(refused).rejects.toThrow(Refusal);
    await expect(refused).rejects.toMatchObject({ kind: 'conflict', code: 'not_connected' });
  });
});
