import type { Call } from '../define.ts';
import type * as routes from '../audit.ts';

export const listAudit: Call<typeof routes.listAudit> = { method: 'GET', path: '/api/my/audit' };
