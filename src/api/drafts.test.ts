import { afterAll, expect, test } from 'vitest';
import type { ApprovalRunReply, DraftDetail, DraftsReply } from '#contract/drafts.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { decimal, minus, sum, zero } from '#core/values/decimal.ts';
import { newApi, password, people } from '#test/support/api.ts';
import { newUser } from '#test/cases/sample-records.ts';

const api = await newApi();
const { world } = api;
await world.app.store.addUser(
  newUser('accounting@northwind-msp.example', {
    passwordHash: await hashPassword(password),
    roles: ['accountant'],
    tenantId: world.tenant.tenantId,
  }),
);
const [admin, accountant, other] = await Promise.all([
  api.signIn(people.admin),
  api.signIn('accounting@northwind-msp.example'),
  api.signIn(people.other),
]);
await world.saveSettings({ inv_sync_active: true, require_approval: true });
await world.work();
afterAll(() => api.close());

const readRun = async (token = admin): Promise<ApprovalRunReply> =>
  (await api.call('GET', '/api/my/drafts/run', { token })).data as unknown as ApprovalRunReply;
const listDrafts = async (query = '', token = admin): Promise<DraftsReply> =>
  (await api.call('GET', `/api/my/drafts${query}`, { token })).data as unknown as DraftsReply;
const approve = (body: object, token = admin) => api.call('POST', '/api/my/drafts/approve', { token, body });
const total = (amounts: readonly (string | null)[]) => sum(amounts.map((one) => decimal(one ?? '0')));

test('a run adds up: documents, customers, debits, and credits', async () => {
  const [run, { drafts, total: count }] = await Promise.all([readRun(), listDrafts()]);
  expect(run.count).toBe(count);
  expect(drafts).toHaveLength(count);
  for (const { currency, amount } of run.sums) {
    const own = drafts.filter((one) => one.currency === currency);
    expect(amount).toBe(total(own.map((one) => one.amount)));
    expect(total(run.parties.filter((one) => one.currency === currency).map((one) => one.amount))).toBe(amount);
    const effect = run.effects.find((one) => one.currency === currency);
    expect(
      minus(
        total(effect?.entries.map(({ debit }) => debit) ?? []),
        total(effect?.entries.map(({ credit }) => credit) ?? []),
      ),
    ).toBe(zero);
    expect(effect?.entries.find(({ account }) => /Receivable/.test(account))?.debit).toBe(amount);
  }
  expect(run.new_records.map(({ list }) => list)).toContain('customer');
  expect((await listDrafts('?page=2&page_size=2')).drafts.map(({ id }) => id)).toEqual(
    drafts.slice(2, 4).map(({ id }) => id),
  );
});

test('shows a draft with names and ledger entries', async () => {
  const { drafts } = await listDrafts();
  const found = drafts.find(({ entityid }) => entityid === 48_213);
  const answer = await api.call('GET', `/api/my/drafts/${found?.id}`, { token: accountant });
  const { document, entries, draft } = answer.data as unknown as DraftDetail;
  expect(draft.approval).toBe('final');
  expect(document).toMatchObject({ form: 'invoice', total: '1966.25', terms: 'Net 30' });
  expect(document.lines.every(({ item, account }) => item !== null && account !== null)).toBe(true);
  expect(total(entries.map(({ debit }) => debit))).toBe(document.total);
});

test('an accountant sees the run but cannot approve; another client sees nothing', async () => {
  const run = await readRun(accountant);
  expect(run.count).toBeGreaterThan(0);
  expect((await approve({ run: run.run }, accountant)).status).toBe(403);
  expect((await readRun(other)).count).toBe(0);
  const id = (await listDrafts()).drafts[0]?.id;
  expect((await api.call('GET', `/api/my/drafts/${id}`, { token: other })).status).toBe(404);
  expect((await approve({ draft_ids: [id] }, other)).status).toBe(404);
});

test('requires either a run or drafts', async () => {
  const id = (await listDrafts()).drafts[0]?.id;
  expect((await approve({})).status).toBe(400);
  expect((await approve({ run: 'x', draft_ids: [id] })).status).toBe(400);
  expect((await approve({ run: 'another run' })).body).toMatchObject({ error: 'run_changed' });
});

test('requires a reason to reject, and logs approvals and rejections in the audit trail', async () => {
  const { drafts } = await listDrafts();
  const [first, second] = drafts.filter(({ what }) => what === 'Invoice');
  const reject = (reason: string) =>
    api.call('POST', '/api/my/drafts/reject', { token: admin, body: { draft_ids: [first?.id], reason } });
  expect((await reject('')).status).toBe(400);
  expect((await reject('Wrong price')).data).toEqual({ rejected: 1 });
  expect((await approve({ draft_ids: [first?.id, second?.id] })).body).toMatchObject({
    error: 'run_changed',
    message: `Invoice ${first?.entityid} (${first?.party}) was rejected by you, in another window, after you opened it. Your decision was not saved. Check the documents again.`,
  });
  const approved = await approve({ draft_ids: [second?.id] });
  expect(approved.data).toMatchObject({ posting: 1, first_of_two: 0, jobs: [{ mode: 'live', trigger: 'manual' }] });
  expect((await readRun()).on_their_way).toBe(1);
  const { events } = (await api.call('GET', '/api/my/audit', { token: admin })).data as unknown as {
    readonly events: readonly { readonly action: string }[];
  };
  expect(events.map(({ action }) => action)).toEqual(expect.arrayContaining(['drafts.approved', 'drafts.rejected']));
  await api.world.work();
  expect(await readRun()).toMatchObject({ on_their_way: 0, count: drafts.length - 2 });
});
