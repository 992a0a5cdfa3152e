import type { Call } from '../define.ts';
import type * as routes from '../requests.ts';

export const listAskable: Call<typeof routes.listAskable> = { method: 'GET', path: '/api/my/requests' };
export const askUsers: Call<typeof routes.askUsers> = { method: 'POST', path: '/api/my/requests' };
