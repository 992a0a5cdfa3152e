import type { Instant } from '../values/dates.ts';
import type { Json } from '../values/json.ts';

/** Cached lists of the services. */
export interface ReferenceDataStore {
  readCached(key: string): Promise<{ readonly value: Json; readonly fetchedAt: Instant } | null>;
  writeCached(key: string, value: Json, fetchedAt: Instant): Promise<void>;
  /** Changes the cached value in one transaction; returns the new value, null when nothing is cached. */
  changeCached(key: string, change: (value: Json) => Json): Promise<Json | null>;
  /**
   * Expires every key with this prefix: it is refreshed, and the old value is only used while the refresh takes long.
   */
  expireCached(prefix: string): Promise<void>;
  /** Deletes every key with this prefix. */
  dropCached(prefix: string): Promise<void>;
}
