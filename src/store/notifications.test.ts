import { afterAll, expect, test } from 'vitest';
import { type AccountingChange, paidRecords } from '#core/documents/accounting-change.ts';
import { assert } from '#core/values/assert.ts';
import { instant } from '#core/values/dates.ts';
import { zero } from '#core/values/decimal.ts';
import { newTenant } from '#test/support/attempts.ts';
import { newDatabase } from '#test/support/database.ts';

const db = await newDatabase();
afterAll(() => db.close());

const change = (id: number): AccountingChange => ({ record: 'payment', id: `${id}` });

test('parallel messages and feed readings wait for each other without deadlock', async () => {
  const store = await newTenant(db.store);
  const changes = Array.from({ length: 40 }, (_, id) => change(id));
  const add = (all: readonly AccountingChange[]) => store.addToInbox(all, { isNotification: true });
  await add(changes);
  const settle = async () => store.settleInbox((await store.listInbox(paidRecords, 100)).toReversed(), [1, 2, 3]);
  const works = [
    () => add(changes),
    settle,
    () => store.deferToCdc(),
    () => add(changes.toReversed()),
    settle,
    async () =>
      store.postponeInbox((await store.listInbox(paidRecords, 100)).toReversed(), instant('2020-01-01T00:00:00Z')),
  ];
  const lease = await store.acquireLease('worker', 600);
  assert(lease !== null, 'lease not taken');
  const adopted = [3, 2, 1].map((psaId) => ({
    kind: 'invoice' as const,
    psaId,
    type: 'Invoice',
    id: `${psaId}`,
    number: null,
    total: zero,
    tax: zero,
    at: instant('2020-01-01T00:00:00Z'),
    about: { what: 'Invoice', psaId, number: null, party: null, on: null, amount: null, currency: null },
    message: 'Added to the ledger.',
  }));
  const takeIn = () => store.adoptPostings(lease, adopted, [], 0);
  works.push(takeIn, settle);
  // If two of these lock in opposite order, “deadlock detected” occurs within a few rounds.
  for (let round = 0; round < 15; round += 1) await Promise.all(works.map((work) => work()));
  await store.deferToCdc();
  expect(await store.listInbox(paidRecords, 100)).toEqual([]);
});
