import type { Instant } from '../values/dates.ts';
import type { Json } from '../values/json.ts';

/** Lists of the services, kept. */
export interface ReferenceDataStore {
  /** Cached lists of the services. */
  readCached(key: string): Promise<{ readonly value: Json; readonly fetchedAt: Instant } | null>;
  writeCached(key: string, value: Json, fetchedAt: Instant): Promise<void>;
  /** Changes what is kept, alone with it; answers what is kept now, null when there is nothing. */
  changeCached(key: string, change: (value: Json) => Json): Promise<Json | null>;
  /** Makes every key that begins with the prefix as old as can be: it is read anew, and shown only while that takes long. */
  expireCached(prefix: string): Promise<void>;
  /** Forgets every key that begins with the prefix. */
  dropCached(prefix: string): Promise<void>;
}
