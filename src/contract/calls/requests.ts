import { call } from '../define.ts';
import type * as routes from '../requests.ts';

export const listAskable = call<typeof routes.listAskable>('GET', '/api/my/requests');
export const askUsers = call<typeof routes.askUsers>('POST', '/api/my/requests');
