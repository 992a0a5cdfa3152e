import type { Call } from '../define.ts';
import type * as routes from '../logs.ts';

export const listLogs: Call<typeof routes.listLogs> = { method: 'GET', path: '/api/my/logs' };
export const readLog: Call<typeof routes.readLog> = { method: 'GET', path: '/api/my/logs' };
