import type { ApiKeyScope } from '../api-key.ts';
import type { Instant } from '../values/dates.ts';
import type { NewAuditEvent } from './audit.ts';

/** A key with which programs of a client call the API. The key itself is known only to its creator. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scope: ApiKeyScope;
  /** User name. */
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly endsAt: Instant;
  /** Last use, to the minute; null before the first. */
  readonly lastUsedAt: Instant | null;
}

/** The API keys of a tenant. */
export interface ApiKeyStore {
  /** Lists all keys, newest first, expired ones included. */
  listApiKeys(): Promise<readonly ApiKey[]>;
  /** Adds a key and the audit event in one transaction; null when the client already has `limit` keys. */
  addApiKey(
    key: Omit<ApiKey, 'id' | 'lastUsedAt'> & { readonly keyHash: string },
    limit: number,
    event: NewAuditEvent,
  ): Promise<ApiKey | null>;
  /** Deletes a key, which ends it at once, and adds the audit event; null when it does not exist. */
  removeApiKey(id: string, eventOf: (key: ApiKey) => NewAuditEvent): Promise<ApiKey | null>;
}

/** Looks up the key of a request before its tenant is known. */
export interface ApiKeyLookup {
  /** Reads the key with this hash, and its client; null when it does not exist or has expired. */
  readApiKey(
    keyHash: string,
    now: Instant,
  ): Promise<(ApiKey & { readonly client: { readonly id: string; readonly name: string } }) | null>;
  markApiKeyUsed(id: string, now: Instant): Promise<void>;
}
