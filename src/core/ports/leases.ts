/** Leases: exclusive access of one worker to a tenant, timed by the database's clock alone. */
export interface LeaseStore {
  /** Takes the lease of the tenant for one worker; null while another holds it. Each lease has a higher fence. */
  acquireLease(owner: string, seconds: number): Promise<Lease | null>;
  /** Returns false when the lease was lost. */
  renewLease(lease: Lease, seconds: number): Promise<boolean>;
  /** @param calls what the successor has to count; absent: unknown. */
  releaseLease(lease: Lease, calls?: readonly RecentCalls[] | null): Promise<void>;
  /** Ends the lease of the tenant: its holder can write nothing more. */
  breakLease(): Promise<void>;
}

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
