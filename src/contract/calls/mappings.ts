import { call } from '../define.ts';
import type * as routes from '../mappings.ts';

export const listMappings = call<typeof routes.listMappings>('GET', '/api/my/xrefs');
export const saveMappings = call<typeof routes.saveMappings>('POST', '/api/my/xrefs/:namespace/multiple');
export const suggestMappings = call<typeof routes.suggestMappings>('GET', '/api/my/xrefs/suggest/:namespace');
export const readMappingTable = call<typeof routes.readMappingTable>('GET', '/api/my/mappings/:namespace');
export const searchMappingTargets = call<typeof routes.searchMappingTargets>(
  'GET',
  '/api/my/mappings/:namespace/targets',
);
export const readMappingUsage = call<typeof routes.readMappingUsage>('GET', '/api/my/mappings/:namespace/usage');
export const listMappingChanges = call<typeof routes.listMappingChanges>('GET', '/api/my/mappings/:namespace/history');
export const undoMappingChange = call<typeof routes.undoMappingChange>('POST', '/api/my/mappings/:namespace/undo');
