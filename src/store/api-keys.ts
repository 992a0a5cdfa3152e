import { insertAudit } from './audit.ts';
import { hasRoom } from './limits.ts';
import type { RootWork, TenantWork } from './scope.ts';
import { clean, isId } from './tables.ts';
import type { ApiKey } from '#core/records/api-keys.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { Instant } from '#core/values/dates.ts';

const columns = [
  'id',
  'name',
  'scope',
  'created_by as createdBy',
  'created_at as createdAt',
  'ends_at as endsAt',
  'last_used_at as lastUsedAt',
] as const;

/** The API keys of a tenant. */
export const apiKeys = {
  /** Lists all keys, newest first, expired ones included. */
  listApiKeys: ({ tx, tenantId }: TenantWork): Promise<readonly ApiKey[]> =>
    tx
      .selectFrom('api_keys')
      .select(columns)
      .where('tenant_id', '=', tenantId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute(),

  /** Adds a key and the audit event in one transaction; null when the client already has `limit` keys. */
  addApiKey: async (
    { tx, tenantId }: TenantWork,
    {
      name,
      scope,
      keyHash,
      createdBy,
      createdAt,
      endsAt,
    }: Omit<ApiKey, 'id' | 'lastUsedAt'> & { readonly keyHash: string },
    limit: number,
    event: NewAuditEvent,
  ): Promise<ApiKey | null> => {
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

  /** Deletes a key, which ends it at once, and adds the audit event; null when it does not exist. */
  removeApiKey: async (
    { tx, tenantId }: TenantWork,
    id: string,
    eventOf: (key: ApiKey) => NewAuditEvent,
  ): Promise<ApiKey | null> => {
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

/** Looks up the key of a request before its tenant is known. */
export const apiKeyLookup = {
  /** Reads the key with this hash, and its client; null when it does not exist or has expired. */
  readApiKey: async (
    { tx }: RootWork,
    keyHash: string,
    now: Instant,
  ): Promise<(ApiKey & { readonly client: { readonly id: string; readonly name: string } }) | null> => {
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

  markApiKeyUsed: async ({ tx }: RootWork, id: string, now: Instant): Promise<void> => {
    await tx.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute();
  },
};
