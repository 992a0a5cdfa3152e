import type { Mapping, MappingNamespace } from '../mapping/mapping.ts';
import type { AuditEvent, NewAuditEvent } from './audit.ts';

/** Mappings from PSA records to QuickBooks records. */
export interface MappingStore {
  listMappings(namespaces?: readonly MappingNamespace[]): Promise<readonly Mapping[]>;
  /** Inserts or replaces by namespace, source entity and source value; returns the saved rows. */
  saveMappings(mappings: readonly Omit<Mapping, 'id'>[]): Promise<readonly Mapping[]>;
  deleteMappings(ids: readonly string[]): Promise<number>;
  /**
   * Saves a user's changes and their audit event in one transaction. No other user and no sync changes mappings of the
   * tenant between the rows that `decide` receives and the save.
   *
   * @param change.follows actions whose newest event {@link change.decide} receives; default: none.
   * @param change.decide returns what to save and to delete. Receives all mappings of the namespace and the newest
   *   event of `follows` about it, or null. Its errors are rethrown, and nothing is changed.
   * @param change.eventOf `before` are the replaced or deleted mappings, `saved` the current ones.
   */
  changeMappings(change: {
    readonly namespace: MappingNamespace;
    readonly follows?: readonly string[];
    readonly decide: (
      now: readonly Mapping[],
      newest: AuditEvent | null,
    ) => {
      readonly saved: readonly Omit<Mapping, 'id'>[];
      readonly deleted: readonly string[];
    };
    readonly eventOf: (saved: readonly Mapping[], before: readonly Mapping[]) => NewAuditEvent;
  }): Promise<{ readonly saved: readonly Mapping[]; readonly deleted: number }>;
}
