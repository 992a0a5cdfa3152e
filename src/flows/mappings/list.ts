import type { Mapping, MappingNamespace } from '#core/mapping/mapping.ts';
import type { TenantContext } from '../context.ts';

/** Saved mappings, of one namespace or of all. */
export const listMappings = ({ store }: TenantContext, namespace?: MappingNamespace): Promise<readonly Mapping[]> =>
  store.listMappings(namespace === undefined ? undefined : [namespace]);
