import { sql } from 'kysely';
import type { MailsTo } from './outbox.ts';
import { addOwned, ownerOf, removeOwned, type EventOf, type OwnedList } from './owned.ts';
import type { RootWork, TenantWork } from './scope.ts';
import { clean } from './tables.ts';
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

const list: OwnedList<ApiKey> = {
  table: 'api_keys',
  rowsOf: (tx, which) =>
    tx
      .selectFrom('api_keys')
      .select([...columns, ownerOf('api_keys')])
      .where((row) => row.and({ ...which }))
      .orderBy('created_at', 'desc')
      .orderBy('id'),
};

/** The API keys of a tenant. */
export const apiKeys = {
  /** Lists all keys, newest first, expired ones included. */
  listApiKeys: ({ tx, tenantId }: TenantWork): Promise<readonly ApiKey[]> =>
    list.rowsOf(tx, { tenant_id: tenantId }).execute(),

  /** Adds a key, the audit event and the emails; see {@link addOwned}. */
  addApiKey: (
    work: TenantWork,
    {
      name,
      scope,
      keyHash,
      createdBy,
      createdAt,
      endsAt,
    }: Omit<ApiKey, 'id' | 'lastUsedAt' | 'owner'> & { readonly keyHash: string },
    limit: number,
    event: NewAuditEvent,
    mailsTo: MailsTo,
  ): Promise<ApiKey | null> =>
    addOwned(
      list,
      work,
      limit,
      event,
      () =>
        work.tx
          .insertInto('api_keys')
          .values({
            tenant_id: work.tenantId,
            name: clean(name),
            scope,
            key_hash: keyHash,
            created_by: clean(createdBy),
            created_at: createdAt,
            ends_at: endsAt,
          })
          .returning('id'),
      mailsTo,
    ),

  /** Deletes a key, which ends it at once, and adds the audit event; null when it does not exist. */
  removeApiKey: (work: TenantWork, id: string, eventOf: EventOf<ApiKey>): Promise<ApiKey | null> =>
    removeOwned(list, work, id, eventOf),
};

/** Looks up the key of a request before its tenant is known. */
export const apiKeyLookup = {
  /**
   * Reads the key with this hash, and its client; null when it does not exist, has expired, or its owner is no longer an
   * active user of the client.
   */
  readApiKey: async (
    { tx }: RootWork,
    keyHash: string,
    now: Instant,
  ): Promise<(Omit<ApiKey, 'owner'> & { readonly client: { readonly id: string; readonly name: string } }) | null> => {
    const row = await tx
      .selectFrom('api_keys')
      .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
      .select(columns.map((column) => `api_keys.${column}` as const))
      .select(['tenants.id as clientId', 'tenants.name as clientName'])
      .where('api_keys.key_hash', '=', keyHash)
      .where('api_keys.ends_at', '>', now)
      .where('tenants.moved_at', 'is', null)
      .where((key) =>
        key.exists(
          key
            .selectFrom('users')
            .select('users.id')
            .whereRef('users.tenant_id', '=', 'api_keys.tenant_id')
            .where('users.is_active', '=', true)
            .where('users.username', '=', sql<string>`coalesce(api_keys.owner, api_keys.created_by)`),
        ),
      )
      .executeTakeFirst();
    if (row === undefined) return null;
    const { clientId, clientName, ...key } = row;
    return { ...key, client: { id: clientId, name: clientName } };
  },

  markApiKeyUsed: async ({ tx }: RootWork, id: string, now: Instant): Promise<void> => {
    await tx.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute();
  },
};
