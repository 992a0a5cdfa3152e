import type { Call } from '../define.ts';
import type * as routes from '../subscription.ts';

export const readSubscription: Call<typeof routes.readSubscription> = { method: 'GET', path: '/api/my' };
export const saveGuide: Call<typeof routes.saveGuide> = { method: 'PUT', path: '/api/my/guide' };
