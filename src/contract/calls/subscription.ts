import { call } from '../define.ts';
import type * as routes from '../subscription.ts';

export const readSubscription = call<typeof routes.readSubscription>('GET', '/api/my');
export const saveGuide = call<typeof routes.saveGuide>('PUT', '/api/my/guide');
