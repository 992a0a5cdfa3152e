import { call } from '../define.ts';
import type * as routes from '../logs.ts';

export const listLogs = call<typeof routes.listLogs>('GET', '/api/my/logs');
export const readLog = call<typeof routes.readLog>('GET', '/api/my/logs');
