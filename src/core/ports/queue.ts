/** The channel on which a saved job announces itself to the workers; the payload is the tenant's id. */
export const wakeChannel = 'tallybridge_wake';

/** Wakes workers. Work itself is never in the queue, only in the tables: a lost wake-up costs seconds, never work. */
export interface Queue {
  /** Hands tenants to whichever worker is free; a tenant that is waiting or under way already is not queued twice. */
  wake(tenantIds: readonly string[]): Promise<void>;
  /** Begins to take tenants from the queue, so many at once. */
  work(handle: (tenantId: string) => Promise<void>, concurrency: number): Promise<void>;
  /** Takes no more work and waits until what is under way has come to a safe point. */
  stop(): Promise<void>;
}
