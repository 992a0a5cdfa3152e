import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewNotice } from '#core/records/notices.ts';
import { checklistOf } from '#core/reconciliation/checklist.ts';
import { month } from '#core/reconciliation/month.ts';
import { addSeconds } from '#core/values/dates.ts';
import { noteEndings } from '#flows/alerts/note-endings.ts';
import { removeOld } from '#flows/alerts/remove-old.ts';
import { sendDigest } from '#flows/alerts/send-digests.ts';
import { prepareClose } from '#flows/close/prepare.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { newApi, password, people, type TestApi } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';
import { newUser } from '#test/cases/sample-records.ts';

let api: TestApi;
let admin: string;
let accountant: string;
beforeEach(async () => {
  api = await newApi();
  const { tenantId } = api.world.tenant;
  await api.world.app.store.addUser(
    newUser('accounting@northwind-msp.example', {
      passwordHash: await hashPassword(password),
      roles: ['accountant'],
      tenantId,
    }),
  );
  admin = await api.signIn(people.admin);
  accountant = await api.signIn('accounting@northwind-msp.example');
});
afterEach(() => api.close());

interface Listed {
  readonly notices: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
  readonly unread: number;
}
const list = async (token = admin, query = ''): Promise<Listed> => {
  const { status, data } = await api.call('GET', `/api/my/notices${query}`, { token });
  expect(status).toBe(200);
  return data as unknown as Listed;
};
const signed = (by: string): NewNotice => ({
  notice: { kind: 'month_signed', by, month: month('2025-02'), as: 'preparer' },
  at: api.world.clock.now(),
  roles: ['clientadmin', 'accountant'],
});

describe('notices', () => {
  test('report a signature to the other users who may sign, not to the signer', async () => {
    const { world } = api;
    const { id } = await prepareClose(world.tenant, month('2025-02'), { username: people.admin }, 'test');
    const close = await world.store.readClose(id);
    const body = {
      close_id: id,
      as: 'preparer',
      checked: close === null ? [] : checklistOf(close.proof).map(({ key }) => key),
      reason: 'Checked by hand.',
    };
    const { status } = await api.call('POST', '/api/my/closes/2025-02/sign', { token: admin, body });
    expect(status).toBe(200);
    expect((await list()).notices).toEqual([]);
    expect((await list(accountant)).notices).toMatchObject([
      { kind: 'month_signed', title: expect.stringContaining('February 2025') },
    ]);

    // The month changes before the second signature.
    const work = { itemDate: '2025-02-10T00:00:00Z', totalAmount: 660, internalCurrencyTotalAmount: 660 };
    await world.autotask.put('BillingItems', 9_000_000, work);
    await prepareClose(world.tenant, month('2025-02'), { username: people.admin }, 'test');
    const outdated = {
      kind: 'signature_outdated',
      title: 'February 2025 must be signed again',
      detail: `It changed after ${people.admin} signed as preparer, before the second signature.`,
    };
    expect((await list()).notices).toMatchObject([outdated]);
    // Once: the newer proof has no signature.
    await world.autotask.put('BillingItems', 9_000_000, {
      ...work,
      totalAmount: 661,
      internalCurrencyTotalAmount: 661,
    });
    await prepareClose(world.tenant, month('2025-02'), { username: people.admin }, 'test');
    expect((await list()).total).toBe(1);
  });

  test('report failed documents of automatic syncs once, with count and amounts, to administrators', async () => {
    const { world } = api;
    await world.saveSettings({ inv_sync_active: true, inv_create_item_automatically: false });
    await world.cycle();
    const failed = (await world.logs()).filter(({ success }) => !success);
    const cents = failed.reduce((all, { amount }) => all + Math.round(Number(amount ?? 0) * 100), 0);
    expect([failed.length > 1, cents > 0]).toEqual([true, true]);
    // Two workers at the same time.
    await Promise.all([1, 2].map(() => sendDigest(world.app, world.tenant.tenantId)));
    const { notices, unread, total } = await list();
    expect([unread, total]).toEqual([1, 1]);
    expect(notices[0]).toMatchObject({
      kind: 'documents_failed',
      title: `${failed.length} documents need attention`,
      path: '/needs-attention',
      is_read: false,
    });
    const sums = notices[0]?.['sums'] as readonly { readonly amount: string }[];
    expect(sums.reduce((all, { amount }) => all + Math.round(Number(amount) * 100), 0)).toBe(cents);
    expect((await list(accountant)).total).toBe(0);

    await world.advance(3_600);
    await world.cycle();
    await sendDigest(world.app, world.tenant.tenantId);
    admin = await api.signIn(people.admin);
    expect((await list()).total).toBe(1);
  });

  test('are marked as read one by one and all at once, for one user only', async () => {
    const { store } = api.world;
    await store.addNotices([signed('ada'), signed('ben'), signed('cy')]);
    const { notices, unread } = await list();
    expect(unread).toBe(3);
    const id = String(notices[0]?.['id']);
    const read = (path: string, token: string) => api.call('POST', `/api/my/notices/${path}`, { token, body: {} });
    expect((await read(`${id}/read`, accountant)).status).toBe(404);
    expect((await read(`${id}/read`, admin)).status).toBe(200);
    expect((await read(`${id}/read`, admin)).status).toBe(200);
    expect((await list()).unread).toBe(2);
    expect((await read('read-all', admin)).data).toEqual({ marked: 2 });
    expect((await list()).notices.map((one) => one['is_read'])).toEqual([true, true, true]);
    expect((await list(accountant)).unread).toBe(3);
    const nobody = await api.signIn(people.sysadmin);
    const acting = await api.call('POST', '/auth/masquerade', {
      token: nobody,
      body: { client_id: api.world.tenant.tenantId },
    });
    expect((await list(String(acting.data['token']))).total).toBe(0);
  });

  test('are paged, limited to 500 for each user, and removed after 30 days', async () => {
    const { store, app } = api.world;
    const many = Array.from({ length: 505 }, (_, index) => ({
      ...signed(`user ${index}`),
      at: addSeconds(api.world.clock.now(), index - 600),
    }));
    await store.addNotices(many);
    const { notices, total } = await list(admin, '?page=2&page_size=10');
    expect([total, notices.length]).toEqual([500, 10]);
    expect(notices[0]?.['detail']).toBe('user 494 signed as preparer.');
    expect((await list(accountant)).total).toBe(500);
    await api.world.advance(30 * 86_400 - 700);
    await removeOld(app);
    admin = await api.signIn(people.admin);
    expect((await list()).total).toBe(500);
    await api.world.advance(800);
    await removeOld(app);
    expect((await list()).total).toBe(0);
  });

  test('are removed with their user', async () => {
    const { store, app, tenant } = api.world;
    await store.addNotices([signed('ada')]);
    const { people: users } = await store.listPeople({ page: 1, pageSize: 10, text: 'accounting@' });
    const id = users[0]?.id ?? '';
    const event = {
      at: app.clock.now(),
      actor: { username: 'a' },
      action: 'a',
      subject: null,
      before: null,
      after: null,
    };
    expect(await store.deactivateUser(id, { handOver: [], to: null }, event)).toBe(true);
    expect(await store.removeUser(id, { handOver: [], to: null }, event)).toBe(true);
    const left = await asOwner(api.world.database.url, async (client) => {
      const { rows } = await client.query('select 1 from notices where tenant_id = $1', [tenant.tenantId]);
      return rows.length;
    });
    expect(left).toBe(1);
  });

  test('report a connection and an API key that expire soon, once', async () => {
    const { app, clock, tenant } = api.world;
    await api.call('POST', '/api/my/api-keys', { token: admin, body: { name: 'Report', scope: 'read', days: 20 } });
    await noteEndings(app);
    expect((await list()).total).toBe(0);
    await asOwner(api.world.database.url, (client) =>
      client.query(`update connections set consent_ends_at = $2 where tenant_id = $1 and service = 'accounting'`, [
        tenant.tenantId,
        addSeconds(clock.now(), 20 * 86_400),
      ]),
    );
    await api.world.advance(6 * 86_400 + 1);
    await Promise.all([noteEndings(app), noteEndings(app)]);
    await noteEndings(app);
    admin = await api.signIn(people.admin);
    expect((await list()).notices.map(({ title, path }) => [title, path]).toSorted()).toEqual([
      ['Reconnect QuickBooks Online before Mar 23, 2025', '/connections'],
      ['The API key “Report” expires on Mar 23, 2025', '/api-keys'],
    ]);
    expect(await app.store.tenantsWithEndings(clock.now(), { consent: clock.now(), apiKey: clock.now() }, 10)).toEqual(
      [],
    );
  });
});
