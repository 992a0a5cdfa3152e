import { call } from '../define.ts';
import type * as routes from '../audit.ts';

export const listAudit = call<typeof routes.listAudit>('GET', '/api/my/audit');
