import type { Call } from '../define.ts';
import type * as routes from '../alerts.ts';

export const readAlertChoice: Call<typeof routes.readAlertChoice> = { method: 'GET', path: '/api/my/alerts' };
export const saveAlertChoice: Call<typeof routes.saveAlertChoice> = { method: 'PUT', path: '/api/my/alerts' };
