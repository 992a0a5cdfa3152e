import type { Instant } from '../values/dates.ts';
import type { DeploymentEvent } from './deployment-events.ts';

/** Removal of rows that nobody needs any more. */
export interface RemovalStore {
  /**
   * Removes a portion of what nobody needs any more: logs and jobs from before the one instant, mails, sessions and codes
   * that ended before the other. Answers how many rows went; 0 when nothing is left to remove.
   */
  removeOld(before: { readonly records: Instant; readonly traces: Instant }, limit: number): Promise<number>;
  /**
   * Removes a client and everything that belongs to it, and notes that it happened, all or nothing.
   *
   * @returns how many rows of each table went; null when there is no such client.
   */
  deleteTenant(id: string, event: DeploymentEvent): Promise<Readonly<Record<string, number>> | null>;
}
