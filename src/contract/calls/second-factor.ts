import { call } from '../define.ts';
import type * as routes from '../second-factor.ts';

export const readSecondFactor = call<typeof routes.readSecondFactor>('GET', '/api/my/second-factor');
export const beginSecondFactor = call<typeof routes.beginSecondFactor>('POST', '/api/my/second-factor/begin');
export const confirmSecondFactor = call<typeof routes.confirmSecondFactor>('POST', '/api/my/second-factor/confirm');
export const replaceRecoveryCodes = call<typeof routes.replaceRecoveryCodes>(
  'POST',
  '/api/my/second-factor/recovery-codes',
);
export const turnOffSecondFactor = call<typeof routes.turnOffSecondFactor>('POST', '/api/my/second-factor/turn-off');
export const requireSecondFactor = call<typeof routes.requireSecondFactor>('PUT', '/api/my/second-factor/requirement');
