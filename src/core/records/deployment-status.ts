import type { Instant } from '../values/dates.ts';
import type { DeploymentTotals } from './deployment-totals.ts';
import type { Maintenance } from './maintenance.ts';

/** Parts of the product that a process runs: the server, a worker, or both. */
export const processRoles = ['all', 'api', 'worker'] as const;
export type ProcessRole = (typeof processRoles)[number];

/** A running process of the product. */
export interface RunningProcess {
  readonly role: ProcessRole;
  readonly version: string;
  readonly host: string;
  readonly startedAt: Instant;
  /** Clients whose work this process does now. */
  readonly clients: number;
}

/** Something that went wrong in the deployment. */
export interface Incident {
  readonly at: Instant;
  readonly kind: 'stalled' | 'restored' | 'clock_stepped';
  /** The client whose syncs are stalled; null: the whole deployment. */
  readonly client: string | null;
}

/** The deployment at a glance, for system administrators. */
export interface DeploymentStatus {
  readonly version: string;
  /** The newest version that another process runs, if it is newer; null: none. */
  readonly newerVersion: string | null;
  readonly pendingMigrations: readonly string[];
  readonly maintenance: Maintenance | null;
  readonly processes: readonly RunningProcess[];
  readonly totals: DeploymentTotals;
  /** When the job that waits longest was submitted; null: none waits. */
  readonly oldestWaitingAt: Instant | null;
  /** The newest one of the last 30 days; null: none. */
  readonly incident: Incident | null;
}

/** Compares versions such as `1.10.0` by their numbers. */
export function isNewerVersion(version: string, than: string): boolean {
  const [numbers, others] = [version, than].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [at, number] of (numbers ?? []).entries()) {
    const other = others?.[at] ?? 0;
    if (number !== other) return number > other;
  }
  return false;
}
