import type { Call } from '../define.ts';
import type * as routes from '../month.ts';

export const readMonth: Call<typeof routes.readMonth> = { method: 'GET', path: '/api/my/month' };
