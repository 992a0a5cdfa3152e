import { afterAll, afterEach, expect, test } from 'vitest';
import type { CurrentDocumentReply, DocumentReply } from '#contract/documents.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { newApi, password, people } from '#test/support/api.ts';
import { mapExpenses } from '#test/support/mappings.ts';
import { payInvoice } from '#test/support/pay-invoice.ts';
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
await world.saveSettings({
  inv_email_automatically: true,
  po_payable_account: '20',
  exp_cash_advance_expense_account: '25',
});
afterEach(async () => {
  await Promise.all([world.autotask.clearFaults(), world.quickbooks.clearFaults()]);
});
afterAll(() => api.close());

const call = (path: string, token = admin) => api.call('GET', `/api/my/documents/${path}`, { token });
const read = async (path: string, token = admin): Promise<DocumentReply> => {
  const answer = await call(path, token);
  expect([path, answer.status, answer.body?.['message']]).toEqual([path, 200, undefined]);
  return answer.data as unknown as DocumentReply;
};
const readCurrent = async (path: string): Promise<CurrentDocumentReply> => {
  const answer = await call(`${path}/current`);
  expect([path, answer.status, answer.body?.['message']]).toEqual([path, 200, undefined]);
  return answer.data as unknown as CurrentDocumentReply;
};
const live = (psaId: number) => world.sync('invoice', { mode: 'live', psaIds: [psaId] });

test('a document that was never synced is read from Autotask', async () => {
  expect(await read('invoice/48213')).toMatchObject({
    type: 'invoice',
    entityid: 48_213,
    party: 'Acme Dental',
    amount: '1966.25',
    currency: 'USD',
    state: 'waiting',
    problems: [],
    plan: null,
    postings: [],
    events: [],
    more: false,
  });
  const { psa, accounting } = await readCurrent('invoice/48213');
  expect(psa).toMatchObject({ state: 'found', message: null, document: { total: '1966.25', party: 'Acme Dental' } });
  expect(psa.created_at).not.toBeNull();
  expect(accounting).toMatchObject({ state: 'not_posted', document: null, balance: null, applied: [] });
});

test('an unknown document is not found, with what to do', async () => {
  const answer = await call('invoice/999999');
  expect([answer.status, answer.body?.['error']]).toEqual([404, 'not_found']);
  expect(answer.body?.['message']).toBe(
    'Invoice 999999 was not found in Autotask or Tallybridge. Check the ID in Autotask, or search for the number in the logs.',
  );
  for (const path of ['invoice/x', 'invoice/0', 'payment/48213', 'nothing/1'])
    expect([path, (await call(path)).status]).toEqual([path, 404]);
});

test('shows test, posting, email and payment with user, time and log; both systems and their difference', async () => {
  await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
  expect(await read('invoice/48213')).toMatchObject({
    state: 'waiting',
    plan: { test: true, document: { form: 'invoice', source: { total: '1966.25' } } },
    events: [{ event: 'tested', success: true, by: people.admin, manual: true }],
  });
  await world.advance(60);
  const job = await live(48_213);
  const [made] = await world.madeFor(48_213);
  const id = String(made?.['Id']);
  await payInvoice(world, id, 100);

  const posted = await read('invoice/48213', accountant);
  const number = String(made?.['DocNumber']);
  expect(posted).toMatchObject({
    state: 'synced',
    number,
    amount: '1966.25',
    plan: { test: false },
    postings: [{ type: 'invoice', status: 'synced', form: 'Invoice', number, total: '1966.25', drift: [] }],
  });
  expect(posted.events.map(({ event }) => event)).toEqual(['mailed', 'posted', 'tested']);
  expect(posted.events[0]?.message).toBe('QuickBooks emailed it to ap@acmedental.example.');
  expect(posted.events[1]).toMatchObject({
    by: people.admin,
    run_id: job.id,
    message: expect.stringContaining(number),
  });
  expect((await api.call('GET', `/api/my/logs?key=${posted.events[1]?.log_key}`, { token: accountant })).status).toBe(
    200,
  );

  const current = await readCurrent('invoice/48213');
  expect(current.accounting).toMatchObject({
    state: 'found',
    balance: '1866.25',
    voided: false,
    document: { form: 'invoice', number, party: 'Acme Dental', total: '1966.25' },
    applied: [{ type: 'Payment', date: '2025-03-03', total: '100.00', voided: false }],
  });
  const lines = (of: DocumentReply['plan'] | CurrentDocumentReply['accounting']) =>
    of?.document?.lines.map(({ description, account, quantity, amount }) => ({
      description,
      account,
      quantity: Number(quantity),
      amount: Number(amount),
    }));
  expect(lines(current.accounting), 'as it was posted').toEqual(lines(posted.plan));
  const items = posted.plan?.document.lines.map(({ item }) => item) ?? [];
  expect(
    current.accounting.document?.lines.filter(({ item }, place) => item !== null && item !== items[place]),
    'an item that was just created has no name yet',
  ).toEqual([]);
});

test('the newest events come first, and older ones follow on request', async () => {
  const first = await read('invoice/48213?page_size=1');
  expect([first.events.length > 0, first.more]).toEqual([true, true]);
  const all = await read('invoice/48213?page_size=200');
  expect([all.events.length > first.events.length, all.more]).toEqual([true, false]);
  expect((await call('invoice/48213?page_size=201')).status).toBe(400);
});

test('a failed document names its problem and fix', async () => {
  await world.sync('invoice', { mode: 'live' });
  const { data } = await api.call('GET', '/api/my/attention', { token: admin });
  const { groups } = data as unknown as {
    groups: readonly { state: string; documents: readonly { type: string; entityid: number; log_key: string }[] }[];
  };
  const [failed] = groups.filter(({ state }) => state === 'needs_you').flatMap(({ documents }) => documents);
  const document = await read(`invoice/${failed?.entityid}`);
  expect(document.state).toBe('failed');
  expect(document.problems[0]).toMatchObject({ type: 'invoice', state: 'needs_you', log_key: failed?.log_key });
  expect(document.problems[0]?.problems[0]?.remedy).not.toBeFalsy();
});

test('a service that is down does not hide the other one', async () => {
  await world.quickbooks.fault({ match: {}, action: { status: 503 } });
  const withoutAccounting = await readCurrent('invoice/48213');
  expect(withoutAccounting.psa).toMatchObject({ state: 'found', message: null });
  expect(withoutAccounting.accounting).toMatchObject({ state: 'failed', document: null });
  expect(withoutAccounting.accounting.message).toMatch(/QuickBooks/);
  await world.quickbooks.clearFaults();
  await world.autotask.fault({ match: {}, action: { status: 503 } });
  const withoutPsa = await readCurrent('invoice/48213');
  expect(withoutPsa.accounting).toMatchObject({ state: 'found' });
  expect(withoutPsa.psa).toMatchObject({ state: 'failed', document: null });
  // What is stored needs no service.
  expect((await read('invoice/48213')).state).toBe('synced');
});

test('a document deleted in QuickBooks is missing there', async () => {
  const other = (await world.logs()).find(
    ({ type, what, psaId, success, document }) =>
      type === 'invoice' && what === 'Invoice' && success && psaId !== 48_213 && document?.['Id'] !== undefined,
  );
  await world.quickbooks.remove('Invoice', String(other?.document?.['Id']));
  expect((await readCurrent(`invoice/${other?.psaId}`)).accounting).toMatchObject({ state: 'missing', document: null });
});

test('purchase orders and expense reports have pages with their own documents', async () => {
  await world.sync('purchase_order', { mode: 'live' });
  await mapExpenses(world.store);
  await world.sync('expense_report', { mode: 'live', psaIds: [1207] });
  const order = await read('purchase_order/3310');
  expect(order).toMatchObject({ state: 'synced', postings: [{ form: 'PurchaseOrder' }], party: 'Ingram Supplies' });
  const { psa, accounting } = await readCurrent('purchase_order/3310');
  expect(accounting.document).toMatchObject({ form: 'purchase_order', total: psa.document?.total });
  const report = await read('expense_report/1207');
  expect(report).toMatchObject({ state: 'synced', postings: [{ form: 'Bill' }] });
  expect((await readCurrent('expense_report/1207')).accounting.document).toMatchObject({ form: 'bill' });
});

test('after a connection to another company, no document with the same id is shown', async () => {
  await world.store.markPostingsGone('accounting');
  expect((await read('invoice/48213')).pages.accounting).toBeNull();
  expect((await readCurrent('invoice/48213')).accounting).toMatchObject({ state: 'missing', document: null });
});

test('another client sees nothing of it', async () => {
  const [own, unknown] = [await call('invoice/48213', other), await call('invoice/999998', other)];
  expect(own.status).toBe(unknown.status);
  expect(own.text.replaceAll('48213', '999998')).toBe(unknown.text);
  expect(own.text).not.toContain('Acme');
  expect((await call('invoice/48213/current', other)).text).not.toContain('Acme');
});
