import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashPassword } from '#flows/access/passwords.ts';
import { noteDrafts } from '#flows/notices/note-drafts.ts';
import { newApi, password, people, type TestApi } from '#test/support/api.ts';
import { newUser } from '#test/cases/sample-records.ts';
import { newJob } from '#test/support/attempts.ts';

const ben = 'ben@northwind-msp.example';
const cleo = 'cleo@northwind-msp.example';
const accounting = 'accounting@northwind-msp.example';
let api: TestApi;
beforeEach(async () => {
  api = await newApi();
  const { tenantId } = api.world.tenant;
  const passwordHash = await hashPassword(password);
  for (const [username, role] of [
    [ben, 'clientadmin'],
    [cleo, 'clientadmin'],
    [accounting, 'accountant'],
  ] as const)
    await api.world.app.store.addUser(newUser(username, { passwordHash, roles: [role], tenantId }));
});
afterEach(() => api.close());

interface Listed {
  readonly kind: string;
  readonly title: string;
  readonly detail: string | null;
  readonly path: string;
  readonly sums: readonly { readonly currency: string | null; readonly amount: string }[];
}
const noticesOf = async (username: string): Promise<readonly Listed[]> => {
  const { data } = await api.call('GET', '/api/my/notices', { token: await api.signIn(username) });
  return data['notices'] as unknown as Listed[];
};
/** Submits a sync as a user and runs it. */
const submit = async (ids: readonly number[], mode: string, username = ben): Promise<string> => {
  const body = { invoice_ids: ids, mode };
  const { status, text } = await api.call('POST', '/api/my/invoices/sync/submit', {
    token: await api.signIn(username),
    body,
  });
  expect([status, status === 202 || status === 200 ? '' : text]).toEqual([status, '']);
  await api.world.work();
  const [job] = await api.world.store.listJobs(1);
  return job?.id ?? '';
};

test('a failed live run notifies the user who started it, with count, amounts and cause', async () => {
  const { world } = api;
  await world.saveSettings({ inv_create_item_automatically: false });
  await submit([48_213, 48_215], 'test');
  expect(await noticesOf(ben)).toEqual([]);
  const id = await submit([48_213, 48_215], 'live');
  const failed = (await world.logs()).filter(({ success, isTest }) => !success && !isTest);
  expect(failed.length).toBeGreaterThan(0);
  const [notice, ...others] = await noticesOf(ben);
  expect(others).toEqual([]);
  expect(notice).toMatchObject({
    kind: 'run_failed',
    title: failed.length === 1 ? '1 invoice failed in a run' : `${failed.length} invoices failed in a run`,
    path: `/runs/${id}`,
  });
  expect(failed.map(({ message }) => message)).toContain(notice?.detail);
  const cents = failed.reduce((all, { amount }) => all + Math.round(Number(amount ?? 0) * 100), 0);
  expect(notice?.sums.reduce((all, { amount }) => all + Math.round(Number(amount) * 100), 0)).toBe(cents);
  for (const username of [people.admin, cleo, accounting]) expect(await noticesOf(username)).toEqual([]);
});

test('a run that stops notifies its starter, a run without failures no user', async () => {
  const { world } = api;
  await submit([48_310], 'live');
  expect(await noticesOf(ben)).toEqual([]);
  await world.store.markConnection('accounting', { status: 'active', problem: null });
  const job = await world.store.addJob(
    newJob({ kind: 'purchase_order', psaIds: [3_310], submittedBy: { username: ben }, createdAt: world.clock.now() }),
  );
  await world.store.markConnection('accounting', { status: 'inactive', problem: 'lost' });
  await world.work();
  const [notice] = await noticesOf(ben);
  expect(notice).toMatchObject({
    kind: 'run_failed',
    title: 'A run of purchase orders stopped',
    path: `/runs/${job.id}`,
    sums: [],
  });
  expect(notice?.detail).toContain('QuickBooks');
});

test('new drafts notify the users who may approve them, once, at most once an hour', async () => {
  const { world } = api;
  await world.saveSettings({ require_approval: true, approval_four_eyes: true });
  await submit([48_310], 'live');
  await Promise.all([noteDrafts(world.app), noteDrafts(world.app)]);
  // Ben started the run, and the administrator changed the settings, so neither may approve it.
  for (const username of [ben, people.admin, accounting]) expect(await noticesOf(username)).toEqual([]);
  const [notice, ...others] = await noticesOf(cleo);
  expect(others).toEqual([]);
  expect(notice).toMatchObject({
    kind: 'drafts_waiting',
    title: '1 document waits for approval',
    path: '/approval',
  });
  expect(notice?.sums).toHaveLength(1);

  await world.advance(60);
  await submit([48_213], 'live');
  await noteDrafts(world.app);
  expect(await noticesOf(cleo)).toHaveLength(1);
  await world.advance(3_540);
  await noteDrafts(world.app);
  await noteDrafts(world.app);
  expect((await noticesOf(cleo)).map(({ title }) => title)).toEqual([
    '2 documents wait for approval',
    '1 document waits for approval',
  ]);
  await world.advance(7_200);
  await noteDrafts(world.app);
  expect(await noticesOf(cleo)).toHaveLength(2);
});

test('drafts that no user may approve are reported to every administrator', async () => {
  const { world } = api;
  await world.app.store.setUserActive(cleo, false, world.clock.now());
  await world.saveSettings({ require_approval: true, approval_four_eyes: true });
  await submit([48_310], 'live');
  await noteDrafts(world.app);
  for (const username of [ben, people.admin])
    expect((await noticesOf(username)).map(({ kind }) => kind)).toEqual(['drafts_waiting']);
});
