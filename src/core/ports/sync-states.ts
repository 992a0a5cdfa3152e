import type { Kind } from '../kinds.ts';
import type { SyncState } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** Sync state of each kind for the Overview. */
export interface SyncStateStore {
  readSyncStates(): Promise<Readonly<Partial<Record<Kind, SyncState>>>>;
  /** Records the end of a search. */
  markPolled(kind: Kind, at: Instant): Promise<void>;
}
