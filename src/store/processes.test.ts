import { afterEach, beforeEach, expect, test } from 'vitest';
import { asOwner, newDatabase, type TestDatabase } from '#test/support/database.ts';
import { leaseOwner, processName } from './processes.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await newDatabase();
});
afterEach(() => db.close());

test('counts the clients of each process, also with equal host and pid', async () => {
  const ids = ['aaaaaaaa', 'bbbbbbbb'] as const;
  for (const id of ids) {
    const tenant = await db.store.addTenant({ name: id, status: 'active', timeZone: 'UTC' });
    await db.store.forTenant(tenant.id).acquireLease(leaseOwner(id), 60);
  }
  const another = await db.store.addTenant({ name: 'another', status: 'active', timeZone: 'UTC' });
  await db.store.forTenant(another.id).acquireLease(leaseOwner(ids[1]), 60);
  const named = (id: string) => {
    const url = new URL(db.url);
    url.searchParams.set('application_name', processName('worker', '1.0.0', id));
    return url.href;
  };
  await asOwner(named(ids[0]), () =>
    asOwner(named(ids[1]), async () => {
      expect((await db.store.listProcesses()).map(({ role, clients }) => [role, clients])).toEqual([
        ['worker', 1],
        ['worker', 2],
      ]);
    }),
  );
});
