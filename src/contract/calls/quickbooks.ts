import type { Call } from '../define.ts';
import type * as routes from '../quickbooks.ts';

export const readBooks: Call<typeof routes.readBooks> = { method: 'GET', path: '/api/my/qbo' };
export const readPreferences: Call<typeof routes.readPreferences> = { method: 'GET', path: '/api/my/qbo/preferences' };
