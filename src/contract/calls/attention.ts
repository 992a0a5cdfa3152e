import { call } from '../define.ts';
import type * as routes from '../attention.ts';

export const listAttention = call<typeof routes.listAttention>('GET', '/api/my/attention');
