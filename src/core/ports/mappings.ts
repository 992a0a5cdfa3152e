import type { Mapping, MappingNamespace } from '../mapping/mapping.ts';
import type { AuditEvent, NewAuditEvent } from './audit.ts';

/** Mappings from records of the PSA to records of the books. */
export interface MappingStore {
  listMappings(namespaces?: readonly MappingNamespace[]): Promise<readonly Mapping[]>;
  /** Inserts or replaces by namespace, source entity and source value; answers the saved rows. */
  saveMappings(mappings: readonly Omit<Mapping, 'id'>[]): Promise<readonly Mapping[]>;
  deleteMappings(ids: readonly string[]): Promise<number>;
  /**
   * Saves the changes that a person makes at once, all or nothing, with their event. Nobody else, no sync either,
   * changes mappings of the tenant between what `decide` is shown and what is saved.
   *
   * @param change.follows actions that {@link change.decide} looks back at; none unless told.
   * @param change.decide answers what to save and to delete; shown all mappings of the namespace, and the newest event of
   *   `follows` about it, null when there is none. What it throws is thrown, and nothing is changed.
   * @param change.eventOf `before` are the mappings that were replaced or deleted, `saved` those that are there now.
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
