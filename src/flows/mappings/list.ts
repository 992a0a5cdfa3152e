import type { Mapping, MappingNamespace } from '#core/mapping/mapping.ts';
import type { TenantContext } from '../context.ts';

/** Returns the saved mappings of one namespace or of all. */
export const listMappings = ({ store }: TenantContext, namespace?: MappingNamespace): Promise<readonly Mapping[]> =>
  store.listMappings(namespace === undefined ? undefined : [namespace]);
