import type { Call } from '../define.ts';
import type * as routes from '../api-keys.ts';

export const listApiKeys: Call<typeof routes.listApiKeys> = { method: 'GET', path: '/api/my/api-keys' };
export const createApiKey: Call<typeof routes.createApiKey> = { method: 'POST', path: '/api/my/api-keys' };
export const revokeApiKey: Call<typeof routes.revokeApiKey> = { method: 'DELETE', path: '/api/my/api-keys/:id' };
