import { call } from '../define.ts';
import type * as routes from '../api-keys.ts';

export const listApiKeys = call<typeof routes.listApiKeys>('GET', '/api/my/api-keys');
export const createApiKey = call<typeof routes.createApiKey>('POST', '/api/my/api-keys');
export const revokeApiKey = call<typeof routes.revokeApiKey>('DELETE', '/api/my/api-keys/:id');
