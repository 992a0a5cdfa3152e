import { afterAll, describe, expect, test } from 'vitest';
import { newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';
import { exportedColumns, notExported } from './export-columns.ts';

const db = await newDatabase();
const tenantId = (await newTenant(db.store)).tenantId;
afterAll(() => db.close());

/** Returns every column of every tenant table, as `table.column`. */
const tenantColumns = () =>
  asOwner(db.url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
          and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped)`,
    );
    return rows.map(({ name }) => name).toSorted();
  });
const allowed = () =>
  Object.entries(exportedColumns).flatMap(([table, columns]) => columns.map((one) => `${table}.${one}`));

describe('an export', () => {
  test('every column is listed as exported or excluded, and every listed column exists', async () => {
    const columns = await tenantColumns();
    const isExcluded = (name: string) => {
      const [table = '', column = ''] = name.split('.');
      const excluded = notExported[table];
      return typeof excluded === 'string' || (excluded !== undefined && Object.hasOwn(excluded, column));
    };
    const isAllowed = new Set(allowed());
    expect(columns.filter((one) => isAllowed.has(one) === isExcluded(one))).toEqual([]);
    expect(allowed().filter((one) => !columns.includes(one))).toEqual([]);
  });

  test('omits encrypted values, secret hashes, and unlisted new columns', async () => {
    await asOwner(db.url, async (client) => {
      await client.query('alter table connections add column newest_secret text');
      await client.query('grant select on connections to tallybridge_app');
    });
    const tables = await db.store.forTenant(tenantId).listExportTables();
    const names = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`));
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !allowed().includes(name))).toEqual([]);
    for (const secret of [
      'connections.credentials',
      'connections.ended',
      'connections.external_hash',
      'users.password_hash',
    ])
      expect(names).not.toContain(secret);
  });
});
