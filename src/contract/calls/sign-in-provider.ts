import { call } from '../define.ts';
import type * as routes from '../sign-in-provider.ts';

export const readSignInProvider = call<typeof routes.readSignInProvider>('GET', '/api/my/sign-in-provider');
export const saveSignInProvider = call<typeof routes.saveSignInProvider>('PUT', '/api/my/sign-in-provider');
export const removeSignInProvider = call<typeof routes.removeSignInProvider>('DELETE', '/api/my/sign-in-provider');
export const testSignInProvider = call<typeof routes.testSignInProvider>('POST', '/api/my/sign-in-provider/test');
export const requireSignInProvider = call<typeof routes.requireSignInProvider>(
  'PUT',
  '/api/my/sign-in-provider/requirement',
);
export const beginProviderSignIn = call<typeof routes.beginProviderSignIn>('POST', '/auth/provider/begin');
