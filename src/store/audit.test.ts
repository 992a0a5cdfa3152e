import { afterAll, expect, test } from 'vitest';
import { newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';

const db = await newDatabase();
afterAll(() => db.close());

test('counts events up to the paging limit and reports whether more exist', async () => {
  const [long, short] = [await newTenant(db.store), await newTenant(db.store)];
  await asOwner(db.url, async (client) => {
    for (const [tenantId, count] of [
      [long.tenantId, 10_001],
      [short.tenantId, 10_000],
    ] as const)
      await client.query(
        `insert into audit_events (tenant_id, at, username, action, subject, before, after)
         select $1, now(), 'admin', 'settings.saved', 'n' || n, 'null', 'null' from generate_series(1, $2::integer) n`,
        [tenantId, count],
      );
  });
  const last = { page: 500, pageSize: 20 };
  expect(await long.listAudit(last)).toMatchObject({ total: 10_000, more: true, events: { length: 20 } });
  expect(await short.listAudit(last)).toMatchObject({ total: 10_000, more: false, events: { length: 20 } });
  expect(await long.listAudit({ ...last, page: 1, text: 'n77' })).toMatchObject({ total: 111, more: false });
});
