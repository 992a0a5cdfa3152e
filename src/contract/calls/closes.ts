import { call } from '../define.ts';
import type * as routes from '../closes.ts';

export const listCloses = call<typeof routes.listCloses>('GET', '/api/my/closes');
export const readClose = call<typeof routes.readClose>('GET', '/api/my/closes/:month');
export const prepareClose = call<typeof routes.prepareClose>('POST', '/api/my/closes/:month/prepare');
export const signClose = call<typeof routes.signClose>('POST', '/api/my/closes/:month/sign');
export const decideException = call<typeof routes.decideException>('POST', '/api/my/closes/:month/decisions');
export const decideExceptions = call<typeof routes.decideExceptions>('POST', '/api/my/closes/:month/decisions/many');
export const settleException = call<typeof routes.settleException>('POST', '/api/my/closes/:month/settle');
export const downloadClose = call<typeof routes.downloadClose>('GET', '/api/my/closes/:month/file');
