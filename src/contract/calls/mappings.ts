import type { Call } from '../define.ts';
import type * as routes from '../mappings.ts';

export const saveMappings: Call<typeof routes.saveMappings> = {
  method: 'POST',
  path: '/api/my/xrefs/:namespace/multiple',
};
export const suggestMappings: Call<typeof routes.suggestMappings> = {
  method: 'GET',
  path: '/api/my/xrefs/suggest/:namespace',
};
export const readMappingTable: Call<typeof routes.readMappingTable> = {
  method: 'GET',
  path: '/api/my/mappings/:namespace',
};
export const searchMappingTargets: Call<typeof routes.searchMappingTargets> = {
  method: 'GET',
  path: '/api/my/mappings/:namespace/targets',
};
export const readMappingUsage: Call<typeof routes.readMappingUsage> = {
  method: 'GET',
  path: '/api/my/mappings/:namespace/usage',
};
export const listMappingChanges: Call<typeof routes.listMappingChanges> = {
  method: 'GET',
  path: '/api/my/mappings/:namespace/history',
};
export const undoMappingChange: Call<typeof routes.undoMappingChange> = {
  method: 'POST',
  path: '/api/my/mappings/:namespace/undo',
};
