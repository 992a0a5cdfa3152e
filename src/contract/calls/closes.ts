import type { Call } from '../define.ts';
import type * as routes from '../closes.ts';

export const listCloses: Call<typeof routes.listCloses> = { method: 'GET', path: '/api/my/closes' };
export const readClose: Call<typeof routes.readClose> = { method: 'GET', path: '/api/my/closes/:month' };
export const prepareClose: Call<typeof routes.prepareClose> = { method: 'POST', path: '/api/my/closes/:month/prepare' };
export const signClose: Call<typeof routes.signClose> = { method: 'POST', path: '/api/my/closes/:month/sign' };
export const decideException: Call<typeof routes.decideException> = {
  method: 'POST',
  path: '/api/my/closes/:month/decisions',
};
export const settleException: Call<typeof routes.settleException> = {
  method: 'POST',
  path: '/api/my/closes/:month/settle',
};
export const downloadClose: Call<typeof routes.downloadClose> = { method: 'GET', path: '/api/my/closes/:month/file' };
