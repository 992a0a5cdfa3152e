import { afterEach, beforeEach, expect, test } from 'vitest';
import { month } from '#core/reconciliation/month.ts';
import { mailNotices } from '#flows/notices/mail-notices.ts';
import { mailLane } from '#core/records/outbox.ts';
import { sendOutbox } from '#flows/outbox/send.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { newApi, password, people, type Answered, type TestApi } from '#test/support/api.ts';
import { closeOf, proofOf } from '#test/support/closes.ts';
import { newUser } from '#test/cases/sample-records.ts';

const [ben, accounting] = ['ben@northwind-msp.example', 'accounting@northwind-msp.example'];
let api: TestApi;
let admin: string;
beforeEach(async () => {
  api = await newApi();
  const passwordHash = await hashPassword(password);
  const { tenantId } = api.world.tenant;
  const { store } = api.world.app;
  await store.addUser(newUser(ben, { passwordHash, tenantId }));
  await store.addUser(newUser(accounting, { passwordHash, roles: ['accountant'], tenantId }));
  await store.addUser(newUser('gone@northwind-msp.example', { passwordHash, tenantId, isActive: false }));
  admin = await api.signIn(people.admin);
});
afterEach(() => api.close());

const ask = (body: unknown, token = admin): Promise<Answered> => api.call('POST', '/api/my/requests', { token, body });
const askable = async (query: string): Promise<unknown> => {
  const { data } = await api.call('GET', `/api/my/requests?${query}`, { token: admin });
  // Only tests have a user without a role.
  return (data['users'] as { username: string }[])
    .map(({ username }) => username)
    .filter((name) => name !== people.nobody);
};
const noticesOf = async (username: string): Promise<readonly Record<string, unknown>[]> => {
  const { data } = await api.call('GET', '/api/my/notices', { token: await api.signIn(username) });
  return data['notices'] as Record<string, unknown>[];
};
const mails = async () => {
  await mailNotices(api.world.app);
  await sendOutbox(api.world.app, mailLane);
  return api.world.app.mailer.sent?.() ?? [];
};

test('asks one user, or all who may, for approval: with a notice, an email with a link, and an audit event', async () => {
  const { world } = api;
  expect(await ask({ for: 'approval' })).toMatchObject({ status: 409, body: { error: 'nothing_waits' } });
  await world.saveSettings({ require_approval: true, approval_four_eyes: true });
  await world.sync('invoice', { mode: 'live', psaIds: [48_310] });
  expect(await askable('for=approval')).toEqual([ben]);
  for (const to of [people.admin, accounting, 'gone@northwind-msp.example', people.other])
    expect([to, (await ask({ for: 'approval', to })).status]).toEqual([to, 422]);

  expect((await ask({ for: 'approval', to: ben })).data).toEqual({ asked: [ben] });
  const [notice, ...others] = await noticesOf(ben);
  expect(others).toEqual([]);
  expect(notice).toMatchObject({
    kind: 'approval_asked',
    title: '1 document waits for your approval',
    detail: `${people.admin} asks for your approval.`,
    path: '/approval',
  });
  const sums = (notice?.['sums'] ?? []) as readonly { readonly amount: string }[];
  const [mail, ...more] = await mails();
  expect([mail?.to, mail?.subject, more]).toEqual([ben, '1 document waits for your approval', []]);
  expect(mail?.text).toContain(`${world.app.config.appUrl}/approval`);
  expect(mail?.text.replaceAll(/[\n,]/g, ' ').replaceAll(' ', '')).toContain(`USD${sums[0]?.amount ?? 'missing'}`);
  const { events } = await world.store.listAudit({ page: 1, pageSize: 5, actions: ['approval.asked'] });
  expect(events.map(({ actor, after }) => [actor.username, after])).toEqual([[people.admin, { to: [ben] }]]);
});

test('asks a user for the same thing once in ten minutes, also with concurrent requests', async () => {
  const { world } = api;
  await world.saveSettings({ require_approval: true, approval_four_eyes: true });
  await world.sync('invoice', { mode: 'live', psaIds: [48_310] });
  const answers = await Promise.all([1, 2, 3].map(() => ask({ for: 'approval' })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error: 'asked_recently' });
  await world.advance(599);
  expect((await ask({ for: 'approval' })).status).toBe(409);
  await world.advance(1);
  expect((await ask({ for: 'approval' })).status).toBe(200);
  expect(await noticesOf(ben)).toHaveLength(2);
  expect(await mails()).toHaveLength(2);
});

test('asks for the second signature of a month, except the user who signed first', async () => {
  const { store, clock } = api.world;
  const body = { for: 'signature', month: '2026-02' };
  await store.addClose(closeOf(proofOf()));
  expect(await ask(body)).toMatchObject({ status: 409, body: { error: 'nothing_waits' } });
  expect((await ask({ for: 'signature' })).status).toBe(422);
  const [close] = await store.listCloses({ month: month('2026-02') });
  const signature = { closeId: close?.id ?? '', at: clock.now(), reason: null, checked: [], byOneAllowed: false };
  await store.addSignature({ ...signature, as: 'preparer', by: ben });
  expect(await askable('for=signature&month=2026-02')).toEqual([accounting]);
  // The accountant may sign, but not approve.
  expect((await ask(body)).data).toEqual({ asked: [accounting] });
  expect(await noticesOf(accounting)).toMatchObject([
    {
      title: 'February 2026 waits for your signature',
      detail: `${people.admin} asks you to sign as reviewer.`,
      path: '/month-end/2026-02',
    },
  ]);
  const [mail] = await mails();
  expect([mail?.to, mail?.text.includes('/month-end/2026-02')]).toEqual([accounting, true]);
  await store.addSignature({ ...signature, as: 'reviewer', by: accounting });
  expect((await ask(body)).status).toBe(409);
});
