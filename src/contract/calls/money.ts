import { call } from '../define.ts';
import type * as routes from '../money.ts';

export const readMoney = call<typeof routes.readMoney>('GET', '/api/my/money');
