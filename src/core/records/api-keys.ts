import type { ApiKeyScope } from '../api-key.ts';
import type { Instant } from '../values/dates.ts';
import type { Owner } from '../owned.ts';

/** A key with which programs of a client call the API. The key itself is known only to its creator. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scope: ApiKeyScope;
  /** User name. */
  readonly createdBy: string;
  readonly owner: Owner;
  readonly createdAt: Instant;
  readonly endsAt: Instant;
  /** Last use, to the minute; null before the first. */
  readonly lastUsedAt: Instant | null;
}
