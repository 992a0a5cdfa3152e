import { afterAll, describe, expect, test } from 'vitest';
import { newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';
import { notExported } from './export-columns.ts';

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
const exportedColumns = async () =>
  (await db.store.forTenant(tenantId).listExportTables()).flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column}`),
  );
const staysBehind = (name: string): boolean => {
  const [table = '', column = ''] = name.split('.');
  const listed = notExported[table];
  return typeof listed === 'string' || (listed !== undefined && Object.hasOwn(listed, column));
};

/** Names of columns that look like a secret. */
const secretName = /hash|secret|token|password|credential|(^|_)code|(^|_)(pad|jti|cookie)|sealed|encrypted|address$/;
/** Columns that only look like one. */
const harmless = new Set([
  'drafts.plan_hash',
  'drafts.psa_hash',
  'jobs.stop_code',
  'webhook_endpoints.old_secret_ends_at',
  'webhook_endpoints.shown_address',
]);

describe('an export', () => {
  test('contains every column that is not listed as staying behind, and each listed one exists', async () => {
    const columns = await tenantColumns();
    expect((await exportedColumns()).toSorted()).toEqual(columns.filter((name) => !staysBehind(name)));
    const listed = Object.entries(notExported).flatMap(([table, names]) =>
      typeof names === 'string' ? [`${table}.tenant_id`] : Object.keys(names).map((column) => `${table}.${column}`),
    );
    expect(listed.filter((name) => !columns.includes(name))).toEqual([]);
  });

  test('leaves every column behind that is named like a secret', async () => {
    await asOwner(db.url, async (client) => {
      await client.query('alter table connections add column newest_secret text');
      await client.query('grant select on connections to tallybridge_app');
    });
    const suspects = (await exportedColumns()).filter(
      (name) => secretName.test(name.split('.')[1] ?? '') && !harmless.has(name),
    );
    expect(suspects).toEqual(['connections.newest_secret']);
  });
});
