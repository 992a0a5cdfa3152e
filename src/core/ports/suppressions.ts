import type { Kind } from '../kinds.ts';
import type { Instant } from '../values/dates.ts';

/** Suppressed reports of documents, and documents found with a running status. */
export interface SuppressionStore {
  /**
   * Deletes the suppressions of these documents: the same may be reported again, and running statuses are timed again.
   */
  clearSuppressions(kinds: readonly Kind[], psaIds: readonly number[]): Promise<void>;
  /**
   * Records that these documents have a running status in the PSA, and returns when each was first found. A document
   * that was not found for an hour starts again.
   */
  noteFoundMarks(kind: Kind, psaIds: readonly number[], now: Instant): Promise<ReadonlyMap<number, Instant>>;
}
