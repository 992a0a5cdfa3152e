import type { Kind } from '../kinds.ts';
import type { SyncState } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** What the Overview tells of each kind. */
export interface SyncStateStore {
  readSyncStates(): Promise<Readonly<Partial<Record<Kind, SyncState>>>>;
  /** Notes the end of a scan. */
  markPolled(kind: Kind, at: Instant): Promise<void>;
}
