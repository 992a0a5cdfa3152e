import type { Call } from '../define.ts';
import type * as routes from '../second-factor.ts';

export const readSecondFactor: Call<typeof routes.readSecondFactor> = { method: 'GET', path: '/api/my/second-factor' };
export const beginSecondFactor: Call<typeof routes.beginSecondFactor> = {
  method: 'POST',
  path: '/api/my/second-factor/begin',
};
export const confirmSecondFactor: Call<typeof routes.confirmSecondFactor> = {
  method: 'POST',
  path: '/api/my/second-factor/confirm',
};
export const replaceRecoveryCodes: Call<typeof routes.replaceRecoveryCodes> = {
  method: 'POST',
  path: '/api/my/second-factor/recovery-codes',
};
export const turnOffSecondFactor: Call<typeof routes.turnOffSecondFactor> = {
  method: 'POST',
  path: '/api/my/second-factor/turn-off',
};
export const requireSecondFactor: Call<typeof routes.requireSecondFactor> = {
  method: 'PUT',
  path: '/api/my/second-factor/requirement',
};
