import type { SyncStatus } from '#core/sync-status.ts';
import type { LiveState } from './live-states.ts';

export type ShownStatus = SyncStatus | 'awaits_approval' | 'held';

interface Shown {
  readonly status: SyncStatus;
  readonly live: LiveState | null;
  readonly awaitsApproval: boolean;
  readonly isOnHold: boolean;
}

/** Returns the status to show; a running live job is newer than the PSA’s status. */
export function shownStatus({ status, live, awaitsApproval, isOnHold }: Shown): ShownStatus {
  const waits = awaitsApproval ? 'awaits_approval' : isOnHold ? 'held' : null;
  const known = waits !== null && status !== 'synced' && status !== 'syncing' ? waits : status;
  if (live === null || live.isTest) return known;
  if (live.outcome === 'held') return live.awaitsApproval ? 'awaits_approval' : 'held';
  if (live.outcome === 'waiting' || live.outcome === 'pending') return 'syncing';
  if (live.outcome === 'succeeded') return 'synced';
  return live.outcome === 'failed' ? 'error' : known;
}
