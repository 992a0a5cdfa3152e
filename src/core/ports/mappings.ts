import type { Mapping, MappingNamespace } from '../mapping/mapping.ts';
import type { NewAuditEvent } from './audit.ts';

/** From records of the PSA to records of the books. */
export interface MappingStore {
  listMappings(namespaces?: readonly MappingNamespace[]): Promise<readonly Mapping[]>;
  /** Inserts or replaces by namespace, source entity and source value; answers the saved rows. */
  saveMappings(mappings: readonly Omit<Mapping, 'id'>[]): Promise<readonly Mapping[]>;
  deleteMappings(ids: readonly string[]): Promise<number>;
  /** What a person changes at once, all or nothing, with its event; `after` of the event is made of the saved rows. */
  changeMappings(change: {
    readonly saved: readonly Omit<Mapping, 'id'>[];
    readonly deleted: readonly string[];
    readonly eventOf: (saved: readonly Mapping[]) => NewAuditEvent;
  }): Promise<{ readonly saved: readonly Mapping[]; readonly deleted: number }>;
}
