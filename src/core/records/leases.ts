/** A worker's lease on a tenant; `fence` increases with each holder, and every write of a sync includes it. */
export interface Lease {
  readonly tenantId: string;
  readonly owner: string;
  readonly fence: number;
}

/** Thrown by a store when a worker writes under a lease that another worker has taken over. */
export class LeaseLost extends Error {
  constructor(tenantId: string) {
    super(`Another worker has taken over tenant ${tenantId}.`);
    this.name = 'LeaseLost';
  }
}
