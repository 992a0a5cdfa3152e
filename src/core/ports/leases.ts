import type { Instant } from '../values/dates.ts';

/** Leases: exclusive access of one worker to a tenant. */
export interface LeaseStore {
  /** Takes the lease of the tenant for one worker; null while another holds it. Each lease has a higher fence. */
  acquireLease(owner: string, seconds: number, now: Instant): Promise<Lease | null>;
  /** Returns false when the lease was lost. */
  renewLease(lease: Lease, seconds: number, now: Instant): Promise<boolean>;
  releaseLease(lease: Lease): Promise<void>;
  /** Ends the lease of the tenant: its holder can write nothing more. */
  breakLease(now: Instant): Promise<void>;
}

/** A worker's lease on a tenant; `fence` increases with each holder, and every write of a sync includes it. */
export interface Lease {
  readonly tenantId: string;
  readonly owner: string;
  readonly fence: number;
  /** When the lease before it ends or has ended; null: there was none. */
  readonly previousEndsAt: Instant | null;
}

/** Thrown by a store when a worker writes under a lease that another worker has taken over. */
export class LeaseLost extends Error {
  constructor(tenantId: string) {
    super(`Another worker has taken over tenant ${tenantId}.`);
    this.name = 'LeaseLost';
  }
}
