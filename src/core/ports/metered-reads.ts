import type { Instant } from '../values/dates.ts';

/**
 * Calls that only read QuickBooks. Intuit limits them for the application as a whole and per calendar month; writes are
 * not limited (quickbooks reference, App Partner Program).
 */
export interface MeteredReadStore {
  /** Adds calls of one client to its month. */
  addMeteredReads(counts: readonly MeteredReads[]): Promise<void>;
  /** Calls of one month, e.g. `2026-11`, by client, most first. */
  listMeteredReads(month: string): Promise<readonly (MeteredReads & { readonly client: string })[]>;
  /** Total of one month over all clients. */
  countMeteredReads(month: string): Promise<number>;
  /** Number of clients whose last read was blocked. */
  countReadBlocks(): Promise<number>;
  /** Records that an email about this threshold is due; false when it was recorded before. */
  claimReadAlert(month: string, percent: number, now: Instant): Promise<boolean>;
}

export interface MeteredReads {
  readonly tenantId: string;
  /** Month in US Pacific time, e.g. `2026-11`. */
  readonly month: string;
  readonly reads: number;
}

/** Counts the reads of one client as they leave. */
export interface ReadMeter {
  /** Adds calls that have left. */
  count(calls: number): void;
  /** Whether the application has used up the limit of this month, as far as this process knows. */
  isUsedUp(): boolean;
}

/** Counts reads in memory, and adds them to the database when asked to. */
export interface ReadCounter {
  meterOf(tenantId: string): ReadMeter;
  /** Saves what was counted since the last time. A count that cannot be saved stays for the next time. */
  save(): Promise<void>;
  /** Limit of one calendar month for the whole application; null: the application has none. */
  readonly limit: number | null;
}
