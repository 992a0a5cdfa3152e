import type { Call } from '../define.ts';
import type * as routes from '../auth.ts';

export const login: Call<typeof routes.login> = { method: 'POST', path: '/auth/login' };
export const logout: Call<typeof routes.logout> = { method: 'POST', path: '/auth/logout' };
export const masquerade: Call<typeof routes.masquerade> = { method: 'POST', path: '/auth/masquerade' };
export const endMasquerade: Call<typeof routes.endMasquerade> = { method: 'POST', path: '/auth/masquerade/end' };
export const signOn: Call<typeof routes.signOn> = { method: 'POST', path: '/auth/sso' };
export const connectTicket: Call<typeof routes.connectTicket> = { method: 'POST', path: '/auth/connect-ticket' };
export const forgotPassword: Call<typeof routes.forgotPassword> = { method: 'POST', path: '/auth/forgot-password' };
export const resetPassword: Call<typeof routes.resetPassword> = { method: 'POST', path: '/auth/reset-password' };
export const verifySignOn: Call<typeof routes.verifySignOn> = { method: 'POST', path: '/r1c/verify' };
export const mailEmailProof: Call<typeof routes.mailEmailProof> = { method: 'POST', path: '/auth/mail-email-proof' };
export const readAccount: Call<typeof routes.readAccount> = { method: 'GET', path: '/auth/account' };
export const changePassword: Call<typeof routes.changePassword> = { method: 'POST', path: '/auth/change-password' };
export const authorizeSignOn: Call<typeof routes.authorizeSignOn> = { method: 'GET', path: '/auth/autotask/authorize' };
