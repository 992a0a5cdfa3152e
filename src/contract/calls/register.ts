import type { Call } from '../define.ts';
import type * as routes from '../register.ts';

export const validatePsaAccess: Call<typeof routes.validatePsaAccess> = {
  method: 'POST',
  path: '/register/validate-autotask-access',
};
export const validatePsaResource: Call<typeof routes.validatePsaResource> = {
  method: 'POST',
  path: '/register/validate-autotask-resource',
};
export const completeRegistration: Call<typeof routes.completeRegistration> = {
  method: 'POST',
  path: '/register/complete-registration',
};
