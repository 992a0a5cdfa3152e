import { call } from '../define.ts';
import type * as routes from '../users.ts';

export const listUsers = call<typeof routes.listUsers>('GET', '/api/my/users');
export const inviteUser = call<typeof routes.inviteUser>('POST', '/api/my/users/invitations');
export const resendInvitation = call<typeof routes.resendInvitation>('POST', '/api/my/users/invitations/:id/resend');
export const withdrawInvitation = call<typeof routes.withdrawInvitation>('DELETE', '/api/my/users/invitations/:id');
export const listOwned = call<typeof routes.listOwned>('GET', '/api/my/users/:id/owned');
export const deactivateUser = call<typeof routes.deactivateUser>('POST', '/api/my/users/:id/deactivate');
export const reactivateUser = call<typeof routes.reactivateUser>('POST', '/api/my/users/:id/reactivate');
export const removeUser = call<typeof routes.removeUser>('DELETE', '/api/my/users/:id');
export const endUserSessions = call<typeof routes.endUserSessions>('POST', '/api/my/users/:id/end-sessions');
export const readInvitation = call<typeof routes.readInvitation>('POST', '/auth/read-invitation');
export const acceptInvitation = call<typeof routes.acceptInvitation>('POST', '/auth/accept-invitation');
