import type { Call } from '../define.ts';
import type * as routes from '../environment.ts';

export const readEnvironment: Call<typeof routes.readEnvironment> = { method: 'GET', path: '/api/environment' };
