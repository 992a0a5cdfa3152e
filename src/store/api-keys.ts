import { sql } from 'kysely';
import type { ApiKeyLookup, ApiKeyStore } from '#core/ports/api-keys.ts';
import { insertAudit } from './audit.ts';
import type { RootScope, Scope } from './scope.ts';
import { clean, isId } from './tables.ts';

const columns = [
  'id',
  'name',
  'scope',
  'created_by as createdBy',
  'created_at as createdAt',
  'ends_at as endsAt',
  'last_used_at as lastUsedAt',
] as const;

export const apiKeys = ({ tenantId, inTransaction }: Scope): ApiKeyStore => ({
  listApiKeys: () =>
    inTransaction((tx) =>
      tx
        .selectFrom('api_keys')
        .select(columns)
        .where('tenant_id', '=', tenantId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute(),
    ),

  addApiKey: ({ name, scope, keyHash, createdBy, createdAt, endsAt }, limit, event) =>
    inTransaction(async (tx) => {
      // Concurrent requests wait for one another, so that they cannot exceed the limit together.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`api keys ${tenantId}`}, 0))`.execute(tx);
      const { count } = await tx
        .selectFrom('api_keys')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('tenant_id', '=', tenantId)
        .executeTakeFirstOrThrow();
      if (count >= limit) return null;
      const added = await tx
        .insertInto('api_keys')
        .values({
          tenant_id: tenantId,
          name: clean(name),
          scope,
          key_hash: keyHash,
          created_by: clean(createdBy),
          created_at: createdAt,
          ends_at: endsAt,
        })
        .returning(columns)
        .executeTakeFirstOrThrow();
      await insertAudit(tx, tenantId, event);
      return added;
    }),

  removeApiKey: async (id, eventOf) =>
    isId(id)
      ? inTransaction(async (tx) => {
          const removed = await tx
            .deleteFrom('api_keys')
            .where('tenant_id', '=', tenantId)
            .where('id', '=', id)
            .returning(columns)
            .executeTakeFirst();
          if (removed === undefined) return null;
          await insertAudit(tx, tenantId, eventOf(removed));
          return removed;
        })
      : null,
});

export const apiKeyLookup = ({ inTransaction }: RootScope): ApiKeyLookup => ({
  readApiKey: (keyHash, now) =>
    inTransaction(async (tx) => {
      const row = await tx
        .selectFrom('api_keys')
        .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
        .select([
          'api_keys.id',
          'api_keys.name',
          'api_keys.scope',
          'api_keys.created_by as createdBy',
          'api_keys.created_at as createdAt',
          'api_keys.ends_at as endsAt',
          'api_keys.last_used_at as lastUsedAt',
          'tenants.id as clientId',
          'tenants.name as clientName',
        ])
        .where('api_keys.key_hash', '=', keyHash)
        .where('api_keys.ends_at', '>', now)
        .where('tenants.moved_at', 'is', null)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { clientId, clientName, ...key } = row;
      return { ...key, client: { id: clientId, name: clientName } };
    }),

  markApiKeyUsed: (id, now) =>
    inTransaction(async (tx) => {
      await tx.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute();
    }),
});
