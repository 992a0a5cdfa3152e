import type { Instant } from '../values/dates.ts';

/**
 * Calls that only read QuickBooks. Intuit limits them for the application as a whole and per calendar month; writes are
 * not limited (quickbooks reference, App Partner Program).
 */
export interface MeteredReadStore {
  /** Adds calls of one client to its month. */
  addMeteredReads(counts: readonly MeteredReads[]): Promise<void>;
  /** Lists the calls of one month, e.g. `2026-11`, by client, highest number first. */
  listMeteredReads(month: string): Promise<readonly (MeteredReads & { readonly client: string })[]>;
  /** Total of one month over all clients. */
  countMeteredReads(month: string): Promise<number>;
  /** Number of clients whose last read was blocked. */
  countReadBlocks(): Promise<number>;
  /** Records that an email about this threshold is due; false when it was already recorded. */
  claimReadAlert(month: string, percent: number, now: Instant): Promise<boolean>;
}

export interface MeteredReads {
  readonly tenantId: string;
  /** Month in US Pacific time, e.g. `2026-11`. */
  readonly month: string;
  readonly reads: number;
}

/** Counts the reads of one client when they are sent. */
export interface ReadMeter {
  /** Adds calls that were sent. */
  count(calls: number): void;
  /** Whether the application has used up this month's limit, as far as this process knows. */
  isUsedUp(): boolean;
}

/** Counts reads in memory and adds them to the database on request. */
export interface ReadCounter {
  meterOf(tenantId: string): ReadMeter;
  /** Saves the counts since the last save. Counts that cannot be saved remain for the next save. */
  save(): Promise<void>;
  /** Monthly limit of the whole application; null: no limit. */
  readonly limit: number | null;
}
