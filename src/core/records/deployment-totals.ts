import type { Service } from '../tenant.ts';

/** Totals of the whole deployment, for monitoring. */
export interface DeploymentTotals {
  readonly jobs: { readonly queued: number; readonly running: number };
  /** Seconds for which the client that waits longest for a worker has been due; 0 if none waits. */
  readonly oldestDueSeconds: number;
  /** Clients whose connection ended, by service. */
  readonly connectionsEnded: Readonly<Record<Service, number>>;
  /** Emails that are not sent yet. */
  readonly mailsWaiting: number;
}
