import type { Call } from '../define.ts';
import type * as routes from '../health.ts';

export const alive: Call<typeof routes.alive> = { method: 'GET', path: '/healthz' };
