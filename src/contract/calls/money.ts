import type { Call } from '../define.ts';
import type * as routes from '../money.ts';

export const readMoney: Call<typeof routes.readMoney> = { method: 'GET', path: '/api/my/money' };
