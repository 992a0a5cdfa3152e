import { call } from '../define.ts';
import type * as routes from '../psa.ts';

export const queryPsa = call<typeof routes.queryPsa>('POST', '/api/my/autotask/:entity/query');
export const readModules = call<typeof routes.readModules>('GET', '/api/my/autotask/modules');
export const clearSyncErrors = call<typeof routes.clearSyncErrors>('POST', '/api/my/autotask/:entity/clearSyncErrors');
