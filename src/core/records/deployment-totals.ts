import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** Totals of the whole deployment, for monitoring. */
export interface DeploymentTotals {
  readonly jobs: { readonly queued: number; readonly running: number };
  /** Seconds for which the client that waits longest for a worker has been due; 0 if none waits. */
  readonly oldestDueSeconds: number;
  /** Clients whose connection ended, by service. */
  readonly connectionsEnded: Readonly<Record<Service, number>>;
  /** Emails that are not sent yet. */
  readonly mailsWaiting: number;
  /** Active clients for which the documents lost in a restore were not searched yet. */
  readonly clientsUnsearched: number;
  /** When the last restore was recorded; null: never. */
  readonly restoredAt: Instant | null;
  /** When the last backup was written by this program; null: never. */
  readonly backedUpAt: Instant | null;
}
