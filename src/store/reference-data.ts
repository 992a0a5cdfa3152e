import { sql, type SqlBool } from 'kysely';
import { LRUCache } from 'lru-cache';
import { instant, type Instant } from '#core/values/dates.ts';
import type { Json } from '#core/values/json.ts';
import type { Tx } from './database.ts';
import type { TenantWork } from './scope.ts';
import { toJson } from './tables.ts';

/**
 * Lists of thousands of records: decompressing and parsing their JSON took longer than the rest of a screen's requests.
 * The size is that in the database; uncompressed, a value takes about ten times as much.
 */
const readValues = new LRUCache<string, { readonly version: string; readonly value: Json }>({ maxSize: 3_000_000 });
/** Smaller values are not worth caching: reading them is as fast as checking their version. */
const minBytes = 8_192;

/** Returns the row of a key, without its value if that version is already known. */
const selectUnless = async (tx: Tx, tenantId: string, key: string, known: string | null) => {
  const row = await tx
    .selectFrom('reference_data')
    .select([
      'fetched_at as fetchedAt',
      sql<string>`updated_at::text`.as('version'),
      sql`case when updated_at::text = ${known ?? ''} then null else value end`.as('value'),
      sql<number>`pg_column_size(value)`.as('bytes'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row ?? null;
};

const longAgo = instant('1970-01-01T00:00:00Z');

/** Cached lists of the services. */
export const referenceData = {
  readCached: async (
    { tx, tenantId }: TenantWork,
    key: string,
  ): Promise<{ readonly value: Json; readonly fetchedAt: Instant } | null> => {
    const cacheKey = `${tenantId} ${key}`;
    const cached = readValues.get(cacheKey);
    const found = await selectUnless(tx, tenantId, key, cached?.version ?? null);
    if (found === null) return null;
    const { version, fetchedAt, bytes } = found;
    if (cached?.version === version) return { value: cached.value, fetchedAt };
    const value = found.value as Json;
    if (bytes >= minBytes) readValues.set(cacheKey, { version, value }, { size: bytes });
    return { value, fetchedAt };
  },

  writeCached: async ({ tx, tenantId }: TenantWork, key: string, value: Json, fetchedAt: Instant): Promise<void> => {
    await tx
      .insertInto('reference_data')
      .values({ tenant_id: tenantId, key, value: toJson(value), fetched_at: fetchedAt })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'key'])
          .doUpdateSet((row) => ({ value: row.ref('excluded.value'), fetched_at: row.ref('excluded.fetched_at') })),
      )
      .execute();
  },

  /** Changes the cached value in one transaction; returns the new value, null when nothing is cached. */
  changeCached: async (
    { tx, tenantId }: TenantWork,
    key: string,
    change: (value: Json) => Json,
  ): Promise<Json | null> => {
    const row = await tx
      .selectFrom('reference_data')
      .select('value')
      .where('tenant_id', '=', tenantId)
      .where('key', '=', key)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return null;
    const before = row.value as Json;
    const value = change(before);
    await tx
      .updateTable('reference_data')
      .set({ value: toJson(value) })
      .where('tenant_id', '=', tenantId)
      .where('key', '=', key)
      .execute();
    return value;
  },

  /**
   * Expires every key with this prefix: it is refreshed, and the old value is only used while the refresh takes long.
   */
  expireCached: async ({ tx, tenantId }: TenantWork, prefix: string): Promise<void> => {
    await tx
      .updateTable('reference_data')
      .set({ fetched_at: longAgo })
      .where('tenant_id', '=', tenantId)
      .where(sql<SqlBool>`starts_with(key, ${prefix})`)
      .execute();
  },

  /** Deletes every key with this prefix. */
  dropCached: async ({ tx, tenantId }: TenantWork, prefix: string): Promise<void> => {
    await tx
      .deleteFrom('reference_data')
      .where('tenant_id', '=', tenantId)
      .where(sql<SqlBool>`starts_with(key, ${prefix})`)
      .execute();
  },
};
