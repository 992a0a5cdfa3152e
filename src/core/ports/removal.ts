import type { Instant } from '../values/dates.ts';
import type { DeploymentEvent } from './deployment-events.ts';

/** Removal of rows that are no longer needed. */
export interface RemovalStore {
  /**
   * Removes a batch of old rows: logs and jobs from before `records`; emails, sessions and codes that ended before
   * `traces`. Returns the number of removed rows; 0 when none are left.
   */
  removeOld(before: { readonly records: Instant; readonly traces: Instant }, limit: number): Promise<number>;
  /**
   * Removes a client with all its data and records the event, in one transaction.
   *
   * @returns number of removed rows by table; null when the client does not exist.
   */
  deleteTenant(id: string, event: DeploymentEvent): Promise<Readonly<Record<string, number>> | null>;
}
