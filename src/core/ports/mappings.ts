import type { Mapping, MappingNamespace } from '../mapping/mapping.ts';

/** From records of the PSA to records of the books. */
export interface MappingStore {
  listMappings(namespaces?: readonly MappingNamespace[]): Promise<readonly Mapping[]>;
  /** Inserts or replaces by namespace, source entity and source value; answers the saved rows. */
  saveMappings(mappings: readonly Omit<Mapping, 'id'>[]): Promise<readonly Mapping[]>;
  deleteMappings(ids: readonly string[]): Promise<number>;
}
