import type { Call } from '../define.ts';
import type * as routes from '../psa.ts';

export const queryPsa: Call<typeof routes.queryPsa> = { method: 'POST', path: '/api/my/autotask/:entity/query' };
export const readModules: Call<typeof routes.readModules> = { method: 'GET', path: '/api/my/autotask/modules' };
export const clearSyncErrors: Call<typeof routes.clearSyncErrors> = {
  method: 'POST',
  path: '/api/my/autotask/:entity/clearSyncErrors',
};
