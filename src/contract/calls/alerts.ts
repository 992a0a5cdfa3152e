import type { Call } from '../define.ts';
import type * as routes from '../alerts.ts';

export const readAlertWish: Call<typeof routes.readAlertWish> = { method: 'GET', path: '/api/my/alerts' };
export const saveAlertWish: Call<typeof routes.saveAlertWish> = { method: 'PUT', path: '/api/my/alerts' };
