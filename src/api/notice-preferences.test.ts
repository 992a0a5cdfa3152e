import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Notice } from '#core/notices.ts';
import { noticeRoles } from '#core/notices.ts';
import { month } from '#core/reconciliation/month.ts';
import { instant, secondsBetween } from '#core/values/dates.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { mailLane } from '#core/records/outbox.ts';
import { sendOutbox } from '#flows/outbox/send.ts';
import { sendDigest } from '#flows/alerts/send-digests.ts';
import { mailNotices } from '#flows/notices/mail-notices.ts';
import { newApi, password, people, type Answered, type TestApi } from '#test/support/api.ts';
import { newUser } from '#test/cases/sample-records.ts';

const accounting = 'accounting@northwind-msp.example';
let api: TestApi;
beforeEach(async () => {
  api = await newApi();
  const { tenantId } = api.world.tenant;
  const passwordHash = await hashPassword(password);
  await api.world.app.store.addUser(newUser(accounting, { passwordHash, roles: ['accountant'], tenantId }));
});
afterEach(() => api.close());

const path = '/api/my/notice-preferences';
const tokenOf = (username = people.admin as string) => api.signIn(username);
const save = async (body: unknown, username?: string): Promise<Answered> =>
  api.call('PUT', path, { token: await tokenOf(username), body });
const signed = (by: string): Notice => ({ kind: 'month_signed', by, month: month('2025-02'), as: 'preparer' });
const add = (...notices: readonly Notice[]) =>
  api.world.store.addNotices(
    notices.map((notice) => ({ notice, at: api.world.clock.now(), roles: noticeRoles(notice.kind) })),
  );
/** Sends what is due, with several workers. */
const housekeep = async (): Promise<
  readonly { readonly to: string; readonly subject: string; readonly text: string }[]
> => {
  const { app } = api.world;
  const before = app.mailer.sent?.().length ?? 0;
  await Promise.all([1, 2, 3].map(() => mailNotices(app)));
  await Promise.all([1, 2].map(() => sendOutbox(app, mailLane)));
  const all = app.mailer.sent?.() ?? [];
  return all.slice(0, all.length - before);
};
const listed = async (username?: string) => {
  const { data } = await api.call('GET', '/api/my/notices', { token: await tokenOf(username) });
  return data as unknown as { readonly total: number; readonly unread: number };
};
/** Moves the clock to a time of the day. */
const advanceTo = (at: string) => api.world.advance(secondsBetween(api.world.clock.now(), instant(at)));

test('preferences have defaults by role, are saved for one user, and reject unknown values', async () => {
  const read = async (username?: string) => (await api.call('GET', path, { token: await tokenOf(username) })).data;
  expect(await read()).toEqual({
    digest_hour: 8,
    preferences: [
      { group: 'failed_documents', channel: 'email' },
      { group: 'failed_runs', channel: 'app' },
      { group: 'sync_paused', channel: 'email' },
      { group: 'connection_lost', channel: 'email' },
      { group: 'expiring', channel: 'app' },
      { group: 'approval', channel: 'app' },
      { group: 'requests', channel: 'email' },
      { group: 'month_signed', channel: 'app' },
    ],
  });
  expect((await read(accounting))['preferences']).toEqual([
    { group: 'requests', channel: 'email' },
    { group: 'month_signed', channel: 'app' },
  ]);
  expect((await save({ channels: { month_signed: 'digest' } })).status).toBe(200);
  expect((await save({ digest_hour: 17 })).data).toMatchObject({ digest_hour: 17 });
  expect((await read())['preferences']).toContainEqual({ group: 'month_signed', channel: 'digest' });
  expect(await read(accounting)).toMatchObject({ digest_hour: 8 });
  for (const body of [
    { channels: { requests: 'off' } },
    { channels: { unknown: 'app' } },
    { digest_hour: 24 },
    { digest_hour: -1 },
  ])
    expect((await save(body)).status).toBe(400);

  await api.world.saveSettings({ alert_emails: ['desk@northwind-msp.example'] });
  expect((await read())['preferences']).toContainEqual({ group: 'failed_documents', channel: 'app' });

  const sysadmin = await api.signIn(people.sysadmin);
  const acting = await api.call('POST', '/auth/masquerade', {
    token: sysadmin,
    body: { client_id: api.world.tenant.tenantId },
  });
  const token = String(acting.data['token']);
  expect((await api.call('PUT', path, { token, body: { digest_hour: 9 } })).body).toMatchObject({
    error: 'masquerading',
  });
});

test('a notice reaches each user as chosen: hidden, in the app, or with an email at once', async () => {
  await save({ channels: { month_signed: 'off' } });
  await save({ channels: { month_signed: 'email' } }, accounting);
  await add(signed('ada'));
  expect(await listed()).toMatchObject({ total: 0, unread: 0 });
  expect(await listed(accounting)).toMatchObject({ total: 1, unread: 1 });
  const mails = await housekeep();
  expect(mails.map(({ to, subject }) => [to, subject])).toEqual([[accounting, 'February 2025 was signed']]);
  expect(mails[0]?.text).toContain('/month-end/2025-02');
  expect(await housekeep()).toEqual([]);
});

test('the daily email comes once, at the chosen hour of the client, and only with unread notices', async () => {
  // The world starts at 9:00 in Chicago; this is the day before clocks go forward.
  await advanceTo('2025-03-08T12:00:00Z');
  await save({ channels: { month_signed: 'digest' }, digest_hour: 0 });
  await add(signed('ada'), signed('ben'));
  await advanceTo('2025-03-09T05:59:59Z');
  expect(await housekeep()).toEqual([]);
  await advanceTo('2025-03-09T06:00:00Z');
  const [mail, ...more] = await housekeep();
  expect([mail?.to, mail?.subject, more]).toEqual([people.admin, '2 new notices in Tallybridge', []]);
  expect(mail?.text).toContain('Signed months: 2.');
  expect(mail?.text).toContain('ada signed as preparer.');
  await add(signed('cy'));
  expect(await housekeep()).toEqual([]);

  // The next midnight is 23 hours later. A worker that was down at midnight sends it later.
  await advanceTo('2025-03-10T04:59:59Z');
  expect(await housekeep()).toEqual([]);
  await advanceTo('2025-03-10T11:00:00Z');
  expect((await housekeep()).map(({ subject }) => subject)).toEqual(['1 new notice in Tallybridge']);

  await add(signed('dee'));
  await api.call('POST', '/api/my/notices/read-all', { token: await tokenOf(), body: {} });
  await advanceTo('2025-03-11T11:00:00Z');
  expect(await housekeep()).toEqual([]);
});

test('a daily email lists 20 notices and counts the others', async () => {
  await save({ channels: { month_signed: 'digest' } });
  await add(...Array.from({ length: 23 }, (_, index) => signed(`user ${index}`)));
  await api.world.advance(86_400);
  const [mail] = await housekeep();
  expect(mail?.text.match(/\/month-end\/2025-02/g)).toHaveLength(20);
  expect(mail?.text).toContain('And 3 more.');
});

test('waiting notices move with the chosen hour, and leave the daily email when it is turned off', async () => {
  await save({ channels: { month_signed: 'digest', expiring: 'digest' }, digest_hour: 20 });
  await advanceTo('2025-03-04T12:00:00Z');
  await add(signed('ada'), { kind: 'api_key_ending', name: 'Report', endsAt: instant('2025-03-20T00:00:00Z') });
  await save({ channels: { month_signed: 'app' }, digest_hour: 8 });
  await advanceTo('2025-03-04T14:00:00Z');
  const [mail, ...more] = await housekeep();
  expect([mail?.subject, more]).toEqual(['1 new notice in Tallybridge', []]);
  expect(mail?.text).toContain('The API key “Report” expires');
  await advanceTo('2025-03-05T14:00:00Z');
  expect(await housekeep()).toEqual([]);
});

test('alerts follow the preferences, also when emails go to other addresses', async () => {
  const { world } = api;
  const lose = async () => {
    await world.store.markConnection('accounting', { status: 'active', problem: null });
    await world.store.markConnection('accounting', { status: 'inactive', problem: 'lost' });
    await sendDigest(world.app, world.tenant.tenantId);
    const mails = await housekeep();
    await world.advance(86_401);
    return mails.map(({ to }) => to).toSorted();
  };
  expect(await lose()).toEqual([people.admin]);
  await save({ channels: { connection_lost: 'app' } });
  expect(await lose()).toEqual([]);
  expect(await listed()).toMatchObject({ total: 2 });
  await save({ channels: { connection_lost: 'digest' } });
  expect(await lose()).toEqual([]);
  expect((await housekeep()).map(({ subject }) => subject)).toEqual(['1 new notice in Tallybridge']);
  await save({ channels: { connection_lost: 'email' } });
  await world.saveSettings({ alert_emails: ['desk@northwind-msp.example', people.admin] });
  expect(await lose()).toEqual([people.admin, 'desk@northwind-msp.example'].toSorted());
});

test('a deactivated user gets no email', async () => {
  await save({ channels: { month_signed: 'email' } }, accounting);
  await add(signed('ada'));
  await api.world.app.store.setUserActive(accounting, false, api.world.clock.now());
  expect(await housekeep()).toEqual([]);
});
