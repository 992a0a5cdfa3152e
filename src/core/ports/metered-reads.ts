import type { ReadAllowance } from '../metered-reads.ts';

export interface MeteredReads {
  readonly tenantId: string;
  /** Month in US Pacific time, e.g. `2026-11`. */
  readonly month: string;
  readonly reads: number;
}

/** Counts the metered calls of one client: reads, and batches of any kind [Q80]. */
export interface ReadMeter {
  /** Adds calls that were answered with a 2xx status. */
  count(calls: number): void;
  /** Whether Intuit blocks this month's further calls by our count, as far as this process knows. */
  isUsedUp(): boolean;
}

/** Counts reads in memory and adds them to the database on request. */
export interface ReadCounter {
  meterOf(tenantId: string): ReadMeter;
  /** Saves the counts since the last save. Counts that cannot be saved remain for the next save. */
  save(): Promise<void>;
  /** Monthly share of the whole application. */
  readonly allowance: ReadAllowance;
}
