import { beforeEach, describe, expect, test } from 'vitest';
import { ServiceError } from '#core/service-error.ts';
import { maintainConnection } from '#flows/connections/refresh-tokens.ts';
import { disconnect } from '#flows/connections/disconnect.ts';
import { changeStatus } from '#flows/tenants/change-status.ts';
import { eachWorld } from '#test/support/each-world.ts';
import { today } from '#test/support/world.ts';

const world = eachWorld();

const actor = { username: 'admin@northwind-msp.example' };
const requestsTo = async (path: RegExp) => (await world.quickbooks.journal()).filter((entry) => path.test(entry.path));
const tokenCalls = async () => (await requestsTo(/\/tokens\/bearer$/)).length;
const accounting = async () => (await world.store.listConnections())[1];
const maintain = () => maintainConnection(world.app, world.app.forTenant(world.tenant.tenantId));
const week = 7 * 86_400;
const expireAccess = () => controlled('POST', '/expire-tokens', {});
const controlled = async (method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await fetch(`${world.quickbooks.url}/__sandbox${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return answer.json();
};
const failureOf = (error: unknown) => (error instanceof ServiceError ? error.about : error);

describe('after a disconnect', () => {
  test('waiting calls are never sent, and nothing uses the old token', async () => {
    const accounting = await world.tenant.accounting();
    await world.quickbooks.fault({ match: { path: '/query$' }, action: { delay_ms: 60 } });
    const waiting = Promise.allSettled(Array.from({ length: 30 }, () => accounting.readAccounts()));
    await expect.poll(async () => (await requestsTo(/\/query$/)).length, { interval: 5 }).toBeGreaterThan(0);
    await disconnect(world.app, world.tenant, 'accounting', actor);
    const ends = await waiting;
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [failureOf(end.reason)] : []));
    for (const about of refused) expect(about).toMatchObject({ outcome: 'not_applied' });
    const waited = refused.filter((about) => about instanceof Object && 'next' in about && about.next === 'stop_run');
    expect(waited.length).toBeGreaterThan(5);
    const all = await world.quickbooks.journal();
    const revoked = all.findIndex(({ path }) => path.endsWith('/tokens/revoke'));
    expect(revoked).toBeGreaterThan(0);
    expect(all.slice(revoked).filter(({ path }) => path.startsWith('/v3/'))).toEqual([]);
    await expect(world.tenant.accounting()).rejects.toMatchObject({ code: 'not_connected' });
    expect(await controlled('GET', '/connections')).toMatchObject({ items: [] });
  });

  test('the access is revoked later automatically if the service did not respond', async () => {
    await world.quickbooks.fault({ match: { path: '/tokens/revoke$' }, times: 2, action: { status: 503, body: '' } });
    await disconnect(world.app, world.tenant, 'accounting', actor);
    expect(await accounting()).toMatchObject({ status: 'inactive', problem: null });
    expect(await world.store.readAccountingCredentials()).toBeNull();
    await maintain();
    expect(await requestsTo(/\/tokens\/revoke$/)).toHaveLength(1);
    for (const seconds of [301, 601]) {
      await world.advance(seconds);
      await maintain();
    }
    expect((await requestsTo(/\/tokens\/revoke$/)).map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(await controlled('GET', '/connections')).toMatchObject({ items: [] });
    await world.advance(30 * 86_400);
    await maintain();
    expect(await requestsTo(/\/tokens\/revoke$/)).toHaveLength(3);
  });

  test('the access is no longer revoked once the same company is connected again', async () => {
    await world.quickbooks.fault({ match: { path: '/tokens/revoke$' }, times: 1, action: { status: 503, body: '' } });
    await disconnect(world.app, world.tenant, 'accounting', actor);
    await world.reconnectAccounting();
    await world.advance(week + 1);
    await maintain();
    expect(await requestsTo(/\/tokens\/revoke$/)).toHaveLength(1);
    expect(await (await world.tenant.accounting()).identify()).toMatchObject({ companyName: 'Northwind IT Services' });
  });
});

describe('tokens', () => {
  test('A4 that have expired are refreshed once, regardless of the number of workers', async () => {
    await expireAccess();
    const before = await tokenCalls();
    const workers = await Promise.all([1, 2, 3].map(() => world.app.forTenant(world.tenant.tenantId).accounting()));
    const names = await Promise.all(workers.map((one) => one.identify()));
    expect(names).toHaveLength(3);
    expect((await tokenCalls()) - before).toBe(1);
  });

  test('A2 that were refreshed with a lost response end in one clear state after two calls', async () => {
    await world.quickbooks.behave({ refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 0 });
    // The lists that the screens need are cached.
    await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
    await expireAccess();
    const before = await tokenCalls();
    await world.quickbooks.fault({ match: { path: '/tokens/bearer$' }, times: 1, action: { reset: 'after' } });
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(job).toMatchObject({ status: 'failed', message: expect.stringContaining('reconnect') });
    expect(await accounting()).toMatchObject({ status: 'inactive', problem: expect.stringMatching(/reconnect/) });
    for (let round = 0; round < 5; round += 1) await world.cycle();
    await maintain();
    expect((await tokenCalls()) - before).toBe(2);
  });

  describe('tokens lost before any list was read', () => {
    const saidSo = { status: 'inactive', problem: expect.stringMatching(/needs to be reconnected/) };
    beforeEach(async () => {
      await world.saveSettings({ inv_sync_active: true });
      await controlled('POST', '/revoke');
    });

    test('are reported by the first cycle, without blaming a setting', async () => {
      await world.cycle();
      expect(await accounting()).toMatchObject(saidSo);
      const [stopped] = await world.store.listNewestJobs();
      expect(stopped?.message).toMatch(/^QuickBooks Online needs to be reconnected/);
    });

    test('are reported to a user who syncs manually, without blaming a setting', async () => {
      const sync = world.sync('invoice', { mode: 'live', psaIds: [48_213] });
      await expect(sync).rejects.toMatchObject({ about: { service: 'accounting', next: 'reconnect' } });
    });
  });

  test('A2 recover automatically where the service accepts the previous token for a while', async () => {
    await world.quickbooks.behave({ refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 86_400 });
    await expireAccess();
    const before = await tokenCalls();
    await world.quickbooks.fault({ match: { path: '/tokens/bearer$' }, times: 1, action: { reset: 'after' } });
    expect(await (await world.tenant.accounting()).identify()).toMatchObject({ companyName: 'Northwind IT Services' });
    expect((await tokenCalls()) - before).toBe(2);
    expect(await accounting()).toMatchObject({ status: 'active', problem: null });
  });

  test('A10 of an unused connection are refreshed weekly, so that they outlive the hundred days', async () => {
    await world.quickbooks.behave({ refresh_token_rotation: 'every-refresh' });
    const before = await tokenCalls();
    for (let weeks = 0; weeks < 17; weeks += 1) {
      await world.advance(week + 1);
      await Promise.all([maintain(), maintain()]);
    }
    expect((await tokenCalls()) - before).toBe(17);
    expect(await (await world.tenant.accounting()).identify()).toMatchObject({ companyName: 'Northwind IT Services' });
  });

  test('A10 that have expired are reported once and not retried', async () => {
    await world.advance(110 * 86_400);
    const before = await tokenCalls();
    for (let days = 0; days < 3; days += 1) {
      await maintain();
      await world.advance(86_400);
    }
    expect(await accounting()).toMatchObject({
      status: 'inactive',
      problem: expect.stringContaining('connect it again'),
    });
    expect((await tokenCalls()) - before).toBe(1);
  });

  test('A10 show when they expire: a hundred days after their last use or five years after the consent', async () => {
    const first = (await accounting())?.consentEndsAt ?? '';
    expect(first.slice(0, 10)).toBe('2025-06-12');
    await world.advance(week + 1);
    await maintain();
    expect(((await accounting())?.consentEndsAt ?? '') > first).toBe(true);
  });
});

test('a client reactivated while QuickBooks does not respond becomes active once the lists are read', async () => {
  const status = async () => (await world.store.readTenant()).status;
  const set = (wish: 'active' | 'suspended') =>
    changeStatus(world.app, actor, world.tenant.tenantId, { status: wish, reason: 'A test' });
  const lookAgain = async () => {
    await world.advance(301);
    await maintain();
  };
  await set('suspended');
  await world.quickbooks.fault({ match: { path: '.*' }, action: { status: 503, body: '' } });
  await set('active');
  await lookAgain();
  expect(await status()).toBe('pending');
  await world.quickbooks.clearFaults();
  await lookAgain();
  expect(await status()).toBe('active');
});

describe('during a session', () => {
  const count = 12;
  beforeEach(async () => {
    await world.autotask.reset({ today, invoices: count, lines_per_invoice: 1 });
    // One call is sent after another.
    await world.saveSettings({ inv_numbering_option: 'qbo' });
  });
  const ids = Array.from({ length: count }, (_, n) => 100_001 + n);
  /** Syncs invoices one call after another, and does something once, right after the first document is posted. */
  const syncAnd = (act: () => Promise<unknown>) => {
    let isDone = false;
    return world.sync('invoice', { mode: 'live', psaIds: ids }, async (name, when) => {
      if (isDone || name !== 'commit:posted' || when === 'before') return;
      isDone = true;
      await act();
    });
  };
  const posted = async () => {
    const notes = (await world.quickbooks.list('Invoice')).map(({ PrivateNote: note }) => String(note));
    return ids.filter((id) => notes.some((note) => note.startsWith(`Autotask invoice ${id} `)));
  };
  const sent = async () =>
    (await requestsTo(/^\/v3\//)).filter(({ method, path }) => method === 'POST' && !path.endsWith('/query'));
  const finished = { status: 'finished', succeeded: count };

  test('expired tokens are refreshed once, and all documents are posted', async () => {
    const before = await tokenCalls();
    expect(await syncAnd(expireAccess)).toMatchObject(finished);
    expect((await tokenCalls()) - before).toBe(1);
    expect(await posted()).toEqual(ids);
  });

  test('tokens that another process refreshed are used after one refused call', async () => {
    await world.quickbooks.behave({ refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: 0 });
    const before = await tokenCalls();
    const refreshElsewhere = async () => {
      await expireAccess();
      await world.store.refreshAccountingCredentials((current) => world.app.oauth.refresh(current));
    };
    expect(await syncAnd(refreshElsewhere)).toMatchObject(finished);
    expect((await tokenCalls()) - before).toBe(1);
    expect((await requestsTo(/^\/v3\//)).filter(({ status }) => status === 401).length).toBeGreaterThan(0);
    expect(await posted()).toEqual(ids);
  });

  test('a disconnect ends it: nothing more is posted until QuickBooks is connected again, then each document once', async () => {
    const job = await syncAnd(() => disconnect(world.app, world.tenant, 'accounting', actor));
    expect(job).toMatchObject({ status: 'failed', message: expect.stringContaining('disconnected') });
    const first = await posted();
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(count);
    const calls = await sent();
    const [revoked] = await requestsTo(/\/tokens\/revoke$/);
    expect(calls.filter(({ sequence }) => sequence > (revoked?.sequence ?? 0))).toEqual([]);
    await world.reconnectAccounting();
    await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(await posted()).toEqual(ids);
    expect(
      (await world.quickbooks.list('Invoice')).filter(({ PrivateNote: note }) =>
        String(note).startsWith('Autotask invoice 1000'),
      ),
    ).toHaveLength(count);
  });

  test('a new consent to the same company lets it continue', async () => {
    const reconnect = async () => {
      await disconnect(world.app, world.tenant, 'accounting', actor);
      await world.reconnectAccounting();
    };
    expect(await syncAnd(reconnect)).toMatchObject(finished);
    expect(await posted()).toEqual(ids);
  });
});
