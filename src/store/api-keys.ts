import type { ApiKeyLookup, ApiKeyStore } from '#core/ports/api-keys.ts';
import { insertAudit } from './audit.ts';
import { hasRoom } from './limits.ts';
import type { RootMethods, TenantMethods } from './scope.ts';
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

export const apiKeys: TenantMethods<ApiKeyStore> = {
  listApiKeys: ({ tx, tenantId }) =>
    tx
      .selectFrom('api_keys')
      .select(columns)
      .where('tenant_id', '=', tenantId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute(),

  addApiKey: async ({ tx, tenantId }, { name, scope, keyHash, createdBy, createdAt, endsAt }, limit, event) => {
    if (!(await hasRoom(tx, tenantId, 'api_keys', limit))) return null;
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
  },

  removeApiKey: async ({ tx, tenantId }, id, eventOf) => {
    if (!isId(id)) return null;
    const removed = await tx
      .deleteFrom('api_keys')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirst();
    if (removed === undefined) return null;
    await insertAudit(tx, tenantId, eventOf(removed));
    return removed;
  },
};

export const apiKeyLookup: RootMethods<ApiKeyLookup> = {
  readApiKey: async ({ tx }, keyHash, now) => {
    const row = await tx
      .selectFrom('api_keys')
      .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
      .select(columns.map((column) => `api_keys.${column}` as const))
      .select(['tenants.id as clientId', 'tenants.name as clientName'])
      .where('api_keys.key_hash', '=', keyHash)
      .where('api_keys.ends_at', '>', now)
      .where('tenants.moved_at', 'is', null)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { clientId, clientName, ...key } = row;
    return { ...key, client: { id: clientId, name: clientName } };
  },

  markApiKeyUsed: async ({ tx }, id, now) => {
    await tx.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute();
  },
};
