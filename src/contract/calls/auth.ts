import { call } from '../define.ts';
import type * as routes from '../auth.ts';

export const login = call<typeof routes.login>('POST', '/auth/login');
export const logout = call<typeof routes.logout>('POST', '/auth/logout');
export const masquerade = call<typeof routes.masquerade>('POST', '/auth/masquerade');
export const endMasquerade = call<typeof routes.endMasquerade>('POST', '/auth/masquerade/end');
export const signOn = call<typeof routes.signOn>('POST', '/auth/sso');
export const connectTicket = call<typeof routes.connectTicket>('POST', '/auth/connect-ticket');
export const forgotPassword = call<typeof routes.forgotPassword>('POST', '/auth/forgot-password');
export const resetPassword = call<typeof routes.resetPassword>('POST', '/auth/reset-password');
export const verifySignOn = call<typeof routes.verifySignOn>('POST', '/r1c/verify');
export const mailEmailProof = call<typeof routes.mailEmailProof>('POST', '/auth/mail-email-proof');
export const readAccount = call<typeof routes.readAccount>('GET', '/auth/account');
export const changePassword = call<typeof routes.changePassword>('POST', '/auth/change-password');
export const authorizeSignOn = call<typeof routes.authorizeSignOn>('GET', '/auth/autotask/authorize');
