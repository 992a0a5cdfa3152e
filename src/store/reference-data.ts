import type { ReferenceDataStore } from '#core/ports/reference-data.ts';
import { sql, type SqlBool } from 'kysely';
import type { Json } from '#core/values/json.ts';
import type { Scope } from './scope.ts';
import { toJson } from './tables.ts';

export const referenceData = ({ tenantId, inTransaction }: Scope): ReferenceDataStore => ({
  readCached: (key) =>
    inTransaction(async (tx) => {
      const row = await tx
        .selectFrom('reference_data')
        .select(['value', 'fetched_at as fetchedAt'])
        .where('tenant_id', '=', tenantId)
        .where('key', '=', key)
        .executeTakeFirst();
      return row === undefined ? null : { value: row.value as Json, fetchedAt: row.fetchedAt };
    }),

  writeCached: (key, value, fetchedAt) =>
    inTransaction(async (tx) => {
      await tx
        .insertInto('reference_data')
        .values({ tenant_id: tenantId, key, value: toJson(value), fetched_at: fetchedAt })
        .onConflict((conflict) =>
          conflict
            .columns(['tenant_id', 'key'])
            .doUpdateSet((row) => ({ value: row.ref('excluded.value'), fetched_at: row.ref('excluded.fetched_at') })),
        )
        .execute();
    }),

  changeCached: (key, change) =>
    inTransaction(async (tx) => {
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
    }),

  dropCached: (prefix) =>
    inTransaction(async (tx) => {
      await tx
        .deleteFrom('reference_data')
        .where('tenant_id', '=', tenantId)
        .where(sql<SqlBool>`starts_with(key, ${prefix})`)
        .execute();
    }),
});
