import type { Kind } from '../kinds.ts';
import type { Instant } from '../values/dates.ts';

/** Suppressions of documents, and marks found on them. */
export interface SuppressionStore {
  /** Forgets the suppressions of these documents: the same may be said again, and marks found there count from anew. */
  clearSuppressions(kinds: readonly Kind[], psaIds: readonly number[]): Promise<void>;
  /**
   * Notes that these documents say in the PSA that they run, and answers since when each has been found so. One that was
   * not found for an hour counts from anew.
   */
  noteFoundMarks(kind: Kind, psaIds: readonly number[], now: Instant): Promise<ReadonlyMap<number, Instant>>;
}
