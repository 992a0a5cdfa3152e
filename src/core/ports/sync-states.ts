import type { Kind } from '../kinds.ts';
import type { SyncState } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** State of each kind for the Overview. */
export interface SyncStateStore {
  readSyncStates(): Promise<Readonly<Partial<Record<Kind, SyncState>>>>;
  /** Notes the end of a scan. */
  markPolled(kind: Kind, at: Instant): Promise<void>;
}
