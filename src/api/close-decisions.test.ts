import { afterAll, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { documentOf, postingOf, sourceOf } from '#core/reconciliation/testing.ts';
import { decimal } from '#core/values/decimal.ts';
import { instant } from '#core/values/dates.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { newUser } from '#test/cases/sample-records.ts';
import { newApi, password, people } from '#test/support/api.ts';
import { closeOf, proofOf } from '#test/support/closes.ts';

const api = await newApi();
const accounting = 'accounting@northwind-msp.example';
const { world } = api;
await world.app.store.addUser(
  newUser(accounting, {
    passwordHash: await hashPassword(password),
    roles: ['accountant'],
    tenantId: world.tenant.tenantId,
  }),
);
const [admin, accountant] = [await api.signIn(people.admin), await api.signIn(accounting)];
afterAll(() => api.close());

const path = '/api/my/closes/2026-02/decisions';

/** Saves a reading of the month in which users raised its invoices by these amounts in QuickBooks. */
async function read(at: string, edits: Readonly<Record<number, string>>) {
  const pairs = Object.entries(edits).map(([id, edit]) => {
    const source = sourceOf(Number(id), '100');
    const posted = documentOf(Number(id) + 10, '100');
    const total = decimal((100 + Number(edit)).toFixed(2));
    return { source, posting: postingOf(source, posted), document: { ...posted, total } };
  });
  const proof = proofOf({
    sources: pairs.map(({ source }) => source),
    documents: pairs.map(({ document }) => document),
    postings: pairs.map(({ posting }) => posting),
  });
  await world.store.addClose(closeOf(proof, { preparedAt: instant(at) }));
  return exceptionsOf(proof);
}

test('many decisions of one user leave what another user decided, and what a later reading changed', async () => {
  const found = await read('2026-03-01T15:00:00Z', { 1: '0.01', 2: '0.02', 3: '0.03', 4: '0.04' });
  const seen = found
    .toSorted((a, b) => Number(a.psaId) - Number(b.psaId))
    .map(({ key, amount }) => ({ key, amount, decision: null }));
  const [decided, changed, gone, same] = seen;
  if (decided === undefined || changed === undefined || gone === undefined || same === undefined)
    throw new Error('too few differences');
  // Meanwhile, the accountant decides about one difference, and the month is refreshed.
  const one = { key: decided.key, decision: 'carry', reason: 'Asked the customer.' };
  expect((await api.call('POST', path, { token: accountant, body: one })).status).toBe(200);
  await read('2026-03-01T15:10:00Z', { 1: '0.01', 2: '0.52', 4: '0.04' });

  const body = { decision: 'accept', reason: 'Rounding', differences: seen };
  const first = await api.call('POST', `${path}/many`, { token: admin, body });
  expect([first.status, first.data]).toMatchObject([
    200,
    {
      decided: [same.key],
      left: [
        {
          key: decided.key,
          why: 'decided',
          decision: { decision: 'carry', reason: 'Asked the customer.', by: accounting },
        },
        { key: changed.key, why: 'changed', decision: null },
        { key: gone.key, why: 'gone', decision: null },
      ],
    },
  ]);
  // Repeating the call, for example after a lost response, changes nothing of the other user.
  await api.call('POST', `${path}/many`, { token: admin, body });
  const { data } = await api.call('GET', '/api/my/closes/2026-02', { token: accountant });
  const { exceptions } = (data as { close: { exceptions: { key: string; decision: { by: string } | null }[] } }).close;
  expect(new Map(exceptions.map(({ key, decision }) => [key, decision?.by ?? null]))).toEqual(
    new Map([
      [decided.key, accounting],
      [changed.key, null],
      [same.key, people.admin],
    ]),
  );
});

test.each([
  ['no differences', { differences: [] }],
  ['no reason', { reason: ' ' }],
  ['an amount that is not one', { differences: [{ key: 'a', amount: 'much', decision: null }] }],
])('many decisions with %s are refused', async (_what, wrong) => {
  const differences = [{ key: 'a', amount: '0.01', decision: null }];
  const body = { decision: 'accept', reason: 'Rounding', differences, ...wrong };
  expect((await api.call('POST', `${path}/many`, { token: admin, body })).status).toBe(400);
});
