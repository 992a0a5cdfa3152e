import { call } from '../define.ts';
import type * as routes from '../month.ts';

export const readMonth = call<typeof routes.readMonth>('GET', '/api/my/month');
