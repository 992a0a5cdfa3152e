import type { Instant } from '../values/dates.ts';

/** Leases: the hold of one worker on a tenant. */
export interface LeaseStore {
  /** Takes the lease of the tenant for one worker; null while another holds it. Taking it again raises the fence. */
  takeLease(owner: string, seconds: number, now: Instant): Promise<Lease | null>;
  /** Answers false when the lease was lost. */
  renewLease(lease: Lease, seconds: number, now: Instant): Promise<boolean>;
  releaseLease(lease: Lease): Promise<void>;
  /** Takes the tenant away from whoever holds it: it writes nothing more. */
  breakLease(now: Instant): Promise<void>;
}

/** A worker's hold on a tenant; `fence` rises with each holder, and every write of a sync carries it. */
export interface Lease {
  readonly tenantId: string;
  readonly owner: string;
  readonly fence: number;
}

/** Thrown by a store when a worker writes under a lease that is no longer its own: another one has taken over. */
export class LeaseLost extends Error {
  constructor(tenantId: string) {
    super(`Another worker has taken over tenant ${tenantId}.`);
    this.name = 'LeaseLost';
  }
}
