import { call } from '../define.ts';
import type * as routes from '../register.ts';

export const validatePsaAccess = call<typeof routes.validatePsaAccess>('POST', '/register/validate-autotask-access');
export const validatePsaResource = call<typeof routes.validatePsaResource>(
  'POST',
  '/register/validate-autotask-resource',
);
export const completeRegistration = call<typeof routes.completeRegistration>('POST', '/register/complete-registration');
