/** A worker's lease on a tenant; `fence` increases with each holder, and every write of a sync includes it. */
export interface Lease {
  readonly tenantId: string;
  readonly owner: string;
  readonly fence: number;
  /** Seconds since the lease before it ended, at least 0; null: there was none. */
  readonly secondsSincePrevious: number | null;
  /** Calls of earlier holders that still counted when the lease before it was released; null: unknown, e.g. after a crash. */
  readonly callsBefore: readonly RecentCalls[] | null;
}

/** Calls that count against a limit of QuickBooks. */
export interface RecentCalls {
  readonly limit: 'calls' | 'batches';
  readonly count: number;
  /** How long they still count. */
  readonly seconds: number;
}

/** Thrown by a store when a worker writes under a lease that another worker has taken over. */
export class LeaseLost extends Error {
  constructor(tenantId: string) {
    super(`Another worker has taken over tenant ${tenantId}.`);
    this.name = 'LeaseLost';
  }
}
