import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeSchema, schemaFile } from '../scripts/schema.ts';
import { listMigrations, migrate } from '#store/migrate.ts';
import { asOwner, newDatabase } from './support/database.ts';

test('docs/schema.sql is what the migrations make (otherwise: npm run schema)', async () => {
  const db = await newDatabase();
  try {
    const { schema, version } = await asOwner(db.url, async (client) => {
      const { rows } = await client.query<{ version: string }>(
        `select current_setting('server_version_num') as version`,
      );
      return { schema: await describeSchema(client), version: Number(rows[0]?.version) };
    });
    // Other versions of PostgreSQL print some expressions in another form.
    if (version >= 180_000 && version < 190_000) expect(schema).toBe(readFileSync(schemaFile, 'utf8'));
  } finally {
    await db.close();
  }
});

/** What docs/schema.sql leaves out: rights of everyone, options of tables, and the rows of a new database. */
const restQuery = `
  select 'function ' || p.oid::regprocedure as name, (select array_agg(x::text order by x::text) from unnest(p.proacl) x)::text as value
    from pg_proc p where p.pronamespace = 'public'::regnamespace
     and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all select 'schema', nspacl::text from pg_namespace where nspname = 'public'
  union all select 'options ' || relname, reloptions::text from pg_class where relnamespace = 'public'::regnamespace
  union all select 'extension ' || extname, extversion from pg_extension
  union all select 'migration ' || name, hash from schema_migrations
  union all select 'clock rows', count(*)::text from deployment_clock
  union all select 'binding keys', count(*) || ', ' || sum(length(inner_pad) + length(outer_pad)) from binding_key
  order by 1`;

test('the baseline of a new database makes what the earlier migrations make', async () => {
  const [fresh, old] = await Promise.all([newDatabase(), newDatabase({ isMigrated: false })]);
  try {
    const [first = ''] = await listMigrations();
    expect(await migrate(old.database, { only: [first] })).toEqual([first]);
    expect(await migrate(old.database)).not.toContain('0113_baseline');
    const describe = (url: string) =>
      asOwner(url, async (client) => ({
        schema: await describeSchema(client),
        rest: (await client.query(restQuery)).rows,
      }));
    expect(await describe(fresh.url)).toEqual(await describe(old.url));
  } finally {
    await Promise.all([fresh.close(), old.close()]);
  }
});
