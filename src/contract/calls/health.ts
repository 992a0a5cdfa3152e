import { call } from '../define.ts';
import type * as routes from '../health.ts';

export const alive = call<typeof routes.alive>('GET', '/healthz');
