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
