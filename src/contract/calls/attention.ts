import type { Call } from '../define.ts';
import type * as routes from '../attention.ts';

export const listAttention: Call<typeof routes.listAttention> = { method: 'GET', path: '/api/my/attention' };
