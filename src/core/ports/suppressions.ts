import type { Kind } from '../kinds.ts';
import type { Instant } from '../values/dates.ts';

/** What was said of documents, and what was found on them. */
export interface SuppressionStore {
  /** What was said of these documents may be said again, and words found there count from anew. */
  clearSuppressions(kinds: readonly Kind[], psaIds: readonly number[]): Promise<void>;
  /**
   * Notes that these documents say in the PSA that they run, and answers since when each has been found so. One that was
   * not found for an hour counts from anew.
   */
  noteFoundMarks(kind: Kind, psaIds: readonly number[], now: Instant): Promise<ReadonlyMap<number, Instant>>;
}
